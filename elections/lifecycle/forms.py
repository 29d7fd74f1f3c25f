"""Forms for opening and extending an election."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from elections.rules import Election
from foundation.acts.hooks import Hooks
from foundation.pages.fields import LocalTimeField, ZonedForm
from foundation.pages.times import Edge, zone_label


class OpenForm(forms.Form):
    editable = forms.BooleanField(
        label=_("Candidates may still be added while people vote"),
        required=False,
        help_text=_("People who have already voted will not have seen candidates added later."),
    )
    shows_skills = forms.BooleanField(
        label=_("Show voters what candidates say they can do, before they vote"),
        required=False,
        help_text=_("Only for candidates who agreed, and only the skills this election needs."),
    )

    def __init__(self, *arguments: Any, has_needs: bool, kind: str = "ranked", **options: Any):
        super().__init__(*arguments, **options)
        if not has_needs:
            del self.fields["shows_skills"]
        if kind == "yes-no":
            del self.fields["editable"]


LISTS_SKILLS = Hooks[[str], bool]("whether an election lists skills, so that its opening can show them")


def open_form(data: Any, election: Election) -> OpenForm:
    return OpenForm(data, has_needs=any(lists(election.name) for lists in LISTS_SKILLS), kind=election.kind)


EXTENDING = _(
    "Voters are not emailed about it. To tell them why, for example that they could not vote for a while, send them a "
    "message, or write a post about the election."
)


class EndForm(ZonedForm):
    ends = LocalTimeField(edge=Edge.CLOSING, label=_("New end"), required=False)

    def __init__(self, *arguments: Any, zone: str, **options: Any):
        self.zone = zone
        super().__init__(*arguments, **options)
        self.fields["ends"].help_text = _("In the election's time zone: %(zone)s. Leave it empty for no end.") % {
            "zone": zone_label(zone)
        }

    def zone_name(self) -> str:
        return self.zone
