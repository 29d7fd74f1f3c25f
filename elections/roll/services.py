"""Actions on the roll: add voters, change what is known of them, correct an address, remove voters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import User
from elections import repository, rolls, rules, sharding, voter_lists
from elections.actions import check, record
from elections.rolls import Voter
from elections.rules import Action, Election, State
from elections.turnout.counts import tells_who, turnout
from elections.voter_lists import Details, VoterRow
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.pages.lists import Verdict
from foundation.store import keys
from foundation.store.splitting import by_count
from foundation.store.table import Delete, Equals, Exists, Item, Key, Put, Update, Write

DetailsByName = Mapping[str, Details]  # of voters, by the name or address they are listed by
NO_DETAILS: DetailsByName = {}
NOBODY = Voter("")
NOT_SHOWN = gettext_lazy(
    "While the roll does not show who has voted, no address can be corrected, as that would reveal it. Usually it is "
    "shown once three people have voted."
)


class UnknownNames(Refusal):
    """Names for the roll that no account here has."""


@dataclass(frozen=True, slots=True)
class Addition:
    """What is known of voters that are added to a roll, and what is written with them."""

    known: DetailsByName = field(default_factory=dict)
    event_data: Mapping[str, str] = field(default_factory=dict)  # in the event, beside the voters
    entry_writes: Callable[[Put], list[Write]] = lambda entry: [entry]  # for each new entry
    more_writes: Callable[[int, int], list[Write]] = lambda added, unknown: []  # by how many are new, and unknown here


def add_voters(actor: User, election: Election, names: Sequence[str], known: DetailsByName = NO_DETAILS) -> int:
    """Add people who are not on the roll yet; returns how many. In a draft, those who are get the groups they are known
    to be in, and the weight they are known to have.

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
    return put_on_roll(actor, election, distinct, known)


def _is_known(name: str, accounts: Collection[str]) -> bool:
    return not rolls.is_by_account(name) or keys.fold(name) in accounts


def put_on_roll(actor: User, election: Election, names: Iterable[str], known: DetailsByName = NO_DETAILS) -> int:
    """A batch at a time; returns how many were new."""
    return sum(add_batch(actor, election, batch, Addition(known)) for batch in by_count(names))


def add_batch(actor: User, election: Election, batch: Sequence[str], addition: Addition) -> int:
    """Add the new voters of a batch in one transaction, and return how many."""
    known = addition.known
    if not election.filling:  # a copy gets what there was, and does not open so
        check_weights(election, known.values())
    rules.check_listing(election, batch)
    on_roll, accounts = rolls.roll_and_accounts(election, batch)
    missing = [name for name in batch if keys.fold(name) not in on_roll]
    new = [name for name in missing if _is_known(name, accounts)]
    more = addition.more_writes(len(new), len(missing) - len(new))
    election, groups = _spelled(election, batch, known, on_roll)
    listed = {name: on_roll[keys.fold(name)] for name in batch if keys.fold(name) in on_roll}
    election = _change_listed(actor, election, listed, known, groups)
    if new:
        bound = {name: accounts[keys.fold(name)] for name in new if keys.fold(name) in accounts}
        details = {name: replace(known.get(name, Details()), groups=tuple(groups.get(name, ()))) for name in new}
        event_data: Item = {"voters": new, "accounts": [bound.get(name) for name in new], **addition.event_data}
        if any(each.groups for each in details.values()):
            event_data["groups"] = [list(each.groups or ()) for each in details.values()]
        if any((each.weight or 1) != 1 for each in details.values()):
            event_data["weights"] = [each.weight or 1 for each in details.values()]
        added = adding(election, new, bound, details)
        writes = [w for each in added for w in (addition.entry_writes(each) if isinstance(each, Put) else [each])]
        record(actor, "VotersAdded", election, event_data, *writes, *more)
    elif more:
        table().write(*more)
    return len(new)


