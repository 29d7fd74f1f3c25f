"""Keys of the site as a whole: its state, workers, pictures, background work, log, mail, webhooks and news."""

from __future__ import annotations

from dataclasses import replace

from foundation.store.keys.declared import (
    as_it_is,
    computed,
    digits,
    index,
    key,
    single,
    single_list,
    span,
)
from foundation.store.keys.parts import METADATA, escape, fitted, part, sequence, shard_of, sharded
from foundation.store.table import LOG, Item, Key, Span

# fmt: off

COUNTS = single("COUNTS", METADATA, "COUNTS", "How many people, elections and events there are.")
SYNC = single("SYNC", METADATA, "SYNC", "How far the log has been sealed and counted.")
RESTORING = single("RESTORING", METADATA, "RESTORING",
                   "Exists only until a restore or transfer into this store is complete.")
RETENTION = single("RETENTION", METADATA, "RETENTION",
                   "How far earlier versions had come in a search for unused accounts.")
PAUSE = single("PAUSE", METADATA, "PAUSE", "Exists only while the site is paused.")
FEATURES = single("FEATURES", METADATA, "FEATURES", "Which parts are switched on, once somebody has chosen.")
FIGURES = single("FIGURES", METADATA, "FIGURES",
                 "People by role and elections by state, as far as the log has been counted.")
NIGHTLY = single("NIGHTLY", METADATA, "NIGHTLY", "Which checkpoint was mailed last, and on which day.")
FORGETTING = single("FORGETTING", METADATA, "FORGETTING",
                    "Exists while deleted data may still be in the store's files.")
LAST_BACKUP = single("LAST_BACKUP", METADATA, "LAST_BACKUP", "When the newest backup ended, and its size.")
HTTPS = single("HTTPS", METADATA, "HTTPS", "When the site first started over HTTPS, as earlier versions recorded it.")
KEY_MARK = single("KEY_MARK", METADATA, "KEYMARK", "A digest by which another SECRET_KEY is noticed.")
SERVED_CODE = single("SERVED_CODE", METADATA, "SERVEDCODE",
                     "The digests of the scripts and stylesheets that the site serves.")
STORE_FORMAT = single("FORMAT", METADATA, "FORMAT",
                      "The format of the data, and the progress of an upgrade to the next.")
SITE_PAGE = single("PORTFOLIO", "PORTFOLIO#default", METADATA, "Who runs this site, in their own words.")

notice = key("NOTICE", "NOTICES", "{name}", escape,
             about="What the owner tells about privacy, accessibility or themselves.")
figures_of_day = key("FIGURES_OF_DAY", METADATA, "FIGURES#{day}", as_it_is, about="How many ballots a day saw.")
once = key("ONCE", "ONCE#{token}", METADATA, escape, about="A form that was carried out, so that it is not done twice.")
lease = key("LEASE", "LEASE#{job}", METADATA, escape, about="Which of the workers is doing the job now.")
worker = key("WORKER", "WORKERS", "WORKER#{name}", escape,
             about="That this worker is alive, and what it is doing; expires some minutes after it has ended.")
# Its bytes are nowhere else, so that no list or page has to read them.
photo = key("PHOTO", "PHOTO#{photo}", "WIDTH#{width}", escape, digits(4),
            about="A picture in one of its widths. It belongs to one thing, which names it and is deleted with it.")

WORKERS = Span("WORKERS")
NOTICES = Span("NOTICES")

# --- background work ---

TASKS = single_list("TASKS", "{due}#{type}#{subject}")
LINK_TASKS = single_list("TASKSLINKS", "{due}#{type}#{subject}")  # a lane of their own: anybody can store any number
SEALING_TASKS = single_list("TASKSSEALING", "{due}#{type}#{subject}")  # a large election takes long
WEBHOOK_TASKS = single_list("TASKSWEBHOOKS", "{due}#{type}#{subject}")  # they wait for other servers
TASKS_SET_ASIDE = single_list("TASKSASIDE", "{due}#{type}#{subject}")

task = key("TASK", "TASK#{type}#{subject}", METADATA, as_it_is, part, about="Background work, and how far it has come.")

# fmt: on


def task_by_time(moment: str, task_type: str, subject: str) -> str:
    return fitted(f"{moment}#{task_type}#{part(subject)}")


def tasks_due(lane: Span, moment: str) -> Span:
    """Those due by now; later ones are not even read."""
    return replace(lane, last=f"{moment}~")


# --- the log. Its items have no entity type: nearly all are events, and an event is what its digest covers ---

EVENTS = "EVENTS"
LOG_INDEX = "BY#"  # prefix of its partitions

