"""The report of a session: all that was asked and answered, for those who hosted it; and their history."""

from __future__ import annotations

import csv
import io
import json

import pytest

from foundation.store import keys
from parts.live import repository, rounds
from parts.live.rules import Step
from parts.questions.question import Type
from tests.clock import at_its_own_moment
from tests.live.conftest import drive, give, seated
from tests.people import sign_in
from tests.stories.live import NAMES, WORDS, play
from tests.switching import switched_off


def rows_of(client, game) -> list[dict[str, str]]:
    text = b"".join(client.get(f"/live/{game.id}/report/report.csv").streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def json_of(client, game) -> dict:
    return json.loads(b"".join(client.get(f"/live/{game.id}/report/report.json").streaming_content))


def page_of(client, game) -> str:
    return client.get(f"/live/{game.id}/report/").content.decode()


@pytest.fixture
def hana(made):
    return sign_in("Hana")


def test_trivia_tells_who_chose_what_and_the_places(made, hana):
    game = made(Type.TRIVIA)
    ada, ben = seated(game, "Ada", "=Ben()")
    drive(game, Step.NEXT)
    give(game, ada, [0])
    give(game, ben, [1])
    drive(game, Step.CLOSE)
    assert "Who proposed" not in page_of(hana, game), "What is not revealed, nobody sees."
    assert rows_of(hana, game)[0]["row"] == "total"
    drive(game, Step.REVEAL)
    page = page_of(hana, game)
    assert "Who proposed the Schulze method?" in page
    assert "Kept until" in page
    rows = rows_of(hana, game)
    answers = [(row["player"], row["answer"], row["points"], row["right"]) for row in rows if row["row"] == "answer"]
    assert answers == [("'=Ben()", "Borda", "0", "no"), ("Ada", "Schulze", "1000", "yes")], "No formula."
    assert [(row["player"], row["place"]) for row in rows if row["row"] == "total"] == [("Ada", "1"), ("'=Ben()", "2")]
    assert [row["number"] for row in rows if row["row"] == "option"] == ["1", "1", "0"]
    told = json_of(hana, game)
    assert told["session"]["id"] == game.id
    assert [(each["name"], each["total"], each["answered"]) for each in told["players"]] == [
        ("Ada", 1000, 1),
        ("=Ben()", 0, 1),
    ]
    sealed = rounds.round_from_parts(repository.round_items(game.id, 1))
    assert told["rounds"][0]["digest"] == rounds.round_digest(sealed)


def test_what_does_not_count_is_marked(made, hana):
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada")
    drive(game, Step.NEXT)
    give(game, ada, [0])
    drive(game, Step.CLOSE)
    drive(game, Step.VOID)
    drive(game, Step.NEXT)
    drive(game, Step.VOID)
    page = page_of(hana, game)
    assert "does not count" in page
    assert "One question was voided before it was closed" in page
    rows = rows_of(hana, game)
    assert {row["counts"] for row in rows if row["row"] != "total"} == {"no"}
    assert [row["points"] for row in rows if row["row"] == "total"] == ["0"]


def test_answers_have_their_authors_and_points(made, hana):
    game = made(Type.CALL_AND_ANSWER)
    play(game)
    page, rows = page_of(hana, game), rows_of(hana, game)
    assert all(name in page for name in NAMES)
    assert sorted(row["answer"] for row in rows if row["row"] == "answer") == [f"{WORDS} {n}" for n in range(3)]
    assert json_of(hana, game)["rounds"][0]["votes"] == 3


@pytest.mark.parametrize("type_", [Type.POLL, Type.SURVEY])
def test_of_an_anonymous_session_no_player_is_named(made, hana, type_):
    game = made(type_)
    play(game)
    told, rows = json_of(hana, game), rows_of(hana, game)
    everything = page_of(hana, game) + json.dumps(told) + str(rows)
    assert not [name for name in (*NAMES, *map(str.lower, NAMES)) if name in everything]
    assert "players" not in told
    assert all("player" not in entry for entry in told["rounds"][0]["entries"])
    found = {(row["row"], row["answer"], row["number"], row["place"]) for row in rows}
    if type_ == Type.POLL:
        assert {("option", "Sea", "3", "1"), ("ballot", "Sea > Hills > Town", "", "")} <= found
    else:
        assert {
            ("option", "4", "3", ""),
            ("mean", "", "4.00", ""),
            ("option", "yes", "3", ""),
            ("text", WORDS, "", ""),
        } <= found


def test_fewer_than_three_get_a_sentence(made, hana):
    game = made(Type.POLL)
    (ada,) = seated(game, "Ada")
    drive(game, Step.NEXT)
    give(game, ada, "0>1")
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    (row,) = rows_of(hana, game)
    assert (row["row"], row["number"]) == ("too few", "1")
    assert "Sea >" not in page_of(hana, game) + str(json_of(hana, game))


def test_only_hosts_read_it_and_only_while_it_is_kept(site, made, hana):
    game = made(hosts=("Ben",))
    for path in ("", "report.csv", "report.json"):
        address = f"/live/{game.id}/report/{path}"
        assert sign_in("Ben").get(address).status_code == 200
        assert sign_in("Stranger").get(address).status_code == 403
        assert hana.post(address).status_code == 405
        assert hana.get(address.replace(game.id, "nothing")).status_code == 404
    site.clock = lambda: game.ttl + 1
    assert repository.find(game.id) is None


# --- the history ---


def test_the_history_is_one_s_own_and_has_no_names(site, made, hana):
    for number in range(3):
        game = at_its_own_moment(lambda number=number: made(Type.TRIVIA, title=f"Evening {number}"))
    play(game)
    drive(game, Step.END)
    page = hana.get("/live/history/").content.decode()
    assert page.index("Evening 2") < page.index("Evening 1") < page.index("Evening 0")
    assert f"/live/{game.id}/report/" in page
    assert not [name for name in NAMES if name in page]
    assert "Evening" not in sign_in("Stranger").get("/live/history/").content.decode()
    line = list(site.each(keys.games_of("Hana")))[-1]
    assert (line["players"], line["rounds"], line["answers"]) == (3, 1, 3)


def test_what_is_gone_is_in_the_history_without_a_way_to_its_report(made, hana, monkeypatch):
    game = made(title="Long ago")
    drive(game, Step.END)
    monkeypatch.setattr(repository, "now_text", lambda: game.gone_at)
    page = hana.get("/live/history/").content.decode()
    assert "Long ago" in page
    assert "/report/" not in page
    assert "/report/" not in hana.get("/live/").content.decode()


def test_help_is_for_everybody(client, site):
    page = client.get("/help/live/").content.decode()
    assert "How live sessions work" in page
    assert "14 days" in page


@pytest.mark.needs("assembly")
def test_help_and_history_tell_of_formats_that_are_on(hana):
    def told() -> list[bool]:
        history, help_ = (hana.get(path).content.decode() for path in ("/live/history/", "/help/live/"))
        ending = "an assembly ends after 36 hours" in help_, "nobody answers or votes. Anything" in help_
        return ["minutes of an assembly" in history, "Deciding in an assembly" in help_, *ending]

    assert told() == [True, True, True, False]
    with switched_off("assembly"):
        assert told() == [False, False, False, True]


OFFERING = ("/", "/help/", "/help/live/", "/live/", "/live/new/", "/live/history/", "/join/")


@pytest.mark.needs("assembly")
def test_no_page_offers_an_assembly_where_there_are_none(hana, client):
    def offered() -> list[str]:
        pages = {f"{path} to {browser}": browser.get(path) for path in OFFERING for browser in (hana, client)}
        return [path for path, page in pages.items() if "assembl" in page.content.decode().lower()]

    assert offered() != []
    with switched_off("assembly"):
        assert offered() == []
