"""Forms for the site's page, part by part. Lists are typed as rows, which buttons can reorder."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.http import QueryDict
from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foundation.pages import colours
from foundation.pages.fields import LinesField, TitleField, markdown_field
from foundation.pages.names import clean_email
from foundation.store.table import Item

from .site_page import (
    MAX_ADDRESS_CHARS,
    MAX_LINKS,
    MAX_PROJECTS,
    MAX_SITE_NAME_CHARS,
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
    Part,
    SitePage,
    part_data,
)

OUR_COLOUR = colours.DEFAULT_COLOUR
MAILTO = "mailto:"


# --- name and colour ---


class PartForm(forms.Form):
    template = "front/parts/fields.html"

    def values(self) -> Item:
        return dict(self.cleaned_data)

    def refuse(self, sentence: str) -> None:
        self.add_error(None, sentence)


class NameForm(PartForm):
    """The site's name and colour; empty values fall back to the settings."""

    name = TitleField(
        label=_("Name of the site"), help_text=_("Shown at the top of every page, in titles and in mails.")
    )
    colour = forms.CharField(
        label=_("Colour"),
        max_length=7,
        widget=forms.TextInput({"type": "color"}),
        help_text=_("Used for buttons, links and highlights. Shades for light and dark pages are derived from it."),
    )
    darker = ""  # a readable alternative to a colour that is hard to read

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if len(name) > MAX_SITE_NAME_CHARS:
            raise ValidationError(
                _("The name can have at most %(most)d characters."), params={"most": MAX_SITE_NAME_CHARS}
            )
        return "" if name == settings.SITE_NAME else name

    def clean_colour(self) -> str:
        colour = str(self.cleaned_data["colour"]).lower()
        if not colours.is_colour(colour):
            raise ValidationError(_("Enter a colour like #56278a."))
        if not colours.is_readable(colour):
            self.darker = colours.darkened(colour)
            raise ValidationError(contrast_error(colour, self.darker))
        return "" if colour == (settings.SITE_COLOUR or OUR_COLOUR) else colour


def contrast_error(colour: str, darker: str) -> str:
    sentence = gettext(
        "%(colour)s is hard to read on light pages: its contrast is %(contrast)s to 1 and should be at least "
        "%(least)s to 1. A darker shade, %(darker)s, would work."
    )
    contrast, least = number_format(colours.contrast_on_light(colour), 1), number_format(colours.MIN_CONTRAST, 1)
    return sentence % {"colour": colour, "contrast": contrast, "least": least, "darker": darker}


# --- who we are ---


class TextForm(PartForm):
    text = markdown_field(_("In your own words"), rows=12)


class ExampleForm(PartForm):
    shows = forms.BooleanField(label=_("Show visitors an example ballot to try"), required=False)

    def values(self) -> Item:
        return {"hides_example": not self.cleaned_data["shows"]}


# --- rows ---


def clean_address(typed: str) -> str:
    """The target of a link: an https page, or a mailbox."""
    address = typed.strip()
    if address[: len(MAILTO)].lower() == MAILTO:
        return MAILTO + clean_email(address[len(MAILTO) :])
    try:
        URLValidator(schemes=["https"])(address)
    except ValidationError:
        raise ValidationError(INVALID_ADDRESS) from None
    return address


INVALID_ADDRESS = _("Enter an address that starts with https:// or mailto:.")


class LinkAddressField(forms.CharField):
    def __init__(self, **options: Any):
        widget = forms.TextInput({"inputmode": "url", "dir": "ltr", "spellcheck": "false", "autocapitalize": "none"})
        super().__init__(max_length=MAX_ADDRESS_CHARS, widget=widget, **options)

    def clean(self, value: Any) -> str:
        typed = str(super().clean(value))
        return clean_address(typed) if typed else ""


class RowTitleField(TitleField):
    def clean(self, value: Any) -> str:
        title = super().clean(value)
        if len(title) > MAX_TITLE_CHARS:
            raise ValidationError(_("A title can have at most %(most)d characters."), params={"most": MAX_TITLE_CHARS})
        return title


class LinkRow(forms.Form):
    title = RowTitleField(label=_("Title"))
    address = LinkAddressField(label=_("Address"))


class ProjectRow(forms.Form):
    title = RowTitleField(label=_("Title"))
    words = LinesField(
        label=_("In a sentence or two"),
        required=False,
        max_length=MAX_TEXT_CHARS,
        rows=3,
    )
    link = LinkAddressField(label=_("Address"), required=False)


