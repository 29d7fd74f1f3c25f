"""The site's page, which those who look after the site edit where it stands, part by part."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.access import anybody, public, requires
from accounts.policy import sentence, takes_registrations
from accounts.rules import Permission
from acts.links import whole
from acts.naming import site_name
from acts.refusals import Refusal
from pages import rendered
from pages.forms import form_page, posted
from pages.markdown import plain
from pages.saying import ask, told
from pages.sharing import SHORT
from photos.changing import picture_page
from photos.rules import Photo
from polls.views import may_make
from results import words
from results.repository import newest_shared

from . import site_page, site_services
from .repository import newest
from .site_forms import FORMS, PartForm, Rows
from .site_page import Part, SitePage

TITLES = {
    Part.NAME: gettext_lazy("Name and colour"),
    Part.TEXT: gettext_lazy("Who we are"),
    Part.LINKS: gettext_lazy("Links"),
    Part.PROJECTS: gettext_lazy("Projects"),
}


# --- looking ---


@public
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """As strangers see it; who looks after the site finds a way to edit beside each part."""
    page = site_page.find()
    may_edit = request.user.is_authenticated and request.user.can(Permission.MANAGE_USERS)
    return show_page(request, page) if page.is_told or may_edit else show_plenum(request)


def show_page(request: HttpRequest, page: SitePage, status: int = 200, **code: Any) -> HttpResponse:
    edited, left = request.GET.get("edited", ""), request.GET.get("left", "")
    context = {"page": page, "edited": edited, "at": edited or left, **told_of(page), **doing(request), **code}
    return render(request, "news/site_page.html", context, status=status)


def show_plenum(request: HttpRequest, status: int = 200, **code: Any) -> HttpResponse:
    """What this is, where nobody has said who runs it."""
    return render(request, "news/home.html", doing(request) | code, status=status)


def told_of(page: SitePage) -> dict[str, Any]:
    """Its text as HTML, and what other sites show of a link to it."""
    html = site_page.shown_text(page)
    preview = {"title": site_name(), "summary": plain(html, SHORT), "address": whole(reverse("home"))}
    return {"text": html, "preview": preview | _image(page.photo)}


def _image(photo: Photo | None) -> dict[str, Any]:
    if photo is None:
        return {"image": whole(static("img/apple-touch-icon.png"))}
    return {"image": whole(photo.large), "wide": photo.wide, "high": photo.high, "alt": photo.alt}


def doing(request: HttpRequest) -> dict[str, Any]:
    """What can be done and read here by whoever comes by."""
    return {
        "may_register": takes_registrations(),
        "who_registers": sentence(),
        "may_make_polls": may_make(request),
        "shared": _shared(),
        "newest": newest(),
    }


def _shared() -> dict[str, Any] | None:
    """The newest result that everybody on the web may see, as a card shows it."""
    found = newest_shared()
    if found is None:
        return None
    return {"result": found, "ended": words.ended(found), "method": words.label(found.method)}


# --- editing ---


def load_part(part: str) -> Part | None:
    return Part(part) if part in list(Part) else None


@requires(Permission.MANAGE_USERS, load=load_part, rule=anybody)
@form_page
def edit(request: HttpRequest, part: Part) -> HttpResponse:
    """One part as a form, at its place where scripts run and else on a page of its own."""
    page = site_page.find()
    if part == Part.PICTURE:
        return _edit_picture(request, page)
    form = FORMS[part](posted(request), page)
    if request.method != "POST":
        return _show(request, part, form, seen=site_page.edition(page, part))
    if part == Part.TEXT and "preview" in request.POST and form.is_valid():
        return _show(request, part, form, **_sent(request), preview=rendered.preview(form.words()["text"]))
    if "arrange" in request.POST or not form.is_valid():
        return _show(request, part, form, **_sent(request))
    return _saved(request, part, form)


def _sent(request: HttpRequest) -> dict[str, str]:
    """What whoever sent the form saw of the part."""
    return {"seen": request.POST.get("seen", "")}


def _edit_picture(request: HttpRequest, page: SitePage) -> HttpResponse:
    """On a page of its own, which tells how far sending is."""
    act = lambda wanted: site_services.picture(request.user, wanted)  # noqa: E731
    return picture_page(request, page.photo, act, _address(Part.PICTURE), title=site_name())


def _saved(request: HttpRequest, part: Part, form: PartForm | Rows) -> HttpResponse:
    try:
        site_services.edit(request.user, part, **_sent(request), words=form.words())
    except Refusal as refusal:
        form.refuse(str(refusal))
        return _show(request, part, form, **_overtaken(part))
    return _back(request, part)


def _back(request: HttpRequest, part: Part) -> HttpResponse:
    """To the part where it stands. Name and colour are all over the page, so that is loaded anew."""
    address = _address(part)
    return HttpResponseClientRedirect(address) if part == Part.NAME and request.htmx else redirect(address)


def _address(part: Part) -> str:
    return f"{reverse('site_page')}?edited={part}"


def _overtaken(part: Part) -> dict[str, Any]:
    """What is there by now; who saves once more has seen it."""
    page = site_page.find()
    return {"now": page, "text": site_page.shown_text(page), "seen": site_page.edition(page, part)}


def _show(request: HttpRequest, part: Part, form: PartForm | Rows, **context: Any) -> HttpResponse:
    """htmx puts into its place only what is answered with 200."""
    context |= {"part": part, "form": form, "title": TITLES[part], "previews": part == Part.TEXT}
    status = 422 if form.errors and not request.htmx else 200
    return render(request, "news/edit.html", context, status=status)


@requires(Permission.MANAGE_USERS)
@form_page
def remove(request: HttpRequest) -> HttpResponse:
    """Back to what was here before anybody wrote anything: first the question, then one button."""
    if request.method == "POST":
        done = _("The page is gone. Strangers see again what Plenum is.")
        told(request, lambda: site_services.remove(request.user), done)
        return redirect("site_page")
    lead = _(
        "Words, picture, links and projects go, and with them the name and the colour you gave this site. "
        "Strangers see again what Plenum is. Only the log still tells what was written here."
    )
    return ask(request, _("Remove this page"), _("Remove"), lead=lead, danger=True)
