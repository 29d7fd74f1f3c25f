"""The commands of the ground floor."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.demo import PEOPLE
from news import repository as news
from skills.demo import MEMBERS
from store import keys
from store.log import Event, EventLog
from store.table import LOG, Key, Update


def run(*arguments, **options) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue().strip()


def test_create_tables_may_be_run_again(site):
    EventLog(site).void(1)
    assert run("create_tables") == run("create_tables") == "The tables are there."
    assert EventLog(site).is_void(1)


def test_the_demo_is_loaded_once(site):
    assert run("demo") == "The demo content is loaded."
    assert run("demo") == "The demo content is there already."
    seen = [post.title for post in news.published(limit=9)[0]]
    assert seen[:2] == ["Result: Talk of the year", "Three towns, one summer"]
    assert len(seen) == 4
    assert len(news.ahead(limit=9)[0]) == len(news.drafts(limit=9)[0]) == 1
    registered = sum(event["event_type"] == "UserRegistered" for event in EventLog(site).since(0))
    assert registered == len(PEOPLE) + len(MEMBERS)
    assert sum(1 for _ in site.each(keys.mails("queued"))) < 20, "of thousands of ballots only those of a few are told"


@pytest.fixture
def one_event(site):
    EventLog(site).record(Event("ada", "ThingMade"))


def test_seal_and_verify(site, one_event):
    assert (
        run("verify")
        == f"Every event up to 0 is what was sealed; chain {'0' * 64}.\n1 newer events are not sealed yet."
    )
    assert run("seal") == "1 event numbers sealed."
    assert run("seal") == "Nothing new to seal."
    checkpoint = EventLog(site).newest_checkpoint()
    assert run("verify") == f"Every event up to 1 is what was sealed; chain {checkpoint['hash']}."
    assert run("verify", f"--checkpoint=1:{checkpoint['hash'].upper()}")


def test_verify_names_what_was_tampered_with(site, one_event):
    run("seal")
    (event,) = EventLog(site).since(0)
    site.write(Update(Key(event["PK"], event["SK"], LOG), set={"actor": "mallory"}))
    with pytest.raises(CommandError, match=r"Event 1 is not what was sealed\."):
        run("verify")


@pytest.mark.parametrize("text", ["1", "one:" + "0" * 64, "1:short", ":"])
def test_verify_says_how_a_checkpoint_is_written(site, text):
    with pytest.raises(CommandError, match="NUMBER:HASH"):
        run("verify", f"--checkpoint={text}")


def test_the_counts_of_the_seed_follow_the_log(site):
    run("demo")
    run("seal")
    assert site.get(keys.counts())["user_count"] == len(PEOPLE) + len(MEMBERS)
    assert site.get(keys.sync())["last_event_id"] == site.count(keys.events())
