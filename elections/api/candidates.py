"""Candidates of an election: list, add, change, remove."""

from __future__ import annotations

from typing import Annotated

import msgspec
from django.http import Http404
from django.utils.translation import gettext as _
from msgspec import UNSET, Meta, UnsetType

from accounts.api.calls import Call, cleaned, each_cleaned
from accounts.api.operations import Area, Markdown, Name, described, given, operation
from accounts.api.problems import FieldError, Problem
from elections import repository
from elections.candidates import CandidateForm, add_candidates, edit_candidate, remove_candidates
from elections.rules import MAX_CANDIDATES, Action
from foundation.pages.names import clean_title
from foundation.ranking import candidates as ranking
from foundation.store.keys import fold

from .elections import load, load_visible, organising, reading

AREA = Area("candidates", "Candidates", "Candidates, or options, of an election.")

Link = Annotated[str, described("^(https?://.*)?$", max_length=500, description="A web page about them.")]


class Candidate(msgspec.Struct):
    """A candidate, or an option."""

    name: str
    statement: Markdown
    link: str


class Candidates(msgspec.Struct):
    """Candidates, by name."""

    candidates: list[Candidate]


class NewCandidate(msgspec.Struct, forbid_unknown_fields=True):
    """A candidate to add."""

    name: Name
    statement: Markdown = ""
    link: Link = ""


class NewCandidates(msgspec.Struct, forbid_unknown_fields=True):
    """Candidates to add. Those who are candidates already stay as they are: with other texts, they are refused."""

    candidates: Annotated[list[NewCandidate], Meta(min_length=1, max_length=MAX_CANDIDATES)]


class CandidateChange(msgspec.Struct, forbid_unknown_fields=True):
    """What is left out stays as it is."""

    statement: Markdown | UnsetType = UNSET
    link: Link | UnsetType = UNSET


class OfQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """Of which question, where there are several."""

    question: Annotated[int, Meta(ge=1, description="Its number.")] = 1


def _candidate(found: ranking.Candidate) -> Candidate:
    return Candidate(found.name, found.statement, found.link)


@operation(
    "GET", "elections/<name:name>/candidates", AREA, "List the candidates", query=OfQuestion,
    answers=Candidates, **reading,
)  # fmt: skip
def list_(call: Call, name: str) -> Candidates:
    election = load_visible(call, name, call.query.question)
    return Candidates([_candidate(each) for each in repository.candidates_by_name(*election.address)])


@operation(
    "POST", "elections/<name:name>/candidates", AREA, "Add candidates", query=OfQuestion, takes=NewCandidates,
    answers=Candidates, refusals=("not-now", "name-taken"),
    example={"candidates": [{"name": "Ada Lovelace"}, {"name": "Hypatia"}]},
    **organising,
)  # fmt: skip
def add(call: Call, name: str) -> Candidates:
    """Answers the candidates that were sent, as they are now."""
    election = load(call, name, Action.ADD_CANDIDATES, call.query.question)
    sent = call.body.candidates
    names = each_cleaned("candidates", [each.name for each in sent], clean_title)
    texts = [cleaned(CandidateForm({"statement": each.statement, "link": each.link})) for each in sent]
    every = [ranking.Candidate(each, **more) for each, more in zip(names, texts, strict=True)]
    new = {fold(each.name): each for each in every}
    if not call.is_repeat:  # nothing is said in vain about those who are candidates already, or are named twice
        kept = new | {fold(each.name): each for each in repository.candidates(*election.address)}
        wrong = {
            f"candidates[{place}]": _("“%(name)s” is a candidate already, with another text.") % {"name": each.name}
            for place, each in enumerate(every)
            if each.statement not in ("", kept[fold(each.name)].statement)
            or each.link not in ("", kept[fold(each.name)].link)
        }
        if wrong:
            errors = [FieldError(field, text) for field, text in wrong.items()]
            raise Problem("name-taken", " ".join(wrong.values()), errors)
    call.run(lambda: add_candidates(call.user, election, list(new.values())), converges=True)
    every = repository.candidates_by_name(*election.address)
    return Candidates([_candidate(each) for each in every if fold(each.name) in new])


@operation(
    "GET", "elections/<name:name>/candidates/<name:candidate>", AREA, "Read a candidate", query=OfQuestion,
    answers=Candidate, **reading,
)  # fmt: skip
def read(call: Call, name: str, candidate: str) -> Candidate:
    election = load_visible(call, name, call.query.question)
    if (found := repository.find_candidate(name, candidate, election.number)) is None:
        raise Http404
    return _candidate(found)


@operation(
    "PATCH", "elections/<name:name>/candidates/<name:candidate>", AREA, "Change a candidate", query=OfQuestion,
    takes=CandidateChange, answers=Candidate, edits=read, refusals=("not-now",), example={"statement": "I *will*."},
    **organising,
)  # fmt: skip
def change(call: Call, name: str, candidate: str) -> Candidate:
    election = load(call, name, Action.CHANGE_CANDIDATES, call.query.question)
    before = read(call, name, candidate)
    values = cleaned(CandidateForm({"statement": before.statement, "link": before.link, **given(call.body)}))
    call.run(lambda: edit_candidate(call.user, election, ranking.Candidate(before.name, **values)))
    return read(call, name, candidate)


@operation(
    "DELETE", "elections/<name:name>/candidates/<name:candidate>", AREA, "Remove a candidate", query=OfQuestion,
    status=204, edits=read, refusals=("not-now",), **organising,
)  # fmt: skip
def remove(call: Call, name: str, candidate: str) -> None:
    election = load(call, name, Action.CHANGE_CANDIDATES, call.query.question)
    found = read(call, name, candidate)
    call.run(lambda: remove_candidates(call.user, election, found.name))
