"""Pages of several questions on one ballot, and those who look at them."""

from __future__ import annotations

from accounts.models import User
from ballots import services as ballots
from elections import actions
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.multi_ballot_pages import services as binding
from elections.multi_ballots import repository as multi_ballots
from elections.multi_ballots.rules import MultiBallot
from elections.roll.services import add_voters
from elections.rules import Action
from foundation.ranking.candidates import Candidate
from results.services import find as sealed

from .site import Look
from .words import MIN_TAG_CHARS, filled, text


def looks_at_multi_ballots(organiser: User, voter: User) -> list[Look]:
    draft, running, over = (_multi_ballot(organiser, voter, name) for name in ("Spring", "Summer", "Autumn"))
    for each in (running, over):
        binding.open_(organiser, each)
        ballots.cast(voter, each.questions[0], {"0": ["1"]}, f"form of {each.name}")
    binding.close(organiser, over)
    for name in over.questions:
        sealed(name)
    of_drafts, of_open = (
        ("multi_ballot_dashboard", "multi_ballot_questions", "rename_multi_ballot", "open_multi_ballot"),
        ("extend_multi_ballot", "close_multi_ballot"),
    )
    on_the_way = ("fill_multi_ballot", "multi_ballot_review", "multi_ballot_receipts", "multi_ballot")
    return [
        Look("make_multi_ballot", "organiser"),
        *(Look(page, "organiser", (draft.id,)) for page in of_drafts),
        *(Look(page, "organiser", (running.id,)) for page in of_open),
        *(Look(page, "voter", (running.id,)) for page in on_the_way),
        Look("multi_ballot_question", "voter", (running.id, 1)),
        Look("multi_ballot_results", "voter", (over.id,)),
        Look("shared_multi_ballot", "stranger", (over.id,)),
        Look("change_multi_ballot", "stranger", (running.id,)),
        Look("api/multi-question-ballots/-", "program", (running.id,)),
    ]


def _multi_ballot(organiser: User, voter: User, name: str) -> MultiBallot:
    multi_ballot = binding.make(organiser, text(name), [text("Chair", MIN_TAG_CHARS), text("Colour", MIN_TAG_CHARS)])
    for each in multi_ballot.questions:
        found = elections.find(each)
        assert found is not None
        add_candidates(organiser, found, [filled(Candidate("Ada")), filled(Candidate("Bo"))])
    leader = binding.leader_of(multi_ballot)
    add_voters(organiser, leader, [voter.name])
    actions.change(organiser, binding.leader_of(multi_ballot), Action.SET_UP, results_public=True)
    found_multi_ballot = multi_ballots.find(multi_ballot.id)
    assert found_multi_ballot is not None
    return found_multi_ballot
