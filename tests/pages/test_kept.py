"""Parts of pages that are made once: compressed they fit into any page, and editions know all that stands around."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.template import engines
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as some
from jinja2 import meta, nodes

from pages import conditional, kept
from pages.kept import Kept, alone, known, place, remembered
from pages.packing import deflated
from store.memory import Memory

TEMPLATES = Path(settings.BASE_DIR) / "templates"
ENVIRONMENT = engines["jinja2"].env
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
        return remembered(place("mark"), "parts/mark.html", said, name).html

    for name in ("one", "one", "other", "one"):
        assert b"<svg" in make(name)
    assert made == ["one", "other", "one"]
    assert len(memory._kept) == 1
    assert known(place("mark"), "one") is not None
    assert known(place("mark"), "other") is None


# --- the edition of what stands around it ---


def looked_at(name: str) -> set[str]:
    """What a template and all that it includes look at in the context, apart from what is bound there."""
    tree = ENVIRONMENT.parse((TEMPLATES / name).read_text())
    attributes = {_path(each) for each in tree.find_all(nodes.Getattr)}
    found = meta.find_undeclared_variables(tree) - set(ENVIRONMENT.globals)
    names = found | {each for each in attributes if each.startswith(("request.", "user."))}
    bound = {target.name for each in tree.find_all(nodes.With) for target in each.targets}
    return names.union(*(looked_at(each) - bound for each in meta.find_referenced_templates(tree) if each))


def _path(node: nodes.Node) -> str:
    """`request.resolver_match.url_name`; nothing for an attribute of anything else than a name."""
    if isinstance(node, nodes.Getattr):
        return f"{_path(node.node)}.{node.attr}"
    return node.name if isinstance(node, nodes.Name) else ""


def test_the_edition_of_a_frame_knows_all_that_the_frame_looks_at(site):
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    request.session, request._messages = {}, []
    names = looked_at("base.html") - {"csrf_input"}  # made of the token
    assert {name.split(".")[0] for name in names} <= set(
        conditional._frame(request, conditional.what_every_page_says(request))
    )
    assert {name for name in names if name.startswith(("request.", "user."))} == {
        *("request.get_full_path", "request.path_info", "request.path_info.startswith"),  # the address
        *("request.resolver_match", "request.resolver_match.url_name"),
        *("user.is_authenticated", "user.name"),
        *("user.can_look", "user.can_manage_people", "user.is_owner"),  # the role
    }
