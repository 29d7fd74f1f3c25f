"""Forms of polls: creating one, changing its end."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from elections.lifecycle.forms import EndForm
from foundation.acts.refusals import NotNow
from foundation.pages import lists
from foundation.pages.fields import (
    LocalTimeField,
    TitleField,
    ZonedForm,
    ZoneField,
    markdown_field,
    read_names,
    zone_or_default,
)
from foundation.pages.times import Edge, zone_label
from foundation.store.log import utc_now

from .rules import KINDS, MAX_CANDIDATES, MAX_DESCRIPTION_CHARS, MIN_CANDIDATES, RETENTIONS, check_first_end


def retentions() -> list[tuple[int, str]]:
    """As long as the site allows, or less."""
    most = settings.POLL_RETENTION
    days = sorted({each for each in RETENTIONS if each < most} | {most})
    return [(each, ngettext("%(days)d day", "%(days)d days", each) % {"days": each}) for each in days]


def usual_retention() -> int:
    return min(90, settings.POLL_RETENTION)


class CandidatesField(forms.CharField):
    """Options, one per line; with scripts also typed one by one."""

    widget = forms.Textarea({"rows": 6, "dir": "auto", "data-one-by-one": True})

    def clean(self, value: Any) -> list[str]:
        names = read_names(lists.read_candidates, super().clean(value))
        if len(names) < MIN_CANDIDATES:
            raise ValidationError(_("Enter at least two different options."))
        if len(names) > MAX_CANDIDATES:
            numbers = {"most": MAX_CANDIDATES, "count": len(names)}
            raise ValidationError(_("A poll can have at most %(most)d options; there are %(count)d."), params=numbers)
        return names


class PollForm(ZonedForm):
    title = TitleField(label=_("Question"), help_text=_("For example: Where shall we eat on Friday?"))
    candidates = CandidatesField(label=_("Options"), max_length=50_000, help_text=_("One per line, two to fifty."))
    kind = forms.ChoiceField(label=_("Kind of ballot"), choices=list(KINDS.items()), required=False)
    most = forms.TypedChoiceField(
        label=_("at most"),
        choices=[(number, number) for number in range(1, MAX_CANDIDATES + 1)],
        coerce=int,
        empty_value=1,
        required=False,
    )
    description = markdown_field(_("Description"), 3, max_length=MAX_DESCRIPTION_CHARS)
    ends = LocalTimeField(
        edge=Edge.CLOSING,
        label=_("Ends"),
        required=False,
        help_text=_("In the time zone below. Leave it empty to keep the poll open until you close it."),
    )
    time_zone = ZoneField(required=False)
    results_hidden = forms.BooleanField(
        label=_("Show results only to people who have voted, and to everyone at the end"), required=False
    )
    sign_in = forms.BooleanField(
        label=_("Only people with an account here may vote"),
        required=False,
        help_text=_("Otherwise anyone with the link can vote, once per browser."),
    )
    listed = forms.BooleanField(
        label=_("List it publicly"),
        required=False,
        help_text=_("Otherwise only people with the link can find it."),
    )
    days = forms.TypedChoiceField(
        label=_("Keep it after it ends for"),
        choices=retentions,
        coerce=int,
        initial=usual_retention,
        help_text=_("Then the poll and all its votes are deleted. Without an end, the days count from now."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        count = len(cleaned.get("candidates", ()))
        if cleaned.get("kind") == "choose" and 0 < count < cleaned.get("most", 1):
            self.add_error("most", _("There are only %(count)d options.") % {"count": count})
        if understood := cleaned.get("ends"):
            try:
                check_first_end(understood.moment, utc_now())
            except NotNow as refusal:
                self.add_error("ends", str(refusal))
        return cleaned

    def values(self) -> dict[str, Any]:
        """Arguments of `services.make`."""
        plain = {name: value for name, value in self.cleaned_data.items() if name not in ("ends", "time_zone")}
        zone, kind = zone_or_default(self.cleaned_data["time_zone"]), plain["kind"] or "ranked"
        ballot = {"kind": kind, "most": plain["most"] if kind == "choose" else 0}
        return plain | ballot | {"expires_at": self.stored("ends"), "time_zone": zone}


class PollEndForm(EndForm):
    def __init__(self, *arguments: Any, zone: str, **options: Any):
        super().__init__(*arguments, zone=zone, **options)
        self.fields["ends"].label = _("Open until")
        help_text = _("In the poll's time zone: %(zone)s. Leave it empty for no end.")
        self.fields["ends"].help_text = help_text % {"zone": zone_label(zone)}
