"""Nothing changes without an event, and no event is without a change: every write of a whole story is judged."""

from __future__ import annotations

import ast
import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.test import override_settings

from accounts import repository as people
from accounts import services as accounts
from accounts.models import User
from accounts.rules import Role
from elections import repository as elections
from elections.candidates import add_candidates, change_picture, edit_candidate
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.managers import hand_over, remove_manager
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.acts.storage import log, table, use_table
from foundation.photos.changing import PictureChange
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.keys.declared import beginning, sort_keys_of
from foundation.store.log import Event
from foundation.store.schema import ON_EVERY_ITEM, SCHEMA
from foundation.store.table import DATA, LOG, Check, Delete, Item, Key, Numbered, Put, Table, Update, Write, opened
from tests.live.conftest import made as game_made  # noqa: F401 - a fixture
from tests.people import enrol
from tests.polls.conftest import made as poll_made  # noqa: F401 - a fixture
from tests.stories import kinds_in
from tests.stories.core import APPS, tell
from tests.stories.groups import tell_of_groups
from tests.stories.live import NAMES, WORDS, asked_by_the_room, tell_of_live_sessions
from tests.stories.news import tell_of_news
from tests.stories.polls import tell_of_polls
from tests.stories.sets import tell_of_sets
from tests.stories.skills import tell_of_skills

ROOT = Path(__file__).parent.parent
# A pause is written past what others write through, and that a program has asked is no change of the site.
APART = ("replay.py", "pause.py", "calls.py")
BELOW = ("foundation/acts", "foundation/mail", "foundation/pages")  # through which apps write, too
Place = tuple[str, str]  # a module and a function of it


# What changes without an event: the items of these types,
UNLOGGED = set(
    """
    factors, group at a provider, spent token, daily mail count, setup link, session, API token, API token owner,
    throttle, registration, invitation, pending removal, released name, mail, mail server, mails again, bounce mailbox,
    calendar feed, snapshot, candidate q&a, question to candidates, candidate's answer, answer link,
    own question upvotes, question upvotes, letter, batch of letters, roll source, mail counts, failed mail, message,
    reminders, own mail text, requested links, opted out, request, request's sender, help desk, import, import's rows,
    pending voters, pending members, station code, lot secret, pending seal, like, subscriber, post's mailing, webhook,
    webhook delivery, picture, question import, live questions, live salt, player's name, roster, live round,
    live receipts, sorted ideas, first answers, gathered answers, presence, follow-up, seat, live answer, live vote,
    q&a question, own upvotes, upvotes, live roll, speakers, minutes, minutes' part, minutes' note, attendance,
    minutes' follow-up, submitted form, background task, lease, heartbeat, nightly mail, last backup, pending erasure,
    retention, restoring, https, mark of the key, format, API request
    """.replace("\n    ", " ")
    .strip()
    .split(", ")
)
UNLOGGED_FIELDS = {  # these fields,
    "person": "hash salt session_salt last_login lineage warned_at asked_at visited_at visited_before",
    "election": "filling",
    "description": "description_html html_version",
    "candidate": "statement_html html_version",
    "voter": "invited reminded timed messaged announced invited_at display_name postal language check letter_batch "
    "links",
    "member": "letter",
    "station": "turn paired device visit visitor since picked",
    "result": "roll_secret",
    "poll": "description_html html_version key GSI1PK GSI1SK",
    "person's skill": "notes",
    "likes": "likes",
    "site page": "text_html html_version",
    "live session": "token screen_token context",
    "live state": "closing",
    "q&a": "words sent",
    "notice": "text_html html_version",
}
TAKEN_BY = {  # what takes effect with an item of the same partition, until that is there,
    "published ballots": keys.result("").sk,
    "result's text": keys.result("").sk,
    "rankings": keys.result("").sk,
    "poll's counts": keys.poll_result("").sk,
}


def is_background_batch(writes: Sequence[Write]) -> bool:
    """and what one event takes more than one transaction for: batches that depend on their task,"""
    return any(isinstance(each, Update | Delete | Check) and _is_like(each.key, keys.task("", "")) for each in writes)