def _change_listed(
    actor: User,
    election: Election,
    listed: Mapping[str, Voter],
    known: DetailsByName,
    groups: Mapping[str, list[str]],
) -> Election:
    """Change what is known of people on the roll already; returns the election with the new voter groups.

    Groups and weights are changed in a draft only: once it is open, they decide who may vote and how much. What letters
    need is changed at any time, as an address may turn out to be wrong; the log says of whom, and nothing else.
    """
    if election.stored_state == State.DRAFT:
        regrouped = {name: own for name, own in groups.items() if name in listed and listed[name].groups != tuple(own)}
        if regrouped:
            event_data: Item = {"voters": list(regrouped), "groups": list(regrouped.values())}
            record(actor, "VotersGrouped", election, event_data, *grouping(election, regrouped))
            election = replace(election, voter_groups=_with_new(election, regrouped.values()) or election.voter_groups)
        weights = {name: known[name].weight for name in listed if name in known}
        reweighed = {name: new or 1 for name, new in weights.items() if new is not None}
        reweighed = {name: new for name, new in reweighed.items() if new != listed[name].weight}
        if reweighed:
            event_data = {"voters": list(reweighed), "weights": list(reweighed.values())}
            record(actor, "VotersWeighted", election, event_data, *weighting(election, reweighed))
    readdressed = {name: _new_fields(voter, known[name]) for name, voter in listed.items() if name in known}
    readdressed = {name: fields for name, fields in readdressed.items() if fields}
    if readdressed:
        places = {name: sharding.voter_key(election, name) for name in readdressed}
        writes = [Update(places[name], set=fields, when=Exists()) for name, fields in readdressed.items()]
        record(actor, "VotersReaddressed", election, {"voters": list(readdressed)}, *writes)
    return election


def adding(
    election: Election, names: Sequence[str], accounts: Mapping[str, str], known: DetailsByName = NO_DETAILS
) -> list[Write]:
    details = {name: known.get(name, Details()) for name in names}
    entries = (rolls.new_voter(election, name, accounts.get(name), each) for name, each in details.items())
    counts = _counts(election, details.values())
    groups = _with_new(election, [each.groups or () for each in details.values()])
    weighted = any((each.weight or 1) != 1 for each in details.values())
    more = partial(repository.touched, election, len(names), groups=groups, weighted=weighted)
    return [*entries, more(by_letter=sum(map(rolls.is_by_number, names)), counts=counts)]


def is_grouped(election: Election, known: DetailsByName) -> bool:
    """Whether voters who are on the roll already get into the groups they are known to be in, or another weight."""
    tells = any(each.groups is not None or each.weight is not None for each in known.values())
    return election.stored_state == State.DRAFT and tells


def _counts(election: Election, details: Iterable[Details]) -> dict[int, repository.RollCounts]:
    """For each question, how many of these voters may not vote on it, and how many votes the others have beyond one
    each; and under `NO_QUESTION`, how many may not vote at all. A draft does not count them: it may still change."""
    if election.stored_state == State.DRAFT:
        return {}
    every, counts = list(details), {}
    for question in election.questions:
        entitled = [each for each in every if question.is_for(each.groups or ())]
        extra = sum((each.weight or 1) - 1 for each in entitled)
        counts[question.number] = repository.RollCounts(len(every) - len(entitled), extra)
    if election.more:
        unasked = sum(not election.questions_for(each.groups or ()) for each in every)
        counts[repository.NO_QUESTION] = repository.RollCounts(unasked)
    return counts


# --- voter groups ---


def _spelled(
    election: Election, names: Iterable[str], known: DetailsByName, on_roll: Mapping[str, Voter]
) -> tuple[Election, dict[str, list[str]]]:
    """All voter groups of those of whom they are known, spelled and sorted as on the roll; and the election as it is
    now, if some are new."""
    wanted = {
        name: (*groups, *(on_roll.get(keys.fold(name), NOBODY).groups if known[name].adds else ()))
        for name in names
        if name in known and (groups := known[name].groups) is not None
    }
    if _with_new(election, wanted.values()):
        election = repository.find(election.name) or election
    every = _with_new(election, wanted.values()) or election.voter_groups
    if len(every) > rules.MAX_VOTER_GROUPS:
        sentence = _("People on a roll can be in at most %(most)d different voter groups; these are in %(count)d.")
        raise rules.WrongState(sentence % {"most": rules.MAX_VOTER_GROUPS, "count": len(every)})
    folded = {name: set(map(keys.fold, own)) for name, own in wanted.items()}
    return election, {name: [each for each in every if keys.fold(each) in own] for name, own in folded.items()}


