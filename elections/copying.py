"""A draft made from something that is there already: candidates and voters follow it, whoever dies on the way.

One recorded transaction makes the draft and a mark of what it is made from. Candidates and voters are more than fit one
transaction, so they follow a handful at a time; the mark goes last. Whoever asked for the draft brings them, and a
worker takes up what was cut short. Until then the draft says so (`filling`), and nothing can be done to it that would
get in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from accounts import repository as people
from accounts.models import User
from acts.queues import take_each
from acts.refusals import NotAllowed, Overtaken
from acts.site import now_text, table
from ranking.candidates import Candidate
from store import keys
from store.table import Conflict, Delete, Equals, Exists, Item, Put, Refused, Update, Write

from . import needs, repository, services
from .rules import Action, Election, takes_names

TAKEN_ALONG = (
    *("description", "secret_ballot", "seats", "method", "unranked", "electorate", "time_zone", "remind_before"),
    *("results_visible", "results_public", "paper_ballots", "mail_votes", "joining"),
)


def copy(actor: User, election: Election, name: str) -> Election:
    """Candidates with their pictures, needs, roll and settings; never ballots, and the window is to be set anew.

    Those on the roll whose account is gone stay behind.
    """
    services.check(actor, election, Action.COPY)
    settings = {each: getattr(election, each) for each in TAKEN_ALONG}
    source = {"source": election.name, "source_created_at": election.created_at}
    return _made(actor, _draft(actor, name, **settings), source, copied_from=election.name)


def make(actor: User, name: str, candidates: Sequence[str], **settings: Any) -> Election:
    """A draft with these candidates and nobody on its roll."""
    return _made(actor, _draft(actor, name, **settings), {"candidates": list(candidates)})


def _draft(actor: User, name: str, **settings: Any) -> Election:
    return Election(name=name, owner_name=actor.name, created_at=now_text(), filling=True, **settings)


def _made(actor: User, draft: Election, source: Item, **said: Any) -> Election:
    services.create_draft(actor, draft, _mark(draft, source), **said)
    with suppress(Overtaken, Conflict):  # the draft is there; a worker brings what is missing
        finish(draft.name)
    return repository.find(draft.name) or draft


def _mark(draft: Election, source: Item) -> Put:
    place = keys.filling(draft.name)
    index = {"GSI1PK": keys.FILLING.pk, "GSI1SK": keys.by_date(draft.created_at, draft.name)}
    return Put({"PK": place.pk, "SK": place.sk, **index, "election_name": draft.name, **source})


# --- what follows ---


def finish_all() -> int:
    """Take every draft that is still being filled to its end; answers how many there were."""
    return take_each(list(table().each(keys.FILLING)), lambda mark: finish(mark["election_name"]))


def finish(name: str) -> bool:
    """Bring what is missing. Any number may do this at once, and again: who is there already is left as they are."""
    mark, draft = table().get(keys.filling(name)), repository.find(name)
    owner = people.find(draft.owner_name) if draft else None
    if mark is None or draft is None or owner is None:  # one whose owner has just left is its heir's in a moment
        return False
    with suppress(NotAllowed):  # its owner may no longer run elections: then it stays as far as it has come
        _fill(owner, draft, mark)
    with suppress(Refused):  # somebody else has finished it
        table().write(*_end(name))
    return True


def _fill(owner: User, draft: Election, mark: Item) -> None:
    if "candidates" in mark:
        services.add_candidates(owner, draft, [Candidate(name) for name in mark["candidates"]])
        return
    source = repository.find(mark["source"])
    if source is None or source.created_at != mark["source_created_at"]:
        return  # it was deleted before it was copied
    candidates = repository.candidates(source.name)
    services.add_candidates(owner, draft, candidates)
    services.copy_pictures(owner, draft, candidates)
    services.copy_needs(owner, draft, needs.of(source.name))
    services.check(owner, draft, Action.ADD_VOTERS)
    services.put_on_roll(owner, draft, repository.still_here(source.name, by_name=takes_names(source)))


def _end(name: str) -> list[Write]:
    return [
        Delete(keys.filling(name), when=Exists()),
        Update(keys.election(name), set={"filling": False}, when=Equals("filling", True)),
    ]