def is_opening(writes: Sequence[Write]) -> bool:
    """gates that are opened before the election is, which is safe, as a draft takes no votes,"""
    return all(isinstance(each, Put | Update) and _is_like(each.key, keys.gate("", 0)) for each in writes)


def is_shutting(writes: Sequence[Write]) -> bool:
    """the open marks, the mark of closing and the gates, which are shut before the close is recorded,"""
    if all(isinstance(each, Delete) and each.key.sk == keys.open_mark("", 0).sk for each in writes):
        return True
    begun = any(isinstance(each, Update) and bool(each.set.get("closing")) for each in writes)
    return begun or all(isinstance(each, Update) and each.set.get("open") is False for each in writes)


def is_emptying(writes: Sequence[Write]) -> bool:
    """and the ballots of a sealed secret election, which go after they are published."""
    gone = [each.key for each in writes if isinstance(each, Delete)]
    checks = [each.key for each in writes if isinstance(each, Check)]
    is_sealed = len(checks) == 1 and _is_like(checks[0], keys.sealing(""))
    return is_sealed and all(_is_like(each, keys.ballot("", "")) for each in gone)


STEPS = (is_background_batch, is_opening, is_shutting, is_emptying)


def _is_like(key: Key, other: Key) -> bool:
    _question, key = keys.question_of(key)
    return [*map(beginning, key[:2])] == [*map(beginning, other[:2])]


class Watched:
    """A table that judges every transaction which changes something, and remembers who made it."""

    def __init__(self, table: Table):
        self._table = table
        self.faults: list[str] = []
        self.writers: set[Place] = set()
        self.undeclared: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        parts = opened(writes)
        changed = [part.key for part in parts if not isinstance(part, Check)]
        before, allowed = self._table.get_many(changed), self._is_allowed(parts)
        self._table.write(*writes, token=token)
        after = self._table.get_many(changed)
        put = {part.key: part.item for part in parts if isinstance(part, Put)}
        self.undeclared |= {each for key, item in (put | after).items() for each in undeclared(key, item)}
        self.undeclared |= {each for key, item in after.items() for each in not_as_its_pattern(key, item)}
        self.writers |= set(_callers())
        events = [key for key in changed if key.table == LOG and keys.holds_events(key.pk)]
        if len(events) > 1:
            self._blame("more than one event", changed)
        elif events and not _is_changed(before, after):
            self._blame("an event without a change", changed)
        elif not events and not allowed:
            self._blame("a change without an event", changed)

    def increment(self, key: Key, name: str, by: int = 1, **also: Any) -> int:
        self.writers |= set(_callers())
        if key.table == DATA and not self._is_exempt(Update(key, add={name: by})):
            self._blame("a change without an event", [key])
        return self._table.increment(key, name, by, **also)

    def put_all(self, items: Sequence[Item]) -> None:
        """Without an event, always: so it is for what is exempt, and for nothing else."""
        self.writers |= set(_callers())
        if blamed := [put.key for put in map(Put, items) if not self._is_exempt(put)]:
            self._blame("a change without an event", blamed)
        self._table.put_all(items)
        stored = self._table.get_many(put.key for put in map(Put, items))
        self.undeclared |= {each for key, item in stored.items() for each in not_as_its_pattern(key, item)}

    def _is_allowed(self, writes: Sequence[Write]) -> bool:
        """Whether this may be written without an event."""
        changes = [write for write in writes if not isinstance(write, Check) and write.key.table == DATA]
        return all(map(self._is_exempt, changes)) or any(is_step(writes) for is_step in STEPS)

    def _is_exempt(self, write: Write) -> bool:
        item_type = SCHEMA.type_of(write.key)
        label = item_type.label if item_type else ""
        if label in TAKEN_BY:
            return self._table.get(Key(write.key.pk, TAKEN_BY[label])) is None
        if isinstance(write, Update) and (fields := UNLOGGED_FIELDS.get(label)):
            changed = {name.partition("#")[0] for name in (*write.set, *write.add, *write.remove)}
            return changed <= set(fields.split())
        return label in UNLOGGED

    def _blame(self, what: str, changed: Sequence[Key]) -> None:
        places = ", ".join(sorted(f"{key.pk} / {key.sk}" for key in changed))
        self.faults.append(f"{what}: {places} ({' < '.join(function for _, function in _callers())})")


