"""Parts of pages that are made once: compressed they fit into any page, and editions know all that stands around."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as some

from pages import conditional, kept
from pages.kept import Kept, alone, known, place, remembered
from pages.packing import deflated
from store.memory import Memory

TEMPLATES = Path(settings.BASE_DIR) / "templates"
ZIPPED = {"accept-encoding": "gzip"}


def part_of(content: bytes) -> Kept:
    return Kept(content, deflated(content), "tag", None)


@given(some.binary(max_size=300), some.binary(max_size=3000), some.binary(max_size=300))
def test_pieces_that_were_compressed_apart_are_one_whole(before, content, after):
    request = RequestFactory().get("/", headers=ZIPPED)
    page = kept._joined(request, HttpResponse(), before, part_of(content), after)
    assert gzip.decompress(page.content) == before + content + after
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
    assert (inflate.decompress(page.content), inflate.unused_data) == (before + content + after, b""), "one member"


def test_alone_it_is_what_it_is():
    content = "Grüße".encode() * 99
    assert gzip.decompress(alone(RequestFactory().get("/", headers=ZIPPED), part_of(content)).content) == content
    assert alone(RequestFactory().get("/"), part_of(content)).content == content


@pytest.fixture
def memory(monkeypatch):
    found = Memory[Kept](1_000_000, kept.parts.weigh)
    monkeypatch.setattr(kept, "parts", found)
    return found


def test_what_was_made_of_something_else_makes_way(memory):
    made = []

    def make(name: str) -> bytes:
        said = lambda: made.append(name) or {"name": "copy"}  # noqa: E731 - it is asked whether it is called
        return remembered(place("sign"), "parts/sign.html", said, name).html

    for name in ("one", "one", "other", "one"):
        assert b"<svg" in make(name)
    assert made == ["one", "other", "one"]
    assert len(memory._kept) == 1
    assert known(place("sign"), "one") is not None
    assert known(place("sign"), "other") is None


# --- the edition of what stands around it ---

TAG = re.compile(r"{%(.*?)%}|{{(.*?)}}", re.DOTALL)
WORDS = {"if", "elif", "else", "endif", "in", "not", "and", "or", "is", "as", "with", "count", "trimmed", "for", "only"}
WORDS |= {"include", "part", "blocktranslate", "None", "get_language_info_list", "firstof", "url"}
READING = ("if", "elif", "for", "with", "include", "part", "blocktranslate", "get_language_info_list", "firstof", "url")
BOUND = re.compile(r"\bfor (\w+) in\b|\b(\w+)=|\bas (\w+)")


def looked_at(name: str) -> set[str]:
    """What a template and all that it includes look at in the context, apart from what is bound in it."""
    text = re.sub(r"{#.*?#}", "", (TEMPLATES / name).read_text(), flags=re.DOTALL)
    tags = [(tag or "").strip() or f"if {value}" for tag, value in TAG.findall(text)]
    bound = {word for tag in tags for found in BOUND.findall(tag) for word in found if word}
    names = {word for tag in tags if tag.split()[0] in READING for word in _names(tag)}
    names = {word for word in names if word.split(".")[0] not in bound}
    included = re.findall(r'{% include "([^"]+)"', text)
    inside = [looked_at(each) - _given(text, each) for each in included]
    return names.union(*inside)


def _names(tag: str) -> set[str]:
    plain = re.sub(r'"[^"]*"', "", tag)
    plain = re.sub(r"\|\w+(:[\w.]+)?", "", plain)
    return set(re.findall(r"(?<![\w.|])[A-Za-z_][\w.]*", plain)) - WORDS


def _given(text: str, included: str) -> set[str]:
    """What is said to it where it is included."""
    tags = re.findall(r'{% include "' + re.escape(included) + r'"([^%]*)%}', text)
    return {word for tag in tags for word in re.findall(r"(\w+)=", tag)}


def test_the_edition_of_a_frame_knows_all_that_the_frame_looks_at(site):
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    request.session, request._messages = {}, []
    names = looked_at("base.html")
    assert {name.split(".")[0] for name in names} <= set(
        conditional._frame(request, conditional.what_every_page_says(request))
    )
    assert {name for name in names if name.startswith(("request.", "user."))} == {
        *("request.get_full_path", "request.path_info", "request.resolver_match.url_name"),  # the address
        *("user.is_authenticated", "user.name"),
        *("user.can_look", "user.can_manage_people", "user.is_owner"),  # the role
    }
