"""Minutes as people read them: each item in lines of words, the same on a page and on paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ranking.candidates import Candidate
from ranking.rankings import named
from store.keys import fold

from ..majorities import Of, majority_of, quorum_of
from ..questions import RANKED, Kind, Question
from ..resolutions import ABSTAIN, NO, YES, Outcome
from ..rounds import Round, options_of
from .records import Head, Minutes, Point

KINDS: dict[Kind, str | Promise] = {
    Kind.TOPIC: gettext_lazy("Topic"),
    Kind.MOTION: gettext_lazy("Motion"),
    Kind.CHOICE: gettext_lazy("Choice"),
    Kind.RANKING: gettext_lazy("Ranking"),
    Kind.ALTERNATIVES: gettext_lazy("Motion with amendments"),
    Kind.IDEAS: gettext_lazy("Ideas of the room"),
}
OUTCOMES: dict[str, str | Promise] = {
    Outcome.TALKED: gettext_lazy("Talked about, no vote"),
    Outcome.CARRIED: gettext_lazy("Carried"),
    Outcome.LOST: gettext_lazy("Not carried"),
    Outcome.ELECTED: gettext_lazy("Chosen"),
    Outcome.TIED: gettext_lazy("A draw: nothing is decided"),
    Outcome.INVALID: gettext_lazy("Without effect: the quorum was not met"),
    Outcome.TOO_FEW: gettext_lazy("Too few votes to keep them secret: nothing is told, and nothing is decided"),
}
MAJORITIES: dict[Of, str | Promise] = {
    Of.CAST: gettext_lazy("%(needed)d of %(of)d votes cast needed (%(share)s)"),
    Of.PRESENT: gettext_lazy("%(needed)d of %(of)d present needed (%(share)s)"),
    Of.ENTITLED: gettext_lazy("%(needed)d of %(of)d entitled needed (%(share)s)"),
}
VOTES: dict[str, str | Promise] = {
    YES: gettext_lazy("Yes"),
    NO: gettext_lazy("No"),
    ABSTAIN: gettext_lazy("Abstentions"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """An item of the agenda as the minutes tell it."""

    point: Point
    kind: str
    outcome: str
    is_carried: bool
    lines: tuple[str, ...]
    present: tuple[str, ...]  # names
    absent: tuple[str, ...]  # of those who were there at some time
    votes: tuple[tuple[str, tuple[str, ...]], ...]  # in an open vote: what was said, and by whom
    speeches: tuple[tuple[str, str], ...]  # who, and for how long
    opened: datetime | None
    closed: datetime | None


def told(minutes: Minutes) -> list[Told]:
    return [_told(minutes, point) for point in minutes.points]


def _told(minutes: Minutes, point: Point) -> Told:
    round_, question = point.round, point.question
    result: Mapping[str, Any] = round_.result if round_ else {}
    present = set(result.get("present", ()))
    return Told(
        point=point,
        kind=str(KINDS.get(question.kind, "")),
        outcome=_outcome(point, result),
        is_carried=point.counts and result.get("outcome") in (Outcome.CARRIED, Outcome.ELECTED),
        lines=tuple(_lines(point, round_)) if round_ and point.counts else (),
        present=_names(minutes, present),
        absent=_names(minutes, minutes.people.keys() - present) if present else (),
        votes=tuple(_by_name(minutes, question, round_)) if round_ and point.counts else (),
        speeches=tuple((minutes.name_of(each.player), duration(each.seconds)) for each in point.speeches),
        opened=_moment(result.get("opened")),
        closed=_moment(result.get("closed")),
    )


def _names(minutes: Minutes, players: Any) -> tuple[str, ...]:
    return tuple(sorted((minutes.name_of(each) for each in players), key=fold))


def _moment(milliseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None


def _outcome(point: Point, result: Mapping[str, Any]) -> str:
    if not point.counts:
        return _("Taken back: it does not count")
    if point.round is None:
        return _("Not closed")
    if "outcome" in result:
        return str(OUTCOMES[result["outcome"]])
    return _("Too few votes to tell anything") if result.get("too_few") else _("Chosen")


# --- numbers ---


def _lines(point: Point, round_: Round | None) -> Iterator[str]:
    assert round_ is not None
    question, result = point.question, round_.result
    if result.get("outcome") in (Outcome.TALKED, Outcome.TOO_FEW) or result.get("too_few"):
        return
    yield _("Secret vote") if question.secret or question.kind == Kind.IDEAS else _("Open vote")
    yield from _numbers(round_, question)
    if "needed" in result:
        majority = majority_of(question.majority)
        words = {"needed": result["needed"], "of": result["of"], "share": share(majority.share)}
        yield str(MAJORITIES[majority.of]) % words


def share(text: str) -> str:
    """In words where half is meant: more than it is needed."""
    return _("more than half") if text == "1/2" else text


def _numbers(round_: Round, question: Question) -> Iterator[str]:
    result, options = round_.result, options_of(round_, question)
    if question.kind == Kind.CHOICE:
        yield from (f"{text}: {votes}" for text, votes in zip(options, result["chosen"], strict=True))
        yield f"{VOTES[ABSTAIN]}: {result[ABSTAIN]}"
    elif question.kind == Kind.MOTION:
        yield from (f"{words}: {result[name]}" for name, words in VOTES.items())
    else:
        yield from _places(result, options)
        if question.kind == Kind.ALTERNATIVES:
            words = {"best": options[result["winners"][0]] if result["winners"] else options[-1], "none": options[-1]}
            numbers = {"yes": result[YES], "no": result[NO], "abstain": result[ABSTAIN]}
            yield _("“%(best)s” before “%(none)s”: %(yes)d to %(no)d, %(abstain)d without a preference") % {
                **words,
                **numbers,
            }
        elif ABSTAIN in result:
            yield f"{VOTES[ABSTAIN]}: {result[ABSTAIN]}"


def _places(result: Mapping[str, Any], options: tuple[str, ...]) -> Iterator[str]:
    for option, place in result["places"]:
        yield f"{place}. {options[option]}"


def _by_name(minutes: Minutes, question: Question, round_: Round) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Who voted how, in an open vote: by what was said, the most frequent first where there is no other order."""
    if question.secret or not all(each.player for each in round_.entries):
        return
    found: dict[str, list[str]] = {}
    for entry in round_.entries:
        found.setdefault(entry.said, []).append(entry.player)
    usual = {said: place for place, said in enumerate(VOTES)}
    for said in sorted(found, key=lambda said: (usual.get(said, -1), -len(found[said]), said)):
        yield _said(question, said, options_of(round_, question)), _names(minutes, found[said])


def _said(question: Question, said: str, options: tuple[str, ...]) -> str:
    if said in VOTES or not said:
        return str(VOTES[said or ABSTAIN])
    if question.kind in RANKED:
        groups = named(said, [Candidate(text, number=place) for place, text in enumerate(options)])
        return " > ".join(" = ".join(map(str, group)) for group in groups)
    return options[int(said)]


# --- around it ---


def duration(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return _("%(minutes)d:%(seconds)02d min") % {"minutes": minutes, "seconds": rest}


def quorum_line(head: Head) -> str:
    """What it takes to decide."""
    quorum = quorum_of(head.quorum)
    if not quorum.text:
        return _("None is asked for")
    needed = quorum.needed(head.entitled)
    people = ngettext("%(count)d person", "%(count)d people", needed) % {"count": needed}
    if not quorum.is_share:
        return people
    words = _("more than half") if quorum.text.startswith(">") else quorum.text
    return _("%(share)s of those entitled: %(people)s") % {"share": words, "people": people}
