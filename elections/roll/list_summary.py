"""What a list had that was not taken from it, and the sentence in which that is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pages.lists import Row, Verdict

MAX_PREVIEW_ROWS = 500  # rows of each kind that a preview shows
MAX_UNUSABLE_LINES = 20  # that are named, of those that could not be used
TEXT = re.compile(r"(\d{1,6}) (\d{1,6}) (\d{1,6})((?: \d{1,6}){0,20})", re.ASCII)
Words = Callable[[int], str]  # a part of a sentence about so many


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many, and of those that could not be used also on which lines."""

    there: int = 0
    repeated: int = 0
    unusable: int = 0
    lines: tuple[int, ...] = ()

    def as_text(self) -> str:
        """As it goes to and fro with a form, and is kept beside an import."""
        numbers = (self.there, self.repeated, self.unusable, *self.lines)
        return " ".join(map(str, numbers)) if self != NOTHING_SKIPPED else ""

    @staticmethod
    def from_text(text: str) -> Skipped:
        """What is written otherwise says nothing."""
        found = TEXT.fullmatch(text)
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


def sorted_out(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows as a preview shows them: what cannot be used, what need not be added, what is new; not without end."""
    found: dict[str, list[Row]] = {"problems": [], "known": [], "fresh": []}
    for row in rows:
        kind = "problems" if row.verdict == Verdict.INVALID else "fresh" if row.verdict == Verdict.NEW else "known"
        if len(found[kind]) < MAX_PREVIEW_ROWS:
            found[kind].append(row)
    return found


# --- in words ---


def already_on_the_roll(count: int) -> str:
    return ngettext("%(count)d already on the roll", "%(count)d already on the roll", count)


def already_in_the_group(count: int) -> str:
    return ngettext("%(count)d already in the group", "%(count)d already in the group", count)


def numbers(new: int, skipped: Skipped, there: Words) -> str:
    """“8 new · 3 already on the roll · 2 cannot be used”"""
    parts = [ngettext("%(count)d new", "%(count)d new", new) % {"count": new}]
    counted = ((skipped.there, there), (skipped.repeated, _twice_here), (skipped.unusable, _of_no_use))
    return " · ".join((*parts, *(words(count) % {"count": count} for count, words in counted if count)))


def _twice_here(count: int) -> str:
    return ngettext("%(count)d twice in the list", "%(count)d twice in the list", count)


def _of_no_use(count: int) -> str:
    return ngettext("%(count)d cannot be used", "%(count)d cannot be used", count)


def on_the_roll(count: int) -> str:
    return ngettext("%(count)d was on the roll already", "%(count)d were on the roll already", count)


def in_the_group(count: int) -> str:
    return ngettext("%(count)d was in the group already", "%(count)d were in the group already", count)


def standing(count: int) -> str:
    return ngettext("%(count)d stood already", "%(count)d stood already", count)


def _twice(count: int) -> str:
    return ngettext("%(count)d stood twice in the list", "%(count)d stood twice in the list", count)


def _nobodys(count: int) -> str:
    return ngettext(
        "%(count)d was left out, because nobody here has the name any more",
        "%(count)d were left out, because nobody here has the names any more",
        count,
    )


def _unusable(skipped: Skipped) -> str:
    more = " …" if skipped.unusable > len(skipped.lines) else ""
    words = {"count": skipped.unusable, "lines": ", ".join(map(str, skipped.lines)) + more}
    if not skipped.lines:
        sentence = ngettext("%(count)d could not be used", "%(count)d could not be used", skipped.unusable)
    else:
        sentence = ngettext(
            "%(count)d line could not be used (line %(lines)s)",
            "%(count)d lines could not be used (lines %(lines)s)",
            skipped.unusable,
        )
    return sentence % words


def summary(added: str, skipped: Skipped, there: Words, unknown: int = 0) -> str:
    """“8 voters added. 3 were on the roll already, 2 lines could not be used (lines 4, 9).”"""
    counted = ((skipped.there, there), (skipped.repeated, _twice), (unknown, _nobodys))
    parts = [words(count) % {"count": count} for count, words in counted if count]
    parts += [_unusable(skipped)] if skipped.unusable else []
    return f"{added} {', '.join(parts)}." if parts else added


def voters_added(count: int) -> str:
    sentence = ngettext("%(count)d voter added.", "%(count)d voters added.", count)
    return sentence % {"count": count} if count else _("No voters added.")


def candidates_added(count: int) -> str:
    sentence = ngettext("%(count)d candidate added.", "%(count)d candidates added.", count)
    return sentence % {"count": count} if count else _("No candidates added.")


def members_added(count: int) -> str:
    sentence = ngettext("%(count)d member added.", "%(count)d members added.", count)
    return sentence % {"count": count} if count else _("No members added.")
