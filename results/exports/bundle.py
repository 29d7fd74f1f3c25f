"""The bundle of a sealed election: all it takes to check it elsewhere, in one zip that always has the same bytes.

Its events are found through the log's index (election_events.py). Of a public checkpoint that covers any of them all
events are read, for it takes their digests to make its chain again; all others are passed over. So a bundle costs what
happened to the election, and what happened on the site in the same quarters of an hour; memory is bounded by one public
checkpoint, which covers a thousand numbers. The sealer's own checkpoints, of every few seconds, are joined: they would
reveal when single people voted.

Not disclosed are addresses of people who are on the roll by their address, the text of messages to the roll, and in a
secret election when people voted and, if very few have, who they were. An undisclosed event is there as its number and
its digest, which is enough for the chain; an entry of the roll as its commitment. Neither can be opened by trying,
for both have a nonce that is not published.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import IO, Any

import orjson

from ballots import repository as ballots
from elections import repository as elections
from elections import rolls
from elections.rolls import Voter
from elections.rules import Election
from elections.turnout.counts import tells_who
from foundation.acts.storage import table
from foundation.store.log.rewriting import as_sealed, is_rewritten, sealed_digest
from foundation.store.log.seal import ranges_over
from foundation.store.table import Item
from results import repository
from results.repository import Seal, Sealed
from results.services import RollCommitment, roll_entry

from .election_events import EventFilter, sealed_numbers

FORMAT = 2
PROGRAM, STV_PROGRAM = (Path(__file__).with_name(name).read_bytes() for name in ("verify.py", "verify_stv.py"))
MAX_BYTES_IN_MEMORY = 4 * 1024 * 1024  # bytes of an extract before it goes to a temporary file
CHUNK_BYTES = 64 * 1024  # bytes of it that are read at a time
SETTINGS = (
    *("kind", "fewest", "most", "majority", "method", "seats", "unranked"),
    *("secret_ballot", "electorate", "created_at"),
)
FOR_GROUPS = "for_groups"  # which voter groups may vote, if not all of the roll
WINDOW = ("no_voting_before", "no_voting_after", "time_zone")
MOMENTS = {"ElectionOpened": "opened_at", "ElectionClosed": "closed_at"}
VOTES = ("BallotCast", "BallotChanged", "BallotWithdrawn")
OF_MAIL = ("RemindersDeclined", "VotersMessaged", "InvitationWorded", "InvitationTested")
# What verify.py needs to know, none of which names a voter; strangers get nothing else.
OF_THE_COUNT = frozenset(
    {
        *("ElectionCreated", "ElectionUpdated", "ElectionRenamed", "CandidatesAdded", "CandidatesRemoved"),
        *("ElectionOpened", "InterruptionRecorded", "ElectionClosed", "BallotsSealed", "ResultSealed"),
    }
)
EXCLUDING = ("VotersRemoved", "VotersGrouped")  # by which people who are on the roll may no longer vote
OF_SKILLS = ("CandidateAgreed", "CandidateDisagreed", "CandidatesAsked")  # which have no part in the count


class NotSealedYet(Exception):
    """No public checkpoint covers the sealing of the result yet; there will be one in a moment."""


def bundle_version() -> str:
    """Version of what a bundle contains besides the election: its programs and README."""
    return hashlib.sha256(f"{FORMAT}\n{README}".encode() + PROGRAM + STV_PROGRAM).hexdigest()[:16]


def bundle(found: Sealed, *, names_voters: bool = True) -> IO[bytes]:
    """The zip as a temporary file. For strangers it names no voters: the roll is given by commitments, and the log only
    as far as the count needs it."""
    election, seal = found.election, found.seal
    more = [repository.find(election.name, each.number) for each in election.more]
    questions = [found, *(each for each in more if isinstance(each, Sealed))]
    extract = extract_log(election, seal, names_voters=names_voters)
    file = TemporaryFile()  # noqa: SIM115 - it is the response, which closes it
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        add = _Writer(archive, seal.sealed_at)
        add("README.txt", [README.format(name=election.name).encode()])
        add("verify.py", [PROGRAM])
        if any(each.election.method == "stv-scottish" for each in questions):
            add("verify_stv.py", [STV_PROGRAM])
        for each in questions:
            folder = f"question-{each.election.number}/" if each.election.number > 1 else ""
            add(
                f"{folder}rules.json",
                [json.dumps(rules_of(each, extract), ensure_ascii=False, indent=1).encode() + b"\n"],
            )
            add(f"{folder}roll.json", roll(each.election, each.seal, names_voters=names_voters))
            add(f"{folder}ballots.json", published(each.election, names_voters=names_voters))
            add(f"{folder}result.json", [each.report.as_json().encode()])
        add("events.jsonl", _pieces(extract.events))
        add("checkpoints.jsonl", _pieces(extract.checkpoints))
    file.seek(0)
    return file


class _Writer:
    """Adds files to a zip, each with the time of the seal, so that the bytes are reproducible."""

    def __init__(self, archive: zipfile.ZipFile, sealed_at: str):
        self.archive = archive
        self.time = datetime.fromisoformat(sealed_at).timetuple()[:6]

    def __call__(self, name: str, pieces: Iterable[bytes]) -> None:
        place = zipfile.ZipInfo(name, self.time)
        place.compress_type, place.create_system, place.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
        with self.archive.open(place, "w") as file:
            file.writelines(pieces)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    return iter(partial(file.read, CHUNK_BYTES), b"")


def _joined(opening: bytes, lines: Iterable[bytes], closing: bytes) -> Iterator[bytes]:
    """A JSON list with one item per line, streamed."""
    comma = opening
    for each in lines:
        yield comma + each
        comma = b",\n"
    yield (closing if comma != opening else opening + closing)


# --- rules, roll, ballots ---


def rules_of(found: Sealed, extract: Extract) -> dict[str, Any]:
    election = found.election
    candidates = sorted(elections.candidates(election.name, election.number), key=lambda each: each.number)
    return {
        "format": FORMAT,
        "election": election.name,
        **({"question": election.number, "title": election.title} if election.more else {}),
        **{name: getattr(election, name) for name in SETTINGS},
        **({FOR_GROUPS: list(election.for_groups)} if election.for_groups else {}),
        **({"convened": asdict(election.convened)} if election.convened else {}),
        "seed": found.seal.seed,
        "lots_commitment": election.lots_commitment,
        "lots_secret": found.seal.lots_secret,
        **{name: getattr(election, name) for name in WINDOW},
        **extract.moments,
        "sealed_at": extract.sealed[election.number],
        "candidates": [{"number": each.number, "name": each.name} for each in candidates],
    }


def public_voter_name(voter: str) -> str:
    """A voter's name as published: an address is shortened so that only its owner recognises it."""
    name, at, domain = voter.rpartition("@")
    return f"{name[:1]}…@{domain}" if at else voter


