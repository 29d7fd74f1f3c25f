"""Keys of elections: the election, its lists and managers, its roll, ballots and result; groups."""

from __future__ import annotations

import re
from typing import Protocol

from foundation.store.keys.parts import METADATA, escape, part, shard_of, sharded
from foundation.store.table import Key, Span


def election(name: str) -> Key:
    return Key(f"ELECTION#{part(name)}", METADATA)


OF_QUESTION = re.compile(r"QUESTION#(\d{2,4})#(.*)", re.DOTALL)


def of_question(sort_key: str, question: int) -> str:
    """The first question has the keys of an election with one; those of the others begin with their number."""
    return sort_key if question == 1 else f"QUESTION#{question:02d}#{sort_key}"


def question_of(key: Key) -> tuple[int, Key]:
    """The number of the question of an election that an item belongs to, and its key if that were the first one."""
    if not (key.pk.startswith("ELECTION#") and (found := OF_QUESTION.fullmatch(key.sk))):
        return 1, key
    return int(found[1]), Key(key.pk, found[2], key.table)


def election_shard(name: str, shard: int, shards: int) -> str:
    """One of the partitions of an election's roll, gates and ballots."""
    return sharded(election(name).pk, shard, shards)


def under_new_name(pk: str, old: str, new: str) -> str:
    """The partition after a rename: the election's own, or the same shard."""
    return election(new).pk + pk.removeprefix(election(old).pk)


ELECTIONS = Span("ELECTIONS", index=True)
FOR_EVERYONE = Span("EVERYONE", index=True)
PUBLIC_ELECTIONS = Span("PUBLIC", index=True)
SEALING = Span("SEALING", index=True)
SHARED_RESULTS = Span("SHARED", index=True)
OPEN_MARKS = 4  # of an election that has shards: every cast reads one
OWN_ELECTIONS = Span("MINE")  # for cursors into a person's own elections; no item has such a key


def listed_election(name: str) -> Key:
    return Key("ELECTIONS", part(name))


def elections(prefix: str = "") -> Span:
    return Span("ELECTIONS", prefix=part(prefix))


def elections_in_state(state: str) -> Span:
    return Span(f"ELECTIONS#{state}", index=True)


def elections_made_at(state: str, created_at: str) -> Span:
    """The election created then, whatever its name is now."""
    return Span(f"ELECTIONS#{state}", index=True, prefix=f"{created_at}#")


def manager(election_name: str, person: str) -> Key:
    return Key(election(election_name).pk, f"MANAGER#{part(person)}")


def run_by(person: str) -> Span:
    return Span(f"RUNS#{part(person)}", index=True)


def candidate(election_name: str, name: str, question: int = 1) -> Key:
    return Key(election(election_name).pk, of_question(f"CANDIDATE#{part(name)}", question))


def need(election_name: str, skill_id: str) -> Key:
    return Key(election(election_name).pk, f"NEED#{escape(skill_id)}")


def agreement(election_name: str, candidate_name: str, question: int = 1) -> Key:
    """A candidate's consent to show their skills in this election."""
    return Key(election(election_name).pk, of_question(f"AGREED#{part(candidate_name)}", question))


def agreed_by(person: str) -> Span:
    return Span(f"AGREED#{part(person)}", index=True)


def filling_part(election_name: str, number: int) -> Key:
    """Some of the voters still to be added to the roll of a draft."""
    return Key(election(election_name).pk, f"FILLING#{number:02d}")


def all_of_election(election_name: str) -> Span:
    """Everything except what is in shards."""
    return Span(election(election_name).pk)


def all_in_shards(election_name: str, shards: int) -> list[Span]:
    """Everything in shards; nothing if the election has a single partition."""
    return [Span(election_shard(election_name, each, shards)) for each in range(shards)] if shards > 1 else []


# --- what there is once in an election or in each of its questions, and all of a kind ---


class OfElection(Protocol):
    def __call__(self, election_name: str, question: int = 1) -> Key: ...


