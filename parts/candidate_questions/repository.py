"""Questions to candidates, their answers and answer links in the table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass
from functools import partial

from elections import repository as elections
from elections.panels import ShownAnswers
from elections.rules import Election, State
from foundation.acts.caches import SizedCache
from foundation.acts.storage import next_version, table, unchanged
from foundation.qa import store
from foundation.qa.rules import Fate, best_first
from foundation.qa.store import Board
from foundation.store import keys
from foundation.store.log import utc_now
from foundation.store.parallel import run_parallel
from foundation.store.table import Delete, Exists, Item, Missing, Put, Update, Write

from .rules import (
    QUESTION_STEP,
    Answer,
    AskedCandidate,
    CandidateQuestion,
    first_number,
    is_asked_about,
    scope,
    shown_answers,
)

CACHE_BYTES = 32_000_000
ENTRY_BYTES = 600  # of a question or an answer in memory, besides its text
MAX_SHOWN_BYTES = 36_000  # of questions and answers on the election's page, and on the ballot, which loads fast

Answers = Mapping[str, Mapping[int, Answer]]  # by question, then by candidate


@dataclass(frozen=True, slots=True)
class QuestionsAndAnswers:
    """Everything that was asked and answered in an election."""

    questions: tuple[CandidateQuestion, ...]  # best first
    answers: Answers
    upvotes: Mapping[str, int]

    @property
    def bytes(self) -> int:
        texts = [each.text for each in self.questions]
        texts += [each.text for own in self.answers.values() for each in own.values()]
        return sum(ENTRY_BYTES + 2 * len(text) for text in texts)


def board(election_name: str) -> Board:
    """Where the election's questions are stored."""
    return Board(
        scope(election_name),
        keys.candidate_qa(election_name),
        partial(keys.candidate_question, election_name),
        partial(keys.questions_upvoted, election_name),
        partial(keys.question_upvotes, election_name),
        tuple(keys.all_question_upvotes(election_name)),
    )


def now_ms() -> int:
    """The time as questions and answers have it."""
    return int(utc_now().timestamp() * 1000)


# --- finding ---

question_from_item = partial(store.question_from_item, CandidateQuestion)


def read(election_name: str) -> QuestionsAndAnswers:
    """In one round trip per megabyte."""
    items, answered, upvotes = run_parallel(
        table(),
        lambda: list(table().each(keys.candidate_questions(election_name))),
        lambda: list(table().each(keys.candidate_answers(election_name))),
        lambda: store.read_upvotes(board(election_name)),
    )
    answers: dict[str, dict[int, Answer]] = {}
    for each in map(answer_of, answered):
        answers.setdefault(each.question, {})[each.candidate] = each
    return QuestionsAndAnswers(tuple(best_first(map(question_from_item, items), upvotes)), answers, upvotes)


def candidates_of(election: Election) -> tuple[AskedCandidate, ...]:
    """Who can be asked and answer, in all questions of the election, in their order on the ballot."""
    asked = [(each, elections.candidates_of(each)) for each in election.questions if is_asked_about(each)]
    return tuple(
        AskedCandidate(each.name, number=first_number(question.number) + each.number, title=question.title)
        for question, candidates in asked
        for each in candidates
    )


_known = SizedCache[QuestionsAndAnswers](CACHE_BYTES, lambda asked: ENTRY_BYTES + asked.bytes)
_shown = SizedCache[ShownAnswers](
    CACHE_BYTES, lambda shown: sum(ENTRY_BYTES + 2 * len(each.text) for own in shown.values() for each in own)
)


def read_cached(election: Election, *version: Hashable) -> QuestionsAndAnswers:
    """As of the last change that organisers or candidates made; `version` says what else it depends on."""
    place = election.name, election.created_at, election.answers, *version
    return _known.get(place, lambda: read(election.name))


def answers_with_candidates(election: Election) -> ShownAnswers:
    """What the election's page and the ballot show with the candidates of this question; reads nothing unless something
    is shown, and that only once."""
    if not election.answers or not election.questions_from:
        return {}

    def find() -> ShownAnswers:
        asked = read(election.name)
        return shown_answers(asked.questions, asked.answers, MAX_SHOWN_BYTES)

    shown = _shown.get((election.name, election.created_at, election.answers), find)
    first = first_number(election.number)
    return {number - first: own for number, own in shown.items() if 0 <= number - first < QUESTION_STEP}


def count_waiting(election: Election) -> int:
    """Questions to be reviewed; reads nothing where none can wait."""
    if not election.questions_from or election.stored_state == State.DRAFT:
        return 0
    return sum(item["fate"] == Fate.WAITING for item in table().each(keys.candidate_questions(election.name)))


def find_question(election_name: str, question: str) -> CandidateQuestion | None:
    item = table().get(keys.candidate_question(election_name, question)) if question else None
    return question_from_item(item) if item else None


def find_answer(election_name: str, question: str, candidate: int) -> Answer | None:
    item = table().get(keys.candidate_answer(election_name, question, candidate))
    return answer_of(item) if item else None


def answer_of(item: Item) -> Answer:
    return Answer(**{name: item[name] for name in Answer.__dataclass_fields__})


def link_turns(election_name: str) -> dict[int, str]:
    """What makes the current link of each candidate valid."""
    return {item["candidate"]: item["turn"] for item in table().each(keys.answer_links(election_name))}


def link_turn(election_name: str, candidate: int) -> str:
    item = table().get(keys.answer_link(election_name, candidate))
    return item["turn"] if item else ""


# --- writes; each returns parts of a transaction ---


def counting_change(election: Election) -> Update:
    """What is shown has changed, so that caches read it again."""
    return Update(keys.election(election.name), add={"answers": 1}, when=Exists())


def answering(election: Election, before: Answer | None, after: Answer) -> list[Write]:
    """Refused if the answer has changed since it was read."""
    place = keys.candidate_answer(election.name, after.question, after.candidate)
    new = next_version(before, after) if before else after
    return [Put({**place.item, **asdict(new)}, when=unchanged(before) if before else Missing())]


def linking(election: Election, candidate: int, turn: str) -> Put:
    """A new link; the one before is no longer valid."""
    return Put({**keys.answer_link(election.name, candidate).item, "candidate": candidate, "turn": turn})


def unlinking(election: Election, candidate: int) -> Delete:
    return Delete(keys.answer_link(election.name, candidate), when=Exists())