RowData = dict[str, str]


class Rows:
    """An ordered list of entries, each with its own form. Buttons move, remove and add rows without saving, and keep
    what was typed.
    """

    part: ClassVar[Part]
    row: ClassVar[type[forms.Form]]
    most: ClassVar[int]
    template = "front/parts/rows.html"

    def __init__(self, post: QueryDict | None, page: SitePage):
        self.refusals: list[str] = []
        act = "" if post is None else post.get("arrange", "")
        self.is_sent = post is not None and not act
        rows = list(part_data(page, self.part)[self.part]) if post is None else self._typed(post)
        rows, self.focus = rearrange(rows, act) if act else (rows, "")
        self.forms = [self._form(at, values) for at, values in enumerate(rows or [{}])]

    def _typed(self, post: QueryDict) -> list[RowData]:
        """Reads one row more than allowed, so that the form reports it instead of cutting it off."""
        numbers = takewhile(lambda at: f"{at}-title" in post, range(self.most + 1))
        return [{name: post.get(f"{at}-{name}", "") for name in self.row.base_fields} for at in numbers]

    def _form(self, at: int, values: RowData) -> forms.Form:
        named = {"prefix": str(at), "auto_id": f"{self.part}-%s", "use_required_attribute": False}
        if self.is_sent:
            data = {f"{at}-{name}": value for name, value in values.items()}
            return self.row(data, **named, empty_permitted=True)
        form = self.row(initial=values, **named)
        if self.focus == f"row-{at}":
            form.fields["title"].widget.attrs["autofocus"] = True
        return form

    @property
    def has_room(self) -> bool:
        return len(self.forms) < self.most

    def is_valid(self) -> bool:
        if len(self.forms) > self.most:
            self.refuse(gettext("You can add at most %(most)d.") % {"most": self.most})
        return all(form.is_valid() for form in self.forms) and not self.refusals

    def refuse(self, sentence: str) -> None:
        self.refusals.append(sentence)

    @property
    def errors(self) -> bool:
        return self.is_sent and bool(self.refusals or any(form.errors for form in self.forms))

    def values(self) -> Item:
        """Without empty rows."""
        return {self.part.value: [dict(form.cleaned_data) for form in self.forms if form.has_changed()]}


def rearrange(rows: list[RowData], act: str) -> tuple[list[RowData], str]:
    """The rows after a button press, and what gets the focus: the same button, or the next best one."""
    verb, _dash, number = act.partition("-")
    at = int(number) if number.isdecimal() and len(number) < 3 else len(rows)
    if verb == "add":
        return [*rows, {}], f"row-{len(rows)}"
    if verb == "remove":
        return rows[:at] + rows[at + 1 :], "add"
    to = at + (1 if verb == "down" else -1)
    if not (0 <= at < len(rows) and 0 <= to < len(rows)):
        return rows, ""
    moved = [*rows]
    moved[at], moved[to] = moved[to], moved[at]
    return moved, f"{'down' if to == 0 else 'up' if to == len(rows) - 1 else verb}-{to}"


class LinkRows(Rows):
    part, row, most = Part.LINKS, LinkRow, MAX_LINKS


class ProjectRows(Rows):
    part, row, most = Part.PROJECTS, ProjectRow, MAX_PROJECTS


# --- by part ---


def name_form(post: QueryDict | None, page: SitePage) -> NameForm:
    """With the current values; an offered darker colour is accepted with one click."""
    if post is not None and "darker" in post:
        post = post.copy()
        post["colour"] = post["darker"]
    name, colour = page.name or settings.SITE_NAME, page.colour or settings.SITE_COLOUR or OUR_COLOUR
    return NameForm(post, initial={"name": name, "colour": colour}, auto_id="our-%s")


def text_form(post: QueryDict | None, page: SitePage) -> TextForm:
    return TextForm(post, initial={"text": page.text}, auto_id="our-%s")


def example_form(post: QueryDict | None, page: SitePage) -> ExampleForm:
    return ExampleForm(post, initial={"shows": not page.hides_example}, auto_id="our-%s")


FORMS: dict[Part, Callable[[QueryDict | None, SitePage], PartForm | Rows]] = {
    Part.NAME: name_form,
    Part.TEXT: text_form,
    Part.LINKS: LinkRows,
    Part.PROJECTS: ProjectRows,
    Part.EXAMPLE: example_form,
}