class AllOfElection(Protocol):
    def __call__(self, election_name: str, question: int = 1) -> Span: ...


def _one(sort_key: str) -> OfElection:
    def key(election_name: str, question: int = 1) -> Key:
        return Key(election(election_name).pk, of_question(sort_key, question))

    return key


def _all(prefix: str) -> AllOfElection:
    def span(election_name: str, question: int = 1) -> Span:
        return Span(election(election_name).pk, prefix=of_question(prefix, question))

    return span


ROLL_SOURCES = Span("ROLLSOURCES", index=True)

roll_source = _one("SOURCE")  # what its roll follows
description = _one("DESCRIPTION")  # too long for an item that every page and every cast reads
snapshot = _one("SNAPSHOT")  # the skills it needs of candidates who agreed, as of its opening
turnout = _one("TURNOUT")  # how many voted in each hour or on each day, as far as the log has been read
for_everyone = _one("EVERYONE")
public_election = _one("PUBLIC")  # from its opening, if its result is or will be public
lots = _one("LOTS")  # the secret that it is committed to while open; deleted when revealed with the result
result = _one("RESULT")
candidate_qa = _one("QA")  # how many questions to candidates were sent, and when candidates were last mailed
sealing = _one("SEALING")
shared_result = _one("SHARED")  # a short form of a public result
reminders = _one("REMINDERS")
help_desk = _one("REQUESTS")  # how many requests to its organisers wait
invitation_words = _one("WORDS")  # the organisers' own text in the invitation, and who gets the replies

candidates = _all("CANDIDATE#")
needs = _all("NEED#")
agreements = _all("AGREED#")
filling_parts = _all("FILLING#")
voter_imports = _all("IMPORT#")
all_published = _all("PUBLISHED#")
result_parts = _all("RESULT#")
counted_parts = _all("COUNTED#")
failed_mails = _all("FAILED#")
candidate_questions = _all("ASKED#")
candidate_answers = _all("ANSWER#")
answer_links = _all("ANSWERING#")
messages = _all("MESSAGE#")
letter_batches = _all("LETTERBATCH#")
stations = _all("STATION#")
help_requests = _all("REQUEST#")
all_sent_requests = _all("SENDER#")


# --- questions to candidates ---

QUESTION_UPVOTES = 4  # items that upvotes are added to, so that those who upvote at once rarely contend


def candidate_question(election_name: str, question: str) -> Key:
    return Key(election(election_name).pk, f"ASKED#{escape(question)}")


def candidate_answer(election_name: str, question: str, candidate: int) -> Key:
    return Key(election(election_name).pk, f"ANSWER#{escape(question)}#{candidate:04d}")


def answer_link(election_name: str, candidate: int) -> Key:
    """Which links to answer as this candidate are valid."""
    return Key(election(election_name).pk, f"ANSWERING#{candidate:04d}")


def questions_upvoted(election_name: str, who: str) -> Key:
    """`who` is a keyed digest, never a name."""
    return Key(election(election_name).pk, f"UPVOTED#{escape(who)}")


def question_upvotes(election_name: str, who: str) -> Key:
    """The totals that a person's upvotes are added to."""
    return _upvotes(election_name, shard_of(who, QUESTION_UPVOTES))


def all_question_upvotes(election_name: str) -> list[Key]:
    return [_upvotes(election_name, each) for each in range(QUESTION_UPVOTES)]


def _upvotes(election_name: str, number: int) -> Key:
    return Key(election(election_name).pk, f"UPVOTES#{number}")


def questions_by(who: str) -> Span:
    """Questions to candidates by one account; `who` is a keyed digest of it."""
    return Span(f"ASKEDBY#{escape(who)}", index=True)


# --- rolls ---


def voter(election_name: str, name: str, shards: int = 1) -> Key:
    known = part(name)
    return Key(election_shard(election_name, shard_of(known, shards), shards), f"VOTER#{known}")


