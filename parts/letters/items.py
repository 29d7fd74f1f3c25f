"""What is stored and logged about letters, and what the history of an election says of it."""

from __future__ import annotations

from django.utils.translation import ngettext, ngettext_lazy

from elections.event_sentences import EventContext, sentence_with_count
from foundation.store import keys
from foundation.store.schema import EventType, ItemType

letters_reissued = sentence_with_count(
    ngettext_lazy("%(who)s reissued %(count)d letter.", "%(who)s reissued %(count)d letters.", "count"), "voters"
)


def letters_printed(context: EventContext) -> str:
    count, batch = context.data["letters"], context.data["batch"]
    if context.data["how"] == "file":
        sentence = ngettext(
            "%(who)s exported %(count)d letter for printing, batch %(batch)d.",
            "%(who)s exported %(count)d letters for printing, batch %(batch)d.",
            count,
        )
    else:
        sentence = ngettext(
            "%(who)s printed %(count)d letter, batch %(batch)d.",
            "%(who)s printed %(count)d letters, batch %(batch)d.",
            count,
        )
    return context.text(sentence, count=count, batch=batch)


ITEMS = (
    ItemType("letter", keys.letter, hidden="election_name:election created_at voter_name:person",
             closed_lists=(keys.letters_with(""),)),
    ItemType("batch of letters", keys.letter_batch, "number:int letters:int printed_by:person printed_at how",
             "sender"),
)  # fmt: skip

EVENTS = (
    EventType("LettersPrinted", "election_name batch:int letters:int how", sentence=letters_printed),
    EventType("LetterReissued", "election_name voters:people turns:list", sentence=letters_reissued),
)
