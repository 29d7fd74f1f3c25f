"""The picture that other sites show of a link to a result: what was voted on, who won, how clearly, how many voted.

It is made of the sealed report alone, so it costs the same for ten ballots and for ten million.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from acts.caches import SizedCache
from acts.links import absolute_url
from elections.rules import Election
from pages.sharing import LANGUAGES
from ranking.marks import ANSWERS, answer_label
from results.outcomes import outcome_of, parts_of
from results.pictures.contests import contests, votes
from results.pictures.drawing import in_order, number, voters
from results.pictures.points import labels, score
from results.report import Report
from results.repository import Seal
from tally.methods import KIND_OF
from tally.result import Result

from .pen import (
    ACCENT,
    GREY,
    HEIGHT_PX,
    INK,
    LEFT_PX,
    MAX_MEASURED_CHARS,
    PALE,
    RIGHT_PX,
    SEAT,
    SOFT,
    Pen,
    can_write,
    cut,
    edition,
    length,
    wrapped,
)

MAX_BARS = 5


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    share: float  # of the room there is, from 0 to 1
    shown: str
    won: bool


@dataclass(frozen=True, slots=True)
class Card:
    """The contents of the picture; every text can be drawn."""

    title: str
    heading: str
    names: str
    caption: str
    bars: tuple[Bar, ...]
    turnout: str
    share: float | None  # of those who may vote


# --- what it says ---


def card_of(election: Election, seal: Seal, report: Report, language: str) -> Card:
    """In this language, or in English if its letters cannot be written here."""
    with translation.override(language):
        card = _translated_card(election, seal, report)
    if _is_writable(card):
        return card
    with translation.override("en"):
        return _translated_card(election, seal, report)


def _is_writable(card: Card) -> bool:
    bars = (text for bar in card.bars for text in (bar.label, bar.shown))
    return all(map(can_write, (card.title, card.heading, card.names, card.caption, card.turnout, *bars)))


def _translated_card(election: Election, seal: Seal, report: Report) -> Card:
    result = report.result
    caption, bars = _bars(result) if voters(result) else ("", ())
    heading, names = _outcome(result)
    turnout, share = _turnout(election, seal)
    title = election.name if can_write(election.name) else _("The result of an election")
    return Card(title, heading, names, caption, bars, turnout, share)


def _outcome(result: Result) -> tuple[str, str]:
    """Names that cannot all be written are left out altogether: half of those who won would be wrong."""
    outcome = outcome_of(result)
    names = outcome.brief
    if not voters(result) or not outcome.names:
        return (outcome.sentence, outcome.heading) if voters(result) else ("", outcome.heading)
    if can_write(names):
        return outcome.heading, names[: MAX_MEASURED_CHARS + 1]
    if result.seats > 1:
        return outcome.heading, _("See who was elected")
    return outcome.heading, _("See who shares first place") if len(result.winners) > 1 else _("See who won")


def _turnout(election: Election, seal: Seal) -> tuple[str, float | None]:
    cast, may = seal.turnout.voted, election.entitled
    if election.electorate != "listed" or not may:
        return ngettext("%(count)d ballot", "%(count)d ballots", cast) % {"count": cast}, None
    text = ngettext("%(count)d of %(voters)d has voted", "%(count)d of %(voters)d have voted", cast)
    return text % {"count": cast, "voters": may}, min(1.0, cast / may)


def _bars(result: Result) -> tuple[str, tuple[Bar, ...]]:
    """The last round; or points; or the contests head to head, of the winner or of those who share the first place."""
    if result.rounds:
        return _last_round(result)
    if result.method in ("borda", "copeland", "plurality") or parts_of(result).chart_first:
        return _points(result)
    return _contests(result) if len(result.winners) == 1 else _drawn_contests(result)


def _last_round(result: Result) -> tuple[str, tuple[Bar, ...]]:
    assert result.rounds
    last = result.rounds[-1]
    tally = {name: Fraction(held) for name, held in last.tally.items()}
    order = {name: at for at, name in enumerate(in_order(result))}
    names = sorted(tally, key=lambda name: (name not in result.winners, -tally[name], order[name]))[:MAX_BARS]
    whole = max(*tally.values(), Fraction(last.threshold))
    caption = _("Votes in round %(number)d") if len(result.rounds) > 1 else _("Votes")
    bars = [(name, tally[name] / whole, number(tally[name])) for name in names]
    return caption % {"number": last.number}, _labelled(result, bars)


def _points(result: Result) -> tuple[str, tuple[Bar, ...]]:
    names = ANSWERS if result.method == "majority" else in_order(result)[:MAX_BARS]
    scores = [score(result, name) for name in names]
    whole = max(each.length for each in scores) or Fraction(1)
    return labels(result.method)[0], _labelled(
        result, [(each.name, each.length / whole, each.shown) for each in scores]
    )


def _contests(result: Result) -> tuple[str, tuple[Bar, ...]]:
    bars = []
    for name, other in contests(result)[:MAX_BARS]:
        ayes, noes = votes(result, name, other)
        bars.append((other, Fraction(ayes, max(1, ayes + noes)), f"{ayes} : {noes}"))
    return _("Head to head against"), tuple(replace(bar, won=True) for bar in _labelled(result, bars))


def _drawn_contests(result: Result) -> tuple[str, tuple[Bar, ...]]:
    pairs = contests(result)[:MAX_BARS]
    if not all(map(can_write, result.winners)):
        return "", ()
    bars = [(f"{name} : {other}", *votes(result, name, other)) for name, other in pairs]
    return _("Head to head"), tuple(
        Bar(label, ayes / max(1, ayes + noes), f"{ayes} : {noes}", won=True) for label, ayes, noes in bars
    )


def _labelled(result: Result, bars: list[tuple[str, Fraction, str]]) -> tuple[Bar, ...]:
    """By name; by place, if a name among them cannot be written."""
    places = dict(result.places)
    by_name = all(can_write(name) for name, _share, _shown in bars)

    def label(name: str) -> str:
        return (
            answer_label(name, KIND_OF[result.method]) if by_name else _("Place %(number)d") % {"number": places[name]}
        )

    return tuple(Bar(label(name), float(share), shown, name in result.winners) for name, share, shown in bars)


# --- drawing it ---


def picture(card: Card) -> bytes:
    """As PNG."""
    return _pictures.get((edition(), card), lambda: _drawn(card))


_pictures = SizedCache[bytes](4_000_000, len)  # some 20 KB each


def _drawn(card: Card) -> bytes:
    pen = Pen()
    below = _draw_title(pen, card)
    _draw_bars(pen, card, below)
    _draw_foot(pen, card)
    return pen.as_png()


def _draw_title(pen: Pen, card: Card) -> float:
    """What was voted on and who won; returns the lowest y."""
    y = 82.0
    for line in wrapped(card.title, 44, RIGHT_PX - LEFT_PX, 1 if card.bars else 2):
        pen.text(LEFT_PX, y, line, 44, INK)
        y += 54
    y += 6
    pen.text(LEFT_PX, y, card.heading, 28, SOFT)
    large = length(card.names, 64) <= RIGHT_PX - LEFT_PX
    size, step = (64, 70) if large else (36, 44)
    for line in wrapped(card.names, size, RIGHT_PX - LEFT_PX, 2):
        y += step
        pen.text(LEFT_PX, y, line, size, ACCENT)
    return y


def _draw_bars(pen: Pen, card: Card, above: float) -> None:
    if not card.bars:
        return
    top, bottom = above + 56, HEIGHT_PX - 112
    pen.text(LEFT_PX, top, card.caption, 24, SOFT)
    row = min(46.0, (bottom - top - 14) / len(card.bars))
    numbers = max(length(bar.shown, 28) for bar in card.bars)
    start, end = LEFT_PX + 330, RIGHT_PX - numbers - 24
    for at, bar in enumerate(card.bars):
        y = top + 14 + row * at
        pen.text(LEFT_PX, y + row * 0.68, cut(bar.label, 28, 306), 28, INK)
        pen.box(start, y + row * 0.2, end - start, row * 0.6, PALE if bar.won else SEAT, 6)
        if bar.share:
            pen.box(start, y + row * 0.2, (end - start) * bar.share, row * 0.6, ACCENT if bar.won else GREY, 6)
        pen.text_at_right(RIGHT_PX, y + row * 0.68, bar.shown, 28, INK)


def _draw_foot(pen: Pen, card: Card) -> None:
    y = HEIGHT_PX - 46
    room = 520.0
    pen.text(LEFT_PX, y, cut(card.turnout, 28, room), 28, SOFT)
    if card.share is not None:
        start = LEFT_PX + min(room, length(card.turnout, 28)) + 28
        pen.box(start, y - 16, 240, 12, SEAT, 6)
        if card.share:
            pen.box(start, y - 16, 240 * card.share, 12, ACCENT, 6)
    pen.sign(y)


# --- its address ---


def card_edition(seal: Seal) -> str:
    """Identifies the picture of this result, as drawn by this version of Plenum."""
    return f"{edition()}-{seal.stamp[:32]}"


def card_address(election: Election, seal: Seal) -> str:
    """In the reader's language, if it can be drawn in that."""
    language = get_language() if get_language() in LANGUAGES else settings.LANGUAGE_CODE
    return absolute_url(reverse("card", args=[election.name, language, card_edition(seal)]))
