"""Adding, replacing, describing or removing the picture of a thing: the action, and the page with its form.

Shared by everything that has a picture. Its app checks permissions and adds its own part of the transaction:

    def picture(request, post):
        act = partial(services.picture_post, request.user, post.id)
        return picture_page(request, post.photo, act, reverse("post", args=[post.slug]), title=post.title)

    @retried
    def picture_post(actor, post_id, change):
        before = ...find(post_id).photo
        after = change.instead_of(before)
        record(event, photos.setting_photo(key, before, after, Exists()), *change.writes(before))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.acts.refusals import LostRace
from foundation.pages.forms import form_data, run_form
from foundation.store.table import Write

from .child import MAX_UPLOAD_BYTES
from .encoding import Encoded, encoded
from .repository import adding_bytes, deleting_bytes
from .rules import MAX_ALT_CHARS, SENTENCES, Photo


class PictureForm(forms.Form):
    """A file and its description. An existing picture stays if no file is sent, and can be removed."""

    file = forms.FileField(
        label=gettext_lazy("Picture"),
        max_length=500,
        widget=forms.FileInput({"accept": "image/jpeg,image/png,image/webp", "data-most-bytes": MAX_UPLOAD_BYTES}),
        help_text=gettext_lazy("A JPEG, PNG or WebP file of up to 8 MB. We remove where and when it was taken."),
    )
    alt = forms.CharField(
        label=gettext_lazy("What it shows"),
        max_length=MAX_ALT_CHARS,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=gettext_lazy("A few words for people who cannot see it."),
    )
    remove = forms.BooleanField(label=gettext_lazy("Remove the picture"), required=False)

    def __init__(self, *arguments: Any, photo: Photo | None, alt: str = "", **options: Any):
        super().__init__(*arguments, initial={"alt": photo.alt if photo else alt}, **options)
        self.fields["file"].required = photo is None
        if photo is None:
            del self.fields["remove"]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file and file.size > MAX_UPLOAD_BYTES:
            raise ValidationError(SENTENCES["large"])
        return file

    def clean_alt(self) -> str:
        """One line, with at least one printable character."""
        text = " ".join(str(self.cleaned_data["alt"]).split())
        if not any(each.isprintable() and not each.isspace() for each in text):
            raise ValidationError(gettext_lazy("Describe in a few words what the picture shows."))
        return text

    def clean(self) -> dict[str, Any]:
        """Removing a picture needs no other field."""
        cleaned = super().clean() or {}
        if cleaned.get("remove"):
            self.errors.clear()
        return cleaned


UPLOADS = Limit("pictures", 60, SECONDS_PER_HOUR)  # per person: each takes a second of CPU time


@dataclass(frozen=True, slots=True)
class PictureChange:
    """A change to a picture: a new one, a new description of the one seen, or none."""

    new: Encoded | None = None
    seen: Photo | None = None  # the picture whose description changes
    alt: str = ""

    def instead_of(self, before: Photo | None) -> Photo | None:
        """The picture afterwards. A description is never applied to a different picture."""
        if self.new:
            return self.new.photo
        if self.seen and (before is None or before.id != self.seen.id):
            raise LostRace
        return replace(before, alt=self.alt) if self.seen and before else None

    def writes(self, before: Photo | None) -> list[Write]:
        """Writes that add and delete picture data, for the transaction that updates the owner."""
        if self.seen and not self.new:
            return []
        return [*(adding_bytes(self.new) if self.new else ()), *deleting_bytes(before)]


def picture_page(
    request: HttpRequest,
    photo: Photo | None,
    act: Callable[[PictureChange], Any],
    to: str,
    alt: str = "",
    **context: Any,
) -> HttpResponse:
    """Shows and processes the form. Scripts submit it in the background and get the URL to continue at.

    `alt` describes a new picture unless something else is typed.
    """
    form = PictureForm(form_data(request), request.FILES or None, photo=photo, alt=alt)

    def save() -> str:
        change = _requested_change(request, form.cleaned_data, photo)
        act(change)
        return _("The picture is saved.") if change.new or change.seen else _("The picture is removed.")

    done, is_scripted = run_form(request, form, save, str, "file"), request.headers.get("Accept") == "application/json"
    if done:
        return JsonResponse({"to": to}) if is_scripted else HttpResponseRedirect(to)
    if is_scripted:
        sentences = [sentence for errors in form.errors.values() for sentence in errors]
        return JsonResponse({"sentences": sentences}, status=422)
    context |= {"form": form, "photo": photo, "back": to}
    return render(request, "photos/form.html", context, status=422 if form.errors else 200)


def _requested_change(request: HttpRequest, typed: dict[str, Any], photo: Photo | None) -> PictureChange:
    if typed.get("remove"):
        return PictureChange()
    if file := typed["file"]:
        count(UPLOADS, request.user.name)
        return PictureChange(new=encoded(file.read(), typed["alt"]))
    return PictureChange(seen=photo, alt=typed["alt"])
