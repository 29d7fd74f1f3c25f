"""Forms for skills an election needs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from elections.rules import MAX_SEATS
from pages.fields import TitleField
from skills import repository as skills
from skills.rules import LEVELS, NOT_THERE, Skill


def _levels() -> list[tuple[int, str]]:
    return [(each.number, f"{each.label}: {each.sentence}") for each in LEVELS]


class SkilledForm(forms.Form):
    """A skill, by any of its names, and a least level."""

    skill = TitleField(label=_("Skill"), help_text=_("Its name in the catalogue, or another name for it."))
    level = forms.TypedChoiceField(label=_("At least"), coerce=int, choices=_levels, initial=3)

    def clean_skill(self) -> Skill:
        skill = skills.find_by_name(self.cleaned_data["skill"])
        if skill is None or not skill.is_listed:
            raise ValidationError(NOT_THERE)
        return skill


class NeedForm(SkilledForm):
    count = forms.IntegerField(label=_("How many of those elected"), min_value=1, max_value=MAX_SEATS, initial=1)

    def value(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {"skill": data["skill"].id, "level": data["level"], "count": data["count"]}
