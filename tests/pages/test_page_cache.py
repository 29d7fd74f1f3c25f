"""Fragments of pages are rendered once for each state of their data, and ETags cover all that stands around them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory
from django.test.utils import override_script_prefix
from django.utils.translation import override

from pages import conditional, page_cache
from pages.page_cache import Fragment, cache_key, cached, get_or_render
from store.memory import Memory

TEMPLATES = Path(settings.BASE_DIR) / "templates"


@pytest.fixture
def cache(monkeypatch):
    found = Memory[Fragment](1_000_000, page_cache.cache.weigh)
    monkeypatch.setattr(page_cache, "cache", found)
    return found


def test_a_fragment_of_other_data_is_replaced(cache):
    rendered = []

    def html_from(source: str) -> str:
        def context():
            rendered.append(source)
            return {"name": "copy"}

        return get_or_render(cache_key("sign"), "parts/sign.html", context, source).html

    for source in ("one", "one", "other", "one"):
        assert "<svg" in html_from(source)
    assert rendered == ["one", "other", "one"]
    assert cached(cache_key("sign"), "one") is not None
    assert cached(cache_key("sign"), "other") is None


def test_each_language_and_each_path_of_the_site_has_its_own(cache):
    keys = set()
    for language in ("en", "de"):
        for prefix in ("/", "/votes/"):
            with override(language), override_script_prefix(prefix):
                keys.add(cache_key("sign"))
    assert len(keys) == 4


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
