"""The assembly that convened an election: attendance and quorum, fixed when the draft is created.

It is in the creation event, on every page about the election, and proven by the bundle. Without a quorum the election
goes on, and the pages say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from math import ceil, floor

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.store.table import Item


@dataclass(frozen=True, slots=True)
class Convened:
    """An assembly at the moment it called an election. The time is UTC, as text."""

    assembly: str  # its title
    assembly_id: str
    at: str
    present: int
    entitled: int = 0  # 0: unknown
    quorum: str = ""  # "": none; "25": a number; "1/4", ">1/2": a share of those entitled
    quorate: bool = True
    listed: int = 0  # of those present, how many were put on the roll
    unlisted: int = 0  # and how many could not be: they have neither an account nor an address here
    round_digest: str = ""  # of the sealed round that the candidates come from, as the log has it

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)

    @property
    def attendance_text(self) -> str:
        values = {"present": self.present, "entitled": self.entitled}
        return (_("%(present)d of %(entitled)d present") if self.entitled else _("%(present)d present")) % values

    @property
    def quorum_text(self) -> str:
        """Empty without a quorum."""
        if not self.quorum:
            return ""
        quorum, share = self.quorum, {"share": self.quorum.removeprefix(">")}
        if quorum.startswith(">"):
            quorum = _("more than %(share)s of those entitled") % share
        elif not quorum.isdecimal():
            quorum = _("%(share)s of those entitled") % share
        met = _("quorum of %(quorum)s met") if self.quorate else _("quorum of %(quorum)s NOT met")
        return met % {"quorum": quorum}

    @property
    def quorum_number(self) -> int | None:
        """How many had to be present; None without a quorum, or if the number of those entitled is unknown."""
        if self.quorum.isdecimal():
            return int(self.quorum)
        if not (self.quorum and self.entitled):
            return None
        needed = Fraction(self.quorum.removeprefix(">")) * self.entitled
        return floor(needed) + 1 if self.quorum.startswith(">") else ceil(needed)

    @property
    def roll_text(self) -> str:
        """How many of those present were put on the roll; empty if that was not intended."""
        if not (self.listed or self.unlisted):
            return ""
        put = ngettext(
            "%(count)d of them was added to the roll", "%(count)d of them were added to the roll", self.listed
        )
        parts = [put % {"count": self.listed}]
        if self.unlisted:
            left = ngettext(
                "%(count)d could not be added: no account or address here",
                "%(count)d could not be added: no account or address here",
                self.unlisted,
            )
            parts.append(left % {"count": self.unlisted})
        return "; ".join(parts)

    @property
    def summary(self) -> str:
        """All of it in one line, without title and time."""
        return " · ".join(filter(None, (self.attendance_text, self.quorum_text, self.roll_text)))


def convened_of(item: Item) -> Convened:
    return Convened(**{name: item[name] for name in Convened.__dataclass_fields__ if name in item})
