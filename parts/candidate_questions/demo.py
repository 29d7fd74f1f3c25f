"""Questions to candidates in the demo."""

from __future__ import annotations

from accounts import repository as people
from accounts.models import User
from elections import repository as elections
from elections.actions import change
from elections.demo import VOTERS
from elections.rules import Action, Election
from foundation.acts.storage import now_text
from foundation.qa.rules import Fate

from . import repository, services
from .repository import now_ms
from .rules import TO_ALL, is_taking, person_key
from .services import Asker

# By election: questions to all candidates, with answers; the last is not approved.
QUESTIONS: dict[str, tuple[tuple[str, dict[int, str]], ...]] = {
    "Board 2027": (
        (
            "What would you change first, and what would you leave exactly as it is?",
            {
                0: "First the budget, on one page that everybody understands. The library stays as it is.",
                1: "Fewer meetings. I would keep the summer party, with all its speeches.",
                2: "The archive gets a catalogue. The people who run it stay.",
                4: "Longer opening hours. The prices stay.",
            },
        ),
        (
            "How many evenings a month do you have for the board?",
            {0: "Four, and more before the annual meeting.", 2: "Two. I say so now and not later.", 3: "Three."},
        ),
        ("Should the workshop cost members something?", {4: "No. Material yes, time no."}),
        ("Who pays for the new roof?", {}),
    ),
}


def take_questions(owner: User, election: Election) -> None:
    """Before it opens."""
    if election.name in QUESTIONS:
        change(owner, elections.find(election.name) or election, Action.SET_QUESTIONS, questions_from="voters")


def load() -> int:
    """Voters ask one question each and upvote those before theirs; an organiser approves them, candidates answer. What
    is missing is made up for, and what has been changed since stays. Returns how many questions and answers."""
    return sum(map(_ask, QUESTIONS))


def _ask(name: str) -> int:
    election = elections.find(name)
    owner = people.find(election.owner_name) if election else None
    if election is None or owner is None or not is_taking(election, now_text()):
        return 0
    before = _count(name)
    candidates = {each.number: each for each in repository.candidates_of(election)}
    people_here = (people.find(voter) for voter in VOTERS)
    askers = [Asker(election, person_key(each.name, each.created_at), True, each) for each in people_here if each]
    for number, ((text, answers), asker) in enumerate(zip(QUESTIONS[name], askers, strict=False), 1):
        asked = services.ask(asker, (), 0, text, TO_ALL, now_ms())
        if asked.fate == Fate.WAITING and number < len(QUESTIONS[name]):
            services.review(owner, election, asked.id, show=True)
        found = repository.find_question(name, asked.id)
        if found is None or not found.is_seen:
            continue
        for other in askers[number + 1 :]:
            services.upvote(other, found, on=True)
        for candidate, answer in answers.items():
            if repository.find_answer(name, asked.id, candidate) is None:
                services.answer(None, election, candidates[candidate], asked.id, answer, now_ms())
    return _count(name) - before


def _count(name: str) -> int:
    known = repository.read(name)
    return len(known.questions) + sum(map(len, known.answers.values()))
