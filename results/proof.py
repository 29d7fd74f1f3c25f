"""Whether a sealed election is still what was sealed: its ballots, how they were counted, its result, lots and roll.

Everything is held against the log, which the checkpoints hold together in turn (foundation/store/log/seal.py). The
ballots of a secret election entered it when it was sealed, those of a public one as they were cast. Ballots are
compared one by one, and only different rankings are kept, as by every count. The box of a secret election is emptied
once its ballots are published: whatever is left in it must be what was sealed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import groupby
from operator import itemgetter

from ballots import repository as ballots
from ballots.external_sort import Line, Sorter
from ballots.rules import Mismatch, PublishedBallot, compare, compare_remaining
from elections.repository import candidates_of
from elections.rules import Election, State
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Item
from foundation.tally import lots
from foundation.tally.ballots import BadBallot, Ballots
from results.services import roll_commitment

from . import repository
from .exports.election_events import events_of
from .repository import Seal

AMONG_PUBLISHED = "among the published ballots"
WITHDRAWN = PublishedBallot("", "")


def check_sealed(election: Election) -> str | None:
    """The first difference between a closed election and its seal, as a sentence; none if all matches.

    An election that was not sealed yet has nothing to check.
    """
    if election.stored_state != State.CLOSED:
        return None
    try:
        for question in election.questions:
            _check(question)
    except Mismatch as flaw:
        return f"Election “{election.name}”: {flaw}"
    return None


def _check(election: Election) -> None:
    there = table().get(keys.result(election.name, election.number))
    with closing(ballots.sorter()) as changes, closing(ballots.sorter()) as ordered:
        commitment, event_data = _read_log(election, changes)
        if event_data is None and there is None:
            return
        if event_data is None or there is None:
            raise Mismatch(
                "the result that was sealed is gone." if event_data else "the log knows nothing of its sealed result."
            )
        ordered.add(_last_of_each_place(changes))
        compare(
            ballots.published_ballots_in(ordered),
            map(PublishedBallot.of, ballots.every_published(election.name, election.number)),
            AMONG_PUBLISHED,
        )
        compare_box = compare_remaining if election.secret_ballot else compare
        with closing(ballots.sort_ballots(election)) as box:
            compare_box(ballots.published_ballots_in(ordered), ballots.published_ballots_in(box), "in the ballot box")
    seal = repository.seal_of(there)
    _check_counted(election, seal, event_data)
    _check_result(election, seal, event_data)
    _check_roll(election, seal, event_data)
    _check_lots(election, seal, event_data, commitment)


# --- what was sealed ---


def _read_log(election: Election, changes: Sorter) -> tuple[str, Item | None]:
    """Take what became of the ballots from the log; answers the commitment of the lots, and what it says of the sealed
    result, if it says anything."""
    commitment, result = "", None
    for number, event in enumerate(events_of(election)):
        kind, event_data = event["event_type"], event["event_data"]
        is_about_this = event_data.get("question", 1) == election.number
        if kind == "BallotsSealed" and is_about_this:
            changes.add(
                _change(item["confirmation"], number, PublishedBallot.of(item)) for item in event_data["ballots"]
            )
        elif kind == "BallotCast" and not election.secret_ballot:
            answers = dict(event_data["answers"]) if "answers" in event_data else {1: event_data["rankings"]}
            if (ranking := answers.get(election.number)) is not None:
                ballot = PublishedBallot.of(event_data | {"rankings": ranking})
                changes.add([_change(keys.fold(event_data["voter_name"]), number, ballot)])
        elif kind == "BallotWithdrawn" and not election.secret_ballot:
            changes.add([_change(keys.fold(event_data["voter_name"]), number)])
        elif kind == "ElectionOpened":
            commitment = event_data["lots_commitment"]
        elif kind == "ResultSealed" and is_about_this:
            result = event_data
    return commitment, result


def _change(place: str, number: int, ballot: PublishedBallot = WITHDRAWN) -> Line:
    """Sorted by place, and there by when it happened. A place is hashed, as there may be a tab in a name."""
    return ballots.as_line((hashlib.sha256(place.encode()).hexdigest(), f"{number:012}", *ballot))


def _last_of_each_place(changes: Iterable[Line]) -> Iterator[Line]:
    for _place, there in groupby((each.split("\t", 2) for each in changes), itemgetter(0)):
        *_earlier, (_place, _number, ballot) = there
        if not ballot.startswith("\t"):
            yield ballot


# --- what is there ---


def _check_counted(election: Election, seal: Seal, event_data: Item) -> None:
    """The rankings that what-ifs and recounts start from are those of the ballots."""
    try:
        stored = repository.counted(election, seal.candidates).normal
        every = Counter(
            (each["rankings"], each.get("weight")) for each in ballots.every_published(election.name, election.number)
        )
        cast = _numbered(election, seal, ballots.votes_of(every))
    except (BadBallot, TypeError, ValueError):
        raise Mismatch("the rankings as they were counted cannot be read any more.") from None
    if stored.counts != cast.counts:
        differing = {ranking for ranking, count in cast.counts.items() if stored.counts.get(ranking, 0) != count}
        for ballot in map(PublishedBallot.of, ballots.every_published(election.name, election.number)):
            if differing & _numbered(election, seal, {ballot.ranking: 1}).counts.keys():
                raise Mismatch(f"the ballot {ballot.code} is not among the counted rankings as it was sealed.")
        raise Mismatch("a ranking was counted that nobody has cast.")
    if stored.digest != event_data["digest"]:
        raise Mismatch("the candidates and rankings as they were counted do not have the digest that was sealed.")


def _numbered(election: Election, seal: Seal, counts: Mapping[str, int]) -> Ballots:
    """Rankings as counts have them: with candidates numbered in the order of their names."""
    names = {each.number: each.name for each in candidates_of(election)}
    numbers = range(max(names, default=-1) + 1)
    every = Ballots(tuple(names.get(number, f"#{number}") for number in numbers), counts)
    return every.in_order(seal.candidates).normal


def _check_result(election: Election, seal: Seal, event_data: Item) -> None:
    if (seal.ballots, seal.digest, seal.report_digest) != (
        event_data["ballots"],
        event_data["digest"],
        event_data["report_digest"],
    ):
        raise Mismatch("the digests kept with its result are not those that were sealed.")
    digest = hashlib.sha256()
    for part in table().each(keys.result_parts(election.name, election.number)):
        digest.update(part["text"].encode())
    if digest.hexdigest() != event_data["report_digest"]:
        raise Mismatch("the text of its result is not what was sealed.")


def _check_roll(election: Election, seal: Seal, event_data: Item) -> None:
    if not seal.roll_secret:
        raise Mismatch("the secret is gone without which its roll cannot be held against what was sealed.")
    roll = roll_commitment(election, seal.roll_secret)
    if roll.commitment != event_data["roll_commitment"]:
        raise Mismatch("the roll is not what was sealed: who is on it, or who has voted.")
    if roll.voted != event_data["ballots"] + event_data.get("withdrawn", 0):
        raise Mismatch("not as many have voted by its roll as there are ballots, counted and withdrawn.")
    if roll.votes < seal.turnout.votes:
        raise Mismatch("the ballots have more votes than those who have voted by its roll.")


def _check_lots(election: Election, seal: Seal, event_data: Item, commitment: str) -> None:
    """From the commitment at the opening to the secret, and from that and the ballots to the seed of every lot."""
    if election.lots_commitment != commitment:
        raise Mismatch("the commitment of its lots is not the one with which it was opened.")
    secret, seed = (event_data[name] for name in repository.LOTS)
    if (seal.lots_secret, seal.seed) != (secret, seed):
        raise Mismatch("the secret and the seed of its lots are not those that were sealed.")
    if secret and lots.commitment(secret) != commitment:
        raise Mismatch("the secret of its lots is not the one to which it was committed when it opened.")
    if seed != (lots.seed_of(secret, event_data["digest"], election.number) if secret else ""):
        raise Mismatch("the seed of its lots does not follow from the secret and the ballots.")
    found = repository.find(election.name, election.number)
    assert isinstance(found, repository.Sealed)
    result = found.report.result
    for lot in result.lots:  # drawn again; none can have been drawn if the secret was never published
        again = lots.draw(lot.names, seed=seed, method=result.method, where=lot.where, round=lot.round or 0)
        if again != lot or not seed:
            raise Mismatch(f"the lot between {', '.join(lot.names)} does not follow from the seed of its lots.")
