"""Head-to-head contests: all of them as a table; those of the winner, and those that ranked pairs lock, as bars."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from foundation.tally import star
from foundation.tally.result import Result

from .bars import marked, strip
from .drawing import Picture, Table, in_order, isolated, share, tag, voters

Cell = tuple[int, str]  # ballots that rank the row above the column, and how the row did: a CSS class
MAX_CANDIDATES = 60  # the files have all of them
SHADES = (0.05, 0.15, 0.3, 0.5)  # shares of the ballots that prefer either, from which a margin is shaded darker
MAX_CONTESTS_DRAWN = 12
MAX_CONTESTS_LISTED = 500  # in the table of one candidate's contests,
MAX_RANKED_CONTESTS_LISTED = 300  # and in that of all contests by strength
MAX_CANDIDATES_DRAWN = 8  # candidates; they have 28 contests
COLUMN_CONTESTS = 8  # contests below each other; more stand in several columns


# --- all contests ---


def contest_rows(result: Result, most: int = MAX_CANDIDATES) -> list[tuple[str, list[Cell | None]]]:
    """Nothing for methods that do not compare candidates in pairs, and for two, whose one contest is drawn."""
    if not result.pairwise or len(result.candidates) < 3:
        return []
    index = {name: position for position, name in enumerate(result.candidates)}
    order = [name for name, _place in result.places[:most]]

    def cell(name: str, other: str) -> Cell | None:
        if name == other:
            return None
        assert result.pairwise is not None
        i, j = index[name], index[other]
        return result.pairwise[i][j], outcome(result.pairwise[i][j], result.pairwise[j][i])

    return [(name, [cell(name, other) for other in order]) for name in order]


def outcome(votes: int, against: int) -> str:
    if votes <= against:
        return "tied" if votes == against else "lost"
    return f"won won-{sum(votes - against >= share * (votes + against) for share in SHADES)}"


# --- one contest ---


@dataclass(frozen=True, slots=True)
class Contest:
    """Two names, and how many are for each."""

    name: str
    ayes: int
    other: str
    noes: int
    mark: str = ""
    spoken: str = ""  # what the mark means
    rank: str = ""
    is_named: bool = True  # whether the first is named to those who see; else the title names them


def contest(each: Contest, of: int, *below: SafeString, kind: str = "") -> SafeString:
    """Those for one from the left, those for the other from the right, and between them those who prefer neither."""
    across = {"y": 2, "height": 14}
    drawn = strip(
        18,
        tag("rect", x=0, width="100%", class_="track", **across),
        tag("rect", x=0, width=share(each.ayes, of), class_="bar first", **across),
        tag("rect", x=share(of - each.noes, of), width=share(each.noes, of), class_="bar second", **across),
    )
    first = [*marked(each.mark, each.spoken), *([tag("span", each.rank, class_="contest-rank")] if each.rank else [])]
    left = [*first, _votes(each.ayes), _name(each.name, each.ayes > each.noes, each.is_named)]
    right = [_name(each.other, each.noes > each.ayes), _votes(each.noes)]
    ends = tag("span", *left, class_="end"), tag("span", *right, class_="end")
    return tag("li", *ends, drawn, *below, class_=f"contest {kind}{'' if each.is_named else ' of-one'}".rstrip())


def _votes(votes: int) -> SafeString:
    """At the outer end, where the bar begins."""
    return tag("b", votes, class_="number")


def _name(name: str, won: bool, is_named: bool = True) -> SafeString:
    return tag("bdi", name, class_=" ".join(["won"] * won + ["out-of-sight"] * (not is_named)) or None)


# --- the winner against everyone else; several winners among themselves ---


def duels(result: Result) -> Picture | None:
    pairs = contests(result)
    several, shown = len(result.winners) > 1, []
    for name, other in pairs[:MAX_CONTESTS_DRAWN]:
        ayes, noes = votes(result, name, other)
        shown.append(Contest(name, ayes, other, noes, is_named=several))
    title = _("Those in first place, head to head")
    if not several:
        title = _("%(name)s against each of the others, head to head") % {"name": isolated(result.winners[0])}
    rows, listed = (contest(each, voters(result)) for each in shown), []
    for name, other in pairs:
        ayes, noes = votes(result, name, other)
        listed.append((name, str(ayes), other, str(noes), str(voters(result) - ayes - noes)))
    head = _("Name"), _("Ballots"), _("Against"), _("Ballots"), _("Neither")
    return Picture(
        title,
        tag("ul", *rows, class_="picture contests", role="list"),
        _note(result, len(shown), len(pairs)),
        Table(head, tuple(listed)),
    )


def contests(result: Result) -> list[tuple[str, str]]:
    if len(result.winners) == 1:
        first = result.winners[0]
        return [(first, other) for other in in_order(result) if other != first]
    return list(islice(combinations(result.winners, 2), MAX_CONTESTS_LISTED))


def votes(result: Result, name: str, other: str) -> tuple[int, int]:
    assert result.pairwise is not None
    i, j = result.candidates.index(name), result.candidates.index(other)
    return result.pairwise[i][j], result.pairwise[j][i]


def _note(result: Result, shown: int, every: int) -> str:
    counted = _("With a ranking: %(count)s; blank: %(blank)s.")
    between = _("The gap between the two: no preference.")
    note = f"{between} {counted % {'count': voters(result), 'blank': result.blank}}"
    if shown == every:
        return note
    return f"{note} " + _("Showing %(shown)s of %(every)s contests.") % {"shown": shown, "every": every}


# --- ranked pairs: from the strongest to the weakest, locked, or left out with the cycle it would close ---


def locked(result: Result) -> Picture | None:
    among = set(in_order(result)[:MAX_CANDIDATES_DRAWN])
    every = sorted(
        result.reasons["locked"] + result.reasons["skipped"],
        key=lambda each: (each["rank"], "cycle" in each, each["winner"], each["loser"]),
    )
    shown = [each for each in every if {each["winner"], each["loser"]} <= among]
    if not shown:
        return None  # every contest is a draw
    title = _("Contests, strongest first")
    rows = (_locked_row(each, voters(result)) for each in shown)
    drawn = tag("ul", *rows, class_="picture contests", role="list")
    kind = "rows" if len(shown) > COLUMN_CONTESTS else "narrow"
    return Picture(title, drawn, _locked_note(result, among), _locked_table(every), kind)


def _fate(contest: dict[str, Any]) -> str:
    return _("left out") if "cycle" in contest else _("locked")


def _locked_row(each: dict[str, Any], of: int) -> SafeString:
    out = "cycle" in each
    mark = "eliminated" if out else "elected"
    shown = Contest(each["winner"], each["for"], each["loser"], each["against"], mark, _fate(each), f"{each['rank']}.")
    if not out:
        return contest(shown, of, kind="")
    why = _("left out: it would close the cycle")
    if each["equals"]:
        why = _("left out: together with equally strong contests it would close the cycle")
    return contest(
        shown, of, tag("p", f"{why} " + " > ".join(map(isolated, each["cycle"])), class_="small"), kind="out"
    )


def _locked_note(result: Result, among: set[str]) -> str:
    notes = _(
        "Ballots for the winner of each contest on the left, for the loser on the right; a tick means locked,"
        " a cross left out. Contests with the same number are equally strong."
    )
    if len(among) == len(result.candidates):
        return notes
    rest = _("Showing the contests among the first %(shown)s of %(every)s; the table has the strongest.")
    return f"{notes} " + rest % {"shown": len(among), "every": len(result.candidates)}


def _locked_table(every: list[dict[str, Any]]) -> Table:
    head = _("Strength"), _("Winner"), _("Loser"), _("For"), _("Against"), _("Locked?"), _("Cycle")
    rows = (
        (
            str(each["rank"]),
            each["winner"],
            each["loser"],
            str(each["for"]),
            str(each["against"]),
            _fate(each),
            " > ".join(each.get("cycle", ())),
        )
        for each in every[:MAX_RANKED_CONTESTS_LISTED]
    )
    return Table(head, tuple(rows))


# --- STAR ---


def runoff(result: Result) -> Picture | None:
    """The two finalists, by whom more ballots score higher; with several seats, those of each."""
    rounds = star.rounds_of(result)
    held = [(seat, each) for seat, each in enumerate(rounds, 1) if each["runoff"]]
    if not held:
        return None
    several = len(rounds) > 1
    duels = []
    for seat, each in held:
        one, other = sorted(each["finalists"], key=lambda name: name != result.winners[seat - 1])
        rank = f"{seat}." if several else ""
        duels.append(Contest(one, int(each["runoff"][one]), other, int(each["runoff"][other]), rank=rank))
    rows = (contest(duel, result.total) for duel in duels)
    table = tuple(
        (*([duel.rank] if several else []), duel.name, str(duel.ayes), duel.other, str(duel.noes), each["equal"])
        for duel, (_seat, each) in zip(duels, held, strict=True)
    )
    head = *([_("Seat")] if several else []), _("Name"), _("Ballots"), _("Against"), _("Ballots"), _("Both the same")
    note = _("How many votes score one higher than the other. The gap between the two: both the same.")
    drawn = tag("ul", *rows, class_="picture contests", role="list")
    return Picture(_("Runoffs") if several else _("Runoff"), drawn, note, Table(head, table), "narrow")
