"""Interruptions of the voting: on record for good, shown wherever the election is, and part of the report."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from acts.refusals import NotAllowed, NotNow
from acts.storage import log, table
from ballots.services import seal_closed
from elections import repository
from elections.candidates.services import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.interruptions import rules, services
from elections.interruptions.rules import NotRecorded
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.managers.services import add_manager
from elections.multi_ballot_pages import services as binding
from elections.multi_ballots import repository as multi_ballots
from elections.public import feed
from elections.roll.services import add_voters
from elections.rules import WrongState
from elections.turnout import counts
from ranking.candidates import Candidate
from results import services as results
from results.exports import bundle, text_report
from store import keys
from store.log import Event
from tests.api.program import program_of
from tests.background import finish_background, queue_mailings
from tests.clock import stands_at
from tests.people import confirm, make_person
from upkeep.log.figures import site_sealer

OPENED = "2094-03-01T08:00:30.000Z"
NOW = "2094-03-01T12:00:00.000Z"
END = "2094-03-01T17:00:00.000Z"
BEGAN, ENDED = "2094-03-01T10:00:00.000Z", "2094-03-01T10:45:00.000Z"
PAGE = "/election/Board/interruptions/"
TYPED = {"began": "2094-03-01T11:00", "ended": "2094-03-01T11:45", "happened": "The power failed."}  # in Berlin
NAUGHTY = "<b>x</b> # \u05d0\u05d1"


@pytest.fixture
def ada(person, monkeypatch):
    stands_at(monkeypatch, OPENED)
    return confirm(person("Ada"))


@pytest.fixture
def board(ada, monkeypatch):
    election = drafts.create(ada, "Board", no_voting_after=END, time_zone="Europe/Berlin", results_public=True)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    make_person("Eve")
    add_voters(ada, election, ["Eve", "ann@example.org"])
    opened = lifecycle.open_(ada, repository.find("Board"))
    stands_at(monkeypatch, NOW)
    return opened


def found(name: str = "Board"):
    election = repository.find(name)
    assert election is not None
    return election


def record(
    actor, election=None, began=BEGAN, ended=ENDED, happened="The power failed.", decided="", minutes=0, corrects=0
):
    return services.record_interruption(actor, election or found(), began, ended, happened, decided, minutes, corrects)


def events(kind: str = "InterruptionRecorded") -> list[dict]:
    return [each for each in table().each(keys.events()) if each["event_type"] == kind]


# --- recording ---


def test_it_is_recorded_and_extends_the_voting_in_one_event(board, ada):
    record(ada, decided="One hour more.", minutes=60)
    (entry,) = found().interruptions
    assert (entry.number, entry.began, entry.ended, entry.recorded_at) == (1, BEGAN, ENDED, NOW)
    assert found().no_voting_after == entry.new_end == "2094-03-01T18:00:00.000Z"
    (event,) = events()
    assert event["actor"] == "Ada"
    assert event["event_data"]["happened"] == "The power failed."
    assert not [each for each in events("ElectionUpdated") if "no_voting_after" in each["event_data"]]


def test_a_correction_is_another_entry(board, ada):
    first = record(ada)
    record(ada, ended="2094-03-01T11:30:00.000Z", corrects=1)
    assert found().interruptions[0] == first, "nothing is changed"
    assert found().interruptions[1].corrects == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ended": "2094-03-01T12:01:00.000Z"}, "future"),
        ({"ended": BEGAN}, "end after it began"),
        ({"began": "2094-03-01T07:59:00.000Z"}, "before people could vote"),
        ({"began": ENDED, "ended": BEGAN}, "end after it began"),
        ({"corrects": 1}, "no entry of that number"),
    ],
)
def test_what_cannot_have_been_is_refused(board, ada, change, reason):
    with pytest.raises(NotRecorded, match=reason):
        record(ada, **change)
    assert found().interruptions == ()


def test_it_may_begin_in_the_minute_of_the_opening(board, ada):
    record(ada, began="2094-03-01T08:00:00.000Z")
    assert len(found().interruptions) == 1


def test_after_the_end_it_cannot_begin_even_before_the_election_is_closed(board, ada, monkeypatch):
    stands_at(monkeypatch, "2094-03-01T17:30:00.000Z")
    assert found().closed_at is None
    with pytest.raises(NotRecorded, match="after voting had ended"):
        record(ada, began=END, ended="2094-03-01T17:10:00.000Z")
    record(ada, began="2094-03-01T16:50:00.000Z", ended="2094-03-01T17:10:00.000Z")


def test_overlapping_ones_are_both_on_record_and_only_more_time_is_added(board, ada):
    record(ada, minutes=60)
    record(ada, began="2094-03-01T10:30:00.000Z", ended="2094-03-01T11:00:00.000Z", minutes=30)
    assert [each.new_end[11:16] for each in found().interruptions] == ["18:00", "18:30"]
    assert found().no_voting_after == "2094-03-01T18:30:00.000Z"


def test_the_same_entry_twice_is_refused(board, ada):
    record(ada)
    with pytest.raises(NotRecorded, match="already"):
        record(ada)


def test_there_is_a_largest_number_of_entries(board, ada):
    for number in range(rules.MAX_INTERRUPTIONS):
        record(ada, happened=f"{number}".ljust(rules.MAX_TEXT_CHARS, "漢"), decided="漢" * rules.MAX_TEXT_CHARS)
    with pytest.raises(NotRecorded, match="At most"):
        record(ada, happened="One more")


def test_managers_record_and_only_owners_extend(board, ada, person):
    mia = person("Mia")
    add_manager(ada, found(), "Mia")
    record(mia)
    with pytest.raises(NotAllowed):
        record(mia, happened="Again", minutes=15)
    assert found().no_voting_after == END
    with pytest.raises(NotAllowed):
        record(person("Zoe"), happened="Mine")


def test_a_draft_has_no_interruptions_and_without_an_end_nothing_is_extended(ada, monkeypatch):
    draft = drafts.create(ada, "Board")
    with pytest.raises(NotNow):
        record(ada, draft)
    add_candidates(ada, draft, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, draft, ["ann@example.org"])
    lifecycle.open_(ada, found())
    stands_at(monkeypatch, NOW)
    with pytest.raises(WrongState, match="no end"):
        record(ada, minutes=15)
    record(ada)
    assert found().no_voting_after is None


def test_a_copy_has_none(board, ada):
    record(ada)
    copying.copy(ada, found(), "Board again")
    assert found("Board again").interruptions == ()


def test_the_turnout_follows_the_new_end(board, ada):
    record(ada, minutes=60)
    counts.apply_events(table(), list(table().each(keys.events())))
    assert table().get(keys.turnout("Board"))["ends"] == "2094-03-01T18:00:00.000Z"


def opened_ballot(ada, monkeypatch):
    """With two questions."""
    ballot = binding.make(ada, "Spring", ["Chair", "Colour"], no_voting_after=END)
    add_voters(ada, found(ballot.leader), ["ann@example.org"])
    finish_background()
    for name in ballot.questions:
        add_candidates(ada, found(name), [Candidate("Bo"), Candidate("Cy")])
    binding.open_(ada, multi_ballots.find(ballot.id))
    finish_background()
    stands_at(monkeypatch, NOW)
    return ballot


def test_all_questions_of_a_ballot_have_it_and_the_new_end(ada, monkeypatch):
    ballot = opened_ballot(ada, monkeypatch)
    with pytest.raises(WrongState):
        record(ada, found(next(name for name in ballot.questions if name != ballot.leader)))
    record(ada, found(ballot.leader), minutes=60)
    finish_background()
    for name in ballot.questions:
        assert [each.number for each in found(name).interruptions] == [1]
        assert found(name).no_voting_after == "2094-03-01T18:00:00.000Z"
    assert len(events()) == 2


def test_on_the_results_of_a_ballot_what_came_after_the_seal_is_marked(ada, signed_in, monkeypatch):
    ballot = opened_ballot(ada, monkeypatch)
    for number in range(3):
        record(ada, found(ballot.leader), happened=f"In time {number}")
        finish_background()
    voters, results_page = (reverse(f"multi_ballot{page}", args=[ballot.id]) for page in ("", "_results"))
    page = signed_in(ada).get(voters).content.decode()
    assert "In time 2" in page.split("<details")[0], "the latest is not folded away"
    assert "2 earlier entries" in page
    stands_at(monkeypatch, "2094-03-01T16:00:00.000Z")
    binding.close(ada, multi_ballots.find(ballot.id))
    finish_background()
    seal_closed()
    assert "after the result was sealed" not in signed_in(ada).get(results_page).content.decode()
    stands_at(monkeypatch, "2094-03-01T18:00:00.000Z")
    record(ada, found(ballot.leader), happened="Found out late")
    finish_background()
    page = signed_in(ada).get(results_page).content.decode()
    assert page.count("after the result was sealed") == 1
    assert "Found out late" in page


# --- the page ---


def test_organisers_record_it_in_the_elections_time_zone(board, ada, signed_in):
    browser = signed_in(ada)
    page = browser.get(PAGE).content.decode()
    assert "Email this to all voters" in page
    answer = browser.post(PAGE, {**TYPED, "decided": NAUGHTY, "minutes": "30"}, follow=True)
    assert answer.status_code == 200
    (entry,) = found().interruptions
    assert (entry.began, entry.ended) == (BEGAN, ENDED)
    assert entry.new_end == "2094-03-01T17:30:00.000Z"
    assert b"<b>x</b>" not in answer.content
    again = browser.post(PAGE, {**TYPED, "decided": NAUGHTY, "minutes": "30"})
    assert again.status_code == 422
    assert "The power failed." in again.content.decode(), "nothing typed is lost"


def test_when_clocks_go_back_an_outage_is_recorded_as_the_longest_it_may_have_been(ada, signed_in, monkeypatch):
    stands_at(monkeypatch, "2094-10-30T22:00:00.000Z")
    election = drafts.create(ada, "Board", time_zone="Europe/Berlin")
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ["ann@example.org"])
    lifecycle.open_(ada, found())
    stands_at(monkeypatch, "2094-10-31T06:00:00.000Z")
    browser = signed_in(ada)
    typed = {**TYPED, "began": "2094-10-31T02:10", "ended": "2094-10-31T02:20"}
    page = browser.post(PAGE, typed, follow=True).content.decode()
    (entry,) = found().interruptions
    assert (entry.began, entry.ended) == ("2094-10-31T00:10:00.000Z", "2094-10-31T01:20:00.000Z")
    assert "02:10 CEST" in page or "2:10 a.m. CEST" in page
    assert "02:20 CET" in page or "2:20 a.m. CET" in page


def test_what_happened_is_one_line_wherever_it_is_printed(board, ada, signed_in):
    browser = signed_in(ada)
    browser.post(PAGE, {**TYPED, "happened": "Down.\r\n\r\n  roll: 3\u202e of 3", "decided": "\u0642\u0631\u0631\n"})
    (entry,) = found().interruptions
    assert (entry.happened, entry.decided) == ("Down. roll: 3 of 3", "\u0642\u0631\u0631")
    assert browser.post(PAGE, {**TYPED, "happened": "\u202e \n"}).status_code == 422


@pytest.mark.parametrize(
    "wrong", [{"began": "yesterday"}, {"happened": ""}, {"happened": "x" * 401}, {"minutes": "17"}, {"corrects": "9"}]
)
def test_what_is_wrong_is_said(board, ada, signed_in, wrong):
    record(ada, happened="An earlier one", began="2094-03-01T09:00:00.000Z")
    answer = signed_in(ada).post(PAGE, {**TYPED, **wrong})
    assert answer.status_code == 422
    assert len(found().interruptions) == 1


def test_voters_see_it_on_the_election_the_ballot_and_in_the_history(board, ada, signed_in):
    record(ada, decided=NAUGHTY, minutes=60)
    eve = signed_in(people.find("Eve"))
    for path in ("/election/Board/", "/election/Board/history/"):
        page = eve.get(path).content.decode()
        assert "The power failed." in page, path
        assert "&lt;b&gt;x&lt;/b&gt;" in page, path
        assert "<b>x</b>" not in page
    ballot = eve.get("/election/Board/ballot/").content.decode()
    assert "Voting was interrupted from" in ballot
    assert "7 p.m." in ballot, "the new end"
    record(ada, happened="Again")
    assert "7 p.m." in eve.get("/election/Board/ballot/").content.decode(), "also after one without more time"


def test_the_calendar_feed_and_the_api_have_it(board, ada, signed_in):
    record(ada, decided=NAUGHTY, minutes=60)
    eve = people.find("Eve")
    assert "20940301T180000Z" in Client().get(f"/calendar/{feed.make(eve)}.ics").content.decode()
    (told,) = program_of(eve).get("elections/Board").json()["interruptions"]
    assert (told["began"], told["new_end"], told["corrects"]) == ("2094-03-01T10:00:00Z", "2094-03-01T18:00:00Z", None)
    assert (told["happened"], told["decided"]) == ("The power failed.", NAUGHTY)


def test_who_only_extends_is_told_that_nobody_is_mailed(board, ada, signed_in):
    assert "record an interruption instead" in signed_in(ada).get(reverse("extend", args=["Board"])).content.decode()


# --- mail ---


def test_voters_are_mailed_if_the_organiser_wants_it(board, ada, signed_in, outbox):
    signed_in(ada).post(PAGE, {**TYPED, "decided": "An hour more.", "minutes": "60", "mail": "on"})
    queue_mailings()
    told = {to: text for to, _subject, text in outbox()}
    assert set(told) == {"Eve@example.org", "ann@example.org"}
    for words in ("The power failed.", "An hour more.", "7 p.m.", "11 a.m."):
        assert words in told["ann@example.org"]


def test_without_the_tick_nobody_is_mailed(board, ada, signed_in, outbox):
    signed_in(ada).post(PAGE, TYPED)
    queue_mailings()
    assert outbox() == []


def test_who_is_not_confirmed_mails_our_words_only(board, ada, person, signed_in, outbox):
    mia = person("Mia")
    add_manager(ada, found(), "Mia")
    assert "left out until an admin has confirmed you" in signed_in(mia).get(PAGE).content.decode()
    signed_in(mia).post(PAGE, {**TYPED, "happened": "Buy my book", "mail": "on"})
    queue_mailings()
    texts = [text for _to, _subject, text in outbox()]
    assert len(texts) == 2
    assert all("interrupted from" in text and "Buy my book" not in text for text in texts)


def test_it_stays_on_record_if_no_mails_are_left(board, ada, signed_in, settings, outbox):
    settings.MAILS_A_DAY = 1
    answer = signed_in(ada).post(PAGE, {**TYPED, "mail": "on"}, follow=True)
    assert "more than your daily limit" in answer.content.decode()
    assert len(found().interruptions) == 1
    assert outbox() == []


# --- the report ---


def close_and_seal(ada, monkeypatch):
    stands_at(monkeypatch, "2094-03-01T16:00:00.000Z")
    closing.close(ada, found())
    seal_closed()
    stands_at(monkeypatch, "2094-03-01T16:30:00.000Z")


def test_it_is_in_the_report_on_the_result(board, ada, signed_in, monkeypatch):
    record(ada, decided="Nothing changes.")
    close_and_seal(ada, monkeypatch)
    text = text_report.as_text(results.find("Board"))
    assert "Interruptions on record" in text
    assert "Nothing changes." in text
    for browser, path in ((signed_in(ada), "/election/Board/results/"), (Client(), reverse("shared", args=["Board"]))):
        page = browser.get(path)
        assert page.status_code == 200, path
        assert "The power failed." in page.content.decode(), path


def test_after_the_result_it_is_recorded_too_and_marked(board, ada, signed_in, monkeypatch):
    record(ada)
    close_and_seal(ada, monkeypatch)
    browser = signed_in(ada)
    assert "after the result was sealed" not in browser.get("/election/Board/results/").content.decode()
    form = browser.get(PAGE).content.decode()
    assert "minutes" not in form.split("<form")[1], "nothing is extended any more"
    with pytest.raises(NotRecorded, match="after voting had ended"):
        record(ada, began="2094-03-01T16:10:00.000Z", ended="2094-03-01T16:20:00.000Z")
    with pytest.raises(NotNow):
        record(ada, happened="Late", minutes=15)
    browser.post(PAGE, {**TYPED, "happened": "Found out late"})
    page = browser.get("/election/Board/results/").content.decode()
    assert "Found out late" in page
    assert "after the result was sealed" in page
    assert "Recorded after the result was sealed" in text_report.as_text(results.find("Board"))


def verified(path) -> tuple[int, str]:
    arguments = [sys.executable, "-I", "-S", str(path / "verify.py")]
    run = subprocess.run(arguments, capture_output=True, text=True, encoding="utf-8", check=False)
    return run.returncode, run.stdout


def test_the_bundle_proves_what_was_on_record_before_the_result(board, ada, monkeypatch, tmp_path):
    record(ada, decided="One hour more.", minutes=60)
    record(ada, ended="2094-03-01T11:00:00.000Z", corrects=1)
    close_and_seal(ada, monkeypatch)
    record(ada, happened="Found out late")
    site_sealer().seal()
    file = bundle.bundle(results.find("Board"), names_voters=False)
    zipfile.ZipFile(io.BytesIO(file.read())).extractall(tmp_path)
    code, text = verified(tmp_path)
    assert code == 0, text
    assert "interruptions on record: 2" in text
    assert "One hour more." in text
    assert "Found out late" not in text
    rules_file = tmp_path / "rules.json"
    rules_file.write_text(rules_file.read_text().replace("One hour more.", "Two hours more."))
    code, text = verified(tmp_path)
    assert (code, "does not say of interruptions" in text) == (1, True)


# --- pauses of the site ---


def test_a_pause_of_the_site_is_suggested_until_it_is_on_record(board, ada, signed_in):
    browser = signed_in(ada)
    assert "The times of the pause are filled in" not in browser.get(PAGE).content.decode()
    for kind, moment in (("SitePaused", BEGAN), ("SiteResumed", ENDED)):
        log(datetime.fromisoformat(moment)).record(Event("Olga", kind, {}))
    page = browser.get(PAGE).content.decode()
    assert "The times of the pause are filled in" in page
    assert 'value="2094-03-01T11:00"' in page
    assert 'value="2094-03-01T11:45"' in page
    record(ada)
    assert "The times of the pause are filled in" not in browser.get(PAGE).content.decode()
