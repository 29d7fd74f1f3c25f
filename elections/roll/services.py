"""Actions on the roll: add and remove voters."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from django.utils.translation import ngettext

from accounts.models import User
from acts.refusals import Refusal
from acts.retry import retry_lost_race
from acts.storage import now_text, table
from elections import repository, rolls, rules, sharding
from elections.actions import check, record
from elections.multi_ballots import repository as multi_ballots
from elections.rules import Action, Election, State
from pages import lists
from pages.lists import Row
from store import keys
from store.splitting import by_count
from store.table import Delete, Equals, Write

Names = Mapping[str, str]  # how people listed by address are called, by that address
NO_NAMES: Names = {}


class UnknownNames(Refusal):
    """Names for the roll that no account here has."""


def add_voters(actor: User, election: Election, names: Sequence[str], display_names: Names = NO_NAMES) -> int:
    """Add people who are not on the roll yet; returns how many. Mails greet those listed by address by `display_names`.

    Unknown names are refused: a later account of that name would inherit the vote.
    """
    check(actor, election, Action.ADD_VOTERS)
    rules.check_listing(election, names)
    distinct = list({keys.fold(name): name for name in names}.values())
    on_roll, accounts = rolls.roll_and_accounts(election, distinct)
    if unknown := [name for name in distinct if keys.fold(name) not in on_roll and not _is_known(name, accounts)]:
        sentence = ngettext(
            "Nobody here has this name: %(names)s. Use their mail address instead.",
            "Nobody here has these names: %(names)s. Use their mail addresses instead.",
            len(unknown),
        )
        raise UnknownNames(sentence % {"names": ", ".join(unknown[:10]) + (" …" if len(unknown) > 10 else "")})
    return put_on_roll(actor, election, distinct, display_names)


def _is_known(name: str, accounts: Collection[str]) -> bool:
    return rolls.is_by_address(name) or keys.fold(name) in accounts


def put_on_roll(actor: User, election: Election, names: Iterable[str], display_names: Names = NO_NAMES) -> int:
    """A batch at a time; returns how many were new."""
    return sum(add_batch(actor, election, batch, display_names=display_names) for batch in by_count(names))


def add_batch(
    actor: User,
    election: Election,
    batch: Sequence[str],
    also: Callable[[int, int], list[Write]] = lambda added, unknown: [],
    display_names: Names = NO_NAMES,
) -> int:
    """Add the new voters of a batch in one transaction, and return how many; the other questions of a ballot follow.

    `also` returns further writes, given how many are new and how many are unknown here.
    """
    followers, subject = multi_ballots.followers(election), f"{election.book} {secrets.token_hex(8)}"

    def more(new: Sequence[str], unknown: int) -> list[Write]:
        writes = also(len(new), unknown)
        if new and followers:
            writes.append(multi_ballots.LISTING.begin(subject, book_id=election.book, voters=list(new)))
        return [*writes, *([multi_ballots.is_free(election.book)] if election.book and new else [])]

    added = _add(actor, election, batch, more, display_names)
    if followers and added:
        multi_ballots.LISTING.start(subject)
    return added


def copy_voters(actor: User, followers: Sequence[str], voters: Sequence[str]) -> None:
    """Put voters on the rolls of the other questions. Any number may do this at once, and again."""

    def copy(name: str) -> None:
        election = repository.find(name)
        if election is not None and election.state(now_text()) != State.CLOSED:
            _add(actor, election, voters)

    for name in followers:
        retry_lost_race(partial(copy, name))


def _add(
    actor: User,
    election: Election,
    batch: Sequence[str],
    also: Callable[[Sequence[str], int], list[Write]] = lambda new, unknown: [],
    display_names: Names = NO_NAMES,
) -> int:
    rules.check_listing(election, batch)
    on_roll, accounts = rolls.roll_and_accounts(election, batch)
    missing = [name for name in batch if keys.fold(name) not in on_roll]
    new = [name for name in missing if _is_known(name, accounts)]
    more = also(new, len(missing) - len(new))
    if new:
        bound = {name: accounts[keys.fold(name)] for name in new if keys.fold(name) in accounts}
        event_data = {"voters": new, "accounts": [bound.get(name) for name in new]}
        record(actor, "VotersAdded", election, event_data, *adding(election, new, bound, display_names), *more)
    elif more:
        table().write(*more)
    return len(new)


def adding(
    election: Election, names: Sequence[str], accounts: Mapping[str, str], known_as: Names = NO_NAMES
) -> list[Write]:
    entries = (rolls.new_voter(election, each, accounts.get(each), known_as.get(each, "")) for each in names)
    return [*entries, repository.touched(election, len(names))]


def compare(election: Election, rows: Sequence[Row]) -> list[Row]:
    """The rows of a list again, with what comes of each if the list is put on the roll."""
    known = rolls.roll_and_accounts(election, [row.value for row in rows if row.value])
    compared = lists.compare_with_roll(rows, *known)
    return compared if rules.takes_names(election) else lists.refuse_names(compared, str(rules.EVERYBODY_HERE))


def remove_voter(actor: User, election: Election, name: str) -> None:
    remove_together(actor, election, [name])


def remove_together(actor: User, election: Election, names: Iterable[str]) -> None:
    """From the roll of a draft, a batch at a time."""
    check(actor, election, Action.REMOVE_VOTERS)
    for batch in by_count(names):
        remove_voters(actor, election, batch, *([multi_ballots.is_free(election.book)] if election.book else []))


def remove_voters(actor: User, election: Election, names: Sequence[str], *also: Write) -> None:
    record(actor, "VotersRemoved", election, {"voters": list(names)}, *removing(election, names), *also)


def removing(election: Election, names: Sequence[str]) -> list[Write]:
    """Refused for somebody who has voted."""
    entries = [Delete(sharding.voter_key(election, name), when=Equals("voted", False)) for name in names]
    return [*entries, repository.touched(election, -len(names))]
