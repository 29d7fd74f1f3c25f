"""Forms of question sets: sets, categories, questions and imports."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foundation.pages import lists
from foundation.pages.fields import TitleField

from . import rules
from .formats import LABELS, Format, read
from .formats.exports import OPTIONS
from .question import (
    MAX_ANSWER_SECONDS,
    MAX_CATEGORY_CHARS,
    MAX_DETAIL_CHARS,
    MAX_INSTRUCTION_CHARS,
    MAX_OPTION_CHARS,
    MAX_SCHOOL_CHARS,
    MAX_TITLE_CHARS,
    SET_KIND_LABELS,
    WITH_OPTIONS,
    Kind,
    Question,
    clean_line,
    clean_lines,
    flaws,
)
from .rules import MAX_DESCRIPTION_CHARS, Category, FullSet, QuestionSet

MIN_OPTIONS_SHOWN = 4  # boxes that are visible at once; the others are folded away
COPIED_FIELDS = ("title", "detail", "category", "school", "custom_instruction", "seconds")


class CleanField(forms.CharField):
    """Text whose length counts after it was cleaned: a single line, or several with `rows`."""

    def __init__(
        self,
        label: Any,
        max_length: int,
        *,
        rows: int = 0,
        required: bool = False,
        help_text: Any = "",
        **attributes: str,
    ):
        self.clean_text = clean_lines if rows else clean_line
        area = forms.Textarea({"rows": rows, "dir": "auto"})
        widget = area if rows else forms.TextInput({"dir": "auto", **attributes})
        super().__init__(label=label, max_length=max_length, required=required, widget=widget, help_text=help_text)

    def to_python(self, value: Any) -> str:
        return self.clean_text(super().to_python(value))


class EditForm(forms.Form):
    """Detects that what it was opened with has changed: `seen` is its fingerprint at that time."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    data: Any
    is_outdated = False

    def accept_changes(self, fingerprint: str) -> None:
        """After a conflict: keeps what was typed, and saving it again overwrites the saved version."""
        self.data = self.data.copy()
        self.data["seen"] = fingerprint
        self.is_outdated = True


class SetForm(EditForm):
    """Name, description and instructions of a set."""

    name = TitleField(label=_("Name"), help_text=_("So that you and others can find it again."))
    description = CleanField(
        _("Description"), MAX_DESCRIPTION_CHARS, rows=3, help_text=_("What it is for, and for whom.")
    )
    custom_instructions = CleanField(
        _("Instructions"),
        MAX_DESCRIPTION_CHARS,
        rows=3,
        help_text=_("Shown to everyone while they wait for the first question."),
    )

    def values(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("name", "description", "custom_instructions")}

    @staticmethod
    def initial_of(set_: QuestionSet) -> dict[str, str]:
        values = {"name": set_.name, "description": set_.description, "custom_instructions": set_.custom_instructions}
        return values | {"seen": rules.set_fingerprint(set_)}


class CategoryForm(EditForm):
    name = CleanField(_("Category name"), MAX_CATEGORY_CHARS, help_text=_("If empty, its questions have no heading."))
    description = CleanField(_("Description"), MAX_DESCRIPTION_CHARS, rows=3)

    @staticmethod
    def initial_of(category: Category) -> dict[str, str]:
        values = {"name": category.name, "description": category.description}
        return values | {"seen": rules.category_fingerprint(category)}


