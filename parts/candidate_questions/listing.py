"""Questions and answers as pages list them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.qa.rules import MAX_ID_CHARS, Fate

from . import rules
from .repository import QuestionsAndAnswers
from .rules import Answer, AskedCandidate, CandidateQuestion

PAGE_QUESTIONS = 20
PAGE_BYTES = 60_000  # of answers in one list; those to further questions are on a page each

FATE_LABELS: dict[Fate, str | Promise] = {
    Fate.WAITING: _("The organisers review it first."),
    Fate.SHOWN: _("Visible to everybody."),
    Fate.HIDDEN: _("Hidden by the organisers."),
}
SENT_MESSAGES: dict[Fate, str | Promise] = {
    Fate.WAITING: _("Your question has been sent. The organisers review it first; you can follow it below."),
    Fate.SHOWN: _("Your question has been sent and is visible to everybody."),
    Fate.HIDDEN: _("You have already sent this question, and the organisers have hidden it."),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A question in a list, with the answers to it."""

    question: CandidateQuestion
    upvotes: int = 0
    answers: Sequence[tuple[AskedCandidate, Answer]] = ()  # in the order of the candidates
    asked: Sequence[AskedCandidate] = ()  # who is to answer
    has_page: bool = False  # for the answers, which are too long for the list
    is_own: bool = False
    is_upvoted: bool = False

    @property
    def to(self) -> AskedCandidate | None:
        """The one candidate it is to."""
        return self.asked[0] if self.question.to != rules.TO_ALL and self.asked else None

    @property
    def status(self) -> str | Promise:
        return FATE_LABELS[self.question.fate]


def lines(
    asked: QuestionsAndAnswers,
    page: PageOf,
    candidates: Sequence[AskedCandidate],
    *,
    own: Collection[str] = (),
    upvoted: Collection[str] = (),
    with_hidden: bool = False,
) -> list[Line]:
    room = PAGE_BYTES

    def line(question: CandidateQuestion) -> Line:
        nonlocal room
        to = [each for each in candidates if question.is_for(each.number)]
        found = asked.answers.get(question.id, {})
        answers = [(each, found[each.number]) for each in to if each.number in found]
        answers = answers if with_hidden else [pair for pair in answers if not pair[1].hidden]
        room -= rules.weight(question, (answer for _candidate, answer in answers))
        has_page = room < 0 and not page.only_question
        upvotes = asked.upvotes.get(question.id, 0)
        return Line(question, upvotes, answers, to, has_page, question.id in own, question.id in upvoted)

    return [line(each) for each in page.questions]


def for_review(questions: Iterable[CandidateQuestion]) -> list[CandidateQuestion]:
    """Waiting questions first, oldest first; then visible ones, best first; then hidden ones."""
    turn = {Fate.WAITING: 0, Fate.SHOWN: 1, Fate.HIDDEN: 2}
    return sorted(questions, key=lambda each: (turn[each.fate], each.at if each.fate == Fate.WAITING else 0))


@dataclass(frozen=True, slots=True)
class PageOf:
    """Some of the questions, and the numbers of the pages before and after; or a single question."""

    questions: Sequence[CandidateQuestion]
    total: int
    number: int = 1
    earlier: int | None = None
    later: int | None = None
    only_question: str = ""


def page_of(questions: Sequence[CandidateQuestion], sent: Mapping[str, str]) -> PageOf:
    """The page that an address gives: “page”, or “question” for that one."""
    if found := [each for each in questions if each.id == sent.get("question")]:
        return PageOf(found, len(questions), only_question=found[0].id)
    last = max(0, len(questions) - 1) // PAGE_QUESTIONS + 1
    number = max(1, min(rules.number_in(sent.get("page", "")) or 1, last))
    some = questions[(number - 1) * PAGE_QUESTIONS : number * PAGE_QUESTIONS]
    return PageOf(some, len(questions), number, number - 1 or None, number + 1 if number < last else None)


def place_query(sent: Mapping[str, str]) -> str:
    """The query by which a button leads back to the page it was on: see `candidate_questions/parts/place.html`."""
    numbers = {name: rules.number_in(sent.get(name, "")) for name in ("page", "candidate")}
    kept = {name: number for name, number in numbers.items() if number is not None}
    question = sent.get("question", "")[:MAX_ID_CHARS]
    return f"?{urlencode(kept | ({'question': question} if question else {}))}" if kept or question else ""
