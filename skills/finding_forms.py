"""The form to search for people by skill."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pages.names import MAX_NAME_CHARS

from . import repository
from .finding import MAX_SKILLS_SEARCHED, SkillSearch
from .forms import MonthField
from .rules import LEVELS, MAX_YEARS, NOT_THERE, Skill, State

OTHERS = tuple(f"skill{number}" for number in range(2, MAX_SKILLS_SEARCHED + 1))


class SkillNameField(forms.CharField):
    """Any name or alias of a skill."""

    def __init__(self, **options: Any):
        widget = forms.TextInput({"autocomplete": "off", "dir": "auto"})
        super().__init__(max_length=MAX_NAME_CHARS, widget=widget, **options)


class FindPeopleForm(forms.Form):
    """Up to five skills, with criteria that apply to each."""

    skill = SkillNameField(
        label=_("Skill"),
        help_text=_("Its full name, or one of its other names."),
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

    @property
    def others(self) -> list[forms.BoundField]:
        return [self[name] for name in OTHERS]

    @property
    def has_others(self) -> bool:
        return any(self[name].value() for name in OTHERS)

    @property
    def asked(self) -> dict[str, str]:
        """The criteria as query parameters, for links to the same search."""
        return {name: self.data[name] for name in self.fields if self.data.get(name)}

    def clean(self) -> dict[str, Any]:
        typed = {name: self.cleaned_data[name] for name in ("skill", *OTHERS) if self.cleaned_data.get(name)}
        found = repository.find_each_by_name(typed.values())
        skills = {name: self._known(name, found[given]) for name, given in typed.items()}
        if not self.errors:
            self.cleaned_data["wish"] = self._wish([each for each in skills.values() if each is not None])
        return self.cleaned_data

    def _known(self, name: str, skill: Skill | None) -> Skill | None:
        if skill is None or skill.state != State.LISTED:
            self.add_error(name, NOT_THERE)
        return skill

    def _wish(self, skills: list[Skill]) -> SkillSearch:
        """Removes duplicates, in case a skill was typed under two of its names."""
        said = self.cleaned_data
        each = {skill.id: skill for skill in skills}
        return SkillSearch(tuple(each.values()), said["level"], said["years"] or 0, said["since"], said["interest"])