class QuestionForm(EditForm):
    """A question of any kind; fields that its kind lacks are dropped."""

    kind = forms.ChoiceField(
        label=_("Answer type"), choices=[(str(kind), label) for kind, label in SET_KIND_LABELS.items()]
    )
    title = CleanField(_("Question"), MAX_TITLE_CHARS, required=True)
    detail = CleanField(_("Details"), MAX_DETAIL_CHARS, rows=3, help_text=_("Shown below the question."))
    category = CleanField(
        _("Category"), MAX_CATEGORY_CHARS, help_text=_("A new name makes a new category."), list="categories"
    )
    seconds = forms.IntegerField(
        label=_("Seconds"),
        min_value=0,
        max_value=MAX_ANSWER_SECONDS,
        initial=Question("").seconds,
        help_text=_("Until it closes automatically. 0: the host closes it."),
    )
    twice = forms.BooleanField(
        label=_("Before and after: ask it twice"),
        required=False,
        help_text=_("In a poll. The second time everybody sees who moved where, in numbers."),
    )
    custom_instruction = CleanField(
        _("Instruction"), MAX_INSTRUCTION_CHARS, rows=2, help_text=_("Shown to people when this question is asked.")
    )
    school = CleanField(_("School"), MAX_SCHOOL_CHARS, help_text=_("Where it comes from, or whom it is for."))

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        for number, name in enumerate(OPTIONS, 1):
            label = _("Option %(number)d") % {"number": number}
            self.fields[name] = CleanField(label, MAX_OPTION_CHARS, autocomplete="off")
            right = _("Option %(number)d is right") % {"number": number}
            self.fields[_right(name)] = forms.BooleanField(label=right, required=False)

    @property
    def options(self) -> list[tuple[Any, Any]]:
        """Each option's text field and its “right” checkbox."""
        return [(self[name], self[_right(name)]) for name in OPTIONS]

    @property
    def first_options(self) -> list[tuple[Any, Any]]:
        return self.options[: self._open]

    @property
    def more_options(self) -> list[tuple[Any, Any]]:
        return self.options[self._open :]

    @property
    def _open(self) -> int:
        """As many as are filled, and two more."""
        filled = [place for place, name in enumerate(OPTIONS, 1) if self[name].value()]
        return max(MIN_OPTIONS_SHOWN, *(place + 2 for place in filled)) if filled else MIN_OPTIONS_SHOWN

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            kind = Kind(cleaned["kind"])
            columns = [name for name in OPTIONS if kind in WITH_OPTIONS and cleaned[name]]
            question = Question(
                **{name: cleaned[name] for name in COPIED_FIELDS},
                kind=kind,
                options=tuple(cleaned[name] for name in columns),
                right=tuple(at for at, name in enumerate(columns) if kind == Kind.CHOICE and cleaned[_right(name)]),
                twice=kind == Kind.RANKING and cleaned["twice"],
            )
            cleaned["question"] = question
            for flaw in flaws(question, columns):
                self.add_error(flaw.field, flaw.sentence)
        return cleaned

    def question(self) -> Question:
        found: Question = self.cleaned_data["question"]
        return found

    @staticmethod
    def initial_of(question: Question) -> dict[str, Any]:
        values = {name: getattr(question, name) for name in COPIED_FIELDS}
        values |= {"kind": str(question.kind), "twice": question.twice}
        options = dict(zip(OPTIONS, question.options, strict=False))
        right = {_right(OPTIONS[place]): True for place in question.right}
        return {**values, **options, **right, "seen": rules.question_fingerprint(question)}


def _right(option: str) -> str:
    return option.replace("option", "right")


class ImportForm(forms.Form):
    """A file of questions, or pasted text, in any supported format."""

    file = forms.FileField(
        label=_("File"),
        required=False,
        max_length=200,
        help_text=_("CSV, GIFT or Aiken; at most 5 MB, 200 questions and 800 KB of text."),
    )
    text = forms.CharField(
        label=_("Or paste the text"),
        required=False,
        strip=False,
        max_length=lists.MAX_PASTED_CHARS,
        widget=forms.Textarea({"rows": 6, "dir": "auto", "spellcheck": "false"}),
        help_text=_("In any of these formats."),
    )
    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[("", _("Detect automatically")), *((str(each), label) for each, label in LABELS.items())],
    )

    def __init__(self, *arguments: Any, full: FullSet):
        super().__init__(*arguments)
        self.full = full

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file, text = cleaned.get("file"), cleaned.get("text", "")
        if self.errors:
            return cleaned
        if bool(file) == bool(text.strip()):
            raise ValidationError(_("Choose a file or paste text, but not both."))
        raw = file.read(lists.MAX_BYTES + 1) if file else text.encode(errors="replace")
        chosen = Format(cleaned["format"]) if cleaned.get("format") else None
        try:
            cleaned["read_as"], cleaned["read"] = read(raw, self.full, name=file.name if file else "", chosen=chosen)
        except lists.NotAList as refusal:
            self.add_error("file" if file else "text", str(refusal))
        return cleaned
