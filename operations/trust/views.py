"""Pages about why and how far the site can be trusted, and how to check it. All are public; the owner edits notices."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import get_script_prefix, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import allow_everyone, public, requires
from accounts.rules import Permission
from foundation.acts.links import absolute_url
from foundation.acts.storage import table
from foundation.pages import markdown, served_files
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.fragments import cache_key, get_or_render, page_with
from foundation.store import keys
from foundation.store.log import utc_now

from . import notices, serving
from .notices import Notice, NoticeForm, Subject
from .requirements import STANDARDS, Status

CONTENT = "trust/parts/trust.html"
PLAIN_TEXT = "text/plain; charset=utf-8"


@public
@require_safe
def trust(request: HttpRequest) -> HttpResponse:
    """What is promised and what is not; the requirements, by standard, or those of one status; and the served code."""
    asked = request.GET.get("show", "")
    shown = Status(asked) if asked in list(Status) else None
    source = {
        "shown": shown,
        "contact": serving.contact(),
        "code": table().get(keys.SERVED_CODE),
        "files": served_files.digests(),
        "edition": served_files.edition(),
        "address": absolute_url(reverse("home")),
        "prefix": get_script_prefix().rstrip("/"),
    }

    def make_context() -> dict[str, Any]:
        standards = [
            (each, Counter(row.status for row in each.rows), [row for row in each.rows if shown in (None, row.status)])
            for each in STANDARDS
        ]
        totals = Counter(row.status for each in STANDARDS for row in each.rows)
        about = {"standards": standards, "totals": totals, "statuses": list(Status), "subjects": list(Subject)}
        return {**source, **about}

    content = get_or_render(cache_key(CONTENT, shown or ""), CONTENT, make_context, source)
    return page_with(request, content, "trust/trust.html", {})


@public
@require_safe
def code(request: HttpRequest) -> HttpResponse:
    """The digests of all scripts and stylesheets, as JSON. Programs compare its bytes."""
    return HttpResponse(served_files.listing(), "application/json")


@public
@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    return HttpResponse(serving.security_txt(utc_now()), PLAIN_TEXT)


# --- notices ---


def load_notice(subject: str) -> Notice | None:
    return notices.find(Subject(subject)) if subject in list(Subject) else None


@public
@require_safe
def notice(request: HttpRequest, subject: str) -> HttpResponse:
    found = load_notice(subject)
    if found is None:
        raise Http404
    context = {"notice": found, "html": notices.text_html(found), "contact": serving.contact()}
    return render(request, "trust/notice.html", context)


@requires(Permission.TRANSFER_OWNER, load=load_notice, rule=allow_everyone)
@form_page
def edit_notice(request: HttpRequest, notice: Notice) -> HttpResponse:
    """A preview shows the text without saving it."""
    form = NoticeForm(form_data(request), initial={"text": notice.text, "version": notice.version})
    previewed = "preview" in request.POST and form.is_valid()

    def edit() -> None:
        notices.edit(request.user, notice.subject, form.cleaned_data["version"], form.cleaned_data["text"])

    if not previewed and run_form(request, form, edit, _("Saved. Everyone can read it now.")):
        return redirect("notice", notice.subject)
    preview = markdown.preview(form.cleaned_data["text"]) if previewed else ""
    return show_form(request, form, notice.subject.label, _("Save"), previews=True, preview=preview)
