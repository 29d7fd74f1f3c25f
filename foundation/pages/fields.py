"""Fields used everywhere: names, addresses, titles, Markdown, lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from . import lists, markdown_cache
from .lists import Verdict
from .markdown import MAX_TEXT_CHARS
from .names import MAX_EMAIL_CHARS, MAX_NAME_CHARS, clean_email, clean_name, clean_title


class NameField(forms.CharField):
    """A user name, normalised for storage."""

    def __init__(self, **options: Any):
        attributes = {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false", "dir": "auto"}
        options.setdefault("label", _("Name"))
        options.setdefault("max_length", MAX_NAME_CHARS * 2)  # white space is collapsed before the length is checked
        super().__init__(widget=forms.TextInput(attributes), **options)

    def clean(self, value: Any) -> str:
        return clean_name(super().clean(value))


class AddressField(forms.CharField):
    """An email address, normalised for storage."""

    def __init__(self, **options: Any):
        options.setdefault("label", _("Email address"))
        widget = forms.EmailInput({"autocomplete": "email"})
        super().__init__(widget=widget, max_length=MAX_EMAIL_CHARS, **options)

    def clean(self, value: Any) -> str:
        return clean_email(super().clean(value))


class TitleField(forms.CharField):
    """The name of an election, normalised for storage."""

    def __init__(self, **options: Any):
        options.setdefault("label", _("Name of the election"))
        super().__init__(widget=forms.TextInput({"dir": "auto"}), max_length=MAX_NAME_CHARS * 2, **options)

    def clean(self, value: Any) -> str:
        return clean_title(super().clean(value))


class LinesField(forms.CharField):
    """Several lines, with any line endings."""

    def __init__(self, *, rows: int, attributes: Mapping[str, str] | None = None, **options: Any):
        widget = forms.Textarea({"rows": rows, "dir": "auto", **(attributes or {})})
        super().__init__(widget=widget, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


MARKDOWN = _("You can use Markdown: *emphasis*, lists, links.")


def markdown_field(
    label: Any, rows: int, help_text: Any = MARKDOWN, *, required: bool = False, max_length: int = MAX_TEXT_CHARS
) -> LinesField:
    return LinesField(
        label=label,
        required=required,
        max_length=max_length,
        validators=[markdown_cache.check_length],
        rows=rows,
        help_text=help_text,
    )


def read_names(read: Callable[[str], Sequence[lists.Row]], text: str) -> list[str]:
    """The names of a list; errors include the line number."""
    return new_names(valid_rows(read, text))


def new_names(rows: Sequence[lists.Row]) -> list[str]:
    return [row.value for row in rows if row.value and row.verdict == Verdict.NEW]


def valid_rows(read: Callable[[str], Sequence[lists.RowOf]], text: str) -> Sequence[lists.RowOf]:
    try:
        rows = read(text)
    except lists.NotAList as refusal:
        raise ValidationError(str(refusal)) from None
    wrong = [row for row in rows if row.verdict == Verdict.INVALID]
    if wrong:
        sentence = _("Line %(line)d, “%(typed)s”: %(reason)s")
        errors = ({"line": row.line, "typed": row.typed[:60], "reason": row.reason} for row in wrong[:10])
        raise ValidationError([sentence % each for each in errors])
    return rows
