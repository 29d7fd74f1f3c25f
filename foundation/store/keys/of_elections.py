"""Keys of elections: the election, its lists and managers, its roll, ballots and result; groups; polls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from foundation.store.keys.declared import as_it_is, computed, computed_list, digits, index, key, single_list, span
from foundation.store.keys.parts import HOME, METADATA, escape, of_question, part, shard_of, sharded
from foundation.store.table import Key, Span

A = TypeVar("A", contravariant=True)


# --- what there is once in an election or in each of its questions, one of many there, and all of a kind ---


class OfElection(Protocol):
    def __call__(self, election_name: str, /, question: int = 1) -> Key: ...


class PartOfElection(Protocol[A]):
    def __call__(self, election_name: str, value: A, /, question: int = 1) -> Key: ...


class AllOfElection(Protocol):
    def __call__(self, election_name: str, /, question: int = 1) -> Span: ...


def _one(entity_type: str, sk: str, about: str) -> OfElection:
    def made(election_name: str, /, question: int = 1) -> Key:
        return Key(HOME + part(election_name), of_question(sk, question))

    return computed(entity_type, "ELECTION#{election}", sk, about)(made)


def _part(entity_type: str, sk: str, written: Callable[[A], str], about: str) -> PartOfElection[A]:
    first = sk.partition("{")[0]

    def made(election_name: str, value: Any, /, question: int = 1) -> Key:
        return Key(HOME + part(election_name), of_question(first + written(value), question))

    return computed(entity_type, "ELECTION#{election}", sk, about)(made)


def _all(prefix: str) -> AllOfElection:
    def made(election_name: str, /, question: int = 1) -> Span:
        return Span(HOME + part(election_name), of_question(prefix, question))

    return made


# fmt: off

election = key("ELECTION", "ELECTION#{name}", METADATA, part, about="An election: its settings and counts.")
listed_election = key("LISTED_ELECTION", "ELECTIONS", "{name}", part, about="An election in lists by name and state.")
manager = key("MANAGER", "ELECTION#{election}", "MANAGER#{person}", part, part,
              about="Somebody who runs an election, and what their list shows of it.")
need = key("NEED", "ELECTION#{election}", "NEED#{skill}", part, escape,
           about="A skill that an election needs, at what level, and from how many people.")
filling_part = key("FILLING", "ELECTION#{election}", "FILLING#{number}", part, digits(2),
                   about="Some of the voters still to be added to the roll of a draft.")

candidate = _part("CANDIDATE", "CANDIDATE#{name}", part, "A person or an option on the ballot.")
agreement = _part("AGREEMENT", "AGREED#{candidate}", part, "A candidate's consent to show their skills.")
published = _part("PUBLISHED", "PUBLISHED#{number}", digits(4), "Some ballots of a closed election, sorted by code.")
result_part = _part("RESULT_PART", "RESULT#{number}", digits(4), "Some of the text of a result's full report.")
counted_part = _part("COUNTED", "COUNTED#{number}", digits(4),
                     "How often each ranking was cast, for some thousands of rankings.")

roll_source = _one("ROLL_SOURCE", "SOURCE", "The source that a roll follows.")
description = _one("DESCRIPTION", "DESCRIPTION",
                   "What an election is about, too long for an item that every page and every cast reads.")
snapshot = _one("SNAPSHOT", "SNAPSHOT", "The needed skills of candidates who agreed to show them, as of the opening.")
turnout = _one("TURNOUT", "TURNOUT", "How many voted in each hour or on each day, as far as the log has been read.")
for_everyone = _one("FOR_EVERYONE", "EVERYONE", "Exists while everyone with an account may vote.")
public_election = _one("PUBLIC_ELECTION", "PUBLIC", "Exists from the opening on, if the result is or will be public.")
lots = _one("LOTS", "LOTS",
            "The secret that an election is committed to while open; deleted when revealed with the result.")
result = _one("RESULT", "RESULT", "The sealed result: its counts, its digests, and who won.")
candidate_qa = _one("CANDIDATE_QA", "QA",
                    "How many questions to candidates were sent, and when candidates were last mailed.")
sealing = _one("SEALING", "SEALING", "Exists while a result is being sealed, with how far that has come.")
shared_result = _one("SHARED_RESULT", "SHARED", "A short form of a public result.")
reminders = _one("REMINDERS", "REMINDERS", "Since when voters have been reminded, and when last.")
help_desk = _one("HELP_DESK", "REQUESTS", "How many requests to the organisers of an election wait.")
invitation_words = _one("INVITATION_WORDS", "WORDS",
                        "The organisers' own text in the invitation, and who gets the replies.")

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

all_of_election = span("ELECTION#{name}", "", part)  # except what is in shards

ELECTIONS = single_list("ELECTIONS", "{created_at}#{name}")
FOR_EVERYONE = single_list("EVERYONE", "{created_at}#{election}")
PUBLIC_ELECTIONS = single_list("PUBLIC", "{created_at}#{election}")
SEALING = single_list("SEALING", "{created_at}#{election}")
SHARED_RESULTS = single_list("SHARED", "{sealed_at}#{election}")
OWN_ELECTIONS = Span("MINE")  # for cursors into a person's own elections; no item has such a key
elections_in_state = index("ELECTIONS#{state}", "{created_at}#{name}", as_it_is)
run_by = index("RUNS#{person}", "{created_at}#{election}", part)
agreed_by = index("AGREED#{person}", "{created_at}#{election}", part)

# fmt: on


def election_shard(name: str, shard: int, shards: int) -> str:
    """One of the partitions of an election's roll, gates and ballots."""
    return sharded(HOME + part(name), shard, shards)


