"""Pages for writers of posts: drafts, writing and editing, publishing, withdrawing, deleting, previews."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.encoding import escape_uri_path
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import View, access_response, public, requires
from accounts.rules import Permission
from foundation.acts.refusals import LostRace, NotAllowed, NotNow, Refusal
from foundation.acts.storage import now_text
from foundation.pages import markdown
from foundation.pages.forms import form_data, form_page, new_token, token_in
from foundation.pages.messages import confirm_page, message_page, refusals_as_messages, run_action
from foundation.pages.times import InterpretedTime, moment_with_zone, zone_label
from foundation.photos.changing import picture_page
from foundation.ranking.drafts import text_key

from . import access, mailing, repository, rules, services
from .access import check_editable, requires_editor
from .forms import EditForm, PostForm, PublishForm, wants_mails
from .repository import FullPost, PostPage
from .rules import PREVIEW_DAYS, Post, PostState, SlugTaken
from .services import check_about

PAGE_ROWS = 20
TEXT_FIELDS = ("title", "text", "tags", "summary", "slug")


# --- drafts ---


@requires(Permission.USE_APPLICATION)
@require_safe
def drafts(request: HttpRequest) -> HttpResponse:
    """Unpublished posts: all of them for those who write the news, otherwise one's own."""
    everybody = rules.writes_news(request.user.role)
    whose = None if everybody else request.user.name
    only = request.GET.get("show", "")
    context: dict[str, Any] = {"everybody": everybody, "may_write": everybody, "unpublished": None, "scheduled": None}
    if only != "scheduled":
        context["unpublished"] = _read_list(request, "drafts", partial(repository.drafts, whose))
    if only != "drafts":
        context["scheduled"] = _read_list(request, "scheduled", partial(repository.scheduled, whose))
    return render(request, "news/drafts.html", context)


def _read_list(request: HttpRequest, name: str, read: Callable[..., PostPage]) -> dict[str, Any]:
    """A page of a list, and the URL of the page that continues it."""
    begin = request.GET.get("after") if request.GET.get("show") == name else None
    posts, cursor = read(limit=PAGE_ROWS, cursor=begin or None)
    more = f"{escape_uri_path(request.path)}?{urlencode({'show': name, 'after': cursor})}" if cursor else ""
    return {"posts": posts, "more": more}


# --- writing ---


def for_writers(view: View) -> View:
    """For those who may create things here. If the session has expired, what was typed is handed back."""
    for_users = requires(Permission.USE_APPLICATION)(view)

    @wraps(view)
    def respond(request: HttpRequest, **parameters: Any) -> HttpResponse:
        if not request.user.is_authenticated and _has_text(request):
            typed = {name: request.POST.get(name, "") for name in TEXT_FIELDS}
            again = f"{reverse('sign_in')}?{urlencode({'next': request.get_full_path()})}"
            return render(request, "news/signed_out.html", {"typed": typed, "again": again}, status=403)
        instead = access_response(request, for_users)
        return view(request, **parameters) if instead is None else instead

    return public(respond)


def _has_text(request: HttpRequest) -> bool:
    return any(request.POST.get(name) for name in TEXT_FIELDS)


@for_writers
@form_page
def write(request: HttpRequest) -> HttpResponse:
    """A new draft, about an election if the URL names one."""
    election = request.POST.get("election", "") or request.GET.get("election", "")
    if not _has_text(request):
        try:
            check_about(request.user, election)
        except NotNow as refusal:
            return message_page(request, _("Write a post"), str(refusal), status=409)
    form, status = PostForm(form_data(request)), 200
    if _should_save(request, form):
        try:
            made = services.write(request.user, form.written(), election, token=token_in(request.POST))
        except Refusal as refusal:
            status = _add_refusal(form, refusal)
        else:
            messages.success(
                request, _("Your draft is saved. Only people who may edit it can see it until you publish it.")
            )
            return redirect("edit_post", made.id)
    token = token_in(request.POST)
    return _form_response(request, form, ("new", election), status, token=token, election_name=election)


