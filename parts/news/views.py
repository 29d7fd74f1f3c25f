"""Pages of news for readers: lists by date, tag and author, a post, and previews."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from elections import repository as elections
from elections.access import check_visible, may
from elections.rules import Action, Election
from foundation.acts.refusals import NotAllowed, Refusal
from foundation.acts.storage import now_text
from foundation.pages.http_cache import cached_for_anonymous
from foundation.pages.names import MAX_NAME_CHARS
from foundation.pages.page_cache import shared_page
from foundation.pages.paging import ReadPage, read_page
from results import services as results

from . import election_posts, likes, previews, repository, rules, services, social
from .access import can_edit
from .election_posts import about_query
from .repository import FullPost
from .rules import PAGE_ROWS, Post

# --- lists ---


@public
@require_safe
@cached_for_anonymous
def news(request: HttpRequest) -> HttpResponse:
    """All published posts, newest first."""
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
    """A list; a tag or an author without published posts is a 404."""
    posts, older = read_page(request, read, PAGE_ROWS)
    if narrowed and not posts:
        raise Http404
    spelt = {name: _spelling(name, typed, posts[0]) for name, typed in narrowed.items()}
    user = request.user
    context = {"posts": posts, "older": older, "is_first": "after" not in request.GET, **spelt}
    context["may_write"] = user.is_authenticated and rules.writes_news(user.role)
    context["may_draft"] = user.can_run_elections
    context["feeds"] = social.feed_links(request.resolver_match.url_name, *spelt.values())
    return render(request, "news/news.html", context)


def _spelling(name: str, typed: str, post: Post) -> str:
    """A tag or an author as spelt in the newest post, not in the URL."""
    return post.author if name == "author" else rules.spelling_of(post.tags, typed)


# --- a post ---


@public
@require_safe
@cached_for_anonymous
def post(request: HttpRequest, slug: str) -> HttpResponse:
    """A post at its address; earlier addresses redirect. Before publication only its editors can see it."""
    post_id = repository.id_at_slug(slug) if len(slug) <= rules.MAX_SLUG_CHARS else None
    full = repository.find_full(post_id) if post_id else None
    if full is None:
        raise Http404
    may_edit = can_edit(request.user, full.post)
    if not (may_edit or full.post.is_public(now_text())):
        raise Http404
    if full.post.slug != slug:
        return redirect("post", full.post.slug, permanent=True)
    links = {"social": social.post_preview(full.post), "feeds": social.feed_links("news")}
    context = {**post_context(full), "may_edit": may_edit, "likes": likes.load_likes(request, full), **links}
    return render(request, "news/post.html", context)


def post_context(full: FullPost) -> dict[str, Any]:
    """The context of a post's page: the post, and what it is about."""
    about = election_posts.load_about(full.post)
    return {"post": full.post, "text": full.text, "state": full.post.state(now_text()), "about": about}


# --- previews ---


@public
@require_safe
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """A post as seen by preview link. Once it is published, the link redirects to it."""
    if (preview := previews.read(token)) is None:
        return _unlisted(render(request, "news/no_preview.html", {"days": rules.PREVIEW_DAYS}, status=404))
    full, until = preview
    if full.post.is_public(now_text()):
        return _unlisted(redirect("post", full.post.slug))
    context = {"until": until, "is_preview": True, "title": _("Preview")}
    return _unlisted(render(request, "news/post.html", post_context(full) | context))


def _unlisted(response: HttpResponse) -> HttpResponse:
    """Neither indexed nor cached."""
    response["X-Robots-Tag"] = "noindex"
    response["Cache-Control"] = "private, no-store"
    return response


# --- About an election ---


@requires(Permission.VIEW_APPLICATION, load=elections.find_settled, rule=check_visible)
@require_safe
def about_election(request: HttpRequest, election: Election) -> HttpResponse:
    """All published posts about an election."""
    posts, older = read_page(request, partial(repository.on_election, election), PAGE_ROWS)
    may_write = services.may_announce(request.user, election)
    context = {"election": election, "posts": posts, "older": older, "may_write": may_write}
    return render(request, "news/about.html", context | {"about": about_query(election)})


@requires(Permission.USE_APPLICATION, load=elections.find_settled, rule=may(Action.LOOK))
@require_POST
def announce(request: HttpRequest, election: Election) -> HttpResponse:
    """One press announces it; pressing again leads to the existing post."""
    if (found := results.find(election.name)) is None:
        raise Http404
    try:
        post, is_new = services.announce(request.user, found)
    except NotAllowed:
        raise
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("dashboard", name=election.name)
    messages.success(
        request, _("The result has been announced.") if is_new else _("This result has already been announced.")
    )
    # the post as readers see it, or its form if it was withdrawn
    return redirect("post", post.slug) if post.is_public(now_text()) else redirect("edit_post", post.id)


@public
@require_safe
def help_news(request: HttpRequest) -> HttpResponse:
    return shared_page(request, "news/help_news.html", "news/parts/help_news.html")
