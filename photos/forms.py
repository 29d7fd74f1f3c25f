"""The form for a picture and its description."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from .child import MAX_UPLOAD_BYTES
from .rules import MAX_ALT_CHARS, SENTENCES, Photo


class PictureForm(forms.Form):
    """A file and its description. An existing picture stays if no file is sent, and can be removed."""

    file = forms.FileField(
        label=_("Picture"),
        max_length=500,
        widget=forms.FileInput({"accept": "image/jpeg,image/png,image/webp", "data-most-bytes": MAX_UPLOAD_BYTES}),
        help_text=_("A JPEG, PNG or WebP file of up to 8 MB. We remove where and when it was taken."),
    )
    alt = forms.CharField(
        label=_("What it shows"),
        max_length=MAX_ALT_CHARS,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=_("A few words for people who cannot see it."),
    )
    remove = forms.BooleanField(label=_("Remove the picture"), required=False)

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
            raise ValidationError(_("Describe in a few words what the picture shows."))
        return text

    def clean(self) -> dict[str, Any]:
        """Removing a picture needs no other field."""
        cleaned = super().clean() or {}
        if cleaned.get("remove"):
            self.errors.clear()
        return cleaned
