"""Summary of an imported or pasted list: what was added and what was skipped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy, ngettext, ngettext_lazy

from elections.voter_lists import VoterRow
from foundation.pages.lists import Row, Verdict

MAX_PREVIEW_ROWS = 500  # rows of each kind that a preview shows
MAX_UNUSABLE_LINES = 20  # that are named, of those that could not be used
SKIPPED_TEXT = re.compile(r"(\d{1,6}) (\d{1,6}) (\d{1,6})((?: \d{1,6}){0,20})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many, and of those that could not be used also on which lines."""

    there: int = 0
    repeated: int = 0
    unusable: int = 0
    lines: tuple[int, ...] = ()

    def as_text(self) -> str:
        """As sent in a form and stored with an import."""
        numbers = (self.there, self.repeated, self.unusable, *self.lines)
        return " ".join(map(str, numbers)) if self != NOTHING_SKIPPED else ""

    @staticmethod
    def from_text(text: str) -> Skipped:
        """Malformed text counts as nothing skipped."""
        found = SKIPPED_TEXT.fullmatch(text)
        if found is None:
            return NOTHING_SKIPPED
        return Skipped(int(found[1]), int(found[2]), int(found[3]), tuple(map(int, found[4].split())))


NOTHING_SKIPPED = Skipped()


def skipped_of(rows: Iterable[Row]) -> Skipped:
    by_verdict: dict[Verdict, list[int]] = {}
    for row in rows:
        by_verdict.setdefault(row.verdict, []).append(row.line)
    there, repeated, unusable = (
        by_verdict.get(verdict, []) for verdict in (Verdict.THERE, Verdict.REPEATED, Verdict.INVALID)
    )
    return Skipped(len(there), len(repeated), len(unusable), tuple(unusable[:MAX_UNUSABLE_LINES]))


KINDS_OF_ROWS = {Verdict.INVALID: "problems", Verdict.CHANGED: "regrouped", Verdict.NEW: "fresh"}


