"""Item and event types of letters."""

from foundation.store import keys
from foundation.store.schema import EventType, ItemType

from . import history

ITEMS = (
    ItemType("letter", keys.letter, hidden="election_name:election created_at voter_name:person",
             closed_lists=(keys.letters_with(""),)),
    ItemType("batch of letters", keys.letter_batch, "number:int letters:int printed_by:person printed_at how",
             "sender"),
)  # fmt: skip

EVENTS = (
    EventType("LettersPrinted", "election_name batch:int letters:int how", sentence=history.letters_printed),
    EventType("LetterReissued", "election_name voters:people turns:list", sentence=history.letters_reissued),
)
