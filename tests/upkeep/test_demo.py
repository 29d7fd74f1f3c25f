"""The command demo, and what it loads; it takes seconds, so that all tests here look at one demo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from itertools import count

import orjson
import pytest
from django.test import override_settings
from django.utils import translation

from accounts import repository as people
from accounts.demo import PEOPLE
from elections import repository as elections
from elections.own_elections import votes_of
from foundation.acts.queues import no_progress
from foundation.acts.storage import now_text, table, use_table
from foundation.store import keys
from foundation.store.backup import encoded
from foundation.store.connect import connect
from foundation.store.log import EventLog, utc_now
from foundation.store.log.seal import verify
from foundation.store.table import StoreError, Table
from operations.upkeep.management.commands.demo import steps
from parts.news import repository as news
from parts.polls import repository as polls_repository
from parts.skills.demo import MEMBERS
from results import repository as results_repository
from results import services as results
from results.front_page import site_page
from results.wording import translate
from tests.test_interruptions import Interrupted, Killed

from .test_commands import run


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def watched() -> Terminal:
    return Terminal()


@pytest.fixture(scope="module")
def demo(watched, tmp_path_factory) -> Iterator[Table]:
    """A site with nothing else; somebody has watched how it was loaded."""
    url = f"sqlite://{tmp_path_factory.mktemp('demo')}/plenum.sqlite3"
    with override_settings(STORE_URL=url), translation.override("en"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("operations.upkeep.commands.UPDATE_INTERVAL_SECONDS", 0)
        site = connect(url)
        site.create()
        assert run("demo", stderr=watched) == "The demo content is loaded."
        yield site
        site.close()


@pytest.mark.deep
@pytest.mark.seconds(15)
def test_the_demo_is_loaded_once_and_its_counts_follow_the_log(demo, watched):
    site, unwatched = demo, StringIO()
    for words in ("1 of 14, people: 10 of 10", "3 of 14, elections: 5 of 15", "4 of 14, ballots: 1,000 of 1,7"):
        assert f"\rDemo, part {words}" in watched.getvalue()
    assert run("demo", stderr=unwatched) == "The demo content is already there."
    lines = ["Demo, part 1 of 14, people: 10 of 10", "Demo, part 3 of 14, elections: 15 of 15"]
    assert unwatched.getvalue().splitlines() == lines, "a log has a line for each"
    seen = [post.title for post in news.published(limit=9)[0]]
    assert seen[:2] == ["Result: Talk of the year", "Three towns, one summer"]
    assert len(seen) == 4
    assert len(news.scheduled(limit=9)[0]) == len(news.drafts(limit=9)[0]) == 1
    registered = sum(event["event_type"] == "UserRegistered" for event in EventLog(site).since(0))
    assert registered == len(PEOPLE) + len(MEMBERS)
    assert sum(1 for _ in site.each(keys.mails("queued"))) < 20, "of thousands of ballots only those of a few are told"
    run("seal")
    assert site.get(keys.COUNTS)["user_count"] == registered
    assert site.get(keys.SYNC)["last_event_id"] == site.count(keys.events())
    for sentence, holds in PROMISES.items():
        assert holds(), sentence


def happened(site: Table) -> Counter[str]:
    return Counter(event["event_type"] for event in EventLog(site).since(0))


@pytest.mark.deep
def test_an_interrupted_demo_is_completed_by_the_next_run(demo, settings, tmp_path):
    """Each part is killed at one write after another, until nothing of it is left to do: everything happens once."""
    settings.STORE_URL = f"sqlite://{tmp_path}/interrupted.sqlite3"
    site = connect(settings.STORE_URL)
    site.create()
    for what, load in steps().items():
        for killed_at in count(3, 100 if what == "ballots" else 2):
            dying = Interrupted(site, killed_at, "killed")
            with use_table(dying), suppress(Killed, StoreError):  # type: ignore[arg-type]
                load(no_progress)
            if not dying.is_dead:
                break
    assert run("demo") == "The demo content is already there."
    assert happened(site) == happened(demo)


def votes_of_the_owner():
    return votes_of(people.find(people.owner_name()), now_text())


def is_about_to_close() -> bool:
    (first, *_others), now = votes_of_the_owner().waiting, utc_now()
    return now < first.ends < now + timedelta(hours=12)


def has_a_cycle() -> bool:
    """Each of three beats the next head to head, and the page says so."""
    report = results.find("What we do with the bequest").report
    won = {(a, b): report.result.pairwise[a][b] > report.result.pairwise[b][a] for a in range(4) for b in range(4)}
    is_cycle = any(won[a, b] and won[b, c] and won[c, a] for a in range(4) for b in range(4) for c in range(4))
    return is_cycle and any("There was a cycle" in translate(each) for each in report.sentences)


def has_seats_and_transfers() -> bool:
    result = results.find("Committee of the workshop").report.result
    passed_on = {each.source for round_ in result.rounds for each in round_.transfers}
    return result.seats == len(result.winners) == 3 and bool(passed_on & set(result.winners))


def is_public() -> bool:
    shown = results_repository.newest_shared()
    return shown.election_name == "Talk of the year" and shown.ballots > 1000


def is_a_poll_running() -> bool:
    polls, _cursor = polls_repository.list_page(keys.PUBLIC_POLLS, limit=9)
    return any(each.is_open(now_text()) and voters_of(each.id) > 10 for each in polls)


def voters_of(poll_id: str) -> int:
    return sum(1 for _ in table().each(*keys.votes(poll_id)))


def is_liked() -> bool:
    newest = news.published(limit=1)[0][0]
    return sum(each["likes"] for each in table().each(keys.all_likes(newest.id))) > 1


PROMISES = {
    "the owner has a ballot waiting": lambda: bool(votes_of_the_owner().waiting),
    "and has cast one, and is told how one ended": lambda: votes_of_the_owner().cast and votes_of_the_owner().decided,
    "one election with a cycle": has_a_cycle,
    "one with several seats": has_seats_and_transfers,
    "one about to close": is_about_to_close,
    "one with a public result": is_public,
    "a poll that is running": is_a_poll_running,
    "a page about those who decide here": lambda: site_page.find().has_content,
    "a post that several people like": is_liked,
    "and candidates introduce themselves": lambda: all(
        each.statement for each in elections.candidates("Film for Friday evening")
    ),
}


def by_place(table) -> dict[tuple[str, str, str], bytes]:
    return {
        (name, item["PK"], item["SK"]): orjson.dumps(encoded(item), option=orjson.OPT_SORT_KEYS)
        for name, item in table.everything()
    }


@pytest.mark.deep
def test_the_demo_comes_back_from_its_backup(demo, settings, tmp_path):
    site = demo
    run("seal")
    file, before = str(tmp_path / "plenum.jsonl.gz"), by_place(site)
    before = {place: item for place, item in before.items() if place[1] != keys.PUBLISHING.pk}  # a sealer's own
    items = len(before)
    assert run("backup", file).startswith(f"{items} items are in the backup; SHA-256 ")
    settings.STORE_URL = f"sqlite://{tmp_path}/other.sqlite3"
    other = connect(settings.STORE_URL)
    checkpoint = EventLog(site).newest_checkpoint()
    said = f"{items} items were restored.\nCheckpoint {checkpoint['event_id']}:{checkpoint['hash']}"
    assert run("restore", file, "--send-mail") == said
    after = by_place(other)
    assert [place for place in before.keys() | after.keys() if before.get(place) != after.get(place)] == []
    assert verify(other).flaw is None
    assert run("demo") == "The demo content is already there."
