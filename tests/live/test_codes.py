"""Codes: what they lead to, for how long, and how often somebody may guess."""

from __future__ import annotations

import pytest
from django.urls import reverse

from foundation.acts.rate_limits import Limit
from foundation.store import keys
from foundation.store.table import Put
from parts.live import clock, codes, repository
from parts.live.rules import Step
from parts.live.screens import rendering, snapshots
from parts.live.services import making
from parts.polls import repository as polls
from tests.live.conftest import drive
from tests.people import sign_in
from tests.polls.conftest import made as poll_made  # noqa: F401 - a fixture
from tests.rows import every_row


def by_code(client, code):
    return client.get(reverse("join_by_code", args=[code]))


@every_row(("running", "digits"), [(0, 4), (49, 4), (50, 5), (499, 5), (500, 6), (9_999, 6)])
def test_codes_grow_with_the_number_of_sessions(running, digits):
    code = making.new_code(running)
    assert len(code) == digits
    assert code.isdecimal()


def test_a_code_is_one_sessions_alone(site, made, monkeypatch):
    """Drawn by somebody else, or a poll's: another is drawn."""
    codes = iter(["1111", "1111", "2222", "3333"])
    monkeypatch.setattr(making, "new_code", lambda running: next(codes))
    place = keys.short_code("2222")
    site.write(Put({"PK": place.pk, "SK": place.sk, "poll": "some poll"}))
    assert [made().code, made().code] == ["1111", "3333"]


def test_a_code_that_was_kept_for_a_day_is_free_again(site, made, monkeypatch):
    monkeypatch.setattr(making, "new_code", lambda running: "1111")
    game = made()
    drive(game, Step.END)
    place = keys.short_code("1111")
    ended = site.get(place)
    assert ended["ended_at"]
    site.write(Put({**ended, "ttl": 1}))
    assert repository.read_code("1111") is None
    assert made().code == "1111"


def test_a_typed_code_leads_to_the_session(client, made):
    game = made()
    page = client.get(reverse("join"))
    assert b'inputmode="numeric"' in page.content
    typed = client.get(reverse("join"), {"code": f" {game.code[:2]} {game.code[2:]}-"})
    assert typed["Location"] == reverse("join_by_code", args=[game.code])
    arabic = "".join(chr(0x660 + int(digit)) for digit in game.code)
    assert client.get(reverse("join"), {"code": arabic})["Location"] == typed["Location"]
    assert by_code(client, game.code)["Location"] == reverse("join_game", args=[game.id, game.token])


def test_a_code_of_a_poll_leads_to_the_poll(client, poll_made):  # noqa: F811
    poll = poll_made()
    assert b'inputmode="text"' in client.get(reverse("join"), {"letters": "1"}).content
    typed = client.get(reverse("join"), {"code": poll.code.lower(), "letters": "1"})
    assert client.get(typed["Location"])["Location"] == reverse("poll", args=[poll.id])


def test_a_code_of_a_session_typed_as_a_polls_leads_to_the_session(client, made):
    game = made()
    answer = client.get(reverse("poll_by_code", args=[game.code]))
    assert answer["Location"] == reverse("join_by_code", args=[game.code])
    assert polls.id_of_code(game.code) is None


def test_after_the_end_a_code_says_when_it_was(client, made):
    game = made()
    drive(game, Step.END)
    answer = by_code(client, game.code)
    assert answer.status_code == 410
    assert "This session ended at" in answer.content.decode()
    assert repository.read_code(game.code)["ended_at"] in answer.content.decode()


@pytest.mark.parametrize("typed", ["", "  ", "?", "/", "a" * 50, "#%"])
def test_what_is_no_code_is_asked_for_again(client, site, typed):
    answer = client.get(reverse("join"), {"code": typed})
    assert answer.status_code == 422
    assert b'name="code"' in answer.content


@pytest.mark.parametrize("code", ["0000", "a" * 50, "%23", "__", "💡"])
def test_a_wrong_code_is_told_kindly(client, site, code):
    answer = by_code(client, code)
    assert answer.status_code == 404
    assert b'name="code"' in answer.content


