"""Parses and validates submitted answers (options, texts, rankings), and renders them back into form values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.acts.refusals import Refusal
from foundation.pages.names import single_line
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import RANK_PREFIX, Choice, ranked_names, ranking_from, ranks_of, submitted_ranks
from foundation.store.keys import fold
from foundation.tally.ballots import groups_of
from parts.questions.question import Question

from .play import TypedValues
from .rounds import MAX_ANSWER_CHARS
from .rules import Phase, State
from .symbols import symbol

OPTION, TEXT, ROUND = "option", "text", "round"  # field names
SHEET_PREFIX = "q-"  # of fields in rounds with several questions: q-0 is the first

CHOOSE_ONE = gettext_lazy("Choose one of the options.")
CHOOSE = gettext_lazy("Choose at least one of the options.")
UNKNOWN_OPTION = gettext_lazy("This question has no such option. Reload the page and try again.")
NO_TEXT = gettext_lazy("Write an answer first.")
TOO_LONG = gettext_lazy("Too long: %(count)d characters. The limit is %(most)d.")
RANK_ONE = gettext_lazy("Rank at least one of the options.")


class InvalidAnswer(Refusal):
    """The submitted form is incomplete or invalid; the message says why."""


def is_about(post: QueryDict, state: State, phase: Phase) -> bool:
    """Whether a form belongs to the current round and phase, so that a late one is not taken for the next."""
    return state.phase == phase and parse_number(post.get(ROUND, ""), 1_000) == state.round


def was_asked(post: QueryDict, state: State) -> bool:
    """Whether a form belongs to the current or an earlier round."""
    found = parse_number(post.get(ROUND, ""), 1_000)
    return found is not None and 0 < found <= state.round


def typed_values(post: QueryDict) -> dict[str, list[str]]:
    """The submitted values, valid or not, to redisplay the form."""
    names = {OPTION, TEXT}
    return {name: post.getlist(name) for name in post if name in names or name.startswith((SHEET_PREFIX, RANK_PREFIX))}


# --- from a form ---


def parse_options(post: QueryDict, question: Question) -> list[int]:
    chosen = sorted({parse_option(typed, question) for typed in post.getlist(OPTION)})
    if len(question.right) == 1 and len(chosen) != 1:
        raise InvalidAnswer(CHOOSE_ONE)
    if not chosen:
        raise InvalidAnswer(CHOOSE)
    return chosen


def parse_one_option(typed: list[str], question: Question) -> int:
    chosen = {parse_option(each, question) for each in typed}
    if len(chosen) != 1:
        raise InvalidAnswer(CHOOSE_ONE)
    return chosen.pop()


def parse_option(typed: str, question: Question) -> int:
    found = parse_number(typed, len(question.options))
    if found is None:
        raise InvalidAnswer(UNKNOWN_OPTION)
    return found


def parse_text(post: QueryDict) -> str:
    if found := parse_line(post.get(TEXT, "")):
        return found
    raise InvalidAnswer(NO_TEXT)


def parse_texts(post: QueryDict, most: int, longest: int, none: str | Promise, too_many: str | Promise) -> list[str]:
    """Distinct texts, ignoring case; empty fields are ignored. `none` and `too_many` say what is wrong otherwise."""
    typed = (parse_line(each, longest) for each in post.getlist(TEXT))
    texts = {fold(text): text for text in typed if fold(text)}
    if not texts:
        raise InvalidAnswer(none)
    if len(texts) > most:
        raise InvalidAnswer(too_many % {"most": most})
    return list(texts.values())


def parse_ranking(post: QueryDict, question: Question, otherwise: str | Promise = RANK_ONE) -> str:
    if ranking := ranking_from(submitted_ranks(post), _candidates(question)):
        return ranking
    raise InvalidAnswer(otherwise)


def parse_number(typed: str, below: int) -> int | None:
    """A number in ASCII digits below a limit, otherwise `None`."""
    if not (typed.isascii() and typed.isdigit()) or len(typed) > 4:
        return None
    return int(typed) if int(typed) < below else None


def parse_line(typed: str, longest: int = MAX_ANSWER_CHARS) -> str:
    """Clean typed text; too long is refused, because truncating a sentence may reverse its meaning."""
    text = single_line(typed)
    if len(text) > longest:
        raise InvalidAnswer(TOO_LONG % {"most": longest, "count": len(text)})
    return text


# --- to a form, and in words ---


@dataclass(frozen=True, slots=True)
class Option:
    place: int
    text: str
    chosen: bool


def option_fields(question: Question, chosen: TypedValues, field: str = OPTION) -> list[Option]:
    return [Option(place, text, str(place) in chosen.get(field, ())) for place, text in enumerate(question.options)]


def last_value(typed: TypedValues, name: str) -> str:
    return ["", *typed.get(name, ())][-1]


def texts_form(typed: TypedValues, most: int, longest: int) -> dict[str, Any]:
    """Context for several short texts."""
    texts = (*typed.get(TEXT, ()), *[""] * most)
    return {"longest": longest, "texts": texts[:most]}


def rank_form(question: Question, typed: TypedValues) -> dict[str, Any]:
    """Context for the rank boxes shared with ballots and polls."""
    options = question.options
    return {
        "choices": [
            Choice(place, text, "", "", last_value(typed, f"{RANK_PREFIX}{place}"))
            for place, text in enumerate(options)
        ],
        "ranks": len(options),
        "draft_key": "",
        "unranked_sentence": _("Options you leave out get no support from you."),
    }


def ranking_fields(ranking: str) -> dict[str, list[str]]:
    return {f"{RANK_PREFIX}{place}": [str(rank)] for place, rank in ranks_of(ranking).items()}


def ranking_summary(ranking: str, question: Question) -> dict[str, Any]:
    return {"ranked": ranked_names(ranking, _candidates(question))}


def options_summary(places: list[int], question: Question) -> dict[str, Any]:
    return {"chosen": [(symbol(place), question.options[place]) for place in places]}


def options_text(places: Sequence[int], options: Sequence[str]) -> str:
    return " | ".join(options[place] for place in places)


def ranking_text(ranking: str, options: Sequence[str]) -> str:
    """The ranking as text, such as “Sea > Hills = Town”."""
    return " > ".join(" = ".join(options[each] for each in group) for group in groups_of(ranking))


def _candidates(question: Question) -> list[Candidate]:
    return [Candidate(text, number=place) for place, text in enumerate(question.options)]
