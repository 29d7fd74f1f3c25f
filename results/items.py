"""The item types that results store."""

from __future__ import annotations

from elections.items import OUTCOME
from elections.turnout.disclosure import after_the_close
from store import keys
from store.replay import Exempt
from store.schema import ItemType

NOT_SEALED = "The long texts of a result are written before its head, which makes them count."

ITEMS = (
    ItemType("lots' secret", keys.lots, hidden="secret",
             replay="The secret from which lots are drawn is told with the result, and not before."),
    ItemType("result", keys.result, "ballots:int candidates:list digest report_digest sealed_at parts:int voted:int "
             "paper:int steps:list lots_secret seed equals:bool", "roll_secret", rule=after_the_close,
             replay=(Exempt("It hides the roll in what was sealed, and is in no log; the roll itself is compared.",
                            "roll_secret"),)),
    ItemType("result's text", keys.result_part, "text", rule=after_the_close,
             replay=(Exempt(NOT_SEALED, until=keys.result("")),)),
    ItemType("rankings", keys.counted_part, "text", rule=after_the_close,
             replay=(Exempt(NOT_SEALED, until=keys.result("")),)),
    ItemType("public result", keys.shared_result, f"election_name:election ballots:int method {OUTCOME}",
             lists=(keys.SHARED_RESULTS,)),
    ItemType("to be sealed", keys.sealing, "election_name:election parts:int of:int sealed:int ballots:int "
             "removing:bool", lists=(keys.SEALING,),
             replay="Work left to do after a close; each thing done has an event of its own."),
)  # fmt: skip
