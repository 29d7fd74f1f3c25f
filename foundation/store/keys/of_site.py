"""Keys of the site as a whole: its state, workers, pictures, background work, log and mail."""

from __future__ import annotations

from dataclasses import replace

from foundation.store.keys.parts import METADATA, escape, fitted, part, sequence, shard_of, sharded
from foundation.store.table import LOG, Item, Key, Span

COUNTS = Key(METADATA, "COUNTS")
SYNC = Key(METADATA, "SYNC")
RESTORING = Key(METADATA, "RESTORING")  # exists only until a restore or transfer into this store is complete
RETENTION = Key(METADATA, "RETENTION")  # how far earlier versions had come in a search for unused accounts
PAUSE = Key(METADATA, "PAUSE")  # exists only while the site is paused
FEATURES = Key(METADATA, "FEATURES")  # which parts are switched on, once somebody has chosen
FIGURES = Key(METADATA, "FIGURES")  # people by role and elections by state, as far as the log has been counted
NIGHTLY = Key(METADATA, "NIGHTLY")  # which checkpoint was mailed last, and on which day
FORGETTING = Key(METADATA, "FORGETTING")  # exists while deleted data may still be in the store's files
LAST_BACKUP = Key(METADATA, "LAST_BACKUP")  # when the newest backup ended, and its size
HTTPS = Key(METADATA, "HTTPS")  # when the site first started over HTTPS, as earlier versions recorded it
KEY_MARK = Key(METADATA, "KEYMARK")  # a digest by which another SECRET_KEY is noticed
SERVED_CODE = Key(METADATA, "SERVEDCODE")  # the digests of the scripts and stylesheets that the site serves
STORE_FORMAT = Key(METADATA, "FORMAT")  # the format of the data, and the progress of an upgrade to the next
SITE_PAGE = Key("PORTFOLIO#default", METADATA)  # who runs this site, in their own words
WORKERS = Span("WORKERS")
NOTICES = Span("NOTICES")  # what the owner tells about privacy, accessibility and themselves


def notice(name: str) -> Key:
    return Key("NOTICES", escape(name))


def figures_of_day(day: str) -> Key:
    return Key(METADATA, f"FIGURES#{day}")


def once(token: str) -> Key:
    return Key(f"ONCE#{escape(token)}", METADATA)


def lease(job: str) -> Key:
    """Which of the workers is doing the job now."""
    return Key(f"LEASE#{escape(job)}", METADATA)


def worker(name: str) -> Key:
    """That this worker is alive, and what it is doing; expires some minutes after it has ended."""
    return Key(WORKERS.pk, f"WORKER#{escape(name)}")


def photo(photo_id: str, width: int) -> Key:
    """A picture in one of its widths. It belongs to one thing, which names it and is deleted with it; its bytes are
    nowhere else, so that no list or page has to read them."""
    return Key(f"PHOTO#{escape(photo_id)}", f"WIDTH#{width:04d}")


# --- background work ---


TASKS = Span("TASKS", index=True)
LINK_TASKS = Span("TASKSLINKS", index=True)  # a lane of their own: anybody can store any number of them
SEALING_TASKS = Span("TASKSSEALING", index=True)  # a large election takes long
WEBHOOK_TASKS = Span("TASKSWEBHOOKS", index=True)  # they wait for other servers
TASKS_SET_ASIDE = Span("TASKSASIDE", index=True)


def task(task_type: str, subject: str) -> Key:
    return Key(f"TASK#{task_type}#{part(subject)}", METADATA)


def task_by_time(moment: str, task_type: str, subject: str) -> str:
    return fitted(f"{moment}#{task_type}#{part(subject)}")


def tasks_due(lane: Span, moment: str) -> Span:
    """Those due by now; later ones are not even read."""
    return replace(lane, last=f"{moment}~")


# --- the log ---


EVENTS = "EVENTS"
EVENT_NUMBER = Key("SEQUENCE", METADATA, LOG)
PUBLISHING = Key("PUBLISHING", METADATA, LOG)  # how far checkpoints are public, and how far they should be
LOG_FORMAT = Key("FORMAT", METADATA, LOG)
LOG_INDEX = "BY#"  # prefix of its partitions


def event(number: int, when: str, partitions: int = 1) -> Key:
    return Key(sharded(EVENTS, number % partitions, partitions), f"{sequence(number)}#{when}", LOG)


def events(first: int = 0, last: int | None = None) -> Span:
    """The events numbered `first` to `last`, both included, of a log in one partition."""
    return _events(EVENTS, first, last)


def events_in(partitions: int, first: int = 0, last: int | None = None) -> list[Span]:
    """The same for several partitions: a span of each that may contain any of these numbers."""
    most = partitions if last is None else min(partitions, last - first + 1)
    return [_events(sharded(EVENTS, (first + each) % partitions, partitions), first, last) for each in range(most)]


def _events(pk: str, first: int, last: int | None) -> Span:
    return Span(pk, first=sequence(first), last=None if last is None else f"{sequence(last)}#~", table=LOG)


