"""What an auditor is shown of an item: for every kind of item a list of attributes that may be shown, and nothing else.

Kinds that are not listed are hidden whole, and so is every attribute that is not named: what somebody adds to the store
later is not shown before somebody has thought about it here.

Of a secret election that is not closed there is no ballot, no salt and no count that would say more than the turnout;
a ballot's place, which is made of the voter's name, is not shown after the close either. Published ballots are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.rules import Role
from elections.books import replay as books
from elections.books.rules import Book
from elections.convening import Convened
from elections.repository import election_of
from elections.rules import Election, State
from elections.turnout import tells_who
from live import replay as live
from live import repository as games
from live.minutes import replay as minutes
from live.minutes.records import FACTS, LATER_FACTS
from live.onward.repository import Onward
from live.qa import replay as live_qa
from live.questions import Question, Type
from live.repository import Past
from live.rules import Game
from live.rules import State as LiveState
from live.sets import replay as question_sets
from live.sets.rules import QuestionSet
from news import replay as news
from news.letters import OF_SUBSCRIBERS
from news.rules import Post
from photos.rules import Photo
from store import keys
from store.log import layout
from store.table import Item, Key, Span

KEYS = ("PK", "SK", "GSI1PK", "GSI1SK")


class Hidden:
    """Stands where something is not shown."""

    def __str__(self) -> str:
        return str(_("hidden"))


HIDDEN = Hidden()


# --- kinds of items ---


@dataclass(frozen=True, slots=True)
class Kind:
    """Items that are alike: where they lie, and what of them may be shown."""

    name: str
    table: str
    pk: str  # as `_pattern` writes them
    sk: str
    shown: frozenset[str]

    def has(self, table: str, pk: str, sk: str) -> bool:
        return table == self.table and _fits(self.pk, pk) and _fits(self.sk, sk)


def _pattern(text: str) -> str:
    """What all keys made like this one begin with, up to the `#`; one without a `#` is always the same. Nothing stands
    for any: keys that are only a name or a number."""
    head, mark, _rest = text.partition("#")
    return "" if not head or head.isdigit() else head + mark


def _fits(pattern: str, text: str) -> bool:
    return text.startswith(pattern) if not pattern or pattern.endswith("#") else text == pattern


def _kind(name: str, place: Key, *shown: str) -> Kind:
    words = frozenset(word for part in shown for word in part.split())
    return Kind(name, place.table, _pattern(place.pk), _pattern(place.sk), words | frozenset(KEYS) | {"entity_type"})


OUTCOME = "sealed_at winners winner_count seats"
LISTED = f"name state no_voting_before no_voting_after created_at closing remind_before {OUTCOME}"
ELECTION = " ".join(Election.__dataclass_fields__)
DESCRIBED = "description description_html html_version"
CONVENED = " ".join(Convened.__dataclass_fields__)
# Of links and projects, too, and of the picture.
SITE_PAGE = "name colour text links projects title address words link photo id alt wide high widths kind digests"
# What events say, whatever their type; besides, some say more.
SAID = (
    f"{ELECTION} election_name new_name new_owner old_owner candidates candidate_name number statement link voters "
    "voter voter_name changed paper editable part parts state role old_role new_role email display_name about digest "
    "report_digest roll_commitment sealed_at hours_before subject on_roll since minutes sentence poll_id "
    "title closedAt createdAt expiresAt goneAt id maker listed sign_in results_hidden votes accounts account "
    "voter_since names_rule mails_a_day old_mails_a_day which events skill_id category alias into at level years "
    "last_used interest visibility grounds by people skills shards count group_id description"
)
EVENT = "event_id actor when_occurred event_type event_data nonce digest"
OF_BOOKS = " ".join(Book.__dataclass_fields__)
OF_POSTS = " ".join((*Post.__dataclass_fields__, *Photo.__dataclass_fields__))
OF_POSTS_SAID = f"{OF_POSTS} post_id text mails"
OF_SETS = " ".join((*QuestionSet.__dataclass_fields__, *map(str, Type)))
OF_QUESTIONS = " ".join((*Question.__dataclass_fields__, "number category_id order_in_category created_at"))
OF_SETS_SAID = f"{OF_SETS} {OF_QUESTIONS} set_id copied_from questions question described up at"
# Of a live session: not the doors to it, nor what its host wrote for themselves.
OF_GAMES = " ".join(name for name in Game.__dataclass_fields__ if name not in (*games.SECRETS, "code"))
OF_STATES = f"{' '.join(LiveState.__dataclass_fields__)} began seconds pauses paused"
OF_GAMES_SAID = (
    f"{OF_GAMES} {OF_STATES} game_id step state counted players rounds answers lines player percent "
    "present_count quorate options has_minutes"
)
SAID_BY_TYPE = {
    "ElectionCreated": CONVENED,
    "CandidatePictured": "photo",  # of people's own pictures not even the address: a profile may be hidden
    "BallotCast": "rankings",
    "BallotsSealed": "ballots confirmation rankings",
    "ResultSealed": "ballots lots_secret winners",
    **dict.fromkeys(books.REPLAY, f"{OF_BOOKS} book_id"),
    **dict.fromkeys(news.REPLAY, OF_POSTS_SAID),
    "SitePageEdited": SITE_PAGE,
    **dict.fromkeys(question_sets.REPLAY, OF_SETS_SAID),
    **dict.fromkeys((*live.REPLAY, *minutes.REPLAY), OF_GAMES_SAID),
    "LiveOutcomeCarriedOn": f"{OF_GAMES_SAID} {' '.join(Onward.__dataclass_fields__)}",
    **dict.fromkeys(live_qa.REPLAY, "game_id is_on mode named words asked on_screen texts round fate"),
    "LiveSessionCorrected": f"{OF_GAMES_SAID} what",
    "LiveRollChanged": f"{OF_GAMES_SAID} added removed renewed shown",
    "LiveSeatTakenOver": "game_id player round agreed",
    "LiveSpeakersChanged": f"{OF_GAMES_SAID} closed minutes",
}
MAILED = ("invited", "reminded", "timed", "messaged")

KINDS = (
    _kind("person", keys.user(""), "name email role created_at voter_since display_name about mails_a_day "
          "confirmed"),
    _kind("mails of day", keys.mails_of_day("", ""), "mails ttl"),
    _kind("email guard", keys.email(""), "name"),
    _kind("look guard", keys.lookalike(""), "name"),
    _kind("people list", keys.listed_person(""), "name email role created_at"),
    _kind("people search", keys.name_word("", "")._replace(sk=""), "name"),
    _kind("owner mark", keys.owner(), "name"),
    _kind("invitation", keys.invitation(""), "email invited_by invited_at"),
    _kind("mail", keys.mail(""), "kind to language state reason detail tries queued_at not_before again_at "
          "note note_detail ttl"),
    _kind("mail server", keys.mail_server(""), "failures since until words"),
    _kind("mails again", keys.mails_again(), "asked_by asked_at state how mailing"),
    _kind("bounces read", keys.bounces_read(), "validity number trouble since unreadable"),
    _kind("leaving", keys.leaving(""), ""),
    _kind("gone name", keys.name_to_forget("", ""), "name email removed_at upto asof at"),
    _kind("names' rule", keys.names_rule(), "since"),
    _kind("election", keys.election(""), ELECTION, CONVENED, DESCRIBED),
    _kind("description", keys.description(""), DESCRIBED),
    _kind("election list", keys.listed_election(""), LISTED),
    _kind("manager", keys.manager("", ""), LISTED, "person"),
    _kind("candidate", keys.candidate("", ""), "election_name candidate_name number statement link "
          "statement_html html_version photo"),
    _kind("picture", keys.photo("", 0), "kind digest content"),
    _kind("need", keys.need("", ""), "election_name skill level count"),
    _kind("agreement", keys.agreement("", ""), "election_name candidate_name person account skills asked answered"),
    _kind("snapshot", keys.snapshot(""), "election_name needs version"),
    _kind("voting times", keys.turnout(""), "since counted ends closed"),
    _kind("voter", keys.voter("", ""), "election_name voter_name account voted paper invited"),
    _kind("group", keys.group(""), "id name owner_name created_at members version"),
    _kind("group's name", keys.group_name("", ""), "name id"),
    _kind("group's use", keys.group_use("", "", ""), "election_name created_at"),
    _kind("for everyone", keys.for_everyone(""), "election_name"),
    _kind("mail counts", keys.mail_counts("", ""), *(f"{each}_queued {each}_sent {each}_failed {each}_nowhere "
          f"{each}_beyond" for each in MAILED)),
    _kind("failed mail", keys.failed_mail("", "", ""), "kind reason detail"),
    _kind("message", keys.message("", ""), "subject text written_by written_at text_html html_version"),
    _kind("reminders", keys.reminders(""), "from last_sent"),
    _kind("import", keys.voter_import("", ""), "election_name voters slices done added unknown skipped asked_by moved "
          "ttl"),
    _kind("own words", keys.invitation_words(""), "election_name text author answers written_at text_html "
          "html_version"),
    _kind("import's rows", keys.imported_rows("", "", 0), "voters ttl"),
    _kind("to be listed", keys.filling_part("", 0), "voters accounts"),
    _kind("gate", keys.gate("", 0), "open as_of voted paper"),
    _kind("ballot", keys.ballot("", ""), "voter_name rankings when_cast"),
    _kind("published", keys.published("", 0), "ballots confirmation rankings voter_name"),
    _kind("result", keys.result(""), "ballots candidates digest report_digest sealed_at parts voted paper steps "
          "lots_secret seed equals"),
    _kind("result's text", keys.result_part("", 0), "text"),
    _kind("rankings", keys.counted_part("", 0), "text"),
    _kind("public result", keys.shared_result(""), f"election_name ballots method {OUTCOME}"),
    _kind("to be sealed", keys.sealing(""), "election_name parts of sealed ballots removing"),
    _kind("poll", keys.poll(""), "id title candidates number name createdAt expiresAt goneAt closedAt maker "
          "description description_html html_version time_zone sign_in results_hidden listed version ttl"),
    _kind("its maker's", keys.made_poll(""), "id title createdAt expiresAt closedAt ttl"),
    _kind("public poll", keys.listed_poll(""), "id title createdAt expiresAt closedAt ttl"),
    _kind("poll's gate", keys.poll_gate("", 0), "open as_of voted ttl"),
    _kind("poll's result", keys.poll_result(""), "votes digest sealedAt ttl"),
    _kind("report", keys.report("", ""), "id pollId reason words reportedAt ttl"),
    _kind("reported poll", keys.reported_poll(""), "id title reason reportedAt reports ttl"),
    _kind("background task", keys.task("", ""), "type", "began_at", "due", "attempts"),
    _kind("skill", keys.skill(""), "id name category description aliases state at into merging closing version"),
    _kind("skill's name", keys.skill_name(""), "skill name"),
    _kind("skill category", keys.skill_category(""), "name skills"),
    _kind("own skills", keys.own_skills(""), "name visibility skills version"),
    _kind("person's skill", keys.person_skill("", ""), "name skill level years last_used interest added_at "
          "confirmed_at"),
    _kind("endorsement", keys.endorsement("", "", ""), "name skill by grounds level at given hidden changes"),
    _kind("endorsing", keys.endorsing(""), "name version"),
    _kind("post", keys.post(""), OF_POSTS),
    _kind("post's text", keys.post_text(""), "post text text_html html_version"),
    _kind("post by author", keys.post_by_author(""), OF_POSTS),
    _kind("post by tag", keys.post_by_tag("", ""), OF_POSTS),
    _kind("post on", keys.post_on_election(""), OF_POSTS),
    _kind("post's slug", keys.post_slug(""), "post slug"),
    _kind("announcement", keys.announcement("", "", ""), "post"),
    _kind("likes", keys.likes("", 0), "likes"),
    _kind("post's mailing", keys.post_mailing(""), "post began_at"),
    _kind("book", keys.book(""), OF_BOOKS),
    _kind("question set", keys.question_set(""), OF_SETS),
    _kind("shared set", keys.shared_set(""), OF_SETS),
    _kind("set's category", keys.set_category("", 0), "number name order_index description"),
    _kind("set's question", keys.set_question("", 0, 0), OF_QUESTIONS),
    _kind("on the way in", keys.set_filling("", "", 0), OF_QUESTIONS, "id questions described name description"),
    _kind("live session", keys.game(""), OF_GAMES, "ttl"),
    _kind("live state", keys.game_state(""), OF_STATES, "ttl"),
    _kind("roster", keys.game_roster(""), "changes seats refused refused_at ttl"),
    _kind("q&a", keys.game_qa(""), "is_on mode named on_screen texts changes sent decided ttl"),
    _kind("speakers", keys.game_speakers(""), "version round minutes closed ttl"),
    _kind("live round", keys.round_part("", 0, 0), "number question count votes ttl"),
    _kind("came of it", keys.onward("", 0), *Onward.__dataclass_fields__, "game untold ttl"),
    _kind("live history", keys.game_in_history("", "", ""), *Past.__dataclass_fields__),
    _kind("made of it", keys.minutes_onward("", 0), *Onward.__dataclass_fields__),
    _kind("minutes", keys.minutes(""), *FACTS, *LATER_FACTS, "played voided digest event"),
    _kind("counts", keys.counts(), "user_count election_count event_count last_updated"),
    _kind("sync state", keys.sync(), "last_event_id"),
    _kind("restoring", keys.restoring(), "sha256 items"),
    _kind("pause", keys.pause(), "by since minutes sentence"),
    _kind("site page", keys.site_page(), SITE_PAGE, "text_html html_version version"),
    _kind("figures", keys.figures(), "last_event_id latest state_draft state_open state_closed",
          *(f"role_{role}" for role in Role.__members__)),
    _kind("day's figures", keys.figures_of_day(""), "day ballots_cast ballots_changed ballots_withdrawn"),
    _kind("lease", keys.lease(""), "since until renewals"),
    _kind("sign of life", keys.worker(""), "machine pid since seen signs doing done failed ttl"),
    _kind("retention", keys.retention(), "day"),
    _kind("nightly mail", keys.nightly(), "event_id day"),
    _kind("last backup", keys.last_backup(), "ended_at items bytes checkpoint"),
    _kind("to forget", keys.forgetting(), "asked emptied"),
    _kind("secret key", keys.secret_key(), ""),
    _kind("format", keys.store_format(), "number done"),
    *(_kind("event", keys.event(0, "", many), EVENT) for many in (1, layout.SPREAD)),
    _kind("event number", keys.event_number(), "last"),
    _kind("void number", keys.void(0), "event_id"),
    _kind("checkpoint", keys.checkpoint(0), "first_event_id event_id hash digests voids when_sealed"),
    _kind("public one", keys.public_checkpoint(0), "first_event_id event_id hash published_at"),
    _kind("publishing", keys.publishing(), "event_id wanted quarter"),
    _kind("log's index", keys.log_index("", "", 0), "upto numbers"),
    _kind("log's moments", keys.moments(0), "upto moments"),
    _kind("log's format", keys.log_format(), "number"),
)  # fmt: skip
# Left out on purpose: sessions, throttles, marks of forms, registrations, the setup link, second factors, salts,
# secrets of lots, votes in polls, who likes a post, subscribers, who wants no mails about results, who is in somebody's
# group; of live sessions who plays, what is asked and said, how it is put in order, what links two answers, and who is
# on the roll of an assembly; of minutes who was there and who voted how, and which assemblies somebody attended.

# The lists of the index that may be opened; one more is everybody's own, under their address.
LISTS = frozenset(
    _pattern(span.pk)
    for span in (
        keys.people_with_role(""),
        keys.INVITATIONS,
        keys.mails(""),
        keys.ELECTIONS,
        keys.elections_in_state(""),
        keys.run_by(""),
        keys.elections_of_voter(""),
        keys.FOR_EVERYONE,
        keys.groups_of(""),
        keys.TASKS,
        keys.TASKS_SET_ASIDE,
        *keys.ballots_by_time(""),
        keys.SEALING,
        keys.SHARED_RESULTS,
        keys.made_by(""),
        keys.PUBLIC_POLLS,
        keys.polls_ending(),
        keys.skills(),
        keys.PROPOSED_SKILLS,
        keys.skill_names(),
        keys.skill_holders(""),
        keys.endorses(""),
        keys.POSTS,
        keys.posts_by(""),
        keys.drafts_by(""),
        keys.posts_with(""),
        keys.posts_on("", ""),
        keys.sets_of(""),
        keys.RUNNING_GAMES,
        keys.running_games_of(""),
    )
)


def kind_of(key: Key) -> Kind | None:
    return next((kind for kind in KINDS if kind.has(key.table, key.pk, key.sk)), None)


def may_open(span: Span) -> bool:
    """Whether there is anything in the partition that may be shown: of one that is not known, nothing is even read."""
    if span.index:
        return _pattern(span.pk) in LISTS or ("@" in span.pk and "#" not in span.pk)
    return not _is_of_players(span.pk) and any(kind.table == span.table and _fits(kind.pk, span.pk) for kind in KINDS)


def _is_of_players(pk: str) -> bool:
    """The partitions in which a session keeps who plays along and what they say: their length would tell of it."""
    return _fits(OF_GAMES_KEYS, pk) and "#" in pk.removeprefix(OF_GAMES_KEYS)


# --- what an item's election allows ---

OF_ELECTIONS = _pattern(keys.election("").pk)
OF_POLLS = _pattern(keys.poll("").pk)
OF_GAMES_KEYS = _pattern(keys.game("").pk)
BALLOTS, VOTES = keys.ballots("")[0].prefix, keys.votes("")[0].prefix
AFTER_THE_CLOSE = frozenset({"published", "result", "result's text", "rankings"})
WHO = ("voter_name", "election_name", "entity_type", *KEYS)
A_GATE = ("open", "as_of", "entity_type", *KEYS)
VOTING_TIMES = ("since", "ends", "closed", *KEYS)


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may be known of an election's voters and ballots. Of one that is not there: as little as of a secret one."""

    ballots: bool = False  # under their voters' names
    published: bool = False
    who: bool = False  # has voted