def voters(election_name: str, prefix: str = "", shards: int = 1) -> list[Span]:
    begins = f"VOTER#{part(prefix)}"
    return [Span(election_shard(election_name, each, shards), prefix=begins) for each in range(shards)]


def elections_of_voter(name: str) -> Span:
    return Span(f"VOTER#{part(name)}", index=True)


def letter(election_name: str, voter_name: str) -> Key:
    """By which a code leads to its voter, in an index by a keyed hash of the code."""
    return Key(election(election_name).pk, f"LETTER#{part(voter_name)}")


def letters_with(mark: str) -> Span:
    return Span(f"LETTERCODE#{escape(mark)}", index=True)


def letter_batch(election_name: str, number: int) -> Key:
    return Key(election(election_name).pk, f"LETTERBATCH#{number:05d}")


def link_request(mark: str) -> Key:
    """When an address was last mailed its links on request, by a keyed hash of the address."""
    return Key(f"LINKREQUEST#{escape(mark)}", METADATA)


def roll_sources_due(moment: str) -> Span:
    """Those due by now; later ones are not even read."""
    return Span(ROLL_SOURCES.pk, last=f"{moment}~", index=True)


def voter_import(election_name: str, digest: str) -> Key:
    return Key(election(election_name).pk, f"IMPORT#{escape(digest)}")


def imported_rows(election_name: str, digest: str, number: int) -> Key:
    return Key(election(election_name).pk, f"IMPORTED#{escape(digest)}#{number:05d}")


def multi_ballot(multi_ballot_id: str) -> Key:
    """Elections that were tied together, as earlier versions did; nothing reads it."""
    return Key(f"BOOK#{escape(multi_ballot_id)}", METADATA)


# --- groups ---


def group(group_id: str) -> Key:
    return Key(f"GROUP#{escape(group_id)}", METADATA)


def all_of_group(group_id: str) -> Span:
    return Span(group(group_id).pk)


def groups_of(person: str) -> Span:
    return Span(f"GROUPS#{part(person)}", index=True)


def group_name(person: str, name: str) -> Key:
    """Which of a person's groups has the name."""
    return Key(f"GROUPNAMES#{part(person)}", part(name))


def group_names(person: str) -> Span:
    return Span(f"GROUPNAMES#{part(person)}")


def member(group_id: str, name: str) -> Key:
    return Key(group(group_id).pk, f"MEMBER#{part(name)}")


def members(group_id: str, prefix: str = "") -> Span:
    return Span(group(group_id).pk, prefix=f"MEMBER#{part(prefix)}")


def groups_with(name: str) -> Span:
    """The groups a person is in, by name or by address."""
    return Span(f"GROUPED#{part(name)}", index=True)


def group_by_id(group_id: str) -> str:
    return escape(group_id)


def group_use(group_id: str, created_at: str, election_name: str) -> Key:
    return Key(group(group_id).pk, f"USED#{escape(created_at)}#{part(election_name)}")


def group_uses(group_id: str) -> Span:
    return Span(group(group_id).pk, prefix="USED#")


def coming_members(group_id: str, token: str, number: int) -> Key:
    """Part of a list that is being added to the group."""
    return Key(group(group_id).pk, f"COMING#{escape(token)}#{number:05d}")


def all_coming_members(group_id: str) -> Span:
    return Span(group(group_id).pk, prefix="COMING#")


# --- gates and ballots ---


def gate(election_name: str, number: int, shards: int = 1) -> Key:
    return gate_of(election(election_name), number, shards)


def gate_of(own: Key, number: int, shards: int = 1) -> Key:
    """As `gate`, by the key of the election."""
    return Key(sharded(own.pk, number % shards, shards), f"GATE#{number:02d}")


def open_mark(election_name: str, number: int) -> Key:
    """While it is there, a cast may decide on an election that is a second old.

    There are a few, each under a key of its own, so that neither reading nor deleting them has to wait.
    """
    return Key(sharded(f"{election(election_name).pk}#OPEN", number, OPEN_MARKS), "OPEN")