def under_new_name(pk: str, old: str, new: str) -> str:
    """The partition after a rename: the election's own, or the same shard."""
    return election(new).pk + pk.removeprefix(election(old).pk)


def elections(prefix: str = "") -> Span:
    return Span("ELECTIONS", prefix=part(prefix))


def elections_made_at(state: str, created_at: str) -> Span:
    """The election created then, whatever its name is now."""
    return Span(f"ELECTIONS#{state}", index=True, prefix=f"{created_at}#")


def all_in_shards(election_name: str, shards: int) -> list[Span]:
    """Everything in shards; nothing if the election has a single partition."""
    return [Span(election_shard(election_name, each, shards)) for each in range(shards)] if shards > 1 else []


# --- questions to candidates ---

QUESTION_UPVOTES = 4  # items that upvotes are added to, so that those who upvote at once rarely contend

# fmt: off

candidate_question = key("CANDIDATE_QUESTION", "ELECTION#{election}", "ASKED#{question}", part, escape,
                         about="A question to candidates.")
candidate_answer = key("CANDIDATE_ANSWER", "ELECTION#{election}", "ANSWER#{question}#{candidate}",
                       part, escape, digits(4), about="A candidate's answer to a question.")
answer_link = key("ANSWER_LINK", "ELECTION#{election}", "ANSWERING#{candidate}", part, digits(4),
                  about="Which links to answer as this candidate are valid.")
questions_upvoted = key("QUESTIONS_UPVOTED", "ELECTION#{election}", "UPVOTED#{who}", part, escape,
                        about="Which questions somebody upvoted; `who` is a keyed digest, never a name.")

questions_by = index("ASKEDBY#{who}", "{question}", escape)  # by one account; `who` is a keyed digest of it

# fmt: on


@computed(
    *("QUESTION_UPVOTES", "ELECTION#{election}", "UPVOTES#{number}"), "The totals that a person's upvotes are added to."
)
def question_upvotes(election_name: str, who: str) -> Key:
    return _upvotes(election_name, shard_of(who, QUESTION_UPVOTES))


def all_question_upvotes(election_name: str) -> list[Key]:
    return [_upvotes(election_name, each) for each in range(QUESTION_UPVOTES)]


def _upvotes(election_name: str, number: int) -> Key:
    return Key(election(election_name).pk, f"UPVOTES#{number}")


# --- rolls ---


@computed("VOTER", "ELECTION#{election}", "VOTER#{name}", "Somebody on the roll, and whether they have voted.")
def voter(election_name: str, name: str, shards: int = 1) -> Key:
    known = part(name)
    return Key(election_shard(election_name, shard_of(known, shards), shards), f"VOTER#{known}")


def voters(election_name: str, prefix: str = "", shards: int = 1) -> list[Span]:
    begins = f"VOTER#{part(prefix)}"
    return [Span(election_shard(election_name, each, shards), prefix=begins) for each in range(shards)]


def roll_sources_due(moment: str) -> Span:
    """Those due by now; later ones are not even read."""
    return Span(ROLL_SOURCES.pk, last=f"{moment}~", index=True)


# fmt: off

letter = key("LETTER", "ELECTION#{election}", "LETTER#{voter}", part, part,
             about="Leads from the code in a letter to its voter, in an index by a keyed hash of the code.")
letter_batch = key("LETTER_BATCH", "ELECTION#{election}", "LETTERBATCH#{number}", part, digits(5),
                   about="Letters that were printed together.")
link_request = key("LINK_REQUEST", "LINKREQUEST#{hash}", METADATA, escape,
                   about="When an address was last mailed its links on request, by a keyed hash of the address.")
voter_import = key("IMPORT", "ELECTION#{election}", "IMPORT#{digest}", part, escape,
                   about="A list that is being added to a roll, and how far that has come.")
imported_rows = key("IMPORTED_ROWS", "ELECTION#{election}", "IMPORTED#{digest}#{number}", part, escape, digits(5),
                    about="Some rows of a list that is being added to a roll.")
