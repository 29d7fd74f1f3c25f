"""The commands of the ground floor."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts import repository as people
from accounts.demo import PEOPLE
from acts.site import now_text, table
from elections import repository as elections
from elections.mine import votes_of
from news import repository as news
from polls import repository as polls_repository
from results import repository as results_repository
from results import services as results
from results.words import said
from skills.demo import MEMBERS
from store import keys
from store.log import Event, EventLog, utc_now
from store.table import LOG, Key, Update
from upkeep.management.commands import serve


def run(*arguments, **options) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue().strip()


def test_create_tables_may_be_run_again(site):
    EventLog(site).void(1)
    assert run("create_tables") == run("create_tables") == "The tables are there."
    assert EventLog(site).is_void(1)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_the_demo_is_loaded_once_and_its_counts_follow_the_log(site, monkeypatch):
    monkeypatch.setattr("upkeep.progress.SECONDS_BETWEEN", 0)
    watched, unwatched = Terminal(), StringIO()
    assert run("demo", stderr=watched) == "The demo content is loaded."
    for words in ("1 of 9, people: 10 of 10", "3 of 9, elections: 5 of 9", "4 of 9, ballots: 1,000 of 1,7"):
        assert f"\rDemo, part {words}" in watched.getvalue()
    assert run("demo", stderr=unwatched) == "The demo content is there already."
    assert not unwatched.getvalue(), "where nobody watches, nothing is said"
    seen = [post.title for post in news.published(limit=9)[0]]
    assert seen[:2] == ["Result: Talk of the year", "Three towns, one summer"]
    assert len(seen) == 4
    assert len(news.ahead(limit=9)[0]) == len(news.drafts(limit=9)[0]) == 1
    registered = sum(event["event_type"] == "UserRegistered" for event in EventLog(site).since(0))
    assert registered == len(PEOPLE) + len(MEMBERS)
    assert sum(1 for _ in site.each(keys.mails("queued"))) < 20, "of thousands of ballots only those of a few are told"
    run("seal")
    assert site.get(keys.counts())["user_count"] == registered
    assert site.get(keys.sync())["last_event_id"] == site.count(keys.events())
    for sentence, holds in PROMISES.items():
        assert holds(), sentence


def votes_of_the_owner():
    return votes_of(people.find(people.owner_name()), now_text())


def is_about_to_close() -> bool:
    (first, *_others), now = votes_of_the_owner().waiting, utc_now()
    return now < first.ends < now + timedelta(hours=12)


def has_a_cycle() -> bool:
    """Each of three beats the next one to one, and the page says so."""
    report = results.find("What we do with the bequest").report
    won = {(a, b): report.result.pairwise[a][b] > report.result.pairwise[b][a] for a in range(4) for b in range(4)}
    is_cycle = any(won[a, b] and won[b, c] and won[c, a] for a in range(4) for b in range(4) for c in range(4))
    return is_cycle and any("There was a cycle" in said(each) for each in report.sentences)


def has_seats_and_transfers() -> bool:
    result = results.find("Committee of the workshop").report.result
    passed_on = {each.source for round_ in result.rounds for each in round_.transfers}
    return result.seats == len(result.winners) == 3 and bool(passed_on & set(result.winners))


def is_public() -> bool:
    shown = results_repository.newest_shared()
    return shown.election_name == "Talk of the year" and shown.ballots > 1000


def is_a_poll_running() -> bool:
    polls, _cursor = polls_repository.lists(keys.PUBLIC_POLLS, limit=9)
    return any(each.is_open(now_text()) and voters_of(each.id) > 10 for each in polls)


def voters_of(poll_id: str) -> int:
    return sum(1 for _ in table().each(*keys.votes(poll_id)))


PROMISES = {
    "the owner has a ballot waiting": lambda: len(votes_of_the_owner().waiting) == 1,
    "and has cast one, and is told how one ended": lambda: votes_of_the_owner().cast and votes_of_the_owner().decided,
    "one election with a cycle": has_a_cycle,
    "one with several seats": has_seats_and_transfers,
    "one about to close": is_about_to_close,
    "one with a public result": is_public,
    "a poll that is running": is_a_poll_running,
    "and candidates introduce themselves": lambda: all(
        each.statement for each in elections.candidates("Film for Friday evening")
    ),
}


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


def test_a_demo_that_cannot_be_loaded_ends_the_start(site, settings, tmp_path, monkeypatch):
    settings.DATA_DIR, settings.PORT, settings.PRODUCTION = tmp_path, 0, False
    called = []
    monkeypatch.setattr(serve, "call_command", lambda name, **options: called.append(name))
    monkeypatch.setattr(serve.server, "run_beside", lambda *words: SimpleNamespace(wait=lambda: 1))
    monkeypatch.setattr(serve, "become_gunicorn", lambda: called.append("gunicorn"))
    with pytest.raises(SystemExit, match="1"):
        call_command("serve", stdout=StringIO())
    assert called == ["collectstatic"]


@pytest.mark.parametrize(("is_distant", "no_demo"), [(False, False), (True, False), (True, True)])
def test_the_demo_is_loaded_by_itself_only_where_a_question_is_no_journey(
    site, settings, tmp_path, monkeypatch, is_distant, no_demo
):
    """What the server does before gunicorn takes its place."""
    settings.DATA_DIR, settings.PORT, settings.PRODUCTION = tmp_path, 0, False
    called, output = [], StringIO()
    monkeypatch.setattr(type(site), "is_distant", is_distant)
    monkeypatch.setattr(serve, "call_command", lambda name, **options: called.append(name))
    monkeypatch.setattr(
        serve.server, "run_beside", lambda name, *words: called.append(name) or SimpleNamespace(wait=int)
    )
    monkeypatch.setattr(serve, "become_gunicorn", lambda: called.append("gunicorn"))
    call_command("serve", no_demo=no_demo, stdout=output)
    assert ("demo" in called, called[-1]) == (not is_distant, "gunicorn")
    assert ("Sign in as one of these" in output.getvalue()) == (not is_distant)
    assert ("“python manage.py demo” loads it" in output.getvalue()) == (is_distant and not no_demo)