def holds_events(pk: str) -> bool:
    """Whether this is a partition of events, in any layout."""
    return pk == EVENTS or pk.startswith(f"{EVENTS}#")


def void(number: int) -> Key:
    return Key(f"VOID#{sequence(number)}", METADATA, LOG)


def checkpoint(number: int) -> Key:
    return Key("CHECKPOINTS", sequence(number), LOG)


def checkpoints(first: int = 0, last: int | None = None) -> Span:
    return Span("CHECKPOINTS", first=sequence(first), last=None if last is None else sequence(last), table=LOG)


def public_checkpoint(number: int) -> Key:
    """A published checkpoint."""
    return Key("PUBLIC", sequence(number), LOG)


def public_checkpoints(first: int = 0) -> Span:
    return Span("PUBLIC", first=sequence(first), table=LOG)


def log_index(kind: str, name: str, first: int) -> Key:
    """The events found under a name of that kind in the block that starts with the number `first`."""
    return Key(f"{LOG_INDEX}{kind}#{part(name)}", sequence(first), LOG)


def log_index_blocks(kind: str, name: str, last: int) -> Span:
    """The blocks that have events under the name, up to the one that starts with the number `last`."""
    return Span(f"{LOG_INDEX}{kind}#{part(name)}", first=sequence(0), last=sequence(last), table=LOG)


def moments(first: int) -> Key:
    """When the events of one block happened, which is the rest of their keys."""
    return Key("MOMENTS", sequence(first), LOG)


# --- mail ---

MAILS_AGAIN = Key(METADATA, "MAILSAGAIN")  # exists while all failed mails are to be retried
BOUNCES_READ = Key(METADATA, "BOUNCES")  # how far the mailbox of bounces has been read
URGENT, BEHIND_URGENT, AT_THE_LATEST = "0#", "0$", "~"  # "0#" sorts before every time, "~" after what follows one


def mail(number: str) -> Key:
    return Key(f"MAIL#{escape(number)}", METADATA)


def mails(state: str) -> Span:
    return Span(_in_state(state), index=True)


def _in_state(state: str) -> str:
    return f"MAIL#{state}"


def mail_list(state: str, number: str, shards: int) -> str:
    """The index partition of a mail. Every vote may queue one, which is more than a single partition can take."""
    return sharded(_in_state(state), shard_of(number, shards), shards) if state == "queued" else _in_state(state)


def mails_waiting(shards: int, span: Span | None = None) -> list[Span]:
    """All queued mails, or a span of them; those copied from an embedded store are still in one partition."""
    span = span or mails("queued")
    spread = [replace(span, pk=sharded(span.pk, each, shards)) for each in range(shards)]
    return [span, *spread] if shards > 1 else [span]


def in_one_list(item: Item) -> Item:
    """A mail queued in one of several lists, as stored where there is only one; other items unchanged."""
    span = _in_state("queued")
    return {**item, "GSI1PK": span} if str(item.get("GSI1PK")).startswith(f"{span}#") else item


def mail_by_turn(due: str, number: str, *, urgent: bool) -> str:
    """The place of a mail in the queue: urgent ones first, then by when they are due."""
    return f"{URGENT if urgent else ''}{due}#{escape(number)}"


def mails_due(moment: str, shards: int, *, urgent: bool) -> list[Span]:
    """What is due by now; mails waiting for a later attempt are not even read."""
    first, last = (URGENT, f"{URGENT}{moment}") if urgent else (BEHIND_URGENT, moment)
    return mails_waiting(shards, replace(mails("queued"), first=first, last=f"{last}{AT_THE_LATEST}"))


def mail_server(lane: str) -> Key:
    """Exists only while the mail server cannot be reached."""
    return Key(METADATA, f"MAILSERVER#{escape(lane)}")


def quiet(address: str) -> Key:
    """Exists while an address has opted out of mails about results."""
    return Key(f"QUIET#{part(address)}", METADATA)


# --- webhooks ---

DELIVERIES_WITHOUT_TASK = Span("DELIVERIES", index=True)  # of the previous version


def webhook(owner: str, webhook_id: str) -> Key:
    """An endpoint of a person, or of the site if there is no owner."""
    return Key(f"WEBHOOKS#{part(owner)}", f"ENDPOINT#{escape(webhook_id)}")


def webhooks_of(owner: str) -> Span:
    return Span(f"WEBHOOKS#{part(owner)}", "ENDPOINT#")


def delivery(owner: str, webhook_id: str, queued_at: str, message_id: str) -> Key:
    return Key(f"WEBHOOKS#{part(owner)}", f"DELIVERY#{escape(webhook_id)}#{queued_at}#{escape(message_id)}")


def deliveries_to(owner: str, webhook_id: str) -> Span:
    return Span(f"WEBHOOKS#{part(owner)}", f"DELIVERY#{escape(webhook_id)}#")


def everything_about_webhooks_of(owner: str) -> Span:
    return Span(f"WEBHOOKS#{part(owner)}")
