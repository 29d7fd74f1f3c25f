"""Forms about skills."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import cached_property
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from foundation.pages.fields import LinesField, TitleField
from foundation.pages.names import MAX_NAME_CHARS, clean_title

from . import repository
from .endorsements import GROUNDS, Ground
from .finding import MAX_SKILLS_SEARCHED, SkillSearch
from .rules import (
    DID_YOU_MEAN,
    LEVELS,
    MAX_DESCRIPTION_CHARS,
    MAX_NOTES_CHARS,
    MAX_YEARS,
    NOT_THERE,
    VISIBILITIES,
    Skill,
    State,
    Visibility,
    similar_names,
)

OTHERS = tuple(f"skill{number}" for number in range(2, MAX_SKILLS_SEARCHED + 1))


class FindSkillForm(forms.Form):
    """A name or alias, or a part of one."""

    q = forms.CharField(
        label=_("Skill"),
        required=False,
        max_length=MAX_NAME_CHARS,
        widget=forms.TextInput({"autocomplete": "off", "dir": "auto"}),
        help_text=_("A part of its name is enough."),
    )


class MonthField(forms.CharField):
    """A past or current month such as 2026-11, or empty."""

    def __init__(self, **options: Any):
        widget = forms.TextInput({"type": "month", "placeholder": "2026-11", "pattern": "[0-9]{4}-[0-9]{2}"})
        super().__init__(required=False, max_length=7, widget=widget, **options)

    def clean(self, value: Any) -> str:
        typed = str(super().clean(value))
        try:
            month = date.fromisoformat(f"{typed}-01") if typed else None
        except ValueError:
            raise ValidationError(_("Enter a year and a month, such as 2026-11.")) from None
        if month is None:
            return ""
        if month > date.today() or month.year < 1900:
            raise ValidationError(_("Choose a month that is not in the future and not too long ago."))
        return f"{month.year:04d}-{month.month:02d}"


class HeldForm(forms.Form):
    """A person's own statement about a skill."""

    level = forms.TypedChoiceField(
        label=_("How well"),
        coerce=int,
        choices=[(level.number, level) for level in LEVELS],
        widget=forms.RadioSelect,
    )
    years = forms.IntegerField(label=_("Years of experience"), min_value=0, max_value=MAX_YEARS, initial=0)
    last_used = MonthField(label=_("Last used"), help_text=_("A month, if you want to share it."))
    interest = forms.BooleanField(label=_("I want to use it more"), required=False)
    notes = LinesField(
        label=_("Notes"),
        required=False,
        max_length=MAX_NOTES_CHARS,
        rows=3,
        help_text=_("Everyone who can see your profile can read this."),
    )


class VisibilityForm(forms.Form):
    visibility = forms.TypedChoiceField(
        label=_("Who can see my profile and my skills"),
        coerce=Visibility,
        choices=[(each.value, label) for each, label in VISIBILITIES.items()],
        widget=forms.RadioSelect,
        help_text=_("Hidden profiles appear in no list, search or count."),
    )


class EndorseForm(forms.Form):
    """How the endorser knows; at least one reason."""

    grounds = forms.TypedMultipleChoiceField(
        label=_("How you know"),
        coerce=Ground,
        choices=[(each.value, label) for each, label in GROUNDS.items()],
        widget=forms.CheckboxSelectMultiple,
    )


# --- the catalogue ---


class DescribeForm(forms.Form):
    """Any category; the page suggests existing ones."""

    category = TitleField(label=_("Category"))
    description = LinesField(
        label=_("Description"),
        required=False,
        max_length=MAX_DESCRIPTION_CHARS,
        rows=3,
        help_text=_("In one sentence: what can somebody with this skill do?"),
    )

    def __init__(self, *arguments: Any, categories: Sequence[str] = (), **options: Any):
        super().__init__(*arguments, **options)
        if categories:
            help_text = _("Existing categories: %(categories)s.") % {"categories": ", ".join(categories)}
            self.fields["category"].help_text = help_text


class SkillForm(DescribeForm):
    """Adds or proposes a skill."""

    name = TitleField(label=_("Name of the skill"))
    field_order = ("name", "category", "description")


