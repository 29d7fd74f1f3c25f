"""Pages of news for readers: lists by date, tag and author, a post, liking it, previews, and news by mail."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from accounts.unsubscribe import unsubscribe_view
from accounts.visitors import visitor
from elections import repository as elections
from elections.access import check_visible, may
from elections.rules import Action, Election
from foundation.acts.rate_limits import SECONDS_PER_DAY, TEN_MINUTES_IN_SECONDS, Limit, TooOften, count
from foundation.acts.refusals import NotAllowed, NotThere, Refusal
from foundation.acts.storage import now_text
from foundation.pages.client_address import client_network
from foundation.pages.forms import form_data, form_page, refusals_as_errors, run_form, show_form
from foundation.pages.fragments import shared_page
from foundation.pages.http_cache import cached_for_anonymous
from foundation.pages.messages import confirm_page, inbox_page, message_page
from foundation.pages.names import MAX_NAME_CHARS
from foundation.pages.paging import ReadPage, read_page
from results import services as results

from . import access, feeds, likes, mailing, panels, repository, rules, services
from .access import can_edit
from .forms import ByMailForm, NoNewsForm
from .likes import Liker
from .panels import about_query
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
    # a tag or an author as spelt in the newest post, not in the URL
    spelt = {
        name: posts[0].author if name == "author" else rules.spelling_of(posts[0].tags, typed)
        for name, typed in narrowed.items()
    }
    user = request.user
    context = {"posts": posts, "older": older, "is_first": "after" not in request.GET, **spelt}
    context["may_write"] = user.is_authenticated and rules.writes_news(user.role)
    context["may_draft"] = user.can_run_elections
    context["feeds"] = feeds.feed_links(request.resolver_match.url_name, *spelt.values())
    return render(request, "news/news.html", context)


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
    links = {"social": feeds.post_preview(full.post), "feeds": feeds.feed_links("news")}
    context = {**post_context(full), "may_edit": may_edit, "likes": likes.load_likes(request, full), **links}
    return render(request, "news/post.html", context)


def post_context(full: FullPost) -> dict[str, Any]:
    """The context of a post's page: the post, and what it is about."""
    about = panels.load_about(full.post)
    return {"post": full.post, "text": full.text, "state": full.post.state(now_text()), "about": about}


# --- previews ---


@public
@require_safe
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """A post as seen by preview link. Once it is published, the link redirects to it."""
    if (preview := access.read_preview(token)) is None:
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


LIKES = Limit("likes-address", 600, TEN_MINUTES_IN_SECONDS)  # a school shares one address; so does a flood
# Deleting the cookie must not allow endless likes, so browsers without one have lower limits.
NEW_BROWSERS = (
    Limit("likes-new-browsers", 60, TEN_MINUTES_IN_SECONDS),
    Limit("likes-new-browsers-a-day", 300, SECONDS_PER_DAY),
)
CHOICES = {"yes": True, "no": False}


@public
@require_POST
def like_post(request: HttpRequest, post_id: str) -> HttpResponse:
    """Sets the state the button named instead of toggling it, so a stale page or a double click does no harm."""
    post = repository.find(post_id)
    if post is None or not post.is_public(now_text()):
        raise Http404
    if request.POST.get("on") not in CHOICES:
        return message_page(request, _("Likes"), _("Say whether you like it: yes or no."), status=400)
    who = likes.liker(request, post.id)
    try:
        for limit in (LIKES, *(NEW_BROWSERS if who.is_new else ())):
            count(limit, client_network(request))  # the address only limits the rate; it does not identify anyone
        likes.set_like(who, on := CHOICES[request.POST["on"]])
    except NotThere:
        raise Http404 from None
    except Refusal as refusal:
        if request.htmx:  # htmx would not show a response with an error status
            return _part(request, who, str(refusal))
        return message_page(request, _("Likes"), str(refusal), status=429 if isinstance(refusal, TooOften) else 409)
    if request.htmx:
        response = _part(request, who)
    else:
        response = redirect(f"{reverse('post', args=[post.slug])}#likes")
        response.status_code = 303  # the browser follows with a GET, whatever the form's method
    if on and who.browser:
        likes.set_cookie(who, response)
    return response


def _part(request: HttpRequest, who: Liker, problem: str = "") -> HttpResponse:
    return render(request, "news/parts/likes.html", {"likes": likes.reload_likes(who, problem)})


@public
@form_page
def by_mail(request: HttpRequest) -> HttpResponse:
    """The response is the same whether or not the address is already subscribed."""
    form = ByMailForm(form_data(request), initial={"email": getattr(request.user, "email", "")})
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            user = request.user if request.user.is_authenticated else None
            mailing.request_subscription(form.cleaned_data["email"], visitor(request), user)
            sentence = _(
                "We have sent a mail to %(email)s. Use the link in it to confirm that you want the news. We send at "
                "most three such mails a day."
            )
            return inbox_page(request, sentence % form.cleaned_data)
    lead = _("Get each new post by mail: its title, its first words and a link. We will send you a link to confirm.")
    return show_form(request, form, _("News by mail"), _("Get the news by mail"), lead=lead)


@public
@form_page
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Needs a button press, because mail scanners follow links."""
    if (confirmation := mailing.read_confirmation(token)) is None:
        sentence = _("It may be mistyped or too old. You can ask for a new one.")
        return message_page(request, _("This link does not work"), sentence, status=410)
    address, language = confirmation
    if request.method != "POST":
        lead = _("We will send it to %(email)s until you unsubscribe.") % {"email": address}
        return confirm_page(request, _("News by mail?"), _("Get the news by mail"), lead=lead)
    mailing.confirm(address, language)
    sentence = _("You will now get every new post by mail. Each mail has an unsubscribe link.")
    return message_page(request, _("News by mail"), sentence)


@unsubscribe_view(
    mailing.LEAVE,
    gettext_lazy("Unsubscribe from the news?"),
    gettext_lazy("Unsubscribe from the news"),
    lambda address: _("It is sent to %(email)s.") % {"email": address},
)
def leave(address: str) -> str:
    mailing.leave(address)
    return _("You are unsubscribed, and your address has been deleted from the list.")


@requires(Permission.MANAGE_USERS)
@form_page
def subscribers(request: HttpRequest) -> HttpResponse:
    """How many there are, and a way to remove one on request. The addresses are not shown."""
    form = NoNewsForm(form_data(request))
    act = lambda: mailing.remove(request.user, form.cleaned_data["email"])  # noqa: E731
    if run_form(request, form, act, _("This address is unsubscribed."), "email"):
        return redirect("news_subscribers")
    number = mailing.count_subscribers()
    lead = ngettext("%(number)d address gets the news by mail.", "%(number)d addresses get the news by mail.", number)
    title, button = _("News subscribers"), _("Unsubscribe this address")
    return show_form(request, form, title, button, lead=lead % {"number": number})
