"""Pages on which posts are written: drafts, a new one, changing one. Nothing that was typed is lost on the way."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.encoding import escape_uri_path
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import View, answer_for, public, requires
from accounts.models import User
from accounts.rules import Permission
from acts.refusals import LostRace, NotAllowed, NotNow, Refusal
from acts.storage import now_text
from pages import markdown_cache
from pages.forms import form_data, form_page, token_in
from pages.messages import message_page
from photos.changing import picture_page
from ranking.drafts import key_of_person

from . import repository, rules, services
from .access import editable, written_by
from .forms import EditForm, PostForm
from .repository import Some, Whole
from .rules import Post, SlugTaken, State
from .services.writing import check_about

PAGE_ROWS = 20
TYPED = ("title", "text", "tags", "summary", "slug")


# --- drafts ---


@requires(Permission.USE_APPLICATION)
@require_safe
def drafts(request: HttpRequest) -> HttpResponse:
    """What is not to be seen yet: of everybody for those who write the news, else one's own."""
    everybody = rules.writes_news(request.user.role)
    whose = None if everybody else request.user.name
    shown = request.GET.get("show", "")
    lists = {
        "unpublished": _some(request, "drafts", partial(repository.drafts, whose)) if shown != "scheduled" else None,
        "scheduled": _some(request, "scheduled", partial(repository.ahead, whose)) if shown != "drafts" else None,
    }
    return render(request, "news/drafts.html", {**lists, "everybody": everybody, "may_write": everybody})


def _some(request: HttpRequest, name: str, read: Callable[..., Some]) -> dict[str, Any]:
    """Some of a list, and the address of the page that has only more of it."""
    begin = request.GET.get("after") if request.GET.get("show") == name else None
    posts, cursor = read(limit=PAGE_ROWS, cursor=begin or None)
    more = f"{escape_uri_path(request.path)}?{urlencode({'show': name, 'after': cursor})}" if cursor else ""
    return {"posts": posts, "more": more}


# --- writing ---


def of_writers(view: View) -> View:
    """For those who may create things here. Whose session has ended gets what they typed back, to keep it."""
    for_users = requires(Permission.USE_APPLICATION)(view)

    @wraps(view)
    def answer(request: HttpRequest, **words: Any) -> HttpResponse:
        if not request.user.is_authenticated and _has_words(request):
            return _handed_back(request)
        instead = answer_for(request, for_users)
        return view(request, **words) if instead is None else instead

    return public(answer)


def _has_words(request: HttpRequest) -> bool:
    return any(request.POST.get(name) for name in TYPED)


def _handed_back(request: HttpRequest) -> HttpResponse:
    typed = {name: request.POST.get(name, "") for name in TYPED}
    again = f"{reverse('sign_in')}?{urlencode({'next': request.get_full_path()})}"
    return render(request, "news/signed_out.html", {"typed": typed, "again": again}, status=403)


@of_writers
@form_page
def write(request: HttpRequest) -> HttpResponse:
    """A new draft, about an election if the address says so."""
    election = request.POST.get("election", "") or request.GET.get("election", "")
    if not _has_words(request) and (shut := _shut(request, election)):
        return shut
    form, status = PostForm(form_data(request)), 200
    if _is_asked(request, form):
        try:
            made = services.write(request.user, form.written(), election, token=token_in(request.POST))
        except Refusal as refusal:
            status = _added(form, refusal)
        else:
            messages.success(request, _("Your draft is saved. Nobody else sees it until you publish it."))
            return redirect("edit_post", made.id)
    token = request.POST.get("token", "") or secrets.token_urlsafe(16)
    return _show(request, form, ("new", election), status, token=token, election_name=election)


def _shut(request: HttpRequest, election: str) -> HttpResponse | None:
    """What to answer instead of a form about this."""
    try:
        check_about(request.user, election)
    except NotNow as refusal:
        return message_page(request, _("Write a post"), str(refusal), status=409)
    return None


