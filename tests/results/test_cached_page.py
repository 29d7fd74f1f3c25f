"""What pages show of a sealed result is made once, and whatever it was made of changes it at once."""

from __future__ import annotations

import gzip
import re
from dataclasses import asdict
from hashlib import sha256

import pytest
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings

from accounts.rules import Role
from elections.convening import Convened
from foundation.acts.caches import SizedCache
from foundation.acts.pause import Pause
from foundation.pages import fragments
from foundation.store import keys, round_trips
from foundation.store.table import Delete, Put, Update
from parts.skills.needed import needs
from results import services, views
from results import sharing_views as share_views
from results.repository import Report
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.results.test_sealing import close, voted  # noqa: F401 - fixtures
from tests.skills.test_coverage import boss, listed, sealed  # noqa: F401 - fixtures

BOARD, PUBLIC = "/election/Board/results/", "/result/Board/"
PAGES = (BOARD, PUBLIC)
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')


def text_of(answer) -> str:
    return TOKEN.sub("", answer.content.decode())


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    monkeypatch.setattr(fragments, "fragment_cache", SizedCache(fragments.CACHE_BYTES, fragments.fragment_cache.weigh))


@pytest.fixture
def board(site, voted, close):  # noqa: F811
    """A sealed result that anyone on the web may see."""
    voted({"Ada": 1, "Bo": 2}, {"Ada": 1}, {"Cy": 1, "Ada": 2}, results_public=True)
    close()
    return services.find("Board")


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The parts that have been made."""
    found, make = [], fragments.render_fragment

    def counted(name, *more, **extra):
        found.append(name)
        return make(name, *more, **extra)

    monkeypatch.setattr(fragments, "render_fragment", counted)
    return found


@pytest.fixture
def parsed(monkeypatch) -> list[int]:
    """How long the reports were that have been parsed."""
    found, parse = [], Report.from_json
    monkeypatch.setattr(Report, "from_json", lambda text: found.append(len(text)) or parse(text))
    return found


@pytest.fixture
def reader(signed_in):
    return signed_in("a reader", Role.OBSERVER)


@pytest.mark.parametrize("page", PAGES)
def test_it_is_made_once_whoever_looks(board, made, parsed, signed_in, reader, page):
    first = text_of(reader.get(page))
    parsed.clear()
    assert text_of(reader.get(page)) == first
    for other in (signed_in("another", Role.VOTER), signed_in("the organiser"), signed_in("the owner", Role.OWNER)):
        assert "Ada" in text_of(other.get(page))
    assert len(made) == 1
    assert parsed == []


@pytest.mark.deep
@pytest.mark.parametrize("page", PAGES)
def test_in_each_language(board, made, reader, page):
    english = text_of(reader.get(page))
    german = text_of(reader.get(page, headers={"accept-language": "de"}))
    assert ("Winner" in english, "Gewonnen" in german or "Gewählt" in german or "Sieger" in german) == (True, True)
    british = text_of(reader.get(page, headers={"accept-language": "en-au"}))
    assert "Winner" in british
    assert len(made) == 3
    assert text_of(reader.get(page)) == english
    assert text_of(reader.get(page, headers={"accept-language": "de"})) == german
    assert len(made) == 3


@pytest.mark.parametrize(("page", "kind"), [(BOARD, views.PAGE), (PUBLIC, share_views.PAGE)])
def test_in_one_round_trip_the_report_is_read_only_if_nothing_is_remembered(board, parsed, reader, page, kind):
    parsed.clear()
    for reports in (1, 0):
        with round_trips.count_round_trips() as asked:
            found = kind.find("board", None)
        assert (asked.count, len(parsed), found.seal) == (1, reports, board.seal)
        reader.get(page)
        parsed.clear()


def write(table, **changed) -> None:
    table.write(Update(keys.election("Board"), set=changed))


@pytest.mark.few(4)
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"time_zone": "Asia/Tokyo"}, "Tokyo"),
        ({"voter_count": 4711}, "of 4,711 voters"),
        ({"no_voting_after": "2099-01-01T00:00:00+00:00"}, "Closed before its planned end:"),
        ({"name": "BOARD"}, '<h1 dir="auto">BOARD</h1>'),
    ],
)
def test_what_another_process_changes_is_seen_at_once(board, elsewhere, made, reader, page, changed, said):
    assert said not in text_of(reader.get(page))
    write(elsewhere, **changed)
    assert said in text_of(reader.get(page))
    assert text_of(reader.get(page)) == text_of(reader.get(page))
    assert len(made) == 2
    write(elsewhere, **{name: getattr(board.election, name) for name in changed})
    assert said not in text_of(reader.get(page))


@pytest.mark.parametrize("page", PAGES)
def test_an_assembly_that_called_for_it(board, elsewhere, reader, page):
    assert "General meeting" not in text_of(reader.get(page))
    called = Convened("General meeting", "id", "2026-01-01T00:00:00+00:00", 12)
    write(elsewhere, convened=asdict(called))
    assert "General meeting" in text_of(reader.get(page))


@pytest.mark.few(1)
@pytest.mark.parametrize("page", PAGES)
def test_an_election_that_was_made_or_restored_in_its_place(board, elsewhere, reader, page):
    """As a restored copy is written: the items of an election, some of them others than those it had."""
    before = text_of(reader.get(page))
    head, parts = elsewhere.get(keys.result("Board")), [*elsewhere.each(keys.result_parts("Board"))]
    (item,) = parts
    text = item["text"].replace("Ada", "Zoe")
    elsewhere.write(Put(item | {"text": text}))
    digest = sha256(text.encode()).hexdigest()
    elsewhere.write(Put(head | {"candidates": ["Bo", "Cy", "Zoe"], "report_digest": digest}))
    assert ("Zoe" in before, "Zoe" in text_of(reader.get(page)), "Ada" in text_of(reader.get(page))) == (
        False,
        True,
        False,
    )
    elsewhere.write(Put(item))
    elsewhere.write(Put(head))
    assert text_of(reader.get(page)) == before


@pytest.mark.parametrize("page", PAGES)
def test_a_report_that_is_not_what_was_sealed_is_not_remembered(board, elsewhere, made, reader, page):
    (item,) = elsewhere.each(keys.result_parts("Board"))
    elsewhere.write(Put(item | {"text": item["text"].replace("Ada", "Zoe")}))
    assert "Zoe" in text_of(reader.get(page))
    elsewhere.write(Put(item))
    assert not re.search(r"\bZoe\b", text_of(reader.get(page)))
    assert len(made) == 2


@pytest.mark.needs("skills")
def test_who_withdraws_what_they_said_of_themselves_is_shown_with_nothing(sealed, elsewhere, reader):  # noqa: F811
    assert "Chose not to share their skills" not in text_of(reader.get(BOARD))
    elsewhere.write(*needs.forgetting("Board", "Ada"))
    assert "Chose not to share their skills, which says nothing about them: Ada." in text_of(reader.get(BOARD))


def test_an_election_that_is_gone_is_gone(board, elsewhere, reader):
    for page in PAGES:
        assert reader.get(page).status_code == 200
    elsewhere.write(Delete(keys.election("Board")))
    for page in PAGES:
        assert reader.get(page).status_code == 404


def test_a_result_that_is_no_longer_for_everybody_is_for_nobody_on_the_web(board, elsewhere, client):
    assert client.get(PUBLIC).status_code == 200
    write(elsewhere, results_public=False)
    assert client.get(PUBLIC).status_code == 404


@pytest.mark.parametrize("page", PAGES)
def test_what_stands_around_it_is_the_readers(board, reader, signed_in, page):
    mine, theirs = text_of(reader.get(page)), text_of(signed_in("the organiser").get(page))
    assert ("a reader" in mine, "a reader" in theirs) == (True, False)
    assert ("Mail the result" in mine, "Mail the result" in theirs) == (False, page == BOARD)


# --- on its way ---


@pytest.mark.parametrize("page", PAGES)
def test_compressed_it_is_the_same_page(board, reader, page):
    plain = reader.get(page)
    answers = [reader.get(page, headers={"accept-encoding": "gzip, br"}) for _ in range(12)]
    assert {TOKEN.sub("", gzip.decompress(each.content).decode()) for each in answers} == {text_of(plain)}
    assert {each["Content-Encoding"] for each in answers} == {"gzip"}
    assert len({each["Content-Length"] for each in answers}) > 1, "padded by chance"
    assert "Content-Encoding" not in plain
    assert "Accept-Encoding" in plain["Vary"]
    assert "Accept-Encoding" in answers[0]["Vary"]


def again(client, page, answer, **headers):
    return client.get(page, headers={"if-none-match": answer["ETag"], **headers})


@pytest.fixture
def rendered(monkeypatch) -> list[str]:
    """The pages that have been made."""
    found, make = [], fragments.render_to_string
    monkeypatch.setattr(fragments, "render_to_string", lambda name, *more: found.append(name) or make(name, *more))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_the_browser_of_whoever_is_signed_in_keeps_nothing(board, reader, page):
    answer = reader.get(page)
    assert (answer["Cache-Control"], "ETag" in answer) == ("private, no-store", False)


def test_a_strangers_browser_may_keep_it_and_asks_each_time(board, client, rendered):
    first = client.get(PUBLIC)
    assert first["Cache-Control"] == "private, no-cache"
    assert first["ETag"].startswith("W/")
    rendered.clear()
    answer = again(client, PUBLIC, first, **{"accept-encoding": "gzip"})
    assert (answer.status_code, answer.content, answer["ETag"], rendered) == (304, b"", first["ETag"], [])
    assert answer["Cache-Control"] == "private, no-cache"
    assert client.head(PUBLIC, headers={"if-none-match": first["ETag"]}).status_code == 304
    assert again(Client(), PUBLIC, first).status_code == 200, "who has lost their cookies gets forms that work"


def test_whatever_is_new_on_it_makes_it_another(board, elsewhere, client, signed_in, monkeypatch):
    first = client.get(PUBLIC)

    def is_new(**headers) -> bool:
        return again(client, PUBLIC, first, **headers).status_code == 200

    assert not is_new()
    assert is_new(**{"accept-language": "de"})
    assert again(signed_in("another", Role.OBSERVER), PUBLIC, first).status_code == 200
    assert client.get(f"{PUBLIC}?from=elsewhere", headers={"if-none-match": first["ETag"]}).status_code == 200
    with monkeypatch.context() as patched:
        patched.setattr("foundation.pages.site_views.site_name", lambda: "Another name")
        assert is_new()
    with monkeypatch.context() as patched:
        patched.setattr(
            "foundation.acts.pause.cache.last_known", lambda: Pause("somebody", "2026-01-01T00:00:00+00:00", 5)
        )
        assert is_new()
    with override_settings(STARTED="later"):
        assert is_new()
    write(elsewhere, time_zone="Asia/Tokyo")
    assert is_new()
    write(elsewhere, time_zone=board.election.time_zone)
    assert not is_new()


def test_who_has_something_to_be_told_is_told(board, client):
    first = client.get(PUBLIC)
    told = CookieStorage(RequestFactory().get("/"))
    told.add(20, "Something was done.")
    answer = HttpResponse()
    told.update(answer)
    client.cookies["messages"] = answer.cookies["messages"].value
    page_told = again(client, PUBLIC, first)
    assert "Something was done." in text_of(page_told)
    assert "ETag" not in page_told
    assert again(client, PUBLIC, first).status_code == 304


def test_whoever_runs_it_sees_what_is_beside_it_as_it_is(board, signed_in):
    runner = signed_in("the organiser")
    assert "ETag" not in runner.get(BOARD)
    assert runner.get(BOARD, headers={"if-none-match": "*"}).status_code == 200
