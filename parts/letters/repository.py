"""Letters in the table: which wait, which batches there were, and the voter that a code leads to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from elections import repository as elections
from elections import rolls, sharding
from elections.invitations.voting_link import LETTER, LINKS, are_unchanged, with_link
from elections.rolls import Voter
from elections.rules import Election, State
from foundation.acts.storage import now_text, table
from foundation.store import keys, sharded_reads
from foundation.store.table import Delete, Equals, Item, Key, Missing, Put, Update, Write

from . import rules

MAX_LISTED_BATCHES = 100
MAX_COUNTED_ELECTIONS = 100


@dataclass(frozen=True, slots=True)
class LetterBatch:
    """Letters that were printed or exported together."""

    number: int
    letters: int
    printed_by: str
    printed_at: str
    how: str
    sender: str = ""


def batches(election: Election, limit: int = MAX_LISTED_BATCHES) -> list[LetterBatch]:
    """The newest first."""
    found = table().page(keys.letter_batches(election.name), limit=limit, backwards=True).items
    return [LetterBatch(**{name: item[name] for name in LetterBatch.__dataclass_fields__}) for item in found]


def each_numbered(election: Election) -> Iterator[Item]:
    """The entries of everybody listed by member number."""
    found = sharded_reads.each(table(), sharding.roll_spans(election))
    return (item for item in found if rolls.is_by_number(item["voter_name"]))


def count_voters() -> int:
    """Who get letters in the newest elections that are open."""
    newest, _cursor = elections.list_elections(state=State.OPEN, limit=MAX_COUNTED_ELECTIONS)
    return sum(each.by_letter for each in elections.open_elections((each.name for each in newest), now_text()))


def find_holder(code: str) -> Item | None:
    """What leads from a code to its voter, if it was printed and not replaced since."""
    found = table().page(keys.letters_with(rules.code_mark(code)), limit=1).items
    return found[0] if found else None


# --- writes ---


def printing(election: Election, entry: Item, batch: int) -> list[Write]:
    """Refused if the letter was printed or reissued since the entry was read."""
    voter = rolls.voter_of(entry)
    code = rules.letter_code(election, voter.name, voter.letter_turn)
    link = rules.link_of(code, election.name, election.created_at, voter.name)
    fields = {"letter_batch": batch, LINKS: with_link(entry, LETTER, link)}
    place = keys.letter(election.name, voter.name)
    index = {"GSI1PK": keys.letters_with(rules.code_mark(code)).pk, "GSI1SK": place.sk}
    about = {"election_name": election.name, "created_at": election.created_at, "voter_name": voter.name}
    unchanged = are_unchanged(entry) & Missing("letter_batch") & _has_turn(entry)
    return [
        Update(Key(entry["PK"], entry["SK"]), set=fields, when=unchanged),
        Put({**place.item, **index, **about}, when=Missing()),
    ]


def reissuing(election: Election, voter: Voter, entry: Item) -> list[Write]:
    """The letter waits to be printed again, and the code and every pass from it have ended."""
    links = [each for each in entry.get(LINKS, ()) if each[0] != LETTER]
    after = {"letter_turn": voter.letter_turn + 1, LINKS: links}
    when = are_unchanged(entry) & Equals("letter_batch", voter.letter_batch) & _has_turn(entry)
    return [
        Update(Key(entry["PK"], entry["SK"]), set=after, remove=("letter_batch",), when=when),
        Delete(keys.letter(election.name, voter.name)),
    ]


def _has_turn(entry: Item) -> Equals | Missing:
    return Equals("letter_turn", entry["letter_turn"]) if "letter_turn" in entry else Missing("letter_turn")
