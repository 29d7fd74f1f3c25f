"""The item and event types of results."""

from elections.history import entries as history
from elections.items import OUTCOME
from elections.turnout.disclosure import after_the_close
from foundation.store import keys
from foundation.store.schema import EventType, ItemType

ITEMS = (
    ItemType("lot secret", keys.lots, hidden="secret"),
    ItemType("result", keys.result, "ballots:int candidates:list digest report_digest sealed_at parts:int voted:int "
             "paper:int withdrawn:int extra:int steps:list groups:list lots_secret seed equals:bool",
             "roll_secret", rule=after_the_close,
             replayed="ballots candidates digest report_digest sealed_at withdrawn lots_secret seed"),
    ItemType("result's text", keys.result_part, "text", rule=after_the_close),
    ItemType("rankings", keys.counted_part, "text", rule=after_the_close),
    ItemType("public result", keys.shared_result, f"election_name:election ballots:int method {OUTCOME}",
             lists=(keys.SHARED_RESULTS,)),
    ItemType("pending seal", keys.sealing, "election_name:election parts:int of:int sealed:int ballots:int "
             "removing:bool", lists=(keys.SEALING,)),
)  # fmt: skip

EVENTS = (
    EventType("ResultSealed", "election_name ballots:int digest report_digest sealed_at roll_commitment "
              "lots_secret winners:list withdrawn:int", "seed summary:any", sentence=history.result_sealed),
)  # fmt: skip
