"""What a player says in a form, checked against what they were asked: pure, and refused in a sentence.

Only what the browser of a player who plays along could send is taken. Which answers somebody may vote on is never read
from the form: the session knows whom it showed what.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from acts.refusals import Refusal
from assembly.resolutions import ABSTAIN, NO, YES
from questions.question import RANKED, RATINGS, Kind, Question, Type
from ranking.boxes import RANK, ranks_in
from ranking.candidates import Candidate
from ranking.rankings import ranking_from, ranks_of
from store.keys import fold

from . import scores
from .counting import MAX_ANSWER_CHARS, as_said
from .gathering import Gathered
from .ideas.rules import MAX_IDEA_CHARS, MAX_IDEAS_PER_PERSON
from .rooms import Room
from .rules import Phase, State
from .scores import Vote, check_vote
from .texts import tidied

OPTION, TEXT, ROUND = "option", "text", "round"  # names of fields
SURVEY = "q-"  # what the name of a survey's field starts with: q-0 is the first question's

CHOOSE_ONE = _("Choose one of the options.")
CHOOSE = _("Choose at least one of the options.")
UNKNOWN_OPTION = _("The form names an option that this question does not have.")
NO_TEXT = _("Write an answer first.")
NO_IDEA = _("Write an idea first.")
TOO_MANY_IDEAS = _("At most %(most)d ideas of each person. Keep your best.")
TOO_LONG = _("That is too long: at most %(most)d characters, and yours has %(count)d.")
RANK_ONE = _("Rank at least one of the options.")
VOTE_FOR_ONE = _("Rank at least one of the answers.")
NOTHING_SAID = _("Answer at least one of the questions.")
UNKNOWN_QUESTION = _("The form names a question that is not asked here.")
NOT_A_RATING = _("A rating is a number from 1 to 5.")
NEITHER = _("Choose yes or no.")
YES_NO_OR_ABSTAIN = _("Vote yes or no, or abstain.")
RANK_OR_ABSTAIN = _("Rank at least one of them, or abstain.")


class NotSaid(Refusal):
    """The form does not say what was asked; the words tell what is missing."""


def is_about(post: QueryDict, state: State, phase: Phase) -> bool:
    """Whether a form is about what is asked now: one of a round that is over is never taken for the next one."""
    return state.phase == phase and _number(post.get(ROUND, ""), 1_000) == state.round


def was_asked(post: QueryDict, state: State) -> bool:
    """Whether a form is about something that was asked before now."""
    number = _number(post.get(ROUND, ""), 1_000)
    return number is not None and 0 < number <= state.round


def answer_from(post: QueryDict, room: Room) -> Any:
    """What is said to the question at hand, as `live.services.answering.give` takes it."""
    question = room.question
    assert question is not None  # as one is asked
    if room.game.engagement_type == Type.SURVEY:
        return sheet_from(post, room.questions)
    if room.game.engagement_type == Type.CALL_AND_ANSWER:
        return text_from(post)
    if room.game.engagement_type == Type.TRIVIA:
        return options_from(post, question)
    if question.kind == Kind.IDEAS and room.state.phase == Phase.QUESTION:
        return ideas_from(post)
    return ranking_in(post, question)


# --- one question ---


def options_from(post: QueryDict, question: Question) -> list[int]:
    chosen = sorted({_option(typed, question) for typed in post.getlist(OPTION)})
    if len(question.right) == 1 and len(chosen) != 1:
        raise NotSaid(CHOOSE_ONE)
    if not chosen:
        raise NotSaid(CHOOSE)
    return chosen


def text_from(post: QueryDict) -> str:
    if text := _text(post.get(TEXT, "")):
        return text
    raise NotSaid(NO_TEXT)


def ideas_from(post: QueryDict) -> list[str]:
    """Up to three, each once; a field that was left empty says nothing."""
    texts = {fold(text): text for text in (_text(each, MAX_IDEA_CHARS) for each in post.getlist(TEXT)) if fold(text)}
    if not texts:
        raise NotSaid(NO_IDEA)
    if len(texts) > MAX_IDEAS_PER_PERSON:
        raise NotSaid(TOO_MANY_IDEAS % {"most": MAX_IDEAS_PER_PERSON})
    return list(texts.values())


def ranking_in(post: QueryDict, question: Question) -> str:
    """A ranking of the options; where one is to be chosen, a ranking of that one."""
    if question.kind not in RANKED:
        return str(_one_option(post.getlist(OPTION), question))
    return _ranked(post, question, RANK_ONE)


def _ranked(post: QueryDict, question: Question, otherwise: str | Promise) -> str:
    candidates = [Candidate(name, number=place) for place, name in enumerate(question.options)]
    if ranking := ranking_from(ranks_in(post), candidates):
        return ranking
    raise NotSaid(otherwise)


def _one_option(typed: list[str], question: Question) -> int:
    chosen = {_option(each, question) for each in typed}
    if len(chosen) != 1:
        raise NotSaid(CHOOSE_ONE)
    return chosen.pop()


def _option(typed: str, question: Question) -> int:
    number = _number(typed, len(question.options))
    if number is None:
        raise NotSaid(UNKNOWN_OPTION)
    return number


def _number(typed: str, below: int) -> int | None:
    """A whole number in plain digits; none that only looks like one."""
    if not (typed.isascii() and typed.isdigit()) or len(typed) > 4:
        return None
    return int(typed) if int(typed) < below else None


def line_from(typed: str, longest: int) -> str:
    """Words that somebody typed, as they are kept."""
    return _text(typed, longest)


def _text(typed: str, longest: int = MAX_ANSWER_CHARS) -> str:
    """Not cut, because half a sentence may say the opposite."""
    text = tidied(typed)
    if len(text) > longest:
        raise NotSaid(TOO_LONG % {"most": longest, "count": len(text)})
    return text


# --- all questions of a survey ---


def sheet_from(post: QueryDict, questions: tuple[Question, ...]) -> dict[str, Any]:
    """What was said to those questions that somebody said something to."""
    said: dict[str, Any] = {}
    for name in post:
        if name.startswith(SURVEY):
            place = _number(name.removeprefix(SURVEY), len(questions))
            if place is None:
                raise NotSaid(UNKNOWN_QUESTION)
            if (value := _value(post.getlist(name), questions[place])) is not None:
                said[str(place)] = value
    if not said:
        raise NotSaid(NOTHING_SAID)
    return dict(sorted(said.items(), key=lambda each: int(each[0])))


def _value(typed: list[str], question: Question) -> Any:
    """What a field says, or nothing if it was left empty."""
    if not any(each.strip() for each in typed):
        return None
    read: dict[Kind, Callable[[str], Any]] = {
        Kind.RATING: _rating,
        Kind.YES_NO: _yes_or_no,
        Kind.TEXT: lambda each: _text(each) or None,
    }
    return read[question.kind](typed[-1]) if question.kind in read else _one_option(typed, question)


def _rating(typed: str) -> int:
    number = _number(typed, max(RATINGS) + 1)
    if number is None or number not in RATINGS:
        raise NotSaid(NOT_A_RATING)
    return number


def _yes_or_no(typed: str) -> bool:
    if typed not in ("yes", "no"):
        raise NotSaid(NEITHER)
    return typed == "yes"


# --- votes ---


def vote_from(post: QueryDict, gathered: Gathered, player: str) -> dict[str, Any]:
    """How somebody ranks what they were shown: up to three answers, equals allowed, never their own."""
    ranks = {
        _shown(number): _rank(typed) for number, typed in ranks_in(post).items() if any(each.strip() for each in typed)
    }
    ranks = {number: rank for number, rank in ranks.items() if number not in gathered.unseen}
    if not ranks:
        raise NotSaid(VOTE_FOR_ONE)
    vote = Vote(ranks, frozenset(gathered.shown_to(player)))
    check_vote(vote, scores.own_answers(gathered.answers).get(player))
    return as_said(vote)


def _shown(number: str) -> int:
    found = _number(number, 10_000)
    if found is None:
        raise NotSaid(scores.NOT_SHOWN)
    return found


def _rank(typed: list[str]) -> int:
    found = _number(typed[-1].strip(), 10)
    if len(set(typed)) > 1 or found is None or found not in scores.RANKS:
        raise NotSaid(scores.NOT_A_RANK)
    return found


def ballot_from(post: QueryDict, question: Question) -> str:
    """A vote of an assembly, as `assembly.resolutions` counts it."""
    said = post.getlist(OPTION)
    if question.kind == Kind.MOTION:
        if len(said) != 1 or said[0] not in (YES, NO, ABSTAIN):
            raise NotSaid(YES_NO_OR_ABSTAIN)
        return said[0]
    if said == [ABSTAIN]:
        return ABSTAIN if question.kind == Kind.CHOICE else ""
    if question.kind == Kind.CHOICE:
        return str(_one_option(said, question))
    return _ranked(post, question, RANK_OR_ABSTAIN)


# --- what was typed, right or wrong, for the form to show again ---


def typed_in(post: QueryDict) -> dict[str, list[str]]:
    names = {OPTION, TEXT}
    return {name: post.getlist(name) for name in post if name in names or name.startswith((SURVEY, RANK))}


def typed_of(said: Any, type_: Type, phase: Phase, kind: Kind) -> dict[str, list[str]]:
    """What the fields of a form say if somebody has said this before."""
    if said is None:
        return {}
    if kind == Kind.IDEAS:
        return {TEXT: said} if phase == Phase.QUESTION else _typed_ranks(said, kind)
    if type_ == Type.ASSEMBLY and isinstance(said, str):
        return {OPTION: [said or ABSTAIN]} if said in ("", YES, NO, ABSTAIN) else _typed_ranks(said, kind)
    if phase == Phase.VOTING:
        return {f"{RANK}{number}": [str(rank)] for number, rank in said["ranks"].items()}
    if type_ == Type.SURVEY:
        return {f"{SURVEY}{place}": [_field(value)] for place, value in said.items()}
    if type_ == Type.CALL_AND_ANSWER:
        return {TEXT: [said]}
    if type_ == Type.TRIVIA:
        return {OPTION: [str(option) for option in said]}
    return _typed_ranks(said, kind)


def _typed_ranks(ranking: str, kind: Kind) -> dict[str, list[str]]:
    if kind not in RANKED:
        return {OPTION: [ranking]}
    return {f"{RANK}{number}": [str(rank)] for number, rank in ranks_of(ranking).items()}


def _field(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
