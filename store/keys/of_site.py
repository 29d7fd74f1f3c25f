"""Keys of the site as a whole, and of its workers."""

from __future__ import annotations

from dataclasses import replace

from store.keys.of_elections import election
from store.keys.parts import METADATA, escape, fitted, part, sequence, shard_of, sharded
from store.table import LOG, Item, Key, Span


def counts() -> Key:
    return Key(METADATA, "COUNTS")


def sync() -> Key:
    return Key(METADATA, "SYNC")


def restoring() -> Key:
    """There only while a restore or a transfer into this store has not come to its end."""
    return Key(METADATA, "RESTORING")


def retention() -> Key:
    """How far today's look for accounts that nobody uses has come."""
    return Key(METADATA, "RETENTION")


def pause() -> Key:
    """There only while the site is paused."""
    return Key(METADATA, "PAUSE")


def figures() -> Key:
    """How many people have which role and how many elections are in which state, as far as the log is counted."""
    return Key(METADATA, "FIGURES")


def figures_of_day(day: str) -> Key:
    return Key(METADATA, f"FIGURES#{day}")


def figures_of_days(first: str, last: str) -> Span:
    """From one day to another, both included."""
    return Span(METADATA, first=f"FIGURES#{first}", last=f"FIGURES#{last}")


def site_page() -> Key:
    """Who runs this site, in their own words; there once somebody has written it."""
    return Key("PORTFOLIO#default", METADATA)


def once(token: str) -> Key:
    return Key(f"ONCE#{escape(token)}", METADATA)


def lease(job: str) -> Key:
    """Who of all workers is at the job just now."""
    return Key(f"LEASE#{escape(job)}", METADATA)


WORKERS = Span("WORKERS")


def worker(name: str) -> Key:
    """That this worker is alive, and what it is at; gone some minutes after it has ended."""
    return Key(WORKERS.pk, f"WORKER#{escape(name)}")


def nightly() -> Key:
    """Which checkpoint was mailed last, and on which day."""
    return Key(METADATA, "NIGHTLY")


def forgetting() -> Key:
    """There while something was deleted that may still be found in the store's files."""
    return Key(METADATA, "FORGETTING")


def last_backup() -> Key:
    """When the newest backup ended, and how much is in it."""
    return Key(METADATA, "LAST_BACKUP")


def secret_key() -> Key:
    """The fingerprint of the key that the site has used last."""
    return Key(METADATA, "SECRETKEY")


def store_format() -> Key:
    """Which format the data is written in, and how far an upgrade to the next one is."""
    return Key(METADATA, "FORMAT")


# --- background work ---


TASKS = Span("TASKS", index=True)
TASKS_SET_ASIDE = Span("TASKSASIDE", index=True)


def task(task_type: str, subject: str) -> Key:
    return Key(f"TASK#{task_type}#{part(subject)}", METADATA)


def task_by_time(moment: str, task_type: str, subject: str) -> str:
    return fitted(f"{moment}#{task_type}#{part(subject)}")


def tasks_due(moment: str) -> Span:
    """Those that are to be worked on by now; what is due later is not even read."""
    return Span(TASKS.pk, last=f"{moment}~", index=True)


# --- the log ---


EVENTS = "EVENTS"


def event(number: int, when: str, partitions: int = 1) -> Key:
    return Key(sharded(EVENTS, number % partitions, partitions), f"{sequence(number)}#{when}", LOG)


def events(first: int = 0, last: int | None = None) -> Span:
    """The events numbered `first` to `last`, both included, where all lie in one partition."""
    return _events(EVENTS, first, last)


def events_in(partitions: int, first: int = 0, last: int | None = None) -> list[Span]:
    """The same, of those of the partitions in which any of these numbers can lie."""
    most = partitions if last is None else min(partitions, last - first + 1)
    return [_events(sharded(EVENTS, (first + each) % partitions, partitions), first, last) for each in range(most)]


def _events(pk: str, first: int, last: int | None) -> Span:
    return Span(pk, first=sequence(first), last=None if last is None else f"{sequence(last)}#~", table=LOG)


def holds_events(pk: str) -> bool:
    """Whether this is a partition of events, however many there are."""
    return pk == EVENTS or pk.startswith(f"{EVENTS}#")


def event_number() -> Key:
    return Key("SEQUENCE", METADATA, LOG)


def void(number: int) -> Key:
    return Key(f"VOID#{sequence(number)}", METADATA, LOG)


def checkpoint(number: int) -> Key:
    return Key("CHECKPOINTS", sequence(number), LOG)


def checkpoints(first: int = 0, last: int | None = None) -> Span:
    return Span("CHECKPOINTS", first=sequence(first), last=None if last is None else sequence(last), table=LOG)


