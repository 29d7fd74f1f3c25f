"""Which of the skills an election needs are covered by those elected, from the snapshot taken when it opened.

This is not part of the result, which depends on ballots alone, and is in no sealed file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from foundation.pages import lists
from foundation.parts import Panel
from foundation.store import keys
from parts.skills.rules import level_of
from results.pictures.bars import Bar, draw
from results.pictures.drawing import Picture
from results.repository import Sealed

from .needs import Need, Snapshot, snapshot_in


@dataclass(frozen=True, slots=True)
class NeedCoverage:
    """A need, and who of those elected meets it."""

    need: Need
    by: tuple[str, ...]

    @property
    def is_met(self) -> bool:
        return len(self.by) >= self.need.count

    @property
    def share(self) -> Fraction:
        return min(Fraction(1), Fraction(len(self.by), self.need.count))


@dataclass(frozen=True, slots=True)
class Coverage:
    elected: tuple[str, ...]
    silent: tuple[str, ...]  # of the elected, those who did not agree to show anything
    covered: tuple[NeedCoverage, ...]
    snapshot: Snapshot

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """The elected, each with their level in every need."""
        return [(name, [level_label(level) for _need, level in self.levels_of(name)]) for name in self.elected]

    def levels_of(self, name: str) -> list[tuple[Need, int | None]]:
        unknown: list[tuple[Need, int | None]] = [(need, None) for need in self.snapshot.needs]
        return [*self.snapshot.levels_of(name)] or unknown

    @property
    def has_gaps(self) -> bool:
        """Whether any of those elected lacks a needed skill."""
        return any(level is None for name in self.elected for _need, level in self.levels_of(name))

    @property
    def missing(self) -> list[str]:
        """The needs that none of those elected covers."""
        return [each.need.name for each in self.covered if not each.by]


def coverage_of(found: Sealed) -> Coverage | None:
    """None if the election has no needs, or nobody who stands in this one of several questions agreed to show them."""
    item = found.beside.get(keys.snapshot(found.election.name))
    snapshot = snapshot_in(item) if item else None
    if snapshot is None or (found.election.more and not any(map(snapshot.levels_of, found.report.result.candidates))):
        return None
    return coverage_by(snapshot, found.report.result.winners)


def panel(found: Sealed) -> Panel | None:
    """For the page of the result."""
    covered = coverage_of(found)
    if covered is None:
        return None
    return Panel(
        "skills/needed/coverage.html",
        {"coverage": covered, "address": found.election.address, "picture": picture(covered)},
    )


def coverage_by(snapshot: Snapshot, elected: Sequence[str]) -> Coverage:
    levels = {name: snapshot.levels_of(name) for name in elected}
    met = [
        NeedCoverage(
            need, tuple(name for name in elected if levels[name] and (levels[name][number][1] or 0) >= need.level)
        )
        for number, need in enumerate(snapshot.needs)
    ]
    return Coverage(tuple(elected), tuple(name for name in elected if not levels[name]), tuple(met), snapshot)


def level_label(level: int | None) -> str:
    if level is None:
        return _("not shown")
    return str(level_of(level).label) if level else _("none")


# --- how it is shown ---


def picture(coverage: Coverage) -> Picture:
    """A bar for each need: as long as the part of it that is met."""
    title = _("Needs met")
    return Picture(title, draw([_bar(each) for each in coverage.covered], Fraction(1)))


def _bar(each: NeedCoverage) -> Bar:
    values = {"count": len(each.by), "wanted": each.need.count}
    mark = "elected" if each.is_met else "" if each.by else "eliminated"
    kind = "seated" if each.is_met else "other"
    spoken = _("met") if each.is_met else _("not met, as far as we know")
    return Bar(each.need.name, each.share, _("%(count)d of %(wanted)d") % values, mark, kind, spoken=spoken)


def as_csv(coverage: Coverage) -> Iterator[str]:
    """The elected by need: levels as numbers, 0 for none, and empty where not shown."""
    header = [_("Elected"), *(f"{each.name} (≥ {each.level})" for each in coverage.snapshot.needs)]
    levels = (
        [name, *("" if level is None else level for _need, level in coverage.levels_of(name))]
        for name in coverage.elected
    )
    return lists.as_csv(header, levels)
