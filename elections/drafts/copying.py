"""Copying: a draft made from an existing election or from a list of candidates and voters.

One transaction creates the draft and a background task; candidates and voters, too many for one transaction, follow.
Until then the draft is marked `filling`, and conflicting actions are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from elections import actions, repository, rolls, sharding
from elections.candidates import add_candidates, copy_pictures
from elections.invitations import wording
from elections.roll.services import put_on_roll
from elections.rules import Action, Election, takes_names
from elections.voter_lists import Details
from foundation.acts.background import Batch, Task, TaskType, finished, wait
from foundation.acts.hooks import Hooks
from foundation.acts.refusals import LostRace, Refusal, TryLater
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import now_text, table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.splitting import by_count
from foundation.store.table import Delete, Equals, Item, Key, Put, Update, Write

from .services import create_draft

COPIED_SETTINGS = (
    *("secret_ballot", "seats", "method", "unranked", "electorate", "time_zone", "remind_before"),
    *("results_visible", "results_public", "paper_ballots", "changeable", "safeguards", "mail_votes", "joining"),
    *("vote_by_link", "announces", "of_options", "kind", "fewest", "most", "majority", "for_groups"),
    *("title", "order", "letter_check", "questions_from", "questions_open", "questions_named"),
)

FILLING = TaskType("fill election", _("Copying candidates and voters into an election"))
OWNER_WAIT_SECONDS = 5
BY_ADDRESS = "by address"  # instead of an account
COPYING = Hooks[[User, Election, Election], None]("when an election is copied: from the source into the draft")


def copy(actor: User, election: Election, name: str) -> Election:
    """Copies candidates with pictures, needs, current voters and settings; never ballots or the voting period."""
    actions.check(actor, election, Action.COPY)
    settings = {each: getattr(election, each) for each in COPIED_SETTINGS}
    settings["more"] = tuple(replace(each, excluded=0, extra_votes=0) for each in election.more)
    if election.group and table().get(keys.group(election.group)):
        settings["group"] = election.group  # its roll is the group's, too
    source = {"source": election.name, "source_created_at": election.created_at}
    draft = _draft(actor, name, **settings)
    event_data = {"description": repository.description_of(election.name).description, "copied_from": election.name}
    return _create(actor, draft, source, **event_data)


def make(
    actor: User,
    name: str,
    candidates: Sequence[str],
    voters: Mapping[str, str] | None = None,
    writes: Callable[[Election], Iterable[Write]] = lambda draft: (),
    *,
    weights: Mapping[str, int] | None = None,
    description: str = "",
    **settings: Any,
) -> Election:
    """A draft with these candidates, and these voters with the creation time of their account, or `BY_ADDRESS`; and
    how many times their votes count, if not once.

    The time keeps a reused name from inheriting a vote. `writes` go into the transaction, and may refuse it.
    """
    draft, source = _draft(actor, name, **settings), {"candidates": list(candidates)}
    listed = []  # in items of their own: a hall of long names is more than one item holds
    for number, some in enumerate(by_count((voters or {}).items())):
        place, (names, accounts) = keys.filling_part(draft.name, number), zip(*some, strict=True)
        part = {"voters": list(names), "accounts": list(accounts)}
        part |= {"weights": [weights.get(name, 1) for name in names]} if weights else {}
        listed.append(Put({**place.item, **part}))
    return _create(actor, draft, source, *listed, *writes(draft), description=description)


def _draft(actor: User, name: str, **settings: Any) -> Election:
    fields = {"created_at": now_text(), "filling": True, "shards": sharding.shards_of_new(), **settings}
    return Election(name=name, owner_name=actor.name, **fields)


def _create(actor: User, draft: Election, source: Item, *more_writes: Write, **event_data: Any) -> Election:
    create_draft(
        actor, draft, FILLING.begin(draft.name, created_at=draft.created_at, **source), *more_writes, **event_data
    )
    FILLING.start(draft.name)
    return repository.find(draft.name) or draft


# --- what follows ---


@FILLING.step
def fill_batch(task: Task) -> Batch:
    """Copy what is missing. Idempotent and safe to run concurrently: existing entries are left unchanged."""
    draft = repository.find(task.subject)
    if draft is None or draft.created_at != task.data["created_at"]:
        return finished()
    owner = people.find(draft.owner_name)
    if owner is None:  # one whose owner has just left is its heir's in a moment
        return wait(OWNER_WAIT_SECONDS)
    done = Update(keys.election(draft.name), set={"filling": False}, when=Equals("filling", True))
    try:
        if not task.progress:
            _fill(owner, draft, task.data)
            return Batch(progress={"is_filled": True})
        if part := next(iter(table().page(keys.filling_parts(draft.name), limit=1).items), None):
            _list_voters(owner, draft, part)
            return Batch([Delete(Key(part["PK"], part["SK"]))])
    except (LostRace, TryLater):
        raise  # the next try may find it otherwise
    except Refusal as refusal:  # what can never be copied is left out, and the draft's history says why
        event_data = {"election_name": draft.name, "sentence": str(refusal)}
        return finished(done, event=Event("plenum", "ElectionNotFilled", event_data))
    return finished(done)


def _fill(owner: User, draft: Election, source_data: Item) -> None:
    if "candidates" in source_data:
        add_candidates(owner, draft, [Candidate(name) for name in source_data["candidates"]])
        return
    source = repository.find(source_data["source"])
    if source is None or source.created_at != source_data["source_created_at"]:
        return  # it was deleted before it was copied
    asked = [each for each in draft.questions if each.kind != "yes-no"]
    for question in asked:
        candidates = repository.candidates(source.name, question.number)
        add_candidates(owner, question, candidates)
        copy_pictures(owner, question, candidates)
    for copy in COPYING if asked else ():
        copy(owner, source, draft)
    wording.copy_own_text(owner, source.name, draft)
    actions.check(owner, draft, Action.ADD_VOTERS)
    known = {each.name: each.details for each in rolls.every_voter(source)}
    put_on_roll(owner, draft, rolls.current_voters(source, by_name=takes_names(source)), known)


def _list_voters(owner: User, draft: Election, part: Item) -> None:
    """Those whose account is gone meanwhile stay behind."""
    actions.check(owner, draft, Action.ADD_VOTERS)
    _on_roll, current = rolls.roll_and_accounts(draft, part["voters"])
    accounts = zip(part["voters"], part["accounts"], strict=True)
    same = [name for name, account in accounts if account == BY_ADDRESS or current.get(keys.fold(name)) == account]
    known = {
        name: Details(weight=weight) for name, weight in zip(part["voters"], part.get("weights", ()), strict=False)
    }
    retry_lost_race(partial(put_on_roll, owner, draft, same, known))
