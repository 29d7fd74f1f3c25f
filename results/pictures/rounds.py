"""Rounds as bars: a panel for each, with the votes needed as a line, who was elected or eliminated, ties, lots and
exhausted ballots."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.ranking.marks import ANSWERS, answer_label
from foundation.tally.majorities import YES
from foundation.tally.methods import KIND_OF
from foundation.tally.result import Result, Round

from .bars import OF_ELECTIONS, Bar, Marks, draw, notes, score
from .drawing import Picture, in_order, isolated, joined, listed, number, rounded, share, tag, voters

MAX_PANELS = 16
MAX_NAMES_PER_PANEL = 10  # in one panel; more are one bar together


def rounds(result: Result, marks: Marks = OF_ELECTIONS) -> Picture | None:
    shown = chosen(result.rounds or ())
    if not shown:
        return None
    every = [Fraction(votes) for each in shown for votes in (*each.tally.values(), each.threshold, each.exhausted)]
    whole = max(every) * Fraction(103, 100)
    panels = joined(_panel(result, each, whole, marks) for each in shown)
    title = _("The rounds") if len(result.rounds or ()) > 1 else _("The votes")
    return Picture(title, panels, _note(result, shown, marks), kind="panels")


def chosen(rounds: tuple[Round, ...]) -> list[Round]:
    """All rounds; of very many, the first, those in which someone was elected, and the last."""
    if len(rounds) <= MAX_PANELS:
        return list(rounds)
    last = sorted(rounds[1:], key=lambda each: (bool(each.elected), each.number), reverse=True)[: MAX_PANELS - 1]
    return [rounds[0], *sorted(last, key=lambda each: each.number)]


def _panel(result: Result, each: Round, whole: Fraction, marks: Marks) -> SafeString:
    title = _("Round %(number)s") % {"number": each.number}
    head = tag("h4", title), tag("span", _needed(each), class_="small")
    return tag(
        "section",
        tag("div", *head, class_="round-head"),
        draw(_bars(result, each, marks), whole, Fraction(each.threshold)),
        notes(_settled(result, each)),
        class_="round",
    )


def _needed(each: Round) -> str:
    return _("needed: %(votes)s") % {"votes": number(each.threshold)}


def _bars(result: Result, each: Round, marks: Marks) -> list[Bar]:
    """Most votes first; those elected or eliminated in this round are always shown, and so is the exhausted share."""
    order = {name: position for position, name in enumerate(in_order(result))}
    names = sorted(each.tally, key=lambda name: (-Fraction(each.tally[name]), order[name]))
    decided = {*each.elected, *each.eliminated}
    visible = (
        names
        if len(names) <= MAX_NAMES_PER_PANEL
        else [name for at, name in enumerate(names) if at < MAX_NAMES_PER_PANEL - 1 or name in decided]
    )
    bars = [_bar(result, each, name, marks) for name in visible]
    if rest := [name for name in names if name not in visible]:
        votes = sum((Fraction(each.tally[name]) for name in rest), Fraction(0))
        label = ngettext("%(count)d more, together", "%(count)d more, together", len(rest)) % {"count": len(rest)}
        bars.append(Bar(label, votes, number(votes), kind="several", is_name=False))
    exhausted = Fraction(each.exhausted)
    return [*bars, Bar(_("Exhausted"), exhausted, number(exhausted), kind="nobody", is_name=False)]


def _bar(result: Result, each: Round, name: str, marks: Marks) -> Bar:
    votes, spoken = each.tally[name], {"eliminated": str(marks.eliminated), "elected": str(marks.elected)}
    gone, won = name in each.eliminated, name in each.elected
    is_seated = any(name in before.elected for before in result.rounds or () if before.number < each.number)
    mark = "eliminated" if gone else "elected" if won or is_seated else ""
    kind = "gone" if gone else "won" if won else "seated" if mark else "other"
    shown = number(votes, None if mark == "elected" else each.threshold)
    return Bar(name, Fraction(votes), shown, mark, kind, spoken=spoken.get(mark, ""))


def in_words(result: Result, each: Round) -> list[str]:
    return [_needed(each), *_settled(result, each)]


def _settled(result: Result, each: Round) -> list[str]:
    """Ties and lots of the round."""
    notes = []
    left, settling = _("This remains a tie."), {"lot": _("Decided by lot.")}
    settling["earlier round"] = _("Decided by an earlier round.")
    for tie in result.ties:
        if tie.round == each.number:
            tied = _("Tie: %(names)s.") % {"names": listed(tie.names)}
            notes.append(f"{tied} {settling.get(tie.settled, left)}")
    for lot in result.lots:
        if lot.round == each.number:
            notes.append(_("Drawn by lot: %(name)s.") % {"name": isolated(lot.chosen)})
    return notes


def _note(result: Result, shown: list[Round], marks: Marks) -> str:
    notes = [
        _("A tick means %(elected)s, a cross %(eliminated)s; the line shows how many votes were needed.")
        % marks._asdict(),
        _("Exhausted votes have no choices left."),
        _("With a ranking: %(count)s; blank: %(blank)s.") % {"count": voters(result), "blank": result.blank},
    ]
    every = result.rounds or ()
    if len(shown) < len(every):
        note = _("Showing %(shown)s of %(every)s rounds: the first, those with a tick, and the last.")
        notes.append(note % {"shown": len(shown), "every": len(every)})
    if any(rounded(votes) != Fraction(votes) for each in shown for votes in each.tally.values()):
        has_table = marks == OF_ELECTIONS
        exact = _("Numbers are rounded to two decimals here; the table has every digit.")
        notes.append(exact if has_table else _("Numbers are rounded to two decimals here."))
    return " ".join(notes)


MAX_RUNNERS = 8  # that the last row of a hall can read
HEADROOM = Fraction(104, 100)  # so that the longest bar does not touch the edge

Context = dict[str, Any]


def laps(result: Result) -> list[Context]:
    """Context of `live/results/parts/race.html`; none where all candidates are compared in pairs."""
    every = _rounds(result) if voters(result) and len(result.candidates) > 1 else []
    names = (list(ANSWERS) if result.method == "majority" else in_order(result))[:MAX_RUNNERS]
    if result.method == "star":  # points, and then ballots
        return [_lap(result, each, names, _longest([each], names)) for each in every]
    return [_lap(result, each, names, _longest(every, names)) for each in every]


def _longest(every: list[Round], names: list[str]) -> Fraction:
    longest = max((Fraction(each.tally.get(name, 0)) for each in every for name in names), default=Fraction(0))
    return max([longest, *(Fraction(each.threshold or 0) for each in every)]) * HEADROOM


def _rounds(result: Result) -> list[Round]:
    if result.rounds:
        return chosen(result.rounds)
    if result.method in ("borda", "plurality") or KIND_OF[result.method] != "ranked":
        tally = {name: str(score(result, name).length) for name in result.candidates}
    elif result.pairwise and len(result.candidates) == 2:
        tally = {name: str(sum(votes)) for name, votes in zip(result.candidates, result.pairwise, strict=True)}
    else:
        return []
    needed = result.reasons["needed"] if result.method == "majority" else ""
    only = Round(1, tally, threshold=needed, exhausted="0", elected=result.winners)
    if not (votes := result.reasons.get("runoff")):
        return [only]
    # STAR: the points, and then the ballots that score one of the finalists higher.
    return [replace(only, elected=()), Round(2, votes, threshold="", exhausted="0", elected=result.winners)]


def _lap(result: Result, each: Round, names: list[str], whole: Fraction) -> Context:
    says = in_words(result, each) if each.threshold else []
    if not each.threshold and result.method == "star":
        says = [_("Points") if each.number == 1 else _("Runoff: votes that score one of the two higher")]
    if len(names) < len(result.candidates):
        numbers = {"shown": len(names), "every": len(result.candidates)}
        says.insert(1, _("Showing the first %(shown)s of %(every)s.") % numbers)
    order = sorted(names, key=lambda name: (name not in each.tally, -Fraction(each.tally.get(name, 0))))
    bars = [{"option": names.index(name), **_runner(result, each, name, whole)} for name in order]
    needed = share(Fraction(each.threshold), whole) if each.threshold else ""
    return {"number": each.number, "says": says, "needed": needed, "bars": bars}


def _runner(result: Result, each: Round, name: str, whole: Fraction) -> Context:
    earlier = [before for before in result.rounds or () if before.number < each.number]
    moves = earlier[-1].transfers if earlier else ()
    votes = Fraction(each.tally.get(name, 0))
    gain = sum((Fraction(move.votes) for move in moves if move.destination == name), Fraction(0))
    is_elected, is_in = any(name in past.elected for past in (*earlier, each)), name in each.tally
    mark = "elected" if is_elected else "leaving" if name in each.eliminated else "" if is_in else "out"
    elected = _("carried") if result.method == "majority" else OF_ELECTIONS.elected
    word = elected if is_elected else OF_ELECTIONS.eliminated if mark else ""
    shown = {
        "number": number(votes, each.threshold or None) if is_in else "",
        "gain": f"+{number(gain)}" if gain else "",
    }
    if result.method == "majority" and name != YES:
        shown["needed"] = ""  # the line is for those who say yes
    drawn = {"length": share(votes, whole), "since": share(votes - gain, whole), "gained": share(gain, whole)}
    return {
        "label": answer_label(name, KIND_OF[result.method]),
        "mark": mark,
        "word": word,
        "own": False,
        "sign": None,
        **shown,
        **drawn,
    }
