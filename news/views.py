"""Pages of news for readers: lists by date, tag and author, a post, and a look at one beforehand."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public
from accounts.rules import Permission
from acts.storage import now_text
from pages.http_cache import cached_for_anonymous
from pages.names import MAX_NAME_CHARS
from pages.paging import ReadPage, read_page

from . import about, likes, previews, repository, rules, social
from .access import edits
from .repository import Whole
from .rules import PAGE_ROWS, Post

# --- lists ---


@public
@require_safe
@cached_for_anonymous
def news(request: HttpRequest) -> HttpResponse:
    """What there is to read, the newest first."""
    return _list(request, repository.published)


@public
@require_safe
@cached_for_anonymous
def with_tag(request: HttpRequest, tag: str) -> HttpResponse:
    if len(tag) > rules.MAX_TAG_CHARS:
        raise Http404
    return _list(request, partial(repository.with_tag, tag), tag=tag)


@public
@require_safe
@cached_for_anonymous
def by_author(request: HttpRequest, author: str) -> HttpResponse:
    if len(author) > MAX_NAME_CHARS:
        raise Http404
    return _list(request, partial(repository.by_author, author), author=author)


def _list(request: HttpRequest, read: ReadPage[Post], **narrowed: str) -> HttpResponse:
    """A list; one of a tag or an author is there only if there is something to read in it."""
    posts, older = read_page(request, read, PAGE_ROWS)
    if narrowed and not posts:
        raise Http404
    spelt = {name: _as_spelt(name, typed, posts[0]) for name, typed in narrowed.items()}
    user = request.user
    may = {"may_write": user.is_authenticated and rules.writes_news(user.role), "may_draft": _may_draft(user)}
    context = {"posts": posts, "older": older, "is_first": "after" not in request.GET, **spelt, **may}
    context["feeds"] = social.of_list(request.resolver_match.url_name, *spelt.values())
    return render(request, "news/news.html", context)


def _may_draft(user: Any) -> bool:
    return bool(user.is_authenticated and user.can(Permission.USE_APPLICATION))


def _as_spelt(name: str, typed: str, post: Post) -> str:
    """A tag or an author as the newest post has it, not as the address has it."""
    if name == "author":
        return post.author
    return rules.spelt(post.tags, typed)


# --- a post ---


@public
@require_safe
@cached_for_anonymous
def post(request: HttpRequest, slug: str) -> HttpResponse:
    """A post at its address, to which earlier ones lead. Before its moment it is there for its writers."""
    whole = _at(slug)
    if whole is None:
        raise Http404
    may_edit = edits(request.user, whole.post)
    if not (may_edit or whole.post.is_seen(now_text())):
        raise Http404
    if whole.post.slug != slug:
        return redirect("post", whole.post.slug, permanent=True)
    return render(request, "news/post.html", context_of(whole, may_edit=may_edit, **_beside(request, whole)))


def _beside(request: HttpRequest, whole: Whole) -> dict[str, Any]:
    """What it is about, who likes it, and what other sites are told of it."""
    links = {"social": social.of_post(whole.post), "feeds": social.of_list("news")}
    return {"about": about.shown(whole.post), "likes": likes.shown(request, whole), **links}


def _at(slug: str) -> Whole | None:
    post_id = repository.led_to(slug) if len(slug) <= rules.MAX_SLUG_CHARS else None
    return repository.whole(post_id) if post_id else None


def context_of(whole: Whole, **more: Any) -> dict[str, Any]:
    """What the page of a post shows."""
    return {"post": whole.post, "text": whole.text, "whole": whole, "state": whole.post.state(now_text()), **more}


# --- before its moment ---


@public
@require_safe
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """A post as whoever was given a link sees it beforehand. Once it is published the link leads to it."""
    if (found := previews.read(token)) is None:
        return _unseen(render(request, "news/no_preview.html", {"days": rules.PREVIEW_DAYS}, status=404))
    if found.whole.post.is_seen(now_text()):
        return _unseen(redirect("post", found.whole.post.slug))
    seen = {"until": found.until, "is_preview": True, "about": about.shown(found.whole.post)}
    context = context_of(found.whole, **seen, title=_("Preview"))
    return _unseen(render(request, "news/post.html", context))


def _unseen(answer: HttpResponse) -> HttpResponse:
    """Neither found by search engines, nor told to the sites it links to, nor kept by anybody on the way."""
    answer["X-Robots-Tag"] = "noindex"
    answer["Referrer-Policy"] = "no-referrer"
    answer["Cache-Control"] = "private, no-store"
    return answer