# fmt: off

EVENT_NUMBER = single("", "SEQUENCE", METADATA, "The number of the newest event.", LOG)
PUBLISHING = single("", "PUBLISHING", METADATA, "How far checkpoints are public, and how far they should be.", LOG)
LOG_FORMAT = single("", "FORMAT", METADATA, "The format of the log.", LOG)

void = key("", "VOID#{number}", METADATA, sequence, about="A number that no event will ever have.", table=LOG)
checkpoint = key("", "CHECKPOINTS", "{number}", sequence, about="A link of the hash chain over some events.", table=LOG)
public_checkpoint = key("", "PUBLIC", "{number}", sequence, about="A published checkpoint.", table=LOG)
log_index = key("", "BY#{kind}#{name}", "{first}", as_it_is, part, sequence, table=LOG,
                about="The events found under a name of that kind in the block that starts with the number `first`.")
moments = key("", "MOMENTS", "{first}", sequence, table=LOG,
              about="When the events of one block happened, which is the rest of their keys.")

# fmt: on


@computed("", EVENTS, "{number}#{when}", "What somebody or the site did.", LOG)
def event(number: int, when: str, partitions: int = 1) -> Key:
    if partitions > 1:
        return event_in_partition(number, when, partitions)
    return Key(EVENTS, f"{sequence(number)}#{when}", LOG)


@computed("", "EVENTS#{partition}", "{number}#{when}", "The same in a store with several partitions of events.", LOG)
def event_in_partition(number: int, when: str, partitions: int) -> Key:
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


def checkpoints(first: int = 0, last: int | None = None) -> Span:
    return Span("CHECKPOINTS", first=sequence(first), last=None if last is None else sequence(last), table=LOG)


def public_checkpoints(first: int = 0) -> Span:
    return Span("PUBLIC", first=sequence(first), table=LOG)


def log_index_blocks(kind: str, name: str, last: int) -> Span:
    """The blocks that have events under the name, up to the one that starts with the number `last`."""
    return Span(f"{LOG_INDEX}{kind}#{part(name)}", first=sequence(0), last=sequence(last), table=LOG)


# --- mail ---

URGENT, BEHIND_URGENT, AT_THE_LATEST = "0#", "0$", "~"  # "0#" sorts before every time, "~" after what follows one

# fmt: off

MAILS_AGAIN = single("MAILS_AGAIN", METADATA, "MAILSAGAIN", "Exists while all failed mails are to be retried.")
BOUNCES_READ = single("BOUNCES_READ", METADATA, "BOUNCES", "How far the mailbox of bounces has been read.")

mail = key("MAIL", "MAIL#{number}", METADATA, escape, about="A mail that waits, was sent, or failed.")
mail_server = key("MAIL_SERVER", METADATA, "MAILSERVER#{lane}", escape,
                  about="Exists only while the mail server cannot be reached.")
quiet = key("QUIET", "QUIET#{address}", METADATA, part,
            about="Exists while an address has opted out of mails about results.")

mails = index("MAIL#{state}", "{due}#{number}", as_it_is)

# fmt: on


def mail_list(state: str, number: str, shards: int) -> str:
    """The index partition of a mail. Every vote may queue one, which is more than a single partition can take."""
    pk = mails(state).pk
    return sharded(pk, shard_of(number, shards), shards) if state == "queued" else pk


def mails_waiting(shards: int, span: Span | None = None) -> list[Span]:
    """All queued mails, or a span of them; those copied from an embedded store are still in one partition."""
    span = span or mails("queued")
    spread = [replace(span, pk=sharded(span.pk, each, shards)) for each in range(shards)]
    return [span, *spread] if shards > 1 else [span]


def in_one_list(item: Item) -> Item:
    """A mail queued in one of several lists, as stored where there is only one; other items unchanged."""
    queued = mails("queued").pk
    return {**item, "GSI1PK": queued} if str(item.get("GSI1PK")).startswith(f"{queued}#") else item


def mail_by_turn(due: str, number: str, *, urgent: bool) -> str:
    """The place of a mail in the queue: urgent ones first, then by when they are due."""
    return f"{URGENT if urgent else ''}{due}#{escape(number)}"


def mails_due(moment: str, shards: int, *, urgent: bool) -> list[Span]:
    """What is due by now; mails waiting for a later attempt are not even read."""
    first, last = (URGENT, f"{URGENT}{moment}") if urgent else (BEHIND_URGENT, moment)
    return mails_waiting(shards, replace(mails("queued"), first=first, last=f"{last}{AT_THE_LATEST}"))