STORED: dict[str, tuple[type, ...]] = {  # what a field of each kind may hold, besides nothing
    **dict.fromkeys(("text", "person", "address", "election"), (str,)),
    **dict.fromkeys(("list", "people"), (list,)),
    **{"map": (dict,), "bool": (bool,), "int": (int,), "bytes": (bytes,), "any": (object,)},
}


def undeclared(key: Key, item: Item) -> Iterator[str]:
    """The fields of an item or an event that its type does not declare, or declares as something else."""
    item_type = SCHEMA.type_of(key)
    declared = item_type.fields if item_type else {}
    for name, value in item.items():
        if name not in ON_EVERY_ITEM and not is_declared(declared, name, value):
            yield f"{key.pk} / {key.sk}: {name}"
    if key.table == LOG and keys.holds_events(key.pk):
        said, kind = item.get("event_data", {}), item.get("event_type", "")
        fields = SCHEMA.event_type(kind).fields
        yield from (f"{kind}: {name}" for name, value in said.items() if not is_declared(fields, name, value))


def not_as_its_pattern(key: Key, item: Item) -> Iterator[str]:
    """What of an item is not as the declaration of its key tells: the key, the entity type, its place in the index."""
    if (item_type := SCHEMA.type_of(key)) is None:
        yield f"{key.pk} / {key.sk}"
        return
    pattern, (_question, first) = item_type.pattern, keys.question_of(key)
    if not (is_like(pattern.pk, key.pk) and is_like(pattern.sk, first.sk)):
        yield f"{key.pk} / {key.sk} is not {pattern.pk} / {pattern.sk}"
    if item.get("entity_type", "") != pattern.entity_type and not is_public_ballot(item):
        yield f"{key.pk} / {key.sk}: entity_type"
    lists = filter(None, map(sort_keys_of, (*item_type.lists, *item_type.closed_lists)))
    own = str(item.get("GSI1PK")).removeprefix("QUESTION#02#"), str(item.get("GSI1SK"))
    if "GSI1PK" in item and not any(is_like(pk, own[0]) and is_like(sk, own[1], ".*") for pk, sk in lists):
        yield f"{key.pk} / {key.sk}: index"


def is_like(pattern: str, text: str, part: str = "[^#]*") -> bool:
    """The number of a shard follows a name."""
    wanted = re.sub(r"\{\w+\}", lambda _found: part, pattern.replace("{sort_key}", ".*"))
    return re.fullmatch(wanted + r"(#\d\d)?", text, re.DOTALL) is not None


def is_public_ballot(item: Item) -> bool:
    return "voter_name" in item and item.get("entity_type") == "BALLOT"


def is_declared(fields: dict[str, str], name: str, value: Any) -> bool:
    """What follows a # in a name is no part of it; a declared name may end in a * that stands for any ending."""
    plain = name.partition("#")[0]
    kinds = [
        kind for each, kind in fields.items() if each == plain or (each[-1:] == "*" and plain.startswith(each[:-1]))
    ]
    return any(value is None or isinstance(value, STORED[kind]) for kind in kinds)


def _is_changed(before: dict[Key, Item], after: dict[Key, Item]) -> bool:
    """Whether anything of the site is another now; a new version of the same, or the mark of a form, is nothing."""
    marks = keys.once("").pk
    return any(
        _without_version(before.get(key)) != _without_version(after.get(key))
        for key in before.keys() | after.keys()
        if key.table == DATA and not key.pk.startswith(marks)
    )


def _without_version(item: Item | None) -> Item | None:
    return item and {name: value for name, value in item.items() if name != "version"}


