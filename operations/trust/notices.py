"""What the owner says about privacy, accessibility, and who runs the site. Until then, a standard text is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services import role_unchanged
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text, record, table, unchanged_or_new
from foundation.pages import markdown
from foundation.pages.fields import markdown_field
from foundation.pages.markdown import Html
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Item, Put, Write


class Subject(StrEnum):
    PRIVACY = "privacy"
    ACCESSIBILITY = "accessibility"
    IMPRINT = "imprint"

    @property
    def label(self) -> Promise:
        return LABELS[self]


LABELS = {
    Subject.PRIVACY: _("Privacy"),
    Subject.ACCESSIBILITY: _("Accessibility"),
    Subject.IMPRINT: _("Imprint"),
}
CHANGED_MEANWHILE = _("Someone else has changed this since you started. Copy your text and open the form again.")


@dataclass(frozen=True, slots=True)
class Notice:
    """An empty text stands for the default."""

    subject: Subject
    text: str = ""
    changed_at: str = ""
    version: int = 0
    html: Html | None = None


def find(subject: Subject) -> Notice:
    item = table().get(keys.notice(subject)) or {}
    values = {name: item[name] for name in ("text", "changed_at", "version") if name in item}
    return Notice(subject, **values, html=markdown.stored_html(item, "text") if item else None)


def text_html(notice: Notice) -> str:
    return markdown.load_or_render(keys.notice(notice.subject), "text", notice.text, notice.html)


def edit(owner: User, subject: Subject, version: int, text: str) -> None:
    """Replace the text, if this is still its version; an empty one brings the default back."""
    before = find(subject)
    if before.version != version:
        raise Refusal(CHANGED_MEANWHILE)
    if text != before.text:
        data = {"subject": subject.value, "text": text, "changed_at": now_text()}
        record(Event(owner.name, "NoticeEdited", data), *writing(data, before), role_unchanged(owner))


def writing(data: Item, before: Notice) -> list[Write]:
    place = keys.notice(before.subject)
    values = {**data, **markdown.html_attributes("text", data["text"]), "version": before.version + 1}
    return [Put({"PK": place.pk, "SK": place.sk, **values}, when=unchanged_or_new(before))]


class NoticeForm(forms.Form):
    text = markdown_field(
        _("In your own words"),
        rows=16,
        help_text=_("Everyone can read this. Leave it empty to bring the standard text back."),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