def test_wrong_codes_are_limited_by_address(client, made, monkeypatch):
    monkeypatch.setattr(codes, "WRONG", Limit("live-code-wrong", 3, 600))
    found, other = made(), made()
    for _try in range(5):
        assert by_code(client, found.code).status_code == 302, "A right code counts for nothing."
    assert [by_code(client, "9" * 7).status_code for _try in range(5)] == [404, 404, 404, 429, 429]
    assert by_code(client, other.code).status_code == 429, "Otherwise guessing would cost nothing."
    assert by_code(client, found.code).status_code == 302, "A hall that has found its session goes on joining."
    assert client.get(reverse("join_game", args=[other.id, other.token])).status_code == 200, "So does the link."
    elsewhere = client.get(reverse("join_by_code", args=[other.code]), REMOTE_ADDR="203.0.113.7")
    assert elsewhere.status_code == 302


# --- one device with wrong codes, and the hall around it ---


def guesses(client, number):
    return [by_code(client, "9" * 7).status_code for _try in range(number)]


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(codes, "WRONG", Limit("live-code-wrong", 3, 600))


def test_wrong_codes_lock_nobody_out_of_a_session_that_is_hosted_there(client, made, few):
    """Also one that is made after somebody has typed sixty of them."""
    guesses(client, 5)
    game, elsewhere = made(), made()
    sign_in("Hana").get(reverse("host_game", args=[game.id]))
    assert by_code(client, game.code).status_code == 302
    assert by_code(client, elsewhere.code).status_code == 429, "Guessing still leads to nothing else."
    assert guesses(client, 1) == [429]


def test_pictures_on_another_site_lock_nobody_out(client, made, few):
    """Codes in the addresses of pictures: their readers' browsers would guess for nobody, and use up the limit."""
    game = made()
    for number in range(5):
        code, by_picture = f"999{number}", {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"}
        assert client.get(reverse("join_by_code", args=[code]), headers=by_picture).status_code == 404
    by_link = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}
    link = reverse("join_by_code", args=[game.code])
    assert client.get(link, headers=by_picture).status_code == 404, "so it is no way to guess either"
    assert client.get(link, headers=by_link).status_code == 302


def test_a_session_hosted_elsewhere_is_no_exception_and_its_host_is_told(client, made, few):
    game = made()
    hana = sign_in("Hana")
    hana.get(reverse("host_game", args=[game.id]), REMOTE_ADDR="203.0.113.7")
    guesses(client, 5)
    page = hana.get(reverse("host_game", args=[game.id]), REMOTE_ADDR="203.0.113.7").content.decode()
    assert "Too many wrong codes were entered" not in page
    assert by_code(client, game.code).status_code == 429
    for name in ("host_game", "remote"):
        page = hana.get(reverse(name, args=[game.id]), REMOTE_ADDR="203.0.113.7").content.decode()
        assert "Too many wrong codes were entered" in page
    assert snapshots.current(game.id).seats == {}, "A roster of nobody is read as such."


def test_that_codes_are_refused_is_said_for_ten_minutes_and_written_once_a_minute(site, made, few, client, monkeypatch):
    game, start = made(), clock.now()
    guesses(client, 5)
    for passed in (0, 59_000, 61_000):
        monkeypatch.setattr(clock, "now", lambda passed=passed: start + passed)
        by_code(client, game.code)
    assert site.get(keys.game_roster(game.id))["refused"] == 2
    assert snapshots.current(game.id).codes_refused
    monkeypatch.setattr(clock, "now", lambda: start + 61_000 + 600_000)
    assert not snapshots.current(game.id).codes_refused


def test_the_code_of_a_poll_has_letters_and_is_always_judged(client, poll_made, few):  # noqa: F811
    poll = poll_made()
    guesses(client, 5)
    assert by_code(client, poll.code)["Location"] == reverse("poll", args=[poll.id])


def test_the_link_to_join_can_be_copied(made):
    game = made()
    for name in ("host_game", "remote"):
        page = sign_in("Hana").get(reverse(name, args=[game.id])).content.decode()
        assert f'<code id="join-link">{rendering.join_link(game)}</code>' in page
    drive(game, Step.END)
    assert 'id="join-link"' not in sign_in("Hana").get(reverse("host_game", args=[game.id])).content.decode()
