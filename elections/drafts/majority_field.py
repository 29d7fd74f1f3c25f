"""The majority that a proposal needs: a share, and of whom."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from elections.kinds import NEEDS_A_ROLL, OF, SHARES
from foundation.tally.majorities import Of, majority_of

OTHER = "other"


class MajorityWidget(forms.MultiWidget):
    """Programs send one text instead, as it is stored."""

    use_fieldset = True

    def __init__(self) -> None:
        shares = [*SHARES.items(), (OTHER, _("at least another share"))]
        super().__init__(
            {
                "share": forms.Select({"aria-label": _("Share")}, shares),
                "own": forms.TextInput(
                    {
                        "aria-label": _("Another share, such as 3/5 or 60%"),
                        "placeholder": "3/5",
                        "size": 5,
                        "maxlength": 9,
                    }
                ),
                "of": forms.Select({"aria-label": _("Out of")}, [(each.value, OF[each]) for each in Of]),
            }
        )

    def decompress(self, value: str | None) -> list[str]:
        majority = majority_of(value or "")
        is_usual = majority.share in SHARES
        return [majority.share if is_usual else OTHER, "" if is_usual else majority.share, majority.of.value]

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        return data[name] if name in data else super().value_from_datadict(data, files, name)

    def use_required_attribute(self, initial: Any) -> bool:
        return False

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data and super().value_omitted_from_data(data, files, name)


class MajorityField(forms.Field):
    """Its shape is checked with the other settings of the kind of ballot (`elections.kinds`)."""

    widget = MajorityWidget
    has_roll = True

    def follow(self, electorate: str) -> None:
        """A share of everyone on the roll needs a list of voters."""
        self.has_roll = electorate == "listed"
        if isinstance(self.widget, MajorityWidget) and not self.has_roll:
            self.widget.widgets[-1].choices = [(each.value, OF[each]) for each in Of if each != Of.ENTITLED]

    def clean(self, value: Any) -> str:
        text = value if isinstance(value, str) else self._joined(*(each or "" for each in value or ("", "", "")))
        if text.endswith(Of.ENTITLED) and not self.has_roll:
            raise forms.ValidationError(NEEDS_A_ROLL)
        return text

    @staticmethod
    def _joined(share: str, own: str, of: str) -> str:
        return f"{own.strip() if share == OTHER else share} {of}" if share else ""