multi_ballot = key("BOOK", "BOOK#{id}", METADATA, escape,
                   about="Elections that were tied together, as earlier versions did; nothing reads it.")

ROLL_SOURCES = single_list("ROLLSOURCES", "{due}")
elections_of_voter = index("VOTER#{name}", "{created_at}#{election}", part)
letters_with = index("LETTERCODE#{hash}", "LETTER#{voter}", escape)

# --- groups ---

group = key("GROUP", "GROUP#{group}", METADATA, escape, about="A group of voters that somebody keeps.")
group_name = key("GROUP_NAME", "GROUPNAMES#{person}", "{name}", part, part,
                 about="Which of a person's groups has the name.")
member = key("MEMBER", "GROUP#{group}", "MEMBER#{name}", escape, part, about="Somebody in a group of voters.")
group_use = key("GROUP_USE", "GROUP#{group}", "USED#{created_at}#{election}", escape, escape, part,
                about="An election whose roll a group was added to.")
coming_members = key("COMING_MEMBERS", "GROUP#{group}", "COMING#{token}#{number}", escape, escape, digits(5),
                     about="Part of a list that is being added to the group.")

all_of_group = span("GROUP#{group}", "", escape)
group_names = span("GROUPNAMES#{person}", "", part)
group_uses = span("GROUP#{group}", "USED#", escape)
all_coming_members = span("GROUP#{group}", "COMING#", escape)
groups_of = index("GROUPS#{person}", "{name}", part)
groups_with = index("GROUPED#{name}", "{group}", part)  # by name or by address

# fmt: on


def members(group_id: str, prefix: str = "") -> Span:
    return Span(group(group_id).pk, prefix=f"MEMBER#{part(prefix)}")


def group_by_id(group_id: str) -> str:
    return escape(group_id)


# --- gates and ballots ---

OPEN_MARKS = 4  # of an election that has shards: every cast reads one


@computed("GATE", "ELECTION#{election}", "GATE#{number}", "What every cast passes and is counted in, until it is shut.")
def gate(election_name: str, number: int, shards: int = 1) -> Key:
    return gate_of(election(election_name), number, shards)


def gate_of(own: Key, number: int, shards: int = 1) -> Key:
    """As `gate`, by the key of the election."""
    return Key(sharded(own.pk, number % shards, shards), f"GATE#{number:02d}")


@computed(
    *("OPEN_MARK", "ELECTION#{election}#OPEN#{number}", "OPEN"),
    "While it is there, a cast may decide on an election that is a second old.",
)
def open_mark(election_name: str, number: int) -> Key:
    """There are a few, each under a key of its own, so that neither reading nor deleting them has to wait."""
    return Key(sharded(f"{election(election_name).pk}#OPEN", number, OPEN_MARKS), "OPEN")


def open_marks(election_name: str) -> list[Key]:
    return [open_mark(election_name, number) for number in range(OPEN_MARKS)]


# Secret ballots have no entity type, as in earlier versions: it would tell those cast before an upgrade from others.
@computed(
    *("", "ELECTION#{election}", "BALLOT#{voter}"),
    "A ballot. If it is secret, a hash of its secret takes the place of the voter: not even its partition reveals who. "
    "Only public ones have an `entity_type`: BALLOT.",
)
def ballot(election_name: str, voter: str, shards: int = 1, question: int = 1) -> Key:
    name = part(voter)
    pk = election_shard(election_name, shard_of(name, shards), shards)
    return Key(pk, of_question(f"BALLOT#{name}", question))


def ballots(election_name: str, shards: int = 1, question: int = 1) -> list[Span]:
    prefix = of_question("BALLOT#", question)
    return [Span(election_shard(election_name, each, shards), prefix=prefix) for each in range(shards)]


@computed_list("BALLOTS#{election}", "{when_cast}#{voter}")
def ballots_by_time(election_name: str, since: str = "", shards: int = 1, question: int = 1) -> list[Span]:
    """The ballots of an election with live results in the order they were cast, from a moment on."""
    pk, first = of_question(f"BALLOTS#{part(election_name)}", question), since or None
    return [Span(sharded(pk, each, shards), first=first, index=True) for each in range(shards)]


def ballot_by_time(election_name: str, voter: str, shards: int = 1, question: int = 1) -> str:
    """The one of these lists that a ballot is in: that of its shard."""
    pk = of_question(f"BALLOTS#{part(election_name)}", question)
    return sharded(pk, shard_of(part(voter), shards), shards)


# fmt: off

# --- polling stations ---

station = key("STATION", "ELECTION#{election}", "STATION#{station}", part, escape,
              about="A polling station, its booth, and who is voting there.")
