"""Fragments of pages are rendered once for each state of their data, and ETags cover all that stands around them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.template import engines
from django.test import Client, RequestFactory
from django.test.utils import override_script_prefix
from django.utils.translation import override
from jinja2 import meta, nodes

from foundation.acts import branding
from foundation.acts.caches import SizedCache
from foundation.pages import fragments, http_cache, site_views
from foundation.pages.fragments import Fragment, cache_key, cached, get_or_render
from results.front_page import site_page

TEMPLATES = Path(settings.BASE_DIR) / "templates"
ENVIRONMENT = engines["jinja2"].env


@pytest.fixture
def cache(monkeypatch):
    found = SizedCache[Fragment](1_000_000, fragments.fragment_cache.weigh)
    monkeypatch.setattr(fragments, "fragment_cache", found)
    return found


def test_a_fragment_of_other_data_is_replaced(cache):
    rendered = []

    def html_from(source: str) -> str:
        def context():
            rendered.append(source)
            return {"name": "copy"}

        return get_or_render(cache_key("sign"), "parts/mark.html", context, source).html

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


SHARED = ("/api/v1/", "/trust/", "/trust/?show=met", *(f"/help/{topic}/" for topic in site_views.topics()), "/help/")


@pytest.mark.few(4)
@pytest.mark.parametrize("path", SHARED)
def test_what_all_readers_share_is_drawn_once(site, monkeypatch, signed_in, path):
    puts = []

    class Counted(SizedCache):
        def put(self, question, answer):
            puts.append(question)
            super().put(question, answer)

    monkeypatch.setattr(
        fragments, "fragment_cache", Counted(fragments.fragment_cache.most, fragments.fragment_cache.weigh)
    )
    monkeypatch.setattr(site_views, "passages", Counted(site_views.passages.most, site_views.passages.weigh))
    first = Client().get(path).content.decode()
    drawn = len(puts)
    assert drawn > 0
    assert _main(Client().get(path).content.decode()) == _main(first)
    own = signed_in("Zoe").get(path).content.decode()
    assert ("Zoe" in own, "Zoe" in first) == (True, False), "the frame is the reader's own"
    assert len(puts) == drawn
    Client(headers={"accept-language": "de"}).get(path)
    assert len(puts) > drawn, "each language has its own"
    assert "Zoe" not in Client().get(path).content.decode()


@pytest.mark.parametrize("path", ["/api/v1/", "/trust/", "/help/"])
def test_what_is_shared_stands_in_the_frame_of_the_site_as_it_is_now(site, path):
    before = Client().get(path).content.decode()
    found = site_page.find()
    site.write(*site_page.writing(site_page.changed(found, {"name": "Bees", "colour": "#1b5e3f"}), found))
    branding.cache.forget()
    after = Client().get(path).content.decode()
    assert ("Bees" in before, "Bees" in after) == (False, True)
    assert ("1b5e3f" in before, "1b5e3f" in after) == (False, True)
    assert _main(after) == _main(before)


def _main(page: str) -> str:
    return page.partition("<main")[2].partition("</main>")[0]


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
    own = {"csrf_input", "plain", "page_path"}  # made of the token; choices of the page itself
    names = looked_at("base.html") - own
    names = {name for name in names if name.partition(".")[0] != "user"}  # of whom it knows that nobody is signed in
    assert {name.split(".")[0] for name in names} <= set(http_cache._frame(request, http_cache.common_context(request)))
    assert {name for name in names if name.startswith("request.")} == {"request.get_full_path"}