NOTHING = Allowed()


def allowed(item: Item | None, voted: int | None = None) -> Allowed:
    """By the election's own item, and the turnout, if it is known."""
    if item is None:
        return NOTHING
    election = election_of(item)
    if not election.secret_ballot:
        return Allowed(True, True, True)
    is_closed = election.stored_state == State.CLOSED and election.closing is None
    return Allowed(False, is_closed, voted is not None and tells_who(election, voted))


def is_of_election(pk: str) -> bool:
    return _fits(OF_ELECTIONS, pk)


def is_salt(item: Item) -> bool:
    """A salt is not in any list, not even as something hidden."""
    return is_of_election(item["PK"]) and bool(item["SK"] == keys.salt("").sk)


def readable(span: Span, may: Allowed) -> Span | None:
    """The part of a partition that may be read; `None` if it is nothing.

    Secret ballots and votes in polls are not read at all, so that a page's length cannot tell of them. No kind of item
    comes before the ones or after the others; whoever asks for them by prefix is told nothing.
    """
    if span.index:
        return span
    if is_of_election(span.pk) and not may.ballots:
        return _beside(span, BALLOTS) if span.prefix else replace(span, first=_behind(BALLOTS))
    if _fits(OF_POLLS, span.pk):
        return _beside(span, VOTES) if span.prefix else replace(span, last=VOTES.removesuffix("#"))
    return span