station_code = key("STATION_CODE", "STATIONCODE#{digest}", METADATA, escape,
                   about="Leads from the code that is typed in a booth to its station.")

# --- mails ---

# The key has the time, so that mails of a deleted election are not counted for a later one of the same name.
mail_counts = key("MAIL_COUNTS", "ELECTION#{election}", "MAILS#{created_at}", part, as_it_is,
                  about="How many mails of each kind to voters wait, were sent, or failed.")
failed_mail = key("FAILED_MAIL", "ELECTION#{election}", "FAILED#{kind}#{voter}", part, escape, part,
                  about="Why a mail could not be delivered to a voter.")
message = key("MESSAGE", "ELECTION#{election}", "MESSAGE#{digest}", part, escape,
              about="A message of the organisers to all voters.")

# --- requests to the organisers ---

help_request = key("HELP_REQUEST", "ELECTION#{election}", "REQUEST#{request}", part, escape,
                   about="What somebody asked the organisers, and their answers.")
sent_request = key("SENT_REQUEST", "ELECTION#{election}", "SENDER#{sender}#{request}", part, part, escape,
                   about="The entry by which a request is found by whoever sent it, by name or address.")

requests_sent_in = span("ELECTION#{election}", "SENDER#{sender}", part, part)
requests_in = index("REQUESTS#{election}#{state}", "{asked_at}#{request}", part, as_it_is)  # what waits, or is answered
requests_sent_by = index("SENDER#{sender}", "{asked_at}#{request}", part)  # in all elections

# --- polls ---

poll = key("POLL", "POLL#{poll}", METADATA, escape, about="A poll: its question, its options and its settings.")
made_poll = key("MADE_POLL", "POLL#{poll}", "MADE", escape, about="The entry by which a poll is found by who made it.")
listed_poll = key("LISTED_POLL", "POLL#{poll}", "LISTED", escape, about="Exists while the poll is in the public list.")
poll_result = key("POLL_RESULT", "POLL#{poll}", "RESULT", escape, about="The sealed result of a poll.")
poll_counted_part = key("POLL_COUNTED", "POLL#{poll}", "COUNTED#{number}", escape, digits(4),
                        about="How often each ranking was cast, for some thousands of rankings.")
short_code = key("CODE", "CODE#{code}", METADATA, escape,
                 about="Leads from a code that is easy to type to its poll or live session.")

all_of_poll = span("POLL#{poll}", "", escape)  # except what is in shards
poll_counted_parts = span("POLL#{poll}", "COUNTED#", escape)
PUBLIC_POLLS = single_list("POLLS", "{created_at}#{poll}")
made_by = index("MAKES#{person}", "{created_at}#{poll}", part)

# fmt: on


@computed_list("POLLS#ENDING", "{ends_at}#{poll}")
def polls_ending(until: str | None = None) -> Span:
    """Polls with an end that are not sealed yet, perhaps only those that end by then."""
    return Span("POLLS#ENDING", last=None if until is None else f"{until}#~", index=True)


def poll_shard(poll_id: str, shard: int, shards: int) -> str:
    """One of the partitions of a poll's gates and votes."""
    return sharded(poll(poll_id).pk, shard, shards)


@computed("POLL_GATE", "POLL#{poll}", "GATE#{number}", "What every vote passes and is counted in, until it is shut.")
def poll_gate(poll_id: str, number: int, shards: int = 1) -> Key:
    return Key(poll_shard(poll_id, number % shards, shards), f"GATE#{number:02d}")


@computed("POLL_VOTE", "POLL#{poll}", "VOTE#{vote}", "One vote in a poll.")
def vote(poll_id: str, vote_id: str, shards: int = 1) -> Key:
    return Key(poll_shard(poll_id, shard_of(vote_id, shards), shards), f"VOTE#{escape(vote_id)}")


def votes(poll_id: str, shards: int = 1) -> list[Span]:
    return [Span(poll_shard(poll_id, each, shards), prefix="VOTE#") for each in range(shards)]


@computed_list("VOTES#{poll}", "{voted_at}#{vote}")
def votes_by_time(poll_id: str, since: str = "", shards: int = 1) -> list[Span]:
    """The votes of a poll in the order they were cast, from a moment on."""
    pk, first = f"VOTES#{escape(poll_id)}", since or None
    return [Span(sharded(pk, each, shards), first=first, index=True) for each in range(shards)]


def vote_by_time(poll_id: str, vote_id: str, shards: int = 1) -> str:
    """The one of these lists that a vote is in: that of its shard."""
    return sharded(f"VOTES#{escape(poll_id)}", shard_of(vote_id, shards), shards)


def all_in_poll_shards(poll_id: str, shards: int) -> list[Span]:
    """Everything in shards; nothing if the poll has a single partition."""
    return [Span(poll_shard(poll_id, each, shards)) for each in range(shards)] if shards > 1 else []
