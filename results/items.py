"""The item types that results store."""

from elections.items import OUTCOME
from elections.turnout.disclosure import after_the_close
from store import keys
from store.replay import Exempt
from store.schema import ItemType

NOT_SEALED = "The long texts of a result are written first; they take effect with the result itself."

ITEMS = (
    ItemType("lot secret", keys.lots, hidden="secret",
             replay="The secret from which lots are drawn is published with the result, not before."),
    ItemType("result", keys.result, "ballots:int candidates:list digest report_digest sealed_at parts:int voted:int "
             "paper:int withdrawn:int extra:int steps:list groups:list lots_secret seed equals:bool",
             "roll_secret", rule=after_the_close, replay=(
                 Exempt("Conceals the roll in the sealed result, and is not logged; the roll itself is compared.",
                        "roll_secret"),)),
    ItemType("result's text", keys.result_part, "text", rule=after_the_close,
             replay=(Exempt(NOT_SEALED, until=keys.result("")),)),
    ItemType("rankings", keys.counted_part, "text", rule=after_the_close,
             replay=(Exempt(NOT_SEALED, until=keys.result("")),)),
    ItemType("public result", keys.shared_result, f"election_name:election ballots:int method {OUTCOME}",
             lists=(keys.SHARED_RESULTS,)),
    ItemType("pending seal", keys.sealing, "election_name:election parts:int of:int sealed:int ballots:int "
             "removing:bool", lists=(keys.SEALING,),
             replay="Work left to do after a close; each step has its own event."),
)  # fmt: skip
