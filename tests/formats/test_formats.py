"""Stores of every format are opened, verified, replayed, upgraded, also if that is cut off, and served."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.test import Client, override_settings
from django.urls import reverse

from accounts.rules import Role
from acts.site import table
from elections import descriptions
from elections.descriptions import IN_THE_ELECTION
from elections.turnout import turnout
from store import formats, keys
from store.backup import backup, check, restore, unzipped
from store.connect import connect
from store.log.seal import verify
from store.sqlite import SqliteTable
from store.table import LOG, Delete, Exists, Item, Key, Put, Table, Update
from tests import formats as kept
from tests.formats import PASSWORD, SECRET_KEY, story
from tests.people import sign_in
from tests.test_interruptions import Interrupted, Killed
from upkeep import replay
from upkeep.commands import StoreCommand
from upkeep.jobs import LOG as SEALING
from upkeep.leases import Leases
from upkeep.upgrading import Busy, quietly, upgrade

LATER = formats.FORMAT + 1
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def its_secret(settings) -> None:
    settings.SECRET_KEY = SECRET_KEY


@pytest.fixture
def opened(tmp_path, settings) -> Iterator[Callable[[int], Table]]:
    """The site whose store has that format, as its file was kept."""
    with ExitStack() as tables:

        def open_(number: int) -> Table:
            settings.STORE_URL = f"sqlite://{kept.unpack(number, tmp_path / f'{number}.sqlite3')}"
            return tables.enter_context(closing(connect(settings.STORE_URL)))

        yield open_


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory) -> dict[int, Path]:
    """Each of the kept stores, upgraded in one go."""
    folder = tmp_path_factory.mktemp("upgraded")
    return {number: in_one_go(number, folder) for number in kept.KEPT}


def in_one_go(number: int, folder: Path) -> Path:
    path = kept.unpack(number, folder / f"{number}.sqlite3")
    with override_settings(SECRET_KEY=SECRET_KEY), closing(SqliteTable(str(path))) as store:
        upgrade(store, quietly)
    return path


@pytest.fixture
def served(upgraded, tmp_path, settings) -> Callable[[int], Table]:
    """A copy of an upgraded site, to be looked at and changed."""

    def serve(number: int) -> Table:
        settings.STORE_URL = f"sqlite://{shutil.copy(upgraded[number], tmp_path / 'served.sqlite3')}"
        return connect(settings.STORE_URL)

    return serve


def said(command: str, *arguments: str) -> str:
    words = StringIO()
    call_command(command, *arguments, stdout=words, stderr=words)
    return words.getvalue()


def refused(command: str, *arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        said(command, *arguments)
    return str(error.value)


def all_of(store: Table) -> dict[Key, Item]:
    """But leases, which are about processes."""
    items = {Key(item["PK"], item["SK"], name): item for name, item in store.everything()}
    return {key: item for key, item in items.items() if not key.pk.startswith("LEASE#")}


# --- opened ---


@pytest.mark.parametrize("number", kept.KEPT)
def test_a_store_that_says_nothing_is_known_by_what_it_lacks(opened, number):
    assert formats.format_of(opened(number)) == number


def test_every_format_before_todays_is_kept_in_a_small_file():
    assert tuple(range(formats.FORMAT)) == kept.KEPT
    assert all(path.stat().st_size < 60_000 for path in kept.FOLDER.glob("*.gz"))


def test_a_log_that_a_later_version_has_gone_on_with_is_of_format_0_until_it_is_indexed(opened):
    store = opened(0)
    moments = {"PK": formats.FIRST.pk, "SK": formats.FIRST.sk, "upto": 86, "moments": bytes(6 * 84) + b"\1" * 12}
    store.write(Put(moments, table=LOG))
    assert formats.format_of(store) == 0
    store.write(Delete(keys.event(1, store.page(keys.events(1, 1)).items[0]["when_occurred"])))
    assert formats.format_of(store) == 1  # the first number is void, and has no moment


def test_an_empty_store_has_no_format_until_its_tables_are_made(site):
    assert formats.format_of(site) is None
    said("create_tables")
    assert formats.format_of(site) == formats.FORMAT
    assert set(all_of(site)) == set(formats.PLACES)


# --- verified and replayed ---


def test_verify_tells_of_format_0_what_can_be_known_before_it_is_upgraded(opened):
    store = opened(0)
    assert verify(store).sealed == 84
    assert verify(store).flaw is None
    assert "the store has the format 0. Upgrade it, then verify again." in refused("verify")


def test_verify_finds_format_1_as_it_was_sealed(opened):
    opened(1)
    words = said("verify")
    assert "Every event up to 102 is what was sealed" in words
    assert "Closed elections that are what was sealed: 2." in words


def test_replay_says_of_format_0_that_it_differs_and_why(opened):
    opened(0)
    words = StringIO()
    with pytest.raises(CommandError, match=r"differences: \d+"):
        call_command("replay", "--check", stdout=words, stderr=words)
    assert "The store has the format 0, which kept some moments apart from the log" in words.getvalue()


@pytest.mark.parametrize("number", kept.KEPT)
def test_what_is_upgraded_verifies_and_replays(served, number):
    assert formats.format_of(served(number)) == formats.FORMAT
    assert "Closed elections that are what was sealed: 2." in said("verify")
    assert "The log and the store agree." in said("replay", "--check")


def test_format_1_replays_as_it_is(opened):
    verdict = replay.check(opened(1))
    assert (verdict.first, verdict.lost) == ((), ("Board",))


def test_one_changed_behind_the_log_is_still_named_after_an_upgrade(opened):
    store = opened(0)
    store.write(Update(keys.user("Ann"), set={"created_at": "2020-01-01T00:00:00.000Z"}))
    upgrade(store, quietly)
    (difference,) = replay.check(store).first
    assert (difference.place, difference.attribute) == ("USER#ann / METADATA", "created_at")


# --- upgraded ---


def test_an_upgrade_changes_no_event_and_no_ballot(opened, upgraded):
    before = all_of(opened(0))
    with closing(SqliteTable(str(upgraded[0]))) as store:
        after = all_of(store)
    assert before.keys() <= after.keys()
    for key, item in before.items():
        moved = IN_THE_ELECTION if key.sk == keys.METADATA and key.pk.startswith("ELECTION#") else ()
        changed = {name for name in item if name not in moved and after[key][name] != item[name]}
        assert changed <= {"created_at", "when_cast", "sealed_at", "check"}, key
        assert not (changed and key.table == LOG), key


def test_the_command_says_what_it_would_do_then_does_it_once(opened):
    store = opened(0)
    before = all_of(store)
    assert "- The log gets its index." in said("upgrade", "--look")
    assert all_of(store) == before
    assert "The store is upgraded, and has the format 2 now." in said("upgrade")
    assert "There is nothing to upgrade: the format is 2." in said("upgrade")


def test_an_upgrade_that_is_killed_at_any_write_goes_on_to_the_same_end(opened, upgraded, tmp_path):
    """State after each write of one upgrade: that is what a kill would leave. From each, another goes to the end."""
    store = opened(0)
    copies = Copying(store, tmp_path)
    upgrade(copies, quietly)
    assert copies.made > 12
    with closing(SqliteTable(str(upgraded[0]))) as other:
        expected = all_of(other)
    assert all_of(store) == expected
    for number in range(copies.made):
        with closing(SqliteTable(str(tmp_path / f"after-{number}.sqlite3"))) as left:
            assert formats.check(left, oldest=0) in range(formats.FORMAT + 1)
            left.write(Delete(keys.lease(SEALING.name)))  # half a minute later
            upgrade(left, quietly)
            assert all_of(left) == expected, number


class Copying:
    """A table whose file is copied after every write."""

    def __init__(self, store: Table, folder: Path):
        self._table, self.folder, self.made = store, folder, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def write(self, *writes: Any, **options: Any) -> None:
        self._table.write(*writes, **options)
        self._table.forget_deleted()  # and writes the journal into the file
        shutil.copy(self._table.path, self.folder / f"after-{self.made}.sqlite3")
        self.made += 1


def test_a_killed_upgrade_leaves_a_store_that_no_start_takes(opened):
    store = opened(0)
    with pytest.raises(Killed):
        upgrade(Interrupted(store, at=6, how="killed"), quietly)
    assert "The store has the format 0" in refused("create_tables")
    assert formats.steps_done(store)
    assert "The store has the format 0" in refused("tick")


def test_of_two_upgrades_at_once_the_second_waits_and_finds_nothing_to_do(opened):
    store, first = opened(0), ExitStack()
    assert first.enter_context(Leases(store).held(SEALING.name))

    def rest(seconds: float) -> None:
        first.close()
        upgrade(store, quietly)

    assert upgrade(store, quietly, rest) == formats.FORMAT


def test_an_upgrade_does_not_wait_for_good(opened):
    store = opened(0)
    with Leases(store).held(SEALING.name), pytest.raises(Busy, match="Stop the site, and try again"):
        upgrade(store, quietly, lambda seconds: None)
    assert formats.format_of(store) == 0


def test_a_store_from_before_all_formats_is_refused(opened):
    store = opened(0)
    store.write(Update(keys.listed_election("Board"), remove=("remind_before",), when=Exists()))
    assert "before any format that can be upgraded" in refused("upgrade")


def test_a_start_marks_format_1_by_itself_and_changes_nothing_else(opened):
    store = opened(1)
    before = all_of(store)
    said("create_tables")
    assert formats.format_of(store) == formats.FORMAT
    after = all_of(store)
    assert {key: item for key, item in after.items() if key not in formats.PLACES} == before


@pytest.mark.parametrize("number", kept.KEPT)
def test_descriptions_are_shown_from_where_they_were_and_moved_by_an_upgrade(opened, upgraded, number):
    store = opened(number)
    assert store.get(keys.description("Board")) is None
    before = descriptions.of("Board")
    assert (before.place, before.description) == (keys.election("Board"), "Who, *then*?")
    with closing(SqliteTable(str(upgraded[number]))) as after:
        assert after.get(keys.description("Board"))["description"] == "Who, *then*?"
        assert not any("description" in (after.get(keys.election(each["name"])) or {}) for each in listed(after))


def listed(store: Table) -> list[Item]:
    return list(store.each(keys.elections()))


def test_a_paused_site_can_be_upgraded(opened):
    store = opened(0)
    place = keys.pause()
    told = {"by": "plenum", "since": "2026-11-15T20:00:00.000Z", "minutes": 30, "sentence": ""}
    store.write(Put({"PK": place.pk, "SK": place.sk, **told}))
    said("upgrade")
    assert formats.format_of(store) == formats.FORMAT


# --- served ---

OF_THE_OWNER = (
    *("home", "admin", "system", "log", "tables", "raw_tables", "people", "invitations", "mails", "elections", "polls"),
    *("checkpoints", "reported_polls"),
)
OF_THE_ORGANISER = {
    "Draft": ("dashboard", "election_settings", "candidates", "roll", "open_election", "rename_election", "history"),
    "Board": ("dashboard", "turnout", "roll", "export_roll", "message_voters", "choose_reminders", "paper", "managers"),
    "Prize": ("dashboard", "turnout", "roll", "live", "history"),
    "Past board": ("dashboard", "turnout", "history"),
}
OF_THE_VOTER = {
    "Board": ("election", "ballot", "receipt", "history"),
    "Prize": ("election", "ballot", "receipt", "live"),
    "Past board": ("election", "results", "recount", "follow", "what_if", "bundle", "head_to_head"),
    "Past prize": ("results", "recount", "bundle", "head_to_head"),
}


def signed_in(name: str) -> Client:
    client = Client()
    assert client.post("/sign-in/", {"name_or_email": name, "password": PASSWORD}).status_code == 302
    return client


def looks() -> Iterator[tuple[str, str]]:
    yield from (("Olga", reverse(page)) for page in OF_THE_OWNER)
    yield "Olga", reverse("person", args=["Ann"])
    yield "Olga", reverse("event", args=[1])
    for name, pages in (("Otto", OF_THE_ORGANISER), ("Ann", OF_THE_VOTER)):
        yield name, reverse("home")
        yield from ((name, reverse(page, args=[of])) for of, those in pages.items() for page in those)
    yield from (("Otto", reverse("manage_poll", args=[item["id"]])) for item in table().each(keys.made_by("Otto")))
    yield from (("Ann", reverse("poll_results", args=[item["id"]])) for item in table().each(keys.made_by("Otto")))


@pytest.mark.parametrize("number", kept.KEPT)
def test_every_main_page_is_served(served, number):
    served(number)
    said("tick")  # a worker has come by, and what is sealed is public
    browsers = {name: signed_in(name) for name in ("Olga", "Otto", "Ann")}
    answers = {(name, address): browsers[name].get(address).status_code for name, address in looks()}
    assert {look: status for look, status in answers.items() if status not in (200, 302)} == {}
    assert sum(status == 200 for status in answers.values()) > 40


@pytest.mark.parametrize("number", kept.KEPT)
def test_who_has_voted_secretly_can_change_it_and_who_has_not_can_vote(served, number):
    store = served(number)
    before = store.count(*keys.ballots("Board"))
    for name, more in (("Ann", 0), ("Cleo", 1)):
        form = {"token": f"form of {name}", "rank-0": "1", "rank-2": "2"}
        answer = signed_in(name).post(reverse("cast", args=["Board"]), form)
        assert answer.status_code == 302, answer.content.decode()
        assert store.count(*keys.ballots("Board")) == before + more
    assert turnout("Board").steps[-1][1] == turnout("Board").voted == before + 1  # as its gates have always counted
    assert store.get(keys.turnout("Board")) is None
    assert said("tick").startswith("0 elections closed")
    assert "The log and the store agree." in said("replay", "--check")


def test_an_open_secret_election_of_format_0_is_closed_sealed_and_verified(served):
    from ballots import services as ballots
    from elections import services as organising

    served(0)
    organising.close(story.someone("Otto"), story.election("Board"))
    ballots.seal_what_is_closed()
    said("seal")
    assert "Closed elections that are what was sealed: 3." in said("verify")


# --- backups and transfers ---


def test_a_backup_of_format_1_fills_a_store_that_a_start_has_marked_and_is_what_it_was(site):
    said("create_tables")
    words = said("restore", str(kept.backup_of(1)))
    assert "items were restored" in words
    assert formats.format_of(site) == 1
    said("create_tables")
    assert formats.format_of(site) == formats.FORMAT
    assert "Closed elections that are what was sealed: 2." in said("verify")


def test_a_start_does_not_mark_a_store_that_is_being_filled(site):
    site.write(Put({"PK": keys.restoring().pk, "SK": keys.restoring().sk, "sha256": None, "items": 0}))
    said("create_tables")
    assert formats.format_of(site) is None


def test_a_backup_says_the_format_of_its_store_and_a_later_one_is_refused(site, tmp_path):
    formats.mark(site, LATER)
    with open(tmp_path / "backup", "wb") as file:
        backup(site, file)
    with open(tmp_path / "backup", "rb") as file, pytest.raises(formats.TooNew, match="of has the format 3"):
        check(unzipped(file))
    other = SqliteTable(str(tmp_path / "other.sqlite3"))
    with closing(other), open(tmp_path / "backup", "rb") as file:
        other.create()
        with pytest.raises(formats.TooNew):
            restore(other, unzipped(file))
        assert all_of(other) == {}


def test_a_transfer_takes_the_format_along(site, tmp_path):
    said("create_tables")
    with closing(SqliteTable(str(tmp_path / "new.sqlite3"))) as new:
        url = f"sqlite://{tmp_path}"
        said("transfer", f"{url}/plenum.sqlite3", f"{url}/new.sqlite3")
        assert formats.format_of(new) == formats.FORMAT
    formats.mark(site, LATER)
    assert "has the format 3" in refused("transfer", f"{url}/plenum.sqlite3", f"{url}/another.sqlite3")


def test_a_store_rebuilt_from_its_log_has_the_format_of_the_log(opened, tmp_path):
    store = opened(1)
    said("replay", "--into", f"sqlite://{tmp_path}/rebuilt.sqlite3")
    with closing(SqliteTable(str(tmp_path / "rebuilt.sqlite3"))) as rebuilt:
        assert formats.format_of(rebuilt) == formats.format_of(store) == 1


# --- too new ---

WORDS = {
    "pause": [],
    "reset_second_factor": ["Olga"],
    "backup": ["/nowhere/backup"],
    "replay": ["--check"],
    "forget": ["Ada"],
}
ELSEWHERE = {"restore", "transfer", "version"}  # of another store than the site's, or of none


def commands() -> list[str]:
    ours = (name for name, app in get_commands().items() if app == "upkeep")
    return [name for name in ours if isinstance(load_command_class("upkeep", name), StoreCommand)]


def test_every_command_refuses_a_store_that_a_later_version_has_written(site, settings):
    formats.mark(site, LATER)
    settings.PORT = 0
    before = all_of(site)
    asked = [name for name in commands() if name not in ELSEWHERE]
    assert len(asked) > 14
    for name in asked:
        words = refused(name, *WORDS.get(name, []))
        assert "The store has the format 3, and this Plenum reads up to 2" in words, name
    assert all_of(site) == before


def test_no_server_starts_on_a_store_that_is_too_new_or_too_old(opened, tmp_path, settings, monkeypatch):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")  # which the configuration sets for the processes it starts
    settings.DATA_DIR = tmp_path
    server = SimpleNamespace(log=SimpleNamespace(warning=lambda sentence: None))
    start = partial(runpy.run_path(str(ROOT / "config/gunicorn.py"))["on_starting"], server)
    opened(0)
    with pytest.raises(SystemExit, match=r"The store has the format 0, .* run “plenum upgrade”"):
        start()
    store = opened(1)
    start()
    assert formats.format_of(store) == formats.FORMAT
    formats.mark(store, LATER)
    with pytest.raises(SystemExit, match="The store has the format 3"):
        start()


def test_a_store_that_does_not_answer_keeps_no_server_from_starting(tmp_path):
    assert formats.refusal(SqliteTable(str(tmp_path / "nothing.sqlite3"))) is None


def test_who_serves_a_store_that_was_upgraded_elsewhere_is_not_ready(site):
    formats.mark(site, formats.FORMAT)
    assert Client().get("/readyz").status_code == 200
    formats.mark(site, LATER)
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.content) == (
        503,
        b"A later version has upgraded the store. This one has to be replaced by it.\n",
    )


def test_a_worker_looks_now_and_then_and_ends_when_it_no_longer_understands(site):
    now, asked = [0.0], []
    watch = formats.Watch(Heard(site, asked), every=60, ticking=lambda: now[0])
    formats.mark(site, LATER)
    assert watch()
    assert asked == []
    now[0] = 60
    assert not watch()
    assert not watch()
    assert len(asked) == 1
    assert "The store has the format 3" in watch.refused


def test_a_worker_goes_on_while_the_store_does_not_answer(tmp_path):
    watch = formats.Watch(SqliteTable(str(tmp_path / "nothing.sqlite3")), every=0)
    assert watch()


class Heard:
    """A table that tells how often it was asked for many."""

    def __init__(self, store: Table, asked: list[Any]):
        self._table, self.asked = store, asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def get_many(self, places: Any) -> dict[Key, Item]:
        self.asked.append(places)
        return self._table.get_many(places)


# --- today's ---


def test_what_todays_program_writes_is_what_is_to_be_kept_of_it(site):
    """`python -m tests.formats.make` writes the files of a release by this story."""
    said("create_tables")
    story.tell()
    assert formats.format_of(site) == formats.FORMAT
    assert "Closed elections that are what was sealed: 2." in said("verify")
    assert replay.check(site).first == ()
    assert {item["state"] for item in mails(site)} == {"queued", "sending", "sent", "failed"}


def mails(store: Table) -> list[Item]:
    return [item for key, item in all_of(store).items() if key.pk.startswith(keys.mail("").pk)]


def test_the_system_page_tells_the_format(site):
    owner = sign_in("Olga", Role.OWNER)
    assert "not marked yet" in owner.get(reverse("system")).content.decode()
    formats.prepare(site)
    assert "<dt>Format</dt><dd>2</dd>" in owner.get(reverse("system")).content.decode()


def test_the_version_is_told_with_the_format(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["manage.py", "version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "manage.py"), run_name="__main__")
    assert ended.value.code == 0
    words = capsys.readouterr().out
    assert words.startswith("Plenum ")
    assert "Format 2; reads 0 to 2" in words
