"""Item and event types about the site as a whole, its processes and the log."""

from django.utils.translation import gettext_lazy as _

from accounts.rules import Role
from foundation.store import keys
from foundation.store.schema import EventType, ItemType, Sheet

EVENT = "event_id:int actor:person when_occurred event_type event_data:map nonce digest"
ROLES = " ".join(f"role_{role}:int" for role in Role.__members__)

ITEMS = (
    ItemType("counts", keys.COUNTS, "user_count:int election_count:int event_count:int last_updated"),
    ItemType("sync state", keys.SYNC, "last_event_id:int", sheets=(
        Sheet("sync", _("Sync state"), _("How far each follower of the event log has read."),
              "name last_event_id last_updated", "name"),)),
    ItemType("figures", keys.FIGURES, f"last_event_id:int latest state_draft:int state_open:int state_closed:int "
             f"{ROLES}"),
    ItemType("day's figures", keys.figures_of_day, "day ballots_cast:int ballots_changed:int ballots_withdrawn:int"),
    ItemType("pause", keys.PAUSE, "by:person since minutes:int sentence"),
    ItemType("features", keys.FEATURES, "on:list wanted:list is_answered:bool version:int"),
    ItemType("submitted form", keys.once, hidden="event_id:int at ttl:int"),
    ItemType("background task", keys.task, "type began_at due attempts:int",
             "subject data:map progress:map version:int reason",
             lists=(keys.TASKS, keys.LINK_TASKS, keys.SEALING_TASKS, keys.WEBHOOK_TASKS, keys.TASKS_SET_ASIDE)),
    ItemType("lease", keys.lease, "since until:any renewals:int", "*:any"),
    ItemType("heartbeat", keys.worker, "machine pid:int since seen signs:int doing:any done:any failed:any ttl:int",
             "*:any"),
    ItemType("nightly mail", keys.NIGHTLY, "event_id:int day code"),
    ItemType("last backup", keys.LAST_BACKUP, "ended_at items:int bytes:int checkpoint:any"),
    ItemType("pending erasure", keys.FORGETTING, "asked:int emptied:int"),
    ItemType("retention", keys.RETENTION, "day", "*:any"),
    ItemType("restoring", keys.RESTORING, "sha256 items:int"),
    ItemType("https", keys.HTTPS, "since"),
    ItemType("mark of the key", keys.KEY_MARK, hidden="digest"),
    ItemType("format", keys.STORE_FORMAT, "number:int done:any"),

    ItemType("event", keys.event, EVENT, sheets=(
        Sheet("events", _("Events"), _("The event log, newest first."),
              "event_id when_occurred actor event_type election_name event_data", "event_id", "number"),)),
    ItemType("event", keys.event_in_partition, EVENT),
    ItemType("event number", keys.EVENT_NUMBER, "last:int"),
    ItemType("void number", keys.void, "event_id:int"),
    ItemType("checkpoint", keys.checkpoint, "first_event_id:int event_id:int hash digests:bytes voids:list "
             "when_sealed latest"),
    ItemType("public checkpoint", keys.public_checkpoint, "first_event_id:int event_id:int hash "
             "sealed_by published_at"),
    ItemType("publishing", keys.PUBLISHING, "event_id:int wanted:int quarter:any"),
    ItemType("log's index", keys.log_index, "upto:int numbers:list"),
    ItemType("log's moments", keys.moments, "upto:int moments:bytes"),
    ItemType("log's format", keys.LOG_FORMAT, "number:int"),
)  # fmt: skip

EVENTS = (
    EventType(
        "SitePaused", "since minutes:int sentence"
    ),
    EventType("SiteResumed"),
    EventType("FeaturesSwitched", "on:list off:list"),
    EventType("MailsTriedAgain", "which"),
    EventType("MailPutAside", "which"),
    EventType("MailsTakenAsSent", "which"),
    EventType("NamesForgotten", "name events:list"),
)  # fmt: skip
