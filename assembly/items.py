"""Item types of assemblies: roll, speakers and minutes."""

from accounts.personal_data import list_items
from live.items import OUTCOME
from store import keys
from store.schema import Export, ItemType

from .minutes.records import FACTS

NAMED = "Names who attended and how they voted: kept only in the table, with a digest in the log."

ITEMS = (
    ItemType("live roll", keys.game_roll_entry, hidden="name:person email:address account added_at shown:int turn:int "
             "weight:int version:int ttl:int",
             replay="The roll is not logged, and is deleted two weeks after the session."),
    ItemType("speakers", keys.game_speakers, "version:int round:int minutes:int closed:bool ttl:int",
             "held:list speaking:list waiting:list",
             replay="Speakers are recorded in the minutes, not in the log; deleted after two weeks."),
    ItemType("minutes", keys.minutes, f"{FACTS} created_by:person hosts:people has_roll:bool entitled:int played:list "
             "voided:list digest event:int", "deleted:bool", replay=NAMED),
    ItemType("minutes' part", keys.minutes_part, hidden="*:any", replay=NAMED),
    ItemType("minutes' note", keys.minutes_note, hidden="number:int text at by:person", replay=NAMED),
    ItemType("attendance", keys.attended, hidden="game_id title began_at ended_at time_zone", replay=NAMED,
             exports=(Export("assemblies_attended", "", list_items(keys.attended_by, session="game_id", title="title",
                                                             began_at="began_at", ended_at="ended_at")),)),
    ItemType("minutes' follow-up", keys.minutes_onward, OUTCOME,
             replay="A copy of the session's follow-ups, for when the session has been deleted."),
)  # fmt: skip