def public_checkpoint(number: int) -> Key:
    """A checkpoint as everybody may see it."""
    return Key("PUBLIC", sequence(number), LOG)


def public_checkpoints(first: int = 0) -> Span:
    return Span("PUBLIC", first=sequence(first), table=LOG)


def publishing() -> Key:
    """How far checkpoints are public, and how far they are to be."""
    return Key("PUBLISHING", METADATA, LOG)


LOG_INDEX = "BY#"  # how its partitions begin


def log_index(kind: str, name: str, first: int) -> Key:
    """Which events, of the block that begins with the number `first`, are found under a name of that kind."""
    return Key(f"{LOG_INDEX}{kind}#{part(name)}", sequence(first), LOG)


def log_index_blocks(kind: str, name: str, last: int) -> Span:
    """The blocks in which something is found under the name, up to the one that begins with the number `last`."""
    return Span(f"{LOG_INDEX}{kind}#{part(name)}", first=sequence(0), last=sequence(last), table=LOG)


def moments(first: int) -> Key:
    """When the events of one block happened: the rest of their keys."""
    return Key("MOMENTS", sequence(first), LOG)


def log_format() -> Key:
    """Which format the log is written in."""
    return Key("FORMAT", METADATA, LOG)


# --- mail ---


def mail(number: str) -> Key:
    return Key(f"MAIL#{escape(number)}", METADATA)


def mails(state: str) -> Span:
    return Span(_in_state(state), index=True)


def _in_state(state: str) -> str:
    return f"MAIL#{state}"


def mail_list(state: str, number: str, shards: int) -> str:
    """Under which key of the index a mail is. Every vote may bring one that waits: more than a single key takes."""
    return sharded(_in_state(state), shard_of(number, shards), shards) if state == "queued" else _in_state(state)


def mails_waiting(shards: int, whole: Span | None = None) -> list[Span]:
    """All mails that wait, or a span of them; those that came from an embedded store are still in one place."""
    whole = whole or mails("queued")
    spread = [replace(whole, pk=sharded(whole.pk, each, shards)) for each in range(shards)]
    return [whole, *spread] if shards > 1 else [whole]


def in_one_list(item: Item) -> Item:
    """A mail that waits in one of several lists, as a store has it that has one; anything else as it is."""
    whole = _in_state("queued")
    return {**item, "GSI1PK": whole} if str(item.get("GSI1PK")).startswith(f"{whole}#") else item


def mail_by_date(queued_at: str, number: str) -> str:
    return f"{queued_at}#{escape(number)}"


URGENT, BEHIND_URGENT, AT_THE_LATEST = "0#", "0$", "~"  # "0#" comes before every time, "~" after what follows one


def mail_by_turn(due: str, number: str, *, urgent: bool) -> str:
    """Where a mail waits that is queued: urgent ones before all others, and each by when it is to be tried."""
    return f"{URGENT if urgent else ''}{due}#{escape(number)}"


def mails_due(moment: str, shards: int, *, urgent: bool) -> list[Span]:
    """What is to be sent by now; what waits for its next try is not even read."""
    first, last = (URGENT, f"{URGENT}{moment}") if urgent else (BEHIND_URGENT, moment)
    return mails_waiting(shards, replace(mails("queued"), first=first, last=f"{last}{AT_THE_LATEST}"))


def mail_server(lane: str) -> Key:
    """There only while the mail server is out of reach."""
    return Key(METADATA, f"MAILSERVER#{escape(lane)}")


def mails_again() -> Key:
    """There while all mails that failed are to be tried again."""
    return Key(METADATA, "MAILSAGAIN")


def bounces_read() -> Key:
    """How far the mailbox of bounces was read."""
    return Key(METADATA, "BOUNCES")


def mail_counts(election_name: str, created_at: str) -> Key:
    """With the time, so that mails of an election that is gone are not counted for another of its name."""
    return Key(election(election_name).pk, f"MAILS#{created_at}")


def failed_mail(election_name: str, kind: str, voter_name: str) -> Key:
    return Key(election(election_name).pk, f"FAILED#{escape(kind)}#{part(voter_name)}")


def failed_mails(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="FAILED#")


def message(election_name: str, digest: str) -> Key:
    return Key(election(election_name).pk, f"MESSAGE#{escape(digest)}")


def messages(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="MESSAGE#")


def reminders(election_name: str) -> Key:
    return Key(election(election_name).pk, "REMINDERS")


def invitation_words(election_name: str) -> Key:
    """What organisers say in the invitation in their own words, and whom answers go to."""
    return Key(election(election_name).pk, "WORDS")


def quiet(address: str) -> Key:
    """There while an address wants no mails about results."""
    return Key(f"QUIET#{part(address)}", METADATA)