@for_writers
@form_page
def edit(request: HttpRequest, post_id: str) -> HttpResponse:
    full = repository.find_full(post_id)
    if full is None:
        return _deleted_meanwhile(request)
    check_editable(request.user, full.post)
    is_seen = full.post.is_public(now_text())
    form, status, now = EditForm(form_data(request), full=full, is_seen=is_seen), 200, None
    if _should_save(request, form):
        try:
            if not form.is_up_to_date(full):
                raise LostRace
            revised = form.cleaned_data.get("revised", False)
            after = services.edit(request.user, full.post, form.written(), revised=revised)
        except LostRace:
            now = repository.find_full(post_id)
            if now is None:
                raise Http404 from None
            form = _conflict_form(request, form, now, is_seen)
        except Refusal as refusal:
            status = _add_refusal(form, refusal)
        else:
            if after.state(now_text()) == PostState.PUBLISHED:
                messages.success(request, _("Your changes are saved and visible to everyone."))
                return redirect("post", after.slug)
            messages.success(request, _("Your changes are saved."))
            return redirect("edit_post", after.id)
    state = full.post.state(now_text())
    return _form_response(request, form, ("post", post_id), status, post=full.post, state=state, now=now)


def _should_save(request: HttpRequest, form: PostForm) -> bool:
    """Whether the form was submitted to be saved, and is valid; a preview saves nothing."""
    return request.method == "POST" and "preview" not in request.POST and form.is_valid()


def _add_refusal(form: PostForm, refusal: Refusal) -> int:
    """Show the refusal in the form, so that what was typed stays; returns the page's status."""
    form.add_error("slug" if isinstance(refusal, SlugTaken) else None, str(refusal))
    return 403 if isinstance(refusal, NotAllowed) else 422


# --- conflicts ---


def _conflict_form(request: HttpRequest, typed: EditForm, now: FullPost, is_seen: bool) -> EditForm:
    """The form with what was typed; saving it again replaces what is stored now."""
    data: QueryDict = request.POST.copy()
    data["seen"] = EditForm.digest_of(now)
    form = EditForm(data, full=now, is_seen=is_seen)
    form.add_error(
        None,
        _(
            "This post was saved in another window or by someone else since you opened it. Your text is still here, "
            "and the saved version is below. Save again to replace it with yours."
        ),
    )
    return form


def _deleted_meanwhile(request: HttpRequest) -> HttpResponse:
    """The post was deleted while being edited: what was typed can become a new draft."""
    if not _has_text(request) or not rules.writes_news(request.user.role):
        raise Http404
    form = PostForm(request.POST)
    form.add_error(
        None, _("This post has been deleted in the meantime. Your text is still here: save it as a new draft.")
    )
    return _form_response(request, form, ("new", ""), token=new_token(), to=reverse("write_post"))


# --- its picture ---


@requires_editor
@form_page
def picture(request: HttpRequest, post: Post) -> HttpResponse:
    to = reverse("post", args=[post.slug])
    return picture_page(request, post.photo, partial(services.picture, request.user, post.id), to, title=post.title)


# --- the page ---


def _form_response(
    request: HttpRequest, form: PostForm, about: tuple[str, ...], status: int = 200, **context: Any
) -> HttpResponse:
    """The form beside a preview of its text."""
    if form.errors and status == 200 and "preview" not in request.POST:
        status = 422
    context |= {"form": form, "draft_key": text_key(request, *about), **preview_context(form)}
    return render(request, "news/write.html", context, status=status)


def preview_context(form: PostForm) -> dict[str, Any]:
    """The context of the post's page for the form's content, rendered in the same way."""
    text = str(form["text"].value() or "").replace("\r\n", "\n")
    tags = rules.parse_tags(str(form["tags"].value() or ""))[: rules.MAX_TAGS]
    fields = {"title": form["title"].value() or "", "summary": form["summary"].value() or "", "tags": tags}
    if form.is_bound and form.errors.get("text"):
        return {"draft": fields, "html": "", "text_errors": form.errors["text"]}
    html = markdown.preview(text)
    return {"draft": fields, "html": html, "minutes": rules.minutes_of(rules.words_in(html)), "text_errors": None}


# --- its date ---


