"""The site's page, which those who look after the site edit in place, part by part."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.access import allow_everyone, public, requires
from accounts.rules import Permission
from foundation.acts.branding import site_name
from foundation.acts.refusals import Refusal
from foundation.pages import markdown
from foundation.pages.forms import form_data, form_page
from foundation.pages.messages import confirm_page, run_action
from foundation.photos.changing import picture_page

from . import site_page
from .home import show_default_page, show_page
from .site_forms import FORMS, PartForm, Rows
from .site_page import Part

TITLES = {
    Part.NAME: gettext_lazy("Name and colour"),
    Part.TEXT: gettext_lazy("Who we are"),
    Part.LINKS: gettext_lazy("Links"),
    Part.PROJECTS: gettext_lazy("Projects"),
    Part.EXAMPLE: gettext_lazy("Example ballot"),
}


# --- viewing ---


@public
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """As visitors see it, with an edit link beside each part for those who look after the site."""
    page = site_page.find()
    may_edit = request.user.is_authenticated and request.user.can(Permission.MANAGE_USERS)
    return show_page(request, page) if page.has_content or may_edit else show_default_page(request, page)


# --- editing ---


def load_part(part: str) -> Part | None:
    return Part(part) if part in list(Part) else None


@requires(Permission.MANAGE_USERS, load=load_part, rule=allow_everyone)
@form_page
def edit(request: HttpRequest, part: Part) -> HttpResponse:
    """One part as a form: in place with scripts, otherwise on a page of its own."""
    page, address = site_page.find(), f"{reverse('site_page')}?edited={part}"
    if part == Part.PICTURE:  # on a page of its own, which shows the upload's progress
        return picture_page(request, page.photo, partial(site_page.picture, request.user), address, title=site_name())
    form = FORMS[part](form_data(request), page)
    if request.method != "POST":
        return _show(request, part, form, edition=site_page.edition(page, part))
    edition = request.POST.get("seen", "")  # that the form was opened with
    if part == Part.TEXT and "preview" in request.POST and form.is_valid():
        preview = markdown.preview(form.values()["text"])
        return _show(request, part, form, edition=edition, preview=preview)
    if "arrange" in request.POST or not form.is_valid():
        return _show(request, part, form, edition=edition)
    try:
        site_page.edit(request.user, part, edition, form.values())
    except Refusal as refusal:
        form.refuse(str(refusal))
        now = site_page.find()  # saving again confirms that this version has been seen
        context = {"now": now, "text": site_page.text_html(now), "edition": site_page.edition(now, part)}
        return _show(request, part, form, **context)
    # Back to the part in place. Name and colour affect the whole page, so it is reloaded.
    return HttpResponseClientRedirect(address) if part == Part.NAME and request.htmx else redirect(address)


def _show(request: HttpRequest, part: Part, form: PartForm | Rows, **context: Any) -> HttpResponse:
    """htmx swaps in only responses with status 200."""
    context |= {"part": part, "form": form, "title": TITLES[part], "previews": part == Part.TEXT}
    status = 422 if form.errors and not request.htmx else 200
    return render(request, "front/edit.html", context, status=status)


@requires(Permission.MANAGE_USERS)
@form_page
def remove(request: HttpRequest) -> HttpResponse:
    """Reset to the initial state: first the question, then one button."""
    if request.method == "POST":
        done = _("The page has been removed. Visitors see the default front page again.")
        run_action(request, lambda: site_page.remove(request.user), done)
        return redirect("site_page")
    lead = _(
        "This deletes the text, picture, links and projects, and the name and colour you gave this site. Visitors "
        "will see the default front page again. Only the log still shows what was written here."
    )
    return confirm_page(request, _("Remove this page"), _("Remove"), lead=lead, danger=True)