def _beside(span: Span, hidden: str) -> Span | None:
    return None if span.prefix.startswith(hidden) or hidden.startswith(span.prefix) else span


def _behind(prefix: str) -> str:
    """The first key after all that begin with the prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


# --- what is shown of an item ---


def shown(table: str, item: Item, may: Allowed = NOTHING) -> Item | None:
    """The item with everything hidden that is not to be seen, its attributes by name; `None` if all of it is."""
    kind = kind_of(Key(item["PK"], item["SK"], table))
    if kind is None or not _may_be_seen(kind, item, may):
        return None
    if kind.name == "voter" and not may.who:
        item = _only(item, WHO)  # that somebody voted on paper says that they voted: not even the names of the rest
    if kind.name == "mail" and item.get("kind") in OF_SUBSCRIBERS:
        item = item | {"to": HIDDEN}
    if kind.name == "gate" and not may.published:
        item = _only(item, A_GATE)
    if kind.name == "voting times" and not may.published:
        item = _only(item, VOTING_TIMES)
    deeper = _said(item) if kind.name == "event" else kind.shown
    return {name: _inside(value, deeper) if name in kind.shown else HIDDEN for name, value in sorted(item.items())}


def _may_be_seen(kind: Kind, item: Item, may: Allowed) -> bool:
    if kind.name == "ballot":
        return may.ballots and "voter_name" in item
    return kind.name not in AFTER_THE_CLOSE or may.published


def _only(item: Item, names: Iterable[str]) -> Item:
    return {name: item[name] for name in names if name in item}


def _inside(value: Any, names: frozenset[str]) -> Any:
    """What lies deeper has names of its own, and they must be on the list, too."""
    if isinstance(value, dict):
        return {name: _inside(each, names) if name in names else HIDDEN for name, each in value.items()}
    return [_inside(each, names) for each in value] if isinstance(value, list) else value


def _said(event: Item) -> frozenset[str]:
    """What may be shown of what an event says."""
    return frozenset(f"{SAID} {SAID_BY_TYPE.get(event.get('event_type', ''), '')}".split())