def _with_new(election: Election, groups: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """All voter groups of the roll with these, if some of these are new there."""
    every = {keys.fold(each): each for each in election.voter_groups}
    for name in (each for some in groups for each in some):
        every.setdefault(keys.fold(name), name)
    return tuple(every.values()) if len(every) > len(election.voter_groups) else ()


def grouping(election: Election, groups: Mapping[str, Sequence[str]]) -> list[Write]:
    """Refused for somebody who is no longer on the roll."""
    entries = [
        Update(sharding.voter_key(election, name), set={"groups": list(own)}, when=Exists())
        for name, own in groups.items()
    ]
    return [*entries, repository.touched(election, groups=_with_new(election, groups.values()))]


# --- weights ---


def check_weights(election: Election, known: Iterable[Details]) -> None:
    """Refuse weights where everybody here may vote, and where ballots are secret."""
    if all((each.weight or 1) == 1 for each in known):
        return
    if election.electorate != "listed":
        raise rules.WrongState(rules.NO_WEIGHTS)
    if election.secret_ballot:
        raise rules.WrongState(rules.NO_SECRET_WEIGHTS)


def remove_weights(actor: User, election: Election) -> None:
    """From now on everybody on the roll of a draft has one vote."""
    check(actor, election, Action.REMOVE_VOTERS)
    several = [voter.name for voter in rolls.every_voter(election) if voter.weight != 1]
    put_on_roll(actor, election, several, dict.fromkeys(several, Details(weight=1)))


def weighting(election: Election, weights: Mapping[str, int]) -> list[Write]:
    """Refused for somebody who is no longer on the roll."""
    entries = [
        Update(
            sharding.voter_key(election, name),
            set=rolls.weight_fields(weight),
            remove=("weight",) if weight == 1 else (),
            when=Exists(),
        )
        for name, weight in weights.items()
    ]
    return [*entries, repository.touched(election, weighted=True)]


# --- what letters need ---


def list_by_letter(actor: User, election: Election, number: str, details: Details, *, is_new: bool) -> None:
    """Put somebody with a member number on the roll, or change all that letters to them need except the date of birth,
    which is not shown and stays if it is not given. A number that was mistyped changes nobody else's letter."""
    check(actor, election, Action.ADD_VOTERS)
    voter = rolls.on_roll(election, [number]).get(keys.fold(number))
    if voter is None:
        add_voters(actor, election, [number], {number: details})
        return
    if is_new:
        sentence = _("%(name)s is on the roll already. Press “Change” there to change the details.")
        raise rules.WrongState(sentence % {"name": voter.label})
    fields, there = rolls.letter_fields(details), rolls.letter_fields(voter.details)
    gone = there.keys() - fields.keys() - {"check"}
    if gone or there | fields != there:
        changed = Update(sharding.voter_key(election, voter.name), set=fields, remove=tuple(gone), when=Exists())
        record(actor, "VotersReaddressed", election, {"voters": [voter.name]}, changed)


def _new_fields(voter: Voter, details: Details) -> Item:
    """What is known of somebody who gets letters, and not on the roll yet."""
    wanted, there = rolls.letter_fields(details), rolls.letter_fields(voter.details)
    is_by_number = rolls.is_by_number(voter.name)
    return {name: value for name, value in wanted.items() if is_by_number and there.get(name) != value}


def compare(election: Election, rows: Sequence[VoterRow], groups: tuple[str, ...] = ()) -> list[VoterRow]:
    """The rows of a list again, with what comes of each if the list is put on the roll, all of it in these groups; and
    without weights where ballots are secret."""
    if election.secret_ballot:
        rows = [replace(row, weight=None) for row in rows]
    on_roll, accounts = rolls.roll_and_accounts(election, [row.value for row in rows if row.value])
    compared = [
        _with_change(election, row, on_roll[keys.fold(row.value)], groups)
        if row.verdict == Verdict.THERE and row.value
        else row
        for row in voter_lists.compare_with_roll(rows, on_roll, accounts)
    ]
    return compared if rules.takes_names(election) else voter_lists.refuse_names(compared, str(rules.EVERYBODY_HERE))


def _with_change(election: Election, row: VoterRow, voter: Voter, groups: tuple[str, ...]) -> VoterRow:
    """A row with another verdict if by it a letter to somebody on the roll changes or, in a draft, their voter groups
    or their weight."""
    if _new_fields(voter, voter_lists.details_of([row]).get(row.value or "", Details())):
        reason = _("On the roll already; the details for the letter change.")
        return replace(row, verdict=Verdict.CHANGED, reason=reason)
    after = (*(voter.groups if row.groups is None else row.groups), *groups)
    groups_change = {*map(keys.fold, voter.groups)} != {*map(keys.fold, after)}
    weight_changes = row.weight not in (None, voter.weight)
    if election.stored_state != State.DRAFT or not (groups_change or weight_changes):
        return row
    if not weight_changes:
        reason = _("On the roll already; the voter groups change.")
    elif not groups_change:
        reason = _("On the roll already; the weight changes.")
    else:
        reason = _("On the roll already; the voter groups and the weight change.")
    return replace(row, verdict=Verdict.CHANGED, reason=reason)


def remove_voter(actor: User, election: Election, name: str) -> None:
    remove_together(actor, election, [name])


def remove_together(actor: User, election: Election, names: Iterable[str]) -> None:
    """From the roll of a draft, a batch at a time."""
    check(actor, election, Action.REMOVE_VOTERS)
    for batch in by_count(names):
        remove_voters(actor, election, batch)


def remove_voters(actor: User, election: Election, names: Sequence[str], *also: Write) -> None:
    record(actor, "VotersRemoved", election, {"voters": list(names)}, *removing(election, names), *also)


def removing(election: Election, names: Sequence[str]) -> list[Write]:
    """Refused for somebody who has voted."""
    entries = [Delete(sharding.voter_key(election, name), when=Equals("voted", False)) for name in names]
    tells = any(each.for_groups or each.extra_votes for each in election.questions)
    gone = [each.details for each in rolls.on_roll(election, names).values()] if tells else []
    by_letter = sum(map(rolls.is_by_number, names))
    counts = {number: each.negative for number, each in _counts(election, gone).items()}
    return [*entries, repository.touched(election, -len(names), by_letter=-by_letter, counts=counts)]


# --- correcting an address ---
#
# Possible while the election is open, until the voter has voted. Refusing it for somebody who has voted tells that they
# have. So where the roll page does not say who has voted, it is possible only before the first vote: in a secret
# election with one or two votes, for nobody.


def check_correction(election: Election, voter: str, address: str) -> Item:
    """The voter's entry; refuse what cannot be corrected."""
    voted = turnout(election).voted
    if voted and not tells_who(election, voted):
        raise rules.WrongState(NOT_SHOWN)
    if not rolls.is_by_address(voter):
        raise rules.WrongState(_("%(name)s is not listed by an address.") % {"name": voter})
    if (entry := table().get(sharding.voter_key(election, voter))) is None:
        raise rules.WrongState(_("%(name)s is not on the roll.") % {"name": voter})
    if rolls.on_roll(election, [address]):
        raise rules.WrongState(_("%(name)s is on the roll already.") % {"name": address})
    if entry["voted"]:
        raise rules.WrongState(_("%(name)s has voted, so the address stays as it is.") % {"name": voter})
    return entry


def correcting(election: Election, entry: Item, address: str) -> tuple[Put, list[Write]]:
    """The new entry, and what removes the old one: refused if they have voted."""
    new = rolls.new_voter(election, address, None, rolls.voter_of(entry).details)
    old = Delete(Key(entry["PK"], entry["SK"]), when=Equals("voted", False))
    return new, [old, repository.touched(election)]
