"""Item and event types of assemblies: roll, speakers and minutes."""

from accounts.personal_data import list_items
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, MoreFields, fields_of
from parts.live.items import OUTCOME, PLAYER

from .attendance import AssemblySeat, Entitlement
from .minutes.records import FACTS

ITEMS = (
    ItemType("live roll", keys.game_roll_entry, hidden="name:person email:address account added_at shown:int turn:int "
             "weight:int version:int ttl:int"),
    ItemType("speakers", keys.game_speakers, "version:int round:int minutes:int closed:bool ttl:int",
             "held:list speaking:list waiting:list"),
    ItemType("minutes", keys.minutes, f"{FACTS} created_by:person hosts:people has_roll:bool entitled:int played:list "
             "voided:list digest event:int", "deleted:bool"),
    ItemType("minutes' part", keys.minutes_part, hidden="*:any"),
    ItemType("minutes' note", keys.minutes_note, hidden="number:int text at by:person"),
    ItemType("attendance", keys.attended, hidden="game_id title began_at ended_at time_zone",
             exports=(Export("assemblies_attended", "", list_items(keys.attended_by, session="game_id", title="title",
                                                             began_at="began_at", ended_at="ended_at")),)),
    ItemType("minutes' follow-up", keys.minutes_onward, OUTCOME),
)  # fmt: skip

EVENTS = (
    EventType("LiveSeatTakenOver", f"{PLAYER} round:int agreed:bool"),
    EventType("LiveRollChanged", "game_id has_roll:bool entitled:int extra_votes:int quorum "
              "prepared_at added:int removed:int renewed:int shown:int weighed:int"),
    EventType("LiveSpeakersChanged", "game_id round:int closed:bool minutes:int"),
    EventType("LiveMinutesSealed", "game_id digest rounds:int"),
    EventType("LiveMinutesNoted", "game_id number:int digest"),
    EventType("LiveMinutesDeleted", "game_id"),
)  # fmt: skip

OF_SESSION, PRESENT = fields_of(Entitlement), "present_count:int entitled:int quorum quorate:bool"
MORE_FIELDS = (
    MoreFields("live session", OF_SESSION, cells="entitled quorum has_roll"),
    MoreFields("seat", hidden=fields_of(AssemblySeat)),
    *(MoreFields(name, OF_SESSION) for name in ("LiveSessionMade", "LiveSessionEnded")),
    *(MoreFields(name, PRESENT) for name in ("LiveSessionMoved", "LiveAnswersSealed", "LiveRoundSealed")),
    MoreFields("LiveSessionDeleted", "has_minutes:bool"),  # of logs of earlier versions, now `has_record`
)