@requires_editor
@form_page
def publish(request: HttpRequest, post: Post) -> HttpResponse:
    """Choose when it is published; the button says what will happen. Updating that text changes nothing."""
    is_now = request.method == "POST" and "at" not in request.POST
    typed = request.POST if request.method == "POST" else request.GET
    form = PublishForm(typed if "at" in typed else None, initial=PublishForm.initial_of(post))
    moment = form.moment() if form.is_bound and form.is_valid() else None
    if request.method == "POST" and (is_now or moment):
        at, sent = moment.stored if moment else None, request.POST.get("version", "")
        version = int(sent) if sent.isdecimal() and len(sent) < 10 else post.version
        is_as_wanted = post.published_at == at if at else post.is_public(now_text())
        with refusals_as_messages(request):
            # Nothing is left to do if an earlier press of the same button did it, say in a double click.
            if version == post.version or not is_as_wanted:
                zone, mails = moment.zone_name if moment else post.time_zone, wants_mails(request.POST)
                services.publish(request.user, replace(post, version=version), at, zone, mails)
            messages.success(request, _success_message(moment))
            return redirect("post", post.slug)
        return redirect("publish_post", post.id)
    context = {"form": form, "post": post, "state": post.state(now_text()), **_button_context(post, moment)}
    context["mails"] = mailing.mail_offer(request.user, post, wants_mails(request.GET))
    return render(request, "news/publish.html", context, status=422 if request.method == "POST" else 200)


def _success_message(moment: InterpretedTime | None) -> str:
    if moment is None:
        return _("Published. Everyone can read it now.")
    values = {"moment": moment_with_zone(moment.shown, moment.zone_name)}
    if _is_past(moment):
        return _("Published, dated %(moment)s.") % values
    return _("It will be published on %(moment)s.") % values


def _is_past(moment: InterpretedTime) -> bool:
    return moment.stored <= now_text()


def _button_context(post: Post, moment: InterpretedTime | None) -> dict[str, Any]:
    """What the button does at the chosen moment: its label and a sentence."""
    if moment is None:
        return {"moment": None}
    values = {"moment": date_format(moment.shown, "DATETIME_FORMAT"), "zone": zone_label(moment.zone_name)}
    is_past = _is_past(moment)
    button = _("Publish now, dated %(moment)s %(zone)s") if is_past else _("Publish on %(moment)s %(zone)s")
    vanishes = not is_past and post.is_public(now_text())
    return {"moment": moment, "button": button % values, "is_past": is_past, "vanishes": vanishes}


# --- withdrawing it ---


@requires_editor
@form_page
def withdraw(request: HttpRequest, post: Post) -> HttpResponse:
    """Idempotent: withdrawing it twice is no error."""
    done = _("The post is a draft again and hidden from readers.")
    if request.method == "POST":
        act = (lambda: services.withdraw(request.user, post)) if post.published_at else (lambda: None)
        run_action(request, act, done)
    if request.method == "POST" or post.published_at is None:
        return redirect("post", post.slug)
    lead = _(
        "“%(title)s” becomes a draft again. It disappears from all lists, and its link stops working until you "
        "publish it again."
    )
    return confirm_page(request, _("Unpublish the post"), _("Unpublish"), lead=lead % {"title": post.title})


@requires_editor
@form_page
def delete(request: HttpRequest, post: Post) -> HttpResponse:
    if request.method == "POST":
        done = _("%(title)s is deleted.") % {"title": post.title}
        gone = run_action(request, lambda: services.delete(request.user, post), done)
        return redirect("post_drafts") if gone else redirect("post", post.slug)
    lead = _(
        "“%(title)s” will be deleted for good, with its picture and likes. No other post will ever get its address."
    )
    return confirm_page(
        request, _("Delete the post"), _("Delete it for good"), lead=lead % {"title": post.title}, danger=True
    )


# --- previews ---


@requires_editor
@form_page
def revoke_previews(request: HttpRequest, post: Post) -> HttpResponse:
    """A preview link for people without an account, and a button that revokes all of them."""
    if request.method == "POST":
        done = _("The preview links no longer work.")
        run_action(request, lambda: services.revoke_previews(request.user, post), done)
        return redirect("revoke_previews", post.id)
    if post.state(now_text()) == PostState.PUBLISHED:
        return redirect("post", post.slug)
    context = {"post": post, "link": access.preview_link(post), "days": PREVIEW_DAYS}
    return render(request, "news/previews.html", context)
