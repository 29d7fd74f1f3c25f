"""Candidates or answers as bars: votes, points or first preferences; and a vote on yes or no, with a line at what it
needs. For minimax the bars are the worst defeats, where less is better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.ranking.marks import ANSWERS, answer_label
from foundation.tally.ballots import MAX_SCORE
from foundation.tally.majorities import ABSTAIN, YES, Of, majority_of
from foundation.tally.methods import KIND_OF
from foundation.tally.result import Result

from .drawing import CROSS, TICK, Picture, Table, exact, in_order, joined, number, share, short, sign, tag, voters

BAR_HEIGHT_PX = 12


class Marks(NamedTuple):
    """What a tick and a cross mean in a count."""

    elected: str | Promise
    eliminated: str | Promise


OF_ELECTIONS = Marks(gettext_lazy("elected"), gettext_lazy("eliminated"))
OF_POLLS = Marks(gettext_lazy("ahead"), gettext_lazy("out"))
SIGNS = {"elected": TICK, "eliminated": CROSS}


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    length: Fraction
    shown: str
    mark: str = ""  # "elected" or "eliminated"
    kind: str = "other"  # "won", "seated", "other", "gone"; "against", "nobody" without the line; "several" has no bar
    is_name: bool = True
    spoken: str = ""  # what the mark means, for those who listen


def draw(bars: Sequence[Bar], whole: Fraction, needed: Fraction | None = None) -> SafeString:
    """Bars below each other; one of the length of the whole goes all the way, and a line says what is needed."""
    rows = (_row(bar, whole, needed) for bar in bars)
    return tag("ul", *rows, class_="picture bar-rows", role="list")


def _row(bar: Bar, whole: Fraction, needed: Fraction | None) -> SafeString:
    label = tag("bdi", bar.label) if bar.is_name else tag("span", bar.label)
    across = {"y": 3, "height": BAR_HEIGHT_PX}
    parts = [
        tag("rect", x=0, width="100%", class_="track", **across),
        tag("rect", x=0, width=share(bar.length, whole), class_="bar", **across),
    ]
    if needed is not None and bar.kind not in ("against", "nobody"):
        at = share(needed, whole)
        parts += [
            tag("line", x1=at, x2=at, y1=0, y2=BAR_HEIGHT_PX + 6, class_=kind) for kind in ("needed gap", "needed")
        ]
    return tag(
        "li",
        tag("span", *marked(bar.mark, bar.spoken), label, class_="bar-label"),
        tag("b", bar.shown, class_="number"),
        *([] if bar.kind == "several" else [strip(BAR_HEIGHT_PX + 6, *parts)]),
        class_=f"bar-row {bar.kind}",
    )


def marked(mark: str, spoken: str) -> list[SafeString]:
    """A tick or a cross, and the word for it, for those who listen: only who draws it knows what it means."""
    if not mark:
        return []
    drawn = tag("svg", sign(SIGNS[mark], 0, 1, mark), width=14, height=14, aria_hidden="true", class_="bar-sign")
    return [drawn, tag("span", f"{spoken}: ", class_="out-of-sight")]


def strip(height: float, *parts: SafeString) -> SafeString:
    """A drawing beside words that say the same."""
    return tag("svg", *parts, width="100%", height=short(height), aria_hidden="true", class_="strip")


def notes(spoken: Iterable[str]) -> SafeString:
    """Lines of small writing below."""
    return joined(tag("p", line, class_="small") for line in spoken)


MAX_CANDIDATES_DRAWN = 16


@dataclass(frozen=True, slots=True)
class Score:
    name: str
    length: Fraction
    shown: str
    exact: tuple[str, ...]


def points(result: Result, marks: Marks = OF_ELECTIONS) -> Picture:
    title, head, note = labels(result.method)
    scores = [score(result, name) for name in in_order(result)]
    whole = Fraction(result.total) if result.method == "approval" else max(score.length for score in scores)
    bars = [
        Bar(each.name, each.length, each.shown, mark, kind, spoken=str(marks.elected))
        for each in scores[:MAX_CANDIDATES_DRAWN]
        for mark, kind in [("elected", "won") if each.name in result.winners else ("", "other")]
    ]
    rows = tuple((score.name, *score.exact) for score in scores)
    notes = " ".join(filter(None, [note, counted_note(result), shown_note(result)]))
    return Picture(title, draw(bars, whole or Fraction(1)), notes, Table((_("Name"), *head), rows), "narrow")


def labels(method: str) -> tuple[str, tuple[str, ...], str]:
    if method in ("borda", "score", "star", "cumulative"):
        return _("Points"), (_("Points"),), ""
    if method == "approval":
        return _("Approvals"), (_("Votes"),), _("A bar as long as its row would be the approval of every vote.")
    if method in ("most-votes", "majority"):
        return _("Votes"), (_("Votes"),), ""
    if method == "copeland":
        note = _("A win counts one, a draw a half.")
        return _("Contests won"), (_("Score"), _("Won"), _("Drawn"), _("Lost")), note
    if method == "minimax":
        note = _("Shorter is better: a candidate who was never beaten has no bar.")
        return _("Worst defeats"), (_("Worst defeat by"), _("For"), _("Against")), note
    return _("First preferences"), (_("Votes"),), ""


def score(result: Result, name: str) -> Score:
    if result.method == "copeland":
        found = result.reasons["scores"][name]
        every = tuple(exact(found[each]) for each in ("score", "won", "drawn", "lost"))
        return Score(name, Fraction(found["score"]), number(found["score"]), every)
    if result.method == "minimax":
        if (worst := result.reasons["worst"][name]) is None:
            return Score(name, Fraction(0), _("never beaten"), ("\N{EN DASH}",) * 3)
        ayes, noes = worst["for"], worst["against"]
        return Score(name, Fraction(ayes), f"{noes} : {ayes}", (str(worst["by"]), str(ayes), str(noes)))
    if result.method == "majority":
        counted = result.reasons[name.lower()]
    else:
        counted = result.reasons["points" if "points" in result.reasons else "votes"][name]
    return Score(name, Fraction(counted), number(counted), (exact(counted),))


def shown_note(result: Result) -> str:
    if len(result.candidates) <= MAX_CANDIDATES_DRAWN:
        return ""
    shown = _("Showing the first %(shown)s of %(every)s.")
    return shown % {"shown": MAX_CANDIDATES_DRAWN, "every": len(result.candidates)}


def counted_note(result: Result) -> str:
    is_ranked = KIND_OF[result.method] == "ranked"
    counted = (
        _("With a ranking: %(count)s; blank: %(blank)s.") if is_ranked else _("Votes: %(count)s; blank: %(blank)s.")
    )
    return counted % {"count": voters(result) if is_ranked else result.total, "blank": result.blank}


def vote(result: Result) -> Picture:
    numbers = {name: int(result.reasons[name]) for name in ("base", "needed")}
    bars = []
    for name in ANSWERS:
        counted, carried = score(result, name), name == YES and result.reasons["carried"]
        label, mark = answer_label(name, "yes-no"), "elected" if carried else ""
        kind = "won" if carried else {YES: "other", ABSTAIN: "nobody"}.get(name, "against")
        bars.append(Bar(label, counted.length, counted.shown, mark, kind, is_name=False, spoken=_("carried")))
    if majority_of(result.reasons["majority"]).of == Of.ENTITLED:
        absent = Fraction(numbers["base"] - result.total)
        bars.append(Bar(_("Did not vote"), absent, str(absent), kind="nobody", is_name=False))
    whole = max([Fraction(1), *map(Fraction, numbers.values()), *(bar.length for bar in bars)]) * Fraction(103, 100)
    drawn = draw(bars, whole, Fraction(numbers["needed"]))
    rows = tuple((bar.label, bar.shown, share(bar.length, max(1, result.total))) for bar in bars[: len(ANSWERS)])
    head = _("Answer"), _("Votes"), _("Share of all votes")
    note = _("The line shows how many votes of yes were needed: %(needed)d.") % numbers
    return Picture(_("Votes"), drawn, note, Table(head, rows), "narrow")


# --- scores: how many votes gave each ---

SCORES = range(MAX_SCORE, -1, -1)


def levels(result: Result, marks: Marks = OF_ELECTIONS) -> Picture:
    names = in_order(result)
    rows = (_level_row(result, name, marks) for name in names[:MAX_CANDIDATES_DRAWN])
    swatches = [
        tag("svg", _part(value, "0", "100%"), width=14, height=14, aria_hidden="true", class_="picture")
        for value in SCORES
    ]
    keys = [tag("li", swatch, tag("span", value)) for swatch, value in zip(swatches, SCORES, strict=True)]
    legend = tag("ul", *keys, class_="level-keys", role="list", aria_label=_("Scores"))
    drawn = joined([legend, tag("ul", *rows, class_="picture bar-rows levels", role="list")])
    note = _("How many votes gave each score. The number is the total of all scores.")
    head = _("Name"), _("Points"), *map(str, SCORES)
    table = tuple((name, score(result, name).shown, *reversed(result.reasons["levels"][name])) for name in names)
    return Picture(
        _("Scores"), drawn, f"{note} {counted_note(result)} {shown_note(result)}".strip(), Table(head, table), "narrow"
    )


def _level_row(result: Result, name: str, marks: Marks) -> SafeString:
    won = name in result.winners
    sign = marked("elected" if won else "", str(marks.elected))
    given = [int(number) for number in reversed(result.reasons["levels"][name])]
    starts = [sum(given[:at]) for at in range(len(given))]  # side by side, the best first
    parts = [
        _part(value, share(start, result.total), share(number, result.total), height=BAR_HEIGHT_PX, y=3)
        for value, start, number in zip(SCORES, starts, given, strict=True)
        if number
    ]
    return tag(
        "li",
        tag("span", *sign, tag("bdi", name), class_="bar-label"),
        tag("b", score(result, name).shown, class_="number"),
        strip(BAR_HEIGHT_PX + 6, *parts),
        class_=f"bar-row {'won' if won else 'other'}",
    )


def _part(value: int, x: str, width: str, *, height: int = 14, y: int = 0) -> SafeString:
    return tag("rect", x=x, y=y, width=width, height=height, class_=f"level level-{value}")