def _callers() -> Iterator[Place]:
    """The functions of ours that are at work, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if any(path.is_relative_to(ROOT / app) for app in (*APPS, *BELOW)):
            yield str(path.relative_to(ROOT)), frame.f_code.co_name
        frame = frame.f_back


@pytest.fixture
def watched(site) -> Iterator[Watched]:
    table = Watched(site)
    with use_table(table):
        yield table


@pytest.fixture(scope="module")
def story(tmp_path_factory) -> Watched:
    """A table on which the story was told."""
    url = f"sqlite://{tmp_path_factory.mktemp('watched')}/plenum.sqlite3"
    table = Watched(connect(url))
    table.create()
    with override_settings(STORE_URL=url), use_table(table):
        tell()
    return table


# --- the whole story ---


@pytest.mark.seconds(10)
def test_nothing_changes_without_an_event_and_no_event_without_a_change(story):
    assert story.faults == []


def test_every_field_that_is_written_is_declared_with_its_kind(story):
    """In the `items.py` of its app."""
    assert story.undeclared == set()


def test_an_item_that_an_earlier_version_stored_gets_its_type_with_its_next_change(site, person):
    place = keys.user(person("Ada").name)
    item = {name: value for name, value in site.get(place).items() if name != "entity_type"}
    with closing(sqlite3.connect(site.path)) as file, file:
        file.execute("UPDATE vote_data SET body = ? WHERE pk = ? AND sk = ?", (orjson.dumps(item), *place[:2]))
    assert [*not_as_its_pattern(place, site.get(place))] == ["USER#ada / METADATA: entity_type"]
    assert people.find("Ada").name == "Ada"
    site.write(Update(place, set={"about": "Sums."}))
    assert site.get(place)["entity_type"] == "USER"


def test_a_field_that_nobody_declared_is_found(watched, person):
    user = person("Ada")
    table().write(Update(keys.user(user.name), set={"pin": "1234", "about": 7}))
    log().record(
        Event(user.name, "ProfileChanged", {"name": user.name, "mood": "good"}), people.confirmation(user, True)
    )
    assert {each.rpartition(" ")[2] for each in watched.undeclared} == {"pin", "about", "mood"}


STORIES = {  # and what would be a change without an event
    "groups": (tell_of_groups, lambda told: Update(keys.group(told), set={"name": "Another"})),
    "sets": (tell_of_sets, lambda told: Update(keys.question_set(told), set={"name": "Another"})),
    "news": (tell_of_news, lambda told: Update(keys.post(told), set={"title": "Another"})),
    "skills": (tell_of_skills, lambda told: Update(keys.skill("python"), set={"name": "Boa"})),
}


@pytest.mark.parametrize("package", STORIES)
def test_other_parts_too_change_nothing_without_an_event(watched, person, package):
    tell_of, change = STORIES[package]
    told = tell_of(person)
    assert (watched.faults, watched.undeclared) == ([], set())
    watched.write(change(told))
    assert [fault.partition(":")[0] for fault in watched.faults] == ["a change without an event"]


def test_polls_too_change_nothing_without_an_event(watched, person, poll_made):  # noqa: F811
    tell_of_polls(person, poll_made)
    assert (watched.faults, watched.undeclared) == ([], set())
    table().write(Update(keys.poll(poll_made(by_nobody=True).id), set={"title": "Dinner"}))
    (fault,) = watched.faults
    assert fault.startswith("a change without an event: POLL#")


def test_live_sessions_too_change_nothing_without_an_event(watched, person, game_made):  # noqa: F811
    tell_of_live_sessions(person, game_made)
    assert (watched.faults, watched.undeclared) == ([], set())
    events = list(table().each(keys.events()))
    assert not [word for word in (*NAMES, WORDS) if word in repr(events)], "nor does the log say who said what"
    of_sessions = {kind for kind in kinds_in("parts/live") if kind.startswith("Live")}
    untold = of_sessions - {event["event_type"] for event in events}
    assert untold == {"LiveHistoryForgotten"}, "of sessions whose time has passed"
    game = game_made()
    table().write(Update(keys.game_state(game.id), set={"phase": "results"}))
    table().put_all([{"PK": keys.game(game.id).pk, "SK": keys.METADATA}])
    assert [fault.split(":")[0] for fault in watched.faults] == ["a change without an event"] * 2


def test_what_the_room_asks_changes_nothing_without_an_event(watched, game_made):  # noqa: F811
    asked_by_the_room(game_made)
    assert (watched.faults, watched.undeclared) == ([], set())
    table().write(Update(keys.game_qa(game_made().id), set={"is_on": True}))
    assert [fault.split(":")[0] for fault in watched.faults] == ["a change without an event"]


@pytest.mark.seconds(3)
def test_the_story_goes_through_every_function_that_writes(story):
    """A new one has to be told of in the story, or nobody has judged it."""
    assert set(writing_functions()) - story.writers == set()


@cache
def writing_functions() -> tuple[Place, ...]:
    """Every function of the apps in which something is written to the table or recorded in the log."""
    paths = sorted(path for app in (*APPS, *BELOW) for path in (ROOT / app).rglob("*.py") if path.name not in APART)
    texts = {path: text for path in paths if WRITES.search(text := path.read_text())}  # to take one apart takes long
    return tuple(
        (str(path.relative_to(ROOT)), node.name)
        for path, text in texts.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and any(_writes(call, text) for call in _own_calls(node))
    )


WRITES = re.compile("write|put_all|increment|record")
WRITING = ("write", "put_all", "increment", "record", "try_record", "try_write")


def _own_calls(function: ast.FunctionDef) -> Iterator[ast.Call]:
    """The calls of a function, without those of functions inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield node
        if not isinstance(node, ast.FunctionDef):
            waiting += ast.iter_child_nodes(node)


