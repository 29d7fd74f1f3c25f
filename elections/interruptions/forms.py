"""The form in which an interruption is put on record."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from elections.rules import Election
from pages.fields import LinesField
from pages.text_cleaning import single_line
from pages.time_fields import LocalTimeField, ZonedForm
from pages.times import Edge, form_time, local_time, moment_text, split_seconds, zone_label

from .rules import MAX_TEXT_CHARS

Pause = tuple[datetime, datetime]
EXTENSIONS = (15, 30, 60, 120, 240, 480, 1440, 2880, 10080)  # minutes


class PlainTextField(LinesField):
    """A paragraph without formatting: pages, mails, the report and `verify.py` print it on one line."""

    def __init__(self, **options: Any):
        super().__init__(rows=3, max_length=MAX_TEXT_CHARS, **options)

    def to_python(self, value: Any) -> str:
        return single_line(super().to_python(value))


class InterruptionForm(ZonedForm):
    began = LocalTimeField(edge=Edge.OPENING, label=_("It began"))
    ended = LocalTimeField(edge=Edge.CLOSING, label=_("It ended"))
    happened = PlainTextField(
        label=_("What happened"),
        help_text=_("For voters and for the record. Everybody who can see the election can read it."),
    )
    decided = PlainTextField(
        label=_("What was decided"),
        required=False,
        help_text=_("By whom, and why: also if voting goes on as planned."),
    )
    minutes = forms.TypedChoiceField(label=_("Extend voting by"), coerce=int, empty_value=0, required=False)
    corrects = forms.TypedChoiceField(label=_("It corrects"), coerce=int, empty_value=0, required=False)
    mail = forms.BooleanField(label=_("Email this to all voters"), required=False, initial=True)

    def __init__(
        self, *arguments: Any, election: Election, pause: Pause | None, may_extend: bool, may_mail: bool, **options: Any
    ):
        self.zone = election.time_zone
        moments = zip(("began", "ended"), pause or (), strict=False)
        times = {name: form_time(moment.replace(microsecond=0), self.zone) for name, moment in moments}
        super().__init__(*arguments, initial=times, **options)
        hint = _("In the election's time zone: %(zone)s.") % {"zone": zone_label(self.zone)}
        for name in ("began", "ended"):
            self.fields[name].help_text = hint
        self.fields["minutes"].choices = [
            ("", _("not at all")),
            *((each, str(split_seconds(each * 60)[0])) for each in EXTENSIONS),
        ]
        if election.ends:
            end = moment_text(local_time(election.ends, self.zone))
            self.fields["minutes"].help_text = _("So far it ends at %(end)s.") % {"end": end}
        earlier = [(each.number, _entry_label(each, self.zone)) for each in election.interruptions]
        self.fields["corrects"].choices = [("", _("no earlier entry")), *earlier]
        left_out = {"minutes": may_extend and election.ends, "corrects": earlier, "mail": may_mail}
        for name in [name for name, is_there in left_out.items() if not is_there]:
            del self.fields[name]

    def zone_name(self) -> str:
        return self.zone

    @property
    def entry(self) -> dict[str, Any]:
        """What is put on record."""
        texts = {name: self.cleaned_data[name] for name in ("happened", "decided")}
        numbers = {name: self.cleaned_data.get(name) or 0 for name in ("minutes", "corrects")}
        return {"began": self.stored("began"), "ended": self.stored("ended"), **texts, **numbers}


def _entry_label(entry: Any, zone: str) -> str:
    when = moment_text(local_time(entry.from_, zone))
    return str(_("entry %(number)d: from %(when)s") % {"number": entry.number, "when": when})