def roll(election: Election, seal: Seal, *, names_voters: bool = True) -> Iterator[bytes]:
    """Who may vote, and whether they have; each with what it takes to hold the roll against what was sealed."""
    may_vote = voted = votes = 0
    entries = _Roll(election, seal, names_voters=names_voters)

    def lines() -> Iterator[bytes]:
        nonlocal may_vote, voted, votes
        for voter in rolls.every_voter(election):
            if not election.is_for(voter.groups):
                continue
            may_vote, voted, votes = may_vote + 1, voted + voter.voted, votes + voter.weight
            yield orjson.dumps(entries.entry(voter))

    yield from _joined(b'{"voters": [\n', lines(), b"\n],\n")
    yield f'"may_vote": {may_vote}, "votes": {votes}, "voted": {voted}}}\n'.encode()


class _Roll:
    """Roll entries as published: those disclosed in full with their nonce, the others as commitments."""

    def __init__(self, election: Election, seal: Seal, *, names_voters: bool):
        self.names_voters = names_voters
        self.tells_who = names_voters and tells_who(election, seal.ballots)
        self.commitment = RollCommitment(seal.roll_secret)

    def entry(self, voter: Voter) -> Item:
        name = public_voter_name(voter.name) if self.names_voters else ""
        entry = {"name": name, "voted": voter.voted if self.tells_who else None}
        entry |= rolls.weight_fields(voter.weight) if self.names_voters else {}
        nonce, commitment = self.commitment.add(roll_entry(voter.name, voter.voted, voter.weight))
        is_disclosed = self.tells_who and name == voter.name
        return entry | ({"nonce": nonce.hex()} if is_disclosed else {"commitment": commitment.hex()})