def open_marks(election_name: str) -> list[Key]:
    return [open_mark(election_name, number) for number in range(OPEN_MARKS)]


def ballot(election_name: str, voter: str, shards: int = 1, question: int = 1) -> Key:
    """For a secret ballot, a hash of its secret takes the place of the voter: not even its partition reveals who."""
    name = part(voter)
    pk = election_shard(election_name, shard_of(name, shards), shards)
    return Key(pk, of_question(f"BALLOT#{name}", question))


def ballots(election_name: str, shards: int = 1, question: int = 1) -> list[Span]:
    prefix = of_question("BALLOT#", question)
    return [Span(election_shard(election_name, each, shards), prefix=prefix) for each in range(shards)]


def ballots_by_time(election_name: str, since: str = "", shards: int = 1, question: int = 1) -> list[Span]:
    """The ballots of an election with live results in the order they were cast, from a moment on."""
    pk, first = of_question(f"BALLOTS#{part(election_name)}", question), since or None
    return [Span(sharded(pk, each, shards), first=first, index=True) for each in range(shards)]


def ballot_by_time(election_name: str, voter: str, shards: int = 1, question: int = 1) -> str:
    """The one of these lists that a ballot is in: that of its shard."""
    pk = of_question(f"BALLOTS#{part(election_name)}", question)
    return sharded(pk, shard_of(part(voter), shards), shards)


def published(election_name: str, number: int, question: int = 1) -> Key:
    """Some ballots of a closed election, sorted by code."""
    return Key(election(election_name).pk, of_question(f"PUBLISHED#{number:04d}", question))


# --- polling stations ---


def station(election_name: str, station_id: str) -> Key:
    return Key(election(election_name).pk, f"STATION#{escape(station_id)}")


def station_code(digest: str) -> Key:
    """Leads from the code that is typed in a booth to its station."""
    return Key(f"STATIONCODE#{escape(digest)}", METADATA)


# --- results ---


def result_part(election_name: str, number: int, question: int = 1) -> Key:
    return Key(election(election_name).pk, of_question(f"RESULT#{number:04d}", question))


def counted_part(election_name: str, number: int, question: int = 1) -> Key:
    """How often each ranking was cast, for some thousands of rankings."""
    return Key(election(election_name).pk, of_question(f"COUNTED#{number:04d}", question))


# --- mails ---


def mail_counts(election_name: str, created_at: str) -> Key:
    """With the time, so that mails of a deleted election are not counted for a later one of the same name."""
    return Key(election(election_name).pk, f"MAILS#{created_at}")


def failed_mail(election_name: str, kind: str, voter_name: str) -> Key:
    return Key(election(election_name).pk, f"FAILED#{escape(kind)}#{part(voter_name)}")


def message(election_name: str, digest: str) -> Key:
    return Key(election(election_name).pk, f"MESSAGE#{escape(digest)}")


# --- requests to the organisers ---


def help_request(election_name: str, request_id: str) -> Key:
    return Key(election(election_name).pk, f"REQUEST#{escape(request_id)}")


def requests_in(election_name: str, state: str) -> Span:
    """The inbox of an election's organisers: what waits, or what was answered, by date."""
    return Span(f"REQUESTS#{part(election_name)}#{state}", index=True)


def sent_request(election_name: str, sender: str, request_id: str) -> Key:
    """The entry by which a request is found by whoever sent it, by name or address."""
    return Key(election(election_name).pk, f"SENDER#{part(sender)}#{escape(request_id)}")


def requests_sent_in(election_name: str, sender: str) -> Span:
    return Span(election(election_name).pk, prefix=f"SENDER#{part(sender)}#")


def requests_sent_by(sender: str) -> Span:
    """In all elections."""
    return Span(f"SENDER#{part(sender)}", index=True)