def _writes(call: ast.Call, text: str) -> bool:
    """`table().write(...)`, `log().record(...)`, also of another module, or a `_record(...)` that does it."""
    called = call.func
    if isinstance(called, ast.Name):
        is_ours = called.id != "write" or "from foundation.acts.storage import" in text
        return called.id == "_record" or (called.id in WRITING and is_ours)
    if not isinstance(called, ast.Attribute) or called.attr not in WRITING:
        return False
    owner = called.value.func if isinstance(called.value, ast.Call) else called.value
    return (owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")) in (
        "table",
        "log",
        "invitations",
        "storage",
    )


def test_enough_functions_are_found():
    found = {function for _, function in writing_functions()}
    assert {
        "create_account",
        "touch",
        "begin",
        "delete_all",
        "_commit",
        "unsubscribe",
        "_record_cast",
        "seal_result",
    } <= found
    assert len(found) > 50


def test_no_page_form_or_command_writes_by_itself():
    """They call a service, which others can call, too."""
    parts = ("views.py", "forms.py", "/management/")
    assert [path for path, _function in writing_functions() if any(part in path for part in parts)] == []


# --- what is so already ---


def ask_for_what_is_so_already(user: User, made: Election) -> None:
    accounts.change_profile(user, user.display_name, user.about)
    drafts.rename(user, made, made.name)
    remove_manager(user, made, "nobody")
    hand_over(user, made, user.name)
    add_voters(user, made, ["Eve"])
    edit_candidate(user, made, Candidate("Bo", "Words."))
    change_picture(user, made, "Bo", PictureChange())
    accounts.change_picture(user, PictureChange())
    opened = lifecycle.open_(user, elections.find(made.name), editable=False)
    lifecycle.extend(user, opened, None)


def test_asking_for_what_is_so_already_appends_nothing(watched, person):
    user, owner = person("Ada"), person("Olga", Role.OWNER)
    made = drafts.create(user, "Board")
    add_candidates(user, made, [Candidate("Bo", "Words."), Candidate("Cy")])
    enrol("Eve")
    add_voters(user, made, ["Eve"])
    before = log().table.count(keys.events())
    accounts.change_role(owner, user, Role.USER)
    ask_for_what_is_so_already(user, elections.find("Board"))
    assert [each["event_type"] for each in log().since(before)] == ["ElectionOpened"]
    assert watched.faults == []
