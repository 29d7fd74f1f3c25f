"""What is looked at of questions to candidates, by those who ask, review and answer."""

from __future__ import annotations

from accounts.models import User
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.ranking.candidates import Candidate
from parts.candidate_questions import services
from parts.candidate_questions.repository import link_turn
from parts.candidate_questions.rules import TO_ALL, person_key
from parts.candidate_questions.services import Asker

from .site import Look
from .words import filled, known, text

NAME = "Questioned"


def looks_at_candidate_questions(otto: User, ann: User) -> list[Look]:
    """Ann stands. Of two questions one is answered, and one waits."""
    drafts.create(otto, text(NAME), questions_from="everyone", questions_named=True)
    add_candidates(otto, _now(), [Candidate(ann.name), filled(Candidate("Ada"))])
    add_voters(otto, _now(), [ann.name])
    lifecycle.open_(otto, _now(), editable=False)
    question = _ask(otto, "Why?")
    services.review(otto, _now(), question, show=True)
    (own, other) = sorted(repository.candidates(_now().name), key=lambda each: each.name != ann.name)
    services.answer(None, _now(), other, question, text("Because."), 1)
    services.make_link(otto, _now(), other.number)
    _ask(ann, "When?")
    token = services.link_token(_now(), other.number, link_turn(_now().name, other.number))
    asked = {"question": question}
    return [
        Look("candidate_questions", "voter", (NAME,)),
        Look("candidate_questions", "voter", (NAME,), of="to ask", asked={"ask": ""}),
        Look("candidate_questions", "voter", (NAME,), of="of one", asked={"candidate": str(other.number)}),
        Look("review_questions", "organiser", (NAME,)),
        Look("review_questions", "organiser", (NAME,), of="candidates", asked={"candidates": ""}),
        Look("review_questions", "organiser", (NAME,), of="settings", asked={"settings": ""}),
        Look("answer_questions", "voter", (NAME,)),
        Look("answer_questions", "voter", (NAME,), of="one question", asked=asked),
        Look("answer_for", "organiser", (NAME, own.number)),
        Look("answer_for", "organiser", (NAME, own.number), of="one question", asked=asked),
        Look("answer_by_link", "stranger", (token,)),
        Look("answer_by_link", "stranger", (token,), of="one question", asked=asked),
        Look("election", "voter", (NAME,), of="with answers"),
        Look("ballot", "voter", (NAME,), of="with answers"),
    ]


def _ask(user: User, words: str) -> str:
    asker = Asker(_now(), person_key(user.name, user.created_at), True, user)
    return services.ask(asker, (), 0, text(words), TO_ALL, 1).id


def _now() -> Election:
    election = repository.find(known(NAME))
    assert election is not None
    return election