def published(election: Election, *, names_voters: bool = True) -> Iterator[bytes]:
    """The published ballots, sorted by their codes; those of a public election with who cast them."""
    every = ballots.every_published(election.name, election.number)
    if election.secret_ballot:
        shown: Iterable[Item] = every
    elif names_voters:
        shown = ({**each, "voter_name": public_voter_name(each["voter_name"])} for each in every)
    else:
        shown = ({key: value for key, value in each.items() if key != "voter_name"} for each in every)
    return _joined(b"[\n", map(orjson.dumps, shown), b"\n]\n")


# --- the log ---


def _spool() -> IO[bytes]:
    return SpooledTemporaryFile(MAX_BYTES_IN_MEMORY)  # closed when the extract is garbage-collected


@dataclass
class Extract:
    """The events of one election and the checkpoints that cover them, as lines of JSON."""

    events: IO[bytes] = field(default_factory=_spool)
    checkpoints: IO[bytes] = field(default_factory=_spool)
    moments: dict[str, str] = field(default_factory=dict)
    sealed: dict[int, str] = field(default_factory=dict)  # when, by the number of the question


def extract_log(election: Election, seal: Seal, *, names_voters: bool = True) -> Extract:
    follower, extract = EventFilter(election, seal.report_digest), Extract()
    for stretch in ranges_over(table(), sealed_numbers(follower.names)):
        ours = {number: event for number, event in stretch.events.items() if follower.matches(event)}
        for event in ours.values():
            is_disclosed = is_disclosable(event, election) and (names_voters or event["event_type"] in OF_THE_COUNT)
            if is_disclosed:
                line = as_sealed(event)
            else:  # its number and its digest; and whether others may no longer vote by it, as the log tells them here
                withheld = {"event_id": event["event_id"], "digest": sealed_digest(event).hex()}
                line = orjson.dumps(withheld | ({"excludes": True} if event["event_type"] in EXCLUDING else {}))
            extract.events.write(line + b"\n")
            if name := MOMENTS.get(event["event_type"]):
                extract.moments[name] = event["when_occurred"]
            if event["event_type"] == "ResultSealed":
                extract.sealed[event["event_data"].get("question", 1)] = event["when_occurred"]
        if ours:
            extract.checkpoints.write(orjson.dumps(stretch.proof(list(ours))) + b"\n")
        if follower.done:
            extract.events.seek(0)
            extract.checkpoints.seek(0)
            return extract
    raise NotSealedYet


def is_disclosable(event: Item, election: Election) -> bool:
    """Addresses and mails are not disclosed; nor, in a secret election, when people voted.

    An event about a message has a digest of its text, which could be guessed. A rewritten event no longer has the bytes
    its digest was made of.
    """
    event_data = event["event_data"]
    people = [*event_data.get("voters", ()), event_data.get("voter_name", ""), event_data.get("voter", "")]
    withheld = (*(VOTES if election.secret_ballot else ()), *OF_MAIL, *OF_SKILLS)
    return not (any("@" in name for name in people) or event["event_type"] in withheld or is_rewritten(event))