@of_writers
@form_page
def edit(request: HttpRequest, post_id: str) -> HttpResponse:
    whole = repository.whole(post_id)
    if whole is None:
        return _gone(request)
    editable(request.user, whole.post)
    is_seen = whole.post.is_seen(now_text())
    form, status, now = EditForm(form_data(request), whole=whole, is_seen=is_seen), 200, None
    if _is_asked(request, form):
        try:
            after = _save(request.user, whole, form)
        except LostRace:
            now = _as_it_is(post_id)
            form = _once_more(request, form, now, is_seen)
        except Refusal as refusal:
            status = _added(form, refusal)
        else:
            return _saved(request, after)
    state = whole.post.state(now_text())
    return _show(request, form, ("post", post_id), status, post=whole.post, state=state, now=now)


def _save(user: User, whole: Whole, form: EditForm) -> Post:
    """On condition that its words are still those that the form has seen."""
    if not form.saw(whole):
        raise LostRace
    return services.edit(user, whole.post, form.written(), revised=form.cleaned_data.get("revised", False))


def _saved(request: HttpRequest, post: Post) -> HttpResponse:
    if post.state(now_text()) == State.PUBLISHED:
        messages.success(request, _("Your changes are saved, and to be seen by everybody."))
        return redirect("post", post.slug)
    messages.success(request, _("Your changes are saved."))
    return redirect("edit_post", post.id)


def _is_asked(request: HttpRequest, form: PostForm) -> bool:
    """Whether the form is sent to be saved, and is right; a preview saves nothing."""
    return request.method == "POST" and "preview" not in request.POST and form.is_valid()


def _added(form: PostForm, refusal: Refusal) -> int:
    """Say at the form why not, so that what was typed stays; answers the status of the page."""
    form.add_error("slug" if isinstance(refusal, SlugTaken) else None, str(refusal))
    return 403 if isinstance(refusal, NotAllowed) else 422


# --- two at once ---


def _as_it_is(post_id: str) -> Whole:
    whole = repository.whole(post_id)
    if whole is None:
        raise Http404
    return whole


def _once_more(request: HttpRequest, typed: EditForm, now: Whole, is_seen: bool) -> EditForm:
    """The form with what was typed, which saved again takes the place of what is saved now."""
    words: QueryDict = request.POST.copy()
    words["seen"] = EditForm.seen_of(now)
    form = EditForm(words, whole=now, is_seen=is_seen)
    form.add_error(
        None,
        _(
            "This post was saved elsewhere since you opened it, in another window or by somebody else. Your words are "
            "still here, and what is saved stands below. Save again to put yours in its place."
        ),
    )
    return form


def _gone(request: HttpRequest) -> HttpResponse:
    """Somebody deleted it while another wrote: what was typed can become a new draft."""
    if not _has_words(request) or not rules.writes_news(request.user.role):
        raise Http404
    form = PostForm(request.POST)
    form.add_error(None, _("This post was deleted meanwhile. Your words are still here: saved, they are a new draft."))
    return _show(request, form, ("new", ""), token=secrets.token_urlsafe(16), to=reverse("write_post"))


# --- its picture ---


@written_by
@form_page
def picture(request: HttpRequest, post: Post) -> HttpResponse:
    to = reverse("post", args=[post.slug])
    return picture_page(request, post.photo, partial(services.picture, request.user, post.id), to, title=post.title)


# --- the page ---


def _show(
    request: HttpRequest, form: PostForm, about: tuple[str, ...], status: int = 200, **context: Any
) -> HttpResponse:
    """The form beside what its text looks like."""
    if form.errors and status == 200 and "preview" not in request.POST:
        status = 422
    context |= {"form": form, "draft_key": key_of_person(request, *about), **previewed(form)}
    return render(request, "news/write.html", context, status=status)


def previewed(form: PostForm) -> dict[str, Any]:
    """What the page of the post would show of what is in the form, by the same rendering."""
    text = str(form["text"].value() or "").replace("\r\n", "\n")
    tags = rules.tags_of(str(form["tags"].value() or ""))[: rules.MAX_TAGS]
    words = {"title": form["title"].value() or "", "summary": form["summary"].value() or "", "tags": tags}
    if form.is_bound and form.errors.get("text"):
        return {"shown": words, "html": "", "text_errors": form.errors["text"]}
    html = markdown_cache.preview(text)
    return {"shown": words, "html": html, "minutes": rules.minutes_of(rules.words_in(html)), "text_errors": None}
