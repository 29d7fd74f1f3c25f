"""The event log for auditors: what is found, what is said when it is not, and each event by itself."""

from __future__ import annotations

import re
from hashlib import sha256
from html import unescape

import pytest
from django.test import Client

from accounts.rules import Role
from elections.drafts import services as drafts
from foundation.store import keys
from foundation.store.log import Event, EventLog
from foundation.store.log import search as log_search
from foundation.store.log.seal import event_digest
from foundation.store.table import LOG, Put, Update
from tests.publishing import seal, seal_publicly

ODD = "#1/100% \"quoted\" 'n' <b> &amp;"


@pytest.fixture
def auditor(signed_in):
    return signed_in("Grace", Role.AUDITOR)


@pytest.fixture
def log(site, auditor):
    """Grace's own joining is event 1."""
    return EventLog(site)


def numbers(answer) -> list[int]:
    return [int(each) for each in re.findall(r'href="/admin/log/(\d+)/"', answer.content.decode())]


def text_of(answer) -> str:
    """What the page says, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())).split())


def happen(log, count, actor="Bo", event_type="ThingMade", **said):
    for _ in range(count):
        log.record(Event(actor, event_type, said))


# --- the list ---


@pytest.mark.parametrize("sealed", [True, False])
def test_filters_go_together(site, log, auditor, sealed):
    happen(log, 2, election_name="Board")  # 2, 3
    happen(log, 2, event_type="OtherThing", election_name="Board")  # 4, 5
    happen(log, 1, actor="Cy", election_name="Board")  # 6
    happen(log, 1, election_name="Door")  # 7
    if sealed:
        seal(site)
    assert numbers(auditor.get("/admin/log/")) == [7, 6, 5, 4, 3, 2, 1]
    assert numbers(auditor.get("/admin/log/?actor=bo")) == [7, 5, 4, 3, 2]
    assert numbers(auditor.get("/admin/log/?actor=bo&election=board")) == [5, 4, 3, 2]
    assert numbers(auditor.get("/admin/log/?actor=BO&election=Board&event_type=OtherThing")) == [5, 4]
    assert numbers(auditor.get("/admin/log/?event_type=ThingMade&election=door")) == [7]
    answer = auditor.get("/admin/log/?actor=Cy&election=Door")
    assert numbers(answer) == []
    assert "No event in the log matches." in text_of(answer)


def test_the_pages_go_through_everything_once_and_keep_the_filter(site, log, auditor):
    happen(log, 120)
    happen(log, 5, actor="Cy")
    seal(site)
    found, address = [], "/admin/log/?actor=Bo"
    while address:
        answer = auditor.get(address)
        found += numbers(answer)
        older = re.search(r'href="([^"]+)" rel="next"', answer.content.decode())
        address = unescape(older[1]) if older else None
    assert found == list(range(121, 1, -1))


def test_times_are_by_utc_and_take_the_whole_minute_or_day(log, auditor):
    when = log.find(1)["when_occurred"]
    minute, day = when[:16], when[:10]
    for asked in (f"since={minute}&until={minute}", f"since={day}&until={day}", f"until={minute.replace('T', '+')}"):
        assert numbers(auditor.get(f"/admin/log/?{asked}")) == [1], asked
    assert numbers(auditor.get("/admin/log/?since=2199-01-01")) == []
    assert numbers(auditor.get("/admin/log/?until=1999-12-31T23:59")) == []


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("since=yesterday", "From (UTC): Enter the date and time like this"),
        ("until=2026-13-01T00:00", "To (UTC): Enter the date and time like this"),
        ("since=0001-01-01", "From (UTC): This date or time does not exist."),
        ("until=9999-12-31T23:59", "To (UTC): This date or time does not exist."),
        ("since=2026-01-02&until=2026-01-01", "To (UTC): Choose an end after the start."),
        ("before=x", "Before event: Enter a whole number."),
        ("before=0", "Before event: Ensure this value is greater than or equal to 1."),
        ("before=9999999999999", "Before event: Ensure this value is less than or equal to"),
        (f"actor={'x' * 401}", "Who did it: Ensure this value has at most 400 characters"),
        ("actor=%00", "Who did it: Null characters are not allowed."),
    ],
)
def test_bad_input_gets_a_sentence_and_stays_typed(log, auditor, asked, sentence):
    answer = auditor.get(f"/admin/log/?{asked}&election=Board")
    assert answer.status_code == 422
    assert sentence in text_of(answer)
    assert 'value="Board"' in answer.content.decode()


@pytest.mark.parametrize("name", [ODD, "عائشة", "🦊", "..", "x" * 400])
def test_any_name_can_be_looked_for(site, log, auditor, name):
    happen(log, 1, actor=name, election_name=name)
    seal(site)
    for filter_ in ("actor", "election"):
        answer = auditor.get("/admin/log/", {filter_: name})
        assert numbers(answer) == [2]
        links = re.findall(rf'href="(\?{filter_}=[^"]+)"', answer.content.decode())
        assert numbers(auditor.get(f"/admin/log/{unescape(links[0])}")) == [2], "the link of the row finds it again"


def test_a_long_search_stops_and_goes_on(site, log, auditor, monkeypatch):
    monkeypatch.setattr(log_search, "MAX_BATCHES_PER_LOOK", 2)
    monkeypatch.setattr(log_search, "BATCH_UNSEALED_EVENTS", 30)
    happen(log, 60)
    answer = auditor.get("/admin/log/?actor=Grace")
    assert "Searched everything from event 2 on. Continue searching" in text_of(answer)
    address = unescape(re.search(r'href="([^"]+)" rel="next"', answer.content.decode())[1])
    assert numbers(auditor.get(address)) == [1]


# --- one event ---


def test_an_event_shows_all_it_says_with_its_digest(site, log, auditor):
    happen(
        log,
        1,
        election_name="Board",
        nested={"of": ["a", 1, None, True]},
        list=["x", {"y": 1}],
        text="two\nlines",
        empty="",
    )
    page = auditor.get("/admin/log/2/")
    text = text_of(page)
    assert event_digest(log.find(2)).hex() in text
    assert log.find(2)["nonce"] in text
    assert "not sealed yet" in text
    assert "Public checkpoint at the next quarter hour" in text
    assert '{"of": ["a", 1, null, true]}' in text
    assert '"x" {"y": 1}' in text
    assert "two<br>lines" in page.content.decode()
    assert 'href="/election/Board/"' in page.content.decode()
    assert 'href="/people/Bo/"' in page.content.decode()
    seal(site)
    assert "with the events up to 2; the digest matches" in text_of(auditor.get("/admin/log/2/"))
    happen(log, 1)
    seal_publicly(site)
    assert "Public checkpoint at event 3" in text_of(auditor.get("/admin/log/2/"))


def test_an_event_changed_after_it_was_sealed_says_so(site, log, auditor):
    happen(log, 1)
    seal(site)
    site.write(Update(keys.event(2, log.find(2)["when_occurred"]), set={"actor": "Mallory"}))
    text = text_of(auditor.get("/admin/log/2/"))
    assert "This event differs from what was sealed." in text
    assert "the digest matches" not in text
    assert "not what was sealed" not in text_of(auditor.get("/admin/log/1/"))


def test_a_very_long_value_is_cut_with_a_note(log, auditor):
    happen(log, 1, ballots=["ballot"] * 20_000)
    page = auditor.get("/admin/log/2/")
    assert "more characters" in text_of(page)
    assert len(page.content) < 30_000


def test_a_rename_leads_to_both_names(log, auditor):
    happen(log, 1, event_type="ElectionRenamed", election_name="Old", new_name="New")
    page = auditor.get("/admin/log/2/").content.decode()
    assert 'href="/election/Old/"' in page
    assert 'href="/election/New/"' in page


def test_a_void_number_is_explained_and_one_never_given_is_not_there(site, log, auditor):
    log.void(site.increment(keys.EVENT_NUMBER, "last"))
    assert "there never will be" in text_of(auditor.get("/admin/log/2/"))
    for number in ("3", "0", "9" * 12, "9" * 13, "9" * 50):
        assert auditor.get(f"/admin/log/{number}/").status_code == 404


def test_what_people_did_on_pages_is_found(site, auditor, person):
    organiser = person("Olga")
    drafts.create(organiser, "Board")
    seal(site)
    answer = auditor.get("/admin/log/?election=BOARD")
    assert "Olga ElectionCreated Board" in text_of(answer)


# --- checkpoints ---


def test_checkpoints_are_for_everybody(site, log):
    client = Client()
    assert "Nothing has been sealed yet" in text_of(client.get("/checkpoints/"))
    answer = client.get("/checkpoints/newest.txt")
    assert (answer.status_code, answer.content) == (404, b"Nothing has been sealed yet.\n")
    happen(log, 3)
    newest = seal_publicly(site)
    page = text_of(client.get("/checkpoints/"))
    assert f"plenum verify --checkpoint 4:{newest['hash']}" in page
    answer = client.get("/checkpoints/newest.txt")
    assert answer.content.decode() == f"4:{newest['hash']}\n{newest['sealed_by']}\n"
    assert re.search(r"T\d\d:(00|15|30|45):00Z\n$", answer.content.decode())
    assert answer["Content-Type"] == "text/plain; charset=utf-8"


def test_nobody_sees_a_checkpoint_before_its_quarter_is_over(site, log):
    happen(log, 3)
    seal(site)
    client, fine = Client(), log.newest_checkpoint()
    for address in ("/", "/checkpoints/", "/checkpoints/newest.txt"):
        assert fine["hash"] not in client.get(address).content.decode(), address
    assert client.get("/checkpoints/2/").status_code == 404
    newest = seal_publicly(site)
    assert newest["hash"] not in client.get("/").content.decode(), "it has its own place"
    for address in ("/checkpoints/", "/checkpoints/newest.txt", "/checkpoints/2/"):
        page = client.get(address).content.decode()
        assert newest["hash"] in page, address
        assert newest["sealed_by"] in page, address
        assert fine["when_sealed"] not in page, address


def test_of_a_checkpoint_of_an_earlier_version_no_time_is_said(site, log):
    happen(log, 3)
    newest = seal_publicly(site)
    earlier = {name: value for name, value in newest.items() if name != "sealed_by"}
    site.write(Put({**earlier, "published_at": "2026-11-15T14:00:00Z"}, table=LOG))
    for address in ("/checkpoints/", "/checkpoints/newest.txt", "/checkpoints/2/"):
        answer = Client().get(address)
        assert answer.status_code == 200, address
        assert "2026-11-15" not in answer.content.decode(), address
    assert "not said: an earlier version made it" in text_of(Client().get("/checkpoints/2/"))
    assert Client().get("/api/v1/checkpoints/2").json()["sealed_by"] is None


def test_the_api_says_what_the_hash_of_a_checkpoint_is_made_of(site, log):
    happen(log, 3)
    log.void(site.increment(keys.EVENT_NUMBER, "last"))
    happen(log, 1)
    newest = seal_publicly(site)
    found = Client().get("/api/v1/checkpoints/2").json()
    assert {name: found[name] for name in ("first", "number", "hash", "sealed_by")} == {
        **{"first": 1, "number": newest["event_id"]},
        **{"hash": newest["hash"], "sealed_by": newest["sealed_by"]},
    }
    made_of = Client().get("/api/v1/checkpoints/2/digests").json()
    chain = bytes.fromhex(made_of["previous"])
    for digest in [*made_of["digests"], sha256(f"plenum: sealed by\n{found['sealed_by']}".encode()).hexdigest()]:
        chain = sha256(chain + bytes.fromhex(digest)).digest()
    assert chain.hex() == newest["hash"]
    assert (made_of["previous"], len(made_of["digests"])) == ("0" * 64, newest["event_id"])
    for number in ("0", "999", "9" * 20):
        assert Client().get(f"/api/v1/checkpoints/{number}/digests").status_code == 404
    assert Client().post("/api/v1/checkpoints/2/digests").status_code == 405


def test_the_line_of_the_page_is_one_that_verify_takes(site, log):
    from tests.upkeep.test_commands import run

    happen(log, 3)
    seal_publicly(site)
    line = Client().get("/checkpoints/newest.txt").content.decode().splitlines()[0]
    assert run("verify", f"--checkpoint={line}").startswith("All events up to 4 are as sealed")


def test_earlier_checkpoints_are_leafed_through(site, log):
    for number in range(1, 46):
        happen(log, 1)
        seal_publicly(site, number)
    found, address = [], "/checkpoints/"
    while address:
        page = Client().get(address).content.decode()
        found += [int(each) for each in re.findall(r'<a href="/checkpoints/(\d+)/">', page)]
        older = re.search(r'href="([^"]+)" rel="next"', page)
        address = unescape(older[1]) if older else None
    assert found == list(range(46, 1, -1))


def test_the_checkpoint_over_an_event_has_a_page(site, log):
    happen(log, 3)
    seal_publicly(site)
    assert "Covers events 1–4" in text_of(Client().get("/checkpoints/2/"))
    for number in ("0", "5", "9" * 30):
        assert Client().get(f"/checkpoints/{number}/").status_code == 404


def test_a_forged_cursor_of_checkpoints_makes_no_sense(site, log):
    client = Client(raise_request_exception=False)
    assert client.get("/checkpoints/?after=forged").status_code == 400