README = """\
{name}

This folder holds all that is needed to check this election without the site it was held on.

    python3 -I verify.py

counts the ballots again and compares everything below. It needs Python 3.8 or later and nothing else, reads only the
files beside it, and is short enough to read before you run it. With -I, Python takes no program from this folder but
the one you name. Elections by the Scottish rules of STV come with
verify_stv.py, which repeats that count stage by stage; counts by Meek's rules are checked by their digest only.

rules.json         what was decided before the first vote: how ballots are counted, how many seats there are, what
                   leaving a candidate out means; the candidates, with the numbers used on ballots; and when voting
                   opened and closed and the ballots were counted (all times are UTC). Lots are drawn from the seed,
                   which was made at the close: lots_commitment, public while voting was open, is the SHA-256 of two
                   lines, "plenum: commitment to lots" and lots_secret; the seed is that of three, "plenum: seed of
                   lots", lots_secret and the digest of the ballots. Of tied candidates, the one is drawn for whom the
                   SHA-256 of five lines is smallest: seed, method, what is chosen ("elimination", "transfer", and
                   where marks or values are counted "election", "finalists" or "runoff"), round or seat, name. There
                   is no newline at the end. An election that an assembly called for has "convened": which assembly and
                   when, how many were present of how many entitled (0: unknown), the quorum ("25": a number; "1/4":
                   at least that share of those entitled; ">1/2": more than that share), whether it was met, and how
                   many of those present were put on the roll. The event that created the election says the same, and
                   verify.py works out again whether the quorum was met.
roll.json          who may vote, and whether they have (true or false; null where so few have voted in a secret
                   election that it would reveal how); addresses are shortened. If rules.json has "for_groups", only
                   people in one of these voter groups may vote: the events VotersAdded and VotersGrouped say who is in
                   which, and verify.py works out again who may vote. An entry that is disclosed in full has
                   a nonce: the SHA-256 of the nonce and of [name,voted] as JSON without spaces, or [name,voted,weight]
                   if their vote counts several times, is its commitment. Any other has the commitment itself, which
                   reveals nothing without its nonce. The SHA-256 of all commitments, in this order, was sealed with
                   the result: the event ResultSealed has it as roll_commitment. If you downloaded this bundle without
                   an account or a voting link, the roll has commitments only and no names
ballots.json       every ballot, sorted by its code. A ranking such as 2>0=1 puts candidate 2 first, then 0 and 1 as
                   equals; candidates who are not in it were left out. Marks are one group of equals: 0=3. Values
                   come after their group: 0=4@5>1@3 gives 5 to candidates 0 and 4 and 3 to candidate 1. In a public
                   election each says who cast it. One with a weight counts so many times, and somebody with that
                   weight has voted
result.json        the result as it was sealed, with all its reasons
events.jsonl       the events of this election in the site's log, one on each line, exactly as stored: the SHA-256 of a
                   line, without its newline, is the digest of the event. Events that would disclose addresses, messages
                   or when somebody voted in secret are there by their number and digest only, and so, for the public,
                   are all that name voters. With "excludes", such an event takes people off the roll or into other
                   groups, so that some who may vote by the other events may not be on it. Each event has a random
                   nonce, so that nobody can guess the content of a digest
checkpoints.jsonl  the public checkpoints of the log that cover these events. The chain starts from "previous"; every
                   event, in the order of the numbers, makes it SHA-256(chain + digest of the event), and it must end
                   at "hash". "digests" has the digests of all events covered, one after another, and "events" says
                   which of them belong to this election. "sealed_by" is the time by which all events covered had been
                   recorded and sealed, always the end of a quarter of an hour, for the exact time could reveal when
                   somebody voted; it ends the chain: "hash" is SHA-256(chain + the SHA-256 of two lines, "plenum:
                   sealed by" and that time). Checkpoints of earlier versions have "published_at" instead, which
                   nothing proves, and their "hash" is the chain itself

Where an election asks several questions, the files beside this one are about the first of them, and each other one
has a folder of its own, such as question-2, with its rules, its part of the roll, its ballots and its result. verify.py
checks all of them. Somebody who skipped a question has a blank ballot in it. In a secret election the ballots of one
person have different codes in different questions, and nothing here joins them. The seed of a question other than the
first is the SHA-256 of four lines, of which the last is its number.

What this proves: if everything matches, nobody has changed a ballot, a rule or an event in here since the log was
sealed, there are as many ballots as people who voted, and, for the methods that verify.py counts itself, the count is
right. What it cannot prove by itself is that the log was not rewritten as a whole, with other checkpoints. For that,
compare the checkpoint that verify.py prints with one that somebody has written down: the site shows the newest one on
its front page, and many people may have saved it. Nor can it prove that no event of this election is missing from the
bundle, or what is in events that are given by their digest only because they name people; auditors of the site can look
those up. If you voted, look for the code on your receipt in ballots.json: the ranking beside it must be yours.
"""
