"""Pages of several questions on one ballot, and those who look at them."""

from __future__ import annotations

from accounts.models import User
from ballots import services as ballots
from elections import actions
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.multi_question import repository as books
from elections.multi_question.rules import Book
from elections.multi_question_pages import services as binding
from elections.roll.services import add_voters
from elections.rules import Action
from ranking.candidates import Candidate
from results.services import find as sealed

from .site import Look
from .words import MIN_TAG_CHARS, filled, text


def looks_at_books(organiser: User, voter: User) -> list[Look]:
    draft, running, over = (_book(organiser, voter, name) for name in ("Spring", "Summer", "Autumn"))
    for each in (running, over):
        binding.open_(organiser, each)
        ballots.cast(voter, each.questions[0], {"0": ["1"]}, f"form of {each.name}")
    binding.close(organiser, over)
    for name in over.questions:
        sealed(name)
    of_drafts, of_open = ("book_dashboard", "rename_book", "open_book"), ("extend_book", "close_book")
    on_the_way = ("book_ballot", "book_review", "book_receipts", "book")
    return [
        Look("make_book", "organiser"),
        *(Look(page, "organiser", (draft.id,)) for page in of_drafts),
        Look("question_settings", "organiser", (draft.id, draft.questions[1])),
        *(Look(page, "organiser", (running.id,)) for page in of_open),
        *(Look(page, "voter", (running.id,)) for page in on_the_way),
        Look("book_question", "voter", (running.id, 1)),
        Look("book_results", "voter", (over.id,)),
        Look("shared_book", "stranger", (over.id,)),
    ]


def _book(organiser: User, voter: User, name: str) -> Book:
    book = binding.make(organiser, text(name), [text("Chair", MIN_TAG_CHARS), text("Colour", MIN_TAG_CHARS)])
    for each in book.questions:
        found = elections.find(each)
        assert found is not None
        add_candidates(organiser, found, [filled(Candidate("Ada")), filled(Candidate("Bo"))])
    leader = binding.leader_of(book)
    add_voters(organiser, leader, [voter.name])
    actions.change(organiser, binding.leader_of(book), Action.SET_UP, results_public=True)
    found_book = books.find(book.id)
    assert found_book is not None
    return found_book