def rows_by_verdict(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows as a preview shows them: what cannot be used, what need not be added, what is new; not without end."""
    found: dict[str, list[Row]] = {kind: [] for kind in (*KINDS_OF_ROWS.values(), "known")}
    for row in rows:
        kind = KINDS_OF_ROWS.get(row.verdict, "known")
        if len(found[kind]) < MAX_PREVIEW_ROWS:
            found[kind].append(row)
    return found


# --- in words ---


@dataclass(frozen=True, slots=True)
class ListLabels:
    """Labels for one kind of list: added, and already there, afterwards and in a preview."""

    added: Any
    none_added: Any
    there: Any
    already: Any = ""


VOTERS = ListLabels(
    ngettext_lazy("%(count)d voter added.", "%(count)d voters added.", "count"),
    gettext_lazy("No voters added."),
    ngettext_lazy("%(count)d was already on the roll", "%(count)d were already on the roll", "count"),
    ngettext_lazy("%(count)d already on the roll", "%(count)d already on the roll", "count"),
)
MEMBERS = ListLabels(
    ngettext_lazy("%(count)d member added.", "%(count)d members added.", "count"),
    gettext_lazy("No members added."),
    ngettext_lazy("%(count)d was already in the group", "%(count)d were already in the group", "count"),
    ngettext_lazy("%(count)d already in the group", "%(count)d already in the group", "count"),
)
CANDIDATES = ListLabels(
    ngettext_lazy("%(count)d candidate added.", "%(count)d candidates added.", "count"),
    gettext_lazy("No candidates added."),
    ngettext_lazy("%(count)d was already a candidate", "%(count)d were already candidates", "count"),
)
NEW = ngettext_lazy("%(count)d new", "%(count)d new", "count")
GROUPED_IN_PREVIEW = ngettext_lazy("%(count)d to be changed", "%(count)d to be changed", "count")
GROUPED = gettext_lazy("Their voter groups and weights are saved.")
REMOVED = ngettext_lazy("%(count)d voter removed.", "%(count)d voters removed.", "count")
REMOVED_IN_PREVIEW = ngettext_lazy("%(count)d to be removed", "%(count)d to be removed", "count")
DUPLICATES_IN_PREVIEW = ngettext_lazy("%(count)d duplicate", "%(count)d duplicates", "count")
UNUSABLE_IN_PREVIEW = ngettext_lazy("%(count)d cannot be used", "%(count)d cannot be used", "count")
DUPLICATES = ngettext_lazy("%(count)d duplicate skipped", "%(count)d duplicates skipped", "count")
UNKNOWN = ngettext_lazy(
    "%(count)d was left out, because nobody here has the name any longer",
    "%(count)d were left out, because nobody here has the names any longer",
    "count",
)
UNUSABLE = ngettext_lazy("%(count)d could not be used", "%(count)d could not be used", "count")
UNUSABLE_LINES = ngettext_lazy(
    "%(count)d line could not be used (line %(lines)s)", "%(count)d lines could not be used (lines %(lines)s)", "count"
)


def _counted(*numbers: tuple[int, Any]) -> list[str]:
    return [labels % {"count": count} for count, labels in numbers if count]


def preview_text(new: int, skipped: Skipped, labels: ListLabels, removed: int = 0, changed: int = 0) -> str:
    """“8 new · 1 to be removed · 3 already on the roll · 2 cannot be used”"""
    others = (
        (changed, GROUPED_IN_PREVIEW),
        (removed, REMOVED_IN_PREVIEW),
        (skipped.there, labels.already),
        (skipped.repeated, DUPLICATES_IN_PREVIEW),
        (skipped.unusable, UNUSABLE_IN_PREVIEW),
    )
    return " · ".join((NEW % {"count": new}, *_counted(*others)))


def summary(added: int, skipped: Skipped, labels: ListLabels, unknown: int = 0) -> str:
    """“8 voters added. 3 were on the roll already, 2 lines could not be used (lines 4, 9).”"""
    sentence = labels.added % {"count": added} if added else str(labels.none_added)
    parts = _counted((skipped.there, labels.there), (skipped.repeated, DUPLICATES), (unknown, UNKNOWN))
    if skipped.unusable:
        more = " …" if skipped.unusable > len(skipped.lines) else ""
        values = {"count": skipped.unusable, "lines": ", ".join(map(str, skipped.lines)) + more}
        parts.append((UNUSABLE_LINES if skipped.lines else UNUSABLE) % values)
    return f"{sentence} {', '.join(parts)}." if parts else sentence


USABLE = (Verdict.NEW, Verdict.CHANGED, Verdict.THERE)


def listed_weights(rows: Iterable[VoterRow], compared: Iterable[VoterRow]) -> str:
    """The weights of those on a list who can be, or are, on the roll, by the list as it was read and as compared."""
    pairs = zip(rows, compared, strict=True)
    return weights_text(Counter(row.weight or 1 for row, after in pairs if after.verdict in USABLE))


def weights_text(weights: Mapping[int, int]) -> str:
    """“14 voters have 2 votes each: 52 votes in all.” Nothing if every vote counts once."""
    several = [weight for weight in weights if weight > 1]
    if not several:
        return ""
    count, votes = sum(map(weights.__getitem__, several)), sum(weight * number for weight, number in weights.items())
    least, most = (number_format(end, force_grouping=True) for end in (min(several), max(several)))
    each = least if least == most else gettext("%(least)s to %(most)s") % {"least": least, "most": most}
    sentence = ngettext(
        "%(count)d voter has %(each)s votes: %(votes)s votes in all.",
        "%(count)d voters have %(each)s votes each: %(votes)s votes in all.",
        count,
    )
    return sentence % {"count": count, "each": each, "votes": number_format(votes, force_grouping=True)}