class RenameForm(forms.Form):
    name = TitleField(label=_("New name"))


class AliasForm(forms.Form):
    alias = TitleField(label=_("Another name"))


NAME_ATTRIBUTES = {"autocomplete": "off", "dir": "auto", "list": "skill-names"}  # of skills/parts/names.html


class SkillInput(forms.TextInput):
    """Comes with the names that browsers suggest."""

    template_name = "skills/parts/skill_input.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        return super().get_context(name, value, attrs) | {"names": repository.skills_by_name()}


class SkillField(forms.CharField):
    """A skill of the catalogue, by any of its names."""

    def __init__(self, **options: Any):
        super().__init__(max_length=MAX_NAME_CHARS * 2, widget=SkillInput(NAME_ATTRIBUTES), **options)

    def clean(self, value: Any) -> Any:
        name = clean_title(super().clean(value))
        skill = repository.find_by_name(name)
        if skill is not None and skill.is_listed:
            return skill
        similar, _is_part = similar_names(repository.skills_by_name(), name)
        raise ValidationError(DID_YOU_MEAN % {"names": ", ".join(similar)} if similar else NOT_THERE)


class MergeForm(forms.Form):
    into = SkillField(label=_("Merge into"))


# --- finding people ---


# any name or alias of a skill, or a part of one
SkillNameField = partial(forms.CharField, max_length=MAX_NAME_CHARS, widget=forms.TextInput(NAME_ATTRIBUTES))


class FindPeopleForm(forms.Form):
    """Up to five skills, with criteria that apply to each."""

    skill = SkillNameField(
        label=_("Skill"),
        help_text=_("A part of its name is enough."),
        error_messages={"required": _("Enter a skill to search for.")},
    )
    skill2 = SkillNameField(label=_("Second skill"), required=False)
    skill3 = SkillNameField(label=_("Third skill"), required=False)
    skill4 = SkillNameField(label=_("Fourth skill"), required=False)
    skill5 = SkillNameField(label=_("Fifth skill"), required=False)
    level = forms.TypedChoiceField(
        label=_("Minimum level"),
        required=False,
        coerce=int,
        empty_value=LEVELS[0].number,
        choices=[("", _("Any level")), *((level.number, level) for level in LEVELS[1:])],
    )
    years = forms.IntegerField(label=_("Minimum years"), required=False, min_value=0, max_value=MAX_YEARS)
    since = MonthField(label=_("Last used in or after"))
    interest = forms.BooleanField(label=_("Only people who want to use it more"), required=False)

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.similar: list[tuple[str, str]] = []  # names that may have been meant, and the search for each

    @property
    def others(self) -> list[forms.BoundField]:
        return [self[name] for name in OTHERS]

    @property
    def is_narrowed(self) -> bool:
        return any(self[name].value() for name in self.fields if name != "skill")

    @property
    def parameters(self) -> dict[str, str]:
        """The criteria as query parameters, for links to the same search."""
        return {name: self.data[name] for name in self.fields if self.data.get(name)}

    @cached_property
    def skills_by_name(self) -> dict[str, str]:
        """The skill of each name that can be suggested."""
        return repository.skills_by_name()

    def clean(self) -> dict[str, Any]:
        typed = {name: self.cleaned_data[name] for name in ("skill", *OTHERS) if self.cleaned_data.get(name)}
        by_name = repository.find_each_by_name(typed.values())
        skills: dict[str, Skill] = {}  # by id, in case one was typed under two of its names
        for field, name in typed.items():
            skill = by_name[name]
            if skill is None:
                names, is_part = similar_names(self.skills_by_name, name)
                if is_part and len(names) == 1:  # it can only mean this one
                    skill = repository.find(self.skills_by_name[names[0]])
                else:
                    self.similar += [(each, urlencode({**self.parameters, field: each})) for each in names]
            if skill is None or skill.state != State.LISTED:
                self.add_error(field, NOT_THERE)
            else:
                skills[skill.id] = skill
        if not self.errors:
            level, years, since, interest = (
                self.cleaned_data[name] for name in ("level", "years", "since", "interest")
            )
            self.cleaned_data["criteria"] = SkillSearch(tuple(skills.values()), level, years or 0, since, interest)
        return self.cleaned_data
