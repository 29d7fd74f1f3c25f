"""Pages to schedule, withdraw, delete or preview a post."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from foundation.acts.storage import now_text
from foundation.pages.forms import form_page
from foundation.pages.messages import confirm_page, refusals_as_messages, run_action
from foundation.pages.times import InterpretedTime, moment_with_zone, zone_label

from . import mailing, previews, services
from .access import requires_editor
from .forms import PublishForm, wants_mails
from .rules import PREVIEW_DAYS, Post, PostState

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
        return _publish(request, post, moment)
    context = {"form": form, "post": post, "state": post.state(now_text()), **_button_context(post, moment)}
    context["mails"] = mailing.mail_offer(request.user, post, wants_mails(request.GET))
    return render(request, "news/publish.html", context, status=422 if request.method == "POST" else 200)


def _publish(request: HttpRequest, post: Post, moment: InterpretedTime | None) -> HttpResponse:
    at, typed = moment.stored if moment else None, request.POST.get("version", "")
    version = int(typed) if typed.isdecimal() and len(typed) < 10 else post.version
    is_as_wanted = post.published_at == at if at else post.is_public(now_text())
    with refusals_as_messages(request):
        # Nothing is left to do if an earlier press of the same button did it, say in a double click.
        if version == post.version or not is_as_wanted:
            zone, mails = moment.zone_name if moment else post.time_zone, wants_mails(request.POST)
            services.publish(request.user, replace(post, version=version), at, zone, mails)
        messages.success(request, _success_message(moment))
        return redirect("post", post.slug)
    return redirect("publish_post", post.id)


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
    context = {"post": post, "link": previews.link_to(post), "days": PREVIEW_DAYS}
    return render(request, "news/previews.html", context)