# --- webhooks ---

# fmt: off

webhook = key("WEBHOOK", "WEBHOOKS#{owner}", "ENDPOINT#{webhook}", part, escape,
              about="An endpoint of a person, or of the site if there is no owner.")
delivery = key("DELIVERY", "WEBHOOKS#{owner}", "DELIVERY#{webhook}#{queued_at}#{message}",
               part, escape, as_it_is, escape, about="What is sent to a webhook, and how that went.")

webhooks_of = span("WEBHOOKS#{owner}", "ENDPOINT#", part)
deliveries_to = span("WEBHOOKS#{owner}", "DELIVERY#{webhook}", part, escape)
everything_about_webhooks_of = span("WEBHOOKS#{owner}", "", part)
DELIVERIES_WITHOUT_TASK = single_list("DELIVERIES", "{due}#{delivery}")  # of the previous version

# --- news ---
#
# A post with a date is listed under that date, even if it is in the future: lists are read up to now, so publishing
# needs no job. A post without a date is among the drafts.
#
# The likes of a post are in as many partitions as it has counters, apart from the post: its page reads none of them,
# and those of a deleted post can still be found. Only likes by accounts are in the index, under the account's name.
#
# Subscribers are in one partition. It is written only when people confirm or leave, and read in batches by one worker,
# so it is never busy; and a consistent read shows at once who has left.

post = key("POST", "BLOG#{post}", METADATA, escape, about="A post in the news: its title, its dates and its tags.")
post_text = key("POST_TEXT", "BLOG#{post}", "TEXT", escape, about="What a post says.")
post_by_author = key("POST_BY_AUTHOR", "BLOG#{post}", "AUTHOR", escape, about="The post in its author's lists.")
post_by_tag = key("POST_BY_TAG", "BLOG#{post}", "TAG#{tag}", escape, part, about="The post in the list of a tag.")
post_on_election = key("POST_ON_ELECTION", "BLOG#{post}", "ELECTION", escape,
                       about="The post in the list of posts about an election.")
post_slug = key("POST_SLUG", "BLOGSLUG#{slug}", METADATA, part,
                about="Leads from a URL to its post; never deleted, so that no other post gets the same URL.")
announcement = key("ANNOUNCEMENT", "BLOGRESULT#{election}", "{made_at}#{digest}", part, escape, escape,
                   about="Leads from a sealed result to the one post that announces it.")

all_of_post = span("BLOG#{post}", "", escape)  # its text and its counts, too: one query for its page
POSTS = single_list("BLOG#ALL", "{published_at}#{post}")
DRAFTS = single_list("BLOG#DRAFTS", "{changed_at}#{post}")
posts_by = index("BLOGAUTHOR#{author}", "{published_at}#{post}", part)
drafts_by = index("BLOGDRAFTS#{author}", "{changed_at}#{post}", part)
posts_with = index("BLOGTAG#{tag}", "{published_at}#{post}", part)
# About one election, but not about a later one of the same name.
posts_on = index("BLOGELECTION#{election}#{made_at}", "{published_at}#{post}", part, escape)

# fmt: on


def up_to(posts: Span, moment: str) -> Span:
    """The part of a list that is visible at a moment, inclusive."""
    return replace(posts, last=f"{moment}$")  # sorts after every `#`


def posts_in(year: str, moment: str) -> Span:
    """The posts of a year, not a future one, that are visible at a moment."""
    return replace(POSTS, first=year, last=min(f"{year}~", f"{moment}$"))


# --- likes ---


def marks_of_likes(post_id: str, shard: int) -> Span:
    return Span(f"LIKE#{escape(post_id)}#{shard:02d}")


# fmt: off

likes = key("LIKES", "BLOG#{post}", "LIKES#{shard}", escape, digits(2),
            about="How many likes are in the shard; stored with the post, so that its page reads it too.")
like = key("LIKE", "LIKE#{post}#{shard}", "VISITOR#{visitor}", escape, digits(2), escape,
           about="One visitor's like, under a code that identifies them on this post only.")

all_likes = span("BLOG#{post}", "LIKES#", escape)
liked_by = index("LIKES#{name}", "{post}", part)

# --- news by mail ---

post_mailing = key("POST_MAILING", "BLOG#{post}", "MAILING", escape,
                   about="Exists once mailing has begun, so that it happens only once.")
subscriber = key("SUBSCRIBER", "SUBSCRIBERS", "{address}", part,
                 about="Somebody who gets the news by mail; exists from their confirmation until they unsubscribe.")
SUBSCRIBERS = Span("SUBSCRIBERS")

# fmt: on
