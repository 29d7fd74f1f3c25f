"""An election day in a few seconds: voters come to the real server faster than they are answered, and nothing is lost.

How fast it is makes no difference here; `make bench PART=ballots` measures that.
"""

from __future__ import annotations

import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

import pytest
from django.conf import settings

from ballots import repository, services
from bench.ballots import day as days
from bench.ballots.day import CAST, NAME, Browser, Day
from bench.ballots.load import NO_ANSWER, Answer, Outcome, Plan, cookies_in, is_whole, perform, with_cookies
from bench.ballots.server import HOST, serving
from bench.ballots.sustained import DONE, NotWhatWasSaid, Step, Voters, check, highest
from elections import repository as elections
from elections.turnout import turnout
from ranking.rankings import ranking_from
from tests.rows import every_row

VOTERS, OTHERS, RATE = 120, 30, 60.0
NEVER = 1000.0  # seconds: no answer is too slow here


@pytest.fixture(scope="module")
def day(tmp_path_factory) -> Day:
    """Of those who come, and of others, so that no test is in another's way."""
    return days.prepare(tmp_path_factory.mktemp("day") / "day.sqlite3", VOTERS + OTHERS)


@pytest.fixture
def small_day(tmp_path) -> Day:
    """On which nobody has come yet."""
    return days.prepare(tmp_path / "day.sqlite3", 3)


@pytest.fixture(scope="module")
def port(day, tmp_path_factory) -> Iterator[int]:
    with serving(tmp_path_factory.mktemp("site"), day.url, settings.SECRET_KEY) as port:
        yield port


def sent(port: int, browsers: list[Browser], forms: list[dict[str, str]]) -> Outcome:
    """Let them come, each with a form."""
    texts = [browser.as_text(CAST, form, f"{HOST}:{port}") for browser, form in zip(browsers, forms, strict=True)]
    return perform(Plan(HOST, port, RATE, NEVER, 1.0, [[each] for each in texts]))


def ranking_on(form: dict[str, str]) -> str:
    boxes = {name.removeprefix("rank-"): [rank] for name, rank in form.items() if name.startswith("rank-")}
    return ranking_from(boxes, days.candidates())


def rankings_of(browsers: list[Browser]) -> list[str | None]:
    """What everybody's receipt would show."""
    standings = [services.standing_of(each.user, NAME) for each in browsers]
    found = [repository.ballot_of(each) if each else None for each in standings]
    return [each.rankings if each else None for each in found]


@pytest.mark.slow
def test_every_acknowledged_ballot_is_there_as_it_was_sent(day, port):
    """Every third voter clicks twice, and so sends the same form again at once."""
    chance = random.Random(7)
    with days.on(day):
        browsers = days.browsers(day.voters[:VOTERS])
        forms = [each.form(chance) for each in browsers]
        clicks = [number for number in range(VOTERS) for _ in range(2 if number % 3 == 0 else 1)]
        outcome = sent(port, [browsers[n] for n in clicks], [forms[n] for n in clicks])
        assert Counter(each.said for each in outcome.answers) == {DONE: len(clicks)}
        assert rankings_of(browsers) == [ranking_on(form) for form in forms]
        assert sum(1 for _ in repository.every_ballot(NAME)) == turnout(NAME).voted == VOTERS
        come = {each.user.name for each in browsers}
        assert {voter.name for voter in elections.every_voter(NAME) if voter.voted} == come


@pytest.mark.slow
def test_forms_that_are_forged_or_of_strangers_leave_nothing(day, port):
    """Every voter's form with the wrong guard, without a session, or with a rank that is none."""
    chance = random.Random(7)
    with days.on(day):
        browsers, before = days.browsers(day.voters[VOTERS:]), turnout(NAME).voted
        forged = [each.form(chance) | {"csrfmiddlewaretoken": "x" * 64} for each in browsers[:10]]
        strangers = [Browser(each.user, "nobody.at-all", each.cookie, each.field) for each in browsers[10:20]]
        wrong = [each.form(chance) | {"rank-0": "first"} for each in browsers[20:]]
        coming = browsers[:10] + strangers + browsers[20:]
        outcome = sent(port, coming, forged + [each.form(chance) for each in strangers] + wrong)
        said = Counter(each.said.partition("?")[0] for each in outcome.answers)
        assert said == {"302 /election/Board/ballot/": 10, "302 /sign-in/": 10, "422": 10}
        assert rankings_of(browsers) == [None] * OTHERS
        assert sum(1 for _ in repository.every_ballot(NAME)) == turnout(NAME).voted == before


def test_what_goes_over_the_wire_is_the_form(day):
    with days.on(day):
        (browser,) = days.browsers(day.voters[:1])
    form = browser.form(random.Random(7))
    head, _, body = browser.as_text(CAST, form, "localhost").partition("\r\n\r\n")
    assert dict(parse_qsl(body, keep_blank_values=True)) == form
    assert f"Content-Length: {len(body)}" in head.split("\r\n")


# --- the measuring itself ---


class Slow(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        time.sleep(0.1)
        self.send_response(302)
        self.send_header("Location", "/elsewhere/")
        self.end_headers()

    def log_message(self, *words: object) -> None:
        """Says nothing."""


@pytest.fixture
def slow_port() -> Iterator[int]:
    with ThreadingHTTPServer((HOST, 0), Slow) as server:
        threading.Thread(target=server.serve_forever).start()
        yield server.server_port
        server.shutdown()


FORM = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"


def test_waiting_counts_from_the_moment_a_voter_comes(slow_port):
    outcome = perform(Plan(HOST, slow_port, 100.0, NEVER, 1.0, [[FORM]] * 10))
    assert not outcome.given_up
    assert sorted(each.visit for each in outcome.answers) == list(range(10))
    assert {each.said for each in outcome.answers} == {"302 /elsewhere/"}
    assert all(each.seconds >= 0.1 for each in outcome.answers)


def test_what_cannot_be_held_any_more_is_given_up(slow_port):
    """Five of a hundred may be slow; all are."""
    outcome = perform(Plan(HOST, slow_port, 50.0, 0.02, 0.05, [[FORM]] * 100))
    assert outcome.given_up
    assert 5 < len(outcome.answers) < 100


def test_a_server_that_is_gone_gives_no_answer():
    with socket.create_server((HOST, 0)) as nobody:
        port = nobody.getsockname()[1]
    outcome = perform(Plan(HOST, port, 100.0, NEVER, 1.0, [[FORM]] * 5))
    assert [each.said for each in outcome.answers] == [NO_ANSWER] * 5


class Polite(BaseHTTPRequestHandler):
    """Keeps connections, gives whoever comes a cookie, and sends whoever has it elsewhere."""

    protocol_version = "HTTP/1.1"
    connections: set[tuple[str, int]] = set()

    def do_GET(self) -> None:
        self.connections.add(self.client_address)
        is_known = "number=7" in self.headers["Cookie"]
        self.send_response(302 if is_known else 200)
        self.send_header("Location", "/known/") if is_known else self.send_header("Set-Cookie", "number=7; Path=/")
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"yes")

    def log_message(self, *words: object) -> None:
        """Says nothing."""


PAGE_OF_SOMEBODY = "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: session=1\r\n\r\n"


def test_so_many_at_once_keep_their_connections_and_carry_cookies_through_a_visit():
    with ThreadingHTTPServer((HOST, 0), Polite) as server:
        threading.Thread(target=server.serve_forever).start()
        outcome = perform(Plan(HOST, server.server_port, 1.0, NEVER, 1.0, [[PAGE_OF_SOMEBODY] * 2] * 30, at_once=3))
        server.shutdown()
    assert sorted(each.visit for each in outcome.answers) == list(range(30))
    assert {each.said for each in outcome.answers} == {"200, 302 /known/"}
    assert len(Polite.connections) <= 3


@every_row(
    ("head", "body", "whole"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3", b"ye", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3", b"yes", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", b"3\r\nyes\r\n", False),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", b"3\r\nyes\r\n0\r\n\r\n", True),
        (b"HTTP/1.1 304 Not Modified\r\nETag: x", b"", True),
        (b"HTTP/1.1 200 OK", b"yes", False),  # it ends with the connection
    ],
)
def test_an_answer_is_whole_when_all_of_it_came(head, body, whole):
    assert is_whole(head, body) == whole


def test_a_cookie_that_was_taken_back_is_not_sent():
    kept = cookies_in('HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie: b=""; Max-Age=0')
    assert with_cookies(PAGE_OF_SOMEBODY, kept).count("Cookie: a=1; session=1\r\n") == 1


def tried(rate: float, *, held: bool) -> Step:
    answers = tuple(Answer(form, 0.01 if held else 1.0, DONE) for form in range(10))
    return Step(rate, Outcome(answers, not held, 0.0, 0.0))


@every_row("limit", [20.0, 170.0, 290.0, 1000.0])
def test_the_highest_rate_is_looked_for_between_one_that_held_and_one_that_did_not(limit):
    steps = highest(lambda rate: tried(rate, held=rate <= limit), 150.0)
    best = max(step.rate for step in steps if step.held)
    assert limit * 0.75 < best <= limit


def test_a_bad_moment_is_forgiven_once():
    moments = iter([False, True] + [False] * 20)
    steps = highest(lambda rate: tried(rate, held=next(moments)), 150.0)
    assert [(step.rate, step.held) for step in steps[:3]] == [(150.0, False), (150.0, True), (300.0, False)]


def test_one_wrong_answer_is_too_many():
    right, wrong = Answer(0, 0.01, DONE), Answer(1, 0.01, "500")
    assert Step(10.0, Outcome((right, right), False, 0.0, 0.0)).held
    assert not Step(10.0, Outcome((right, wrong), False, 0.0, 0.0)).held


def test_an_acknowledged_ballot_that_is_not_there_is_noticed(small_day):
    voters = Voters([], 0)
    check(small_day, voters)
    voters.voted.add(small_day.voters[0].name)
    voters.acknowledged = 1
    with pytest.raises(NotWhatWasSaid):
        check(small_day, voters)


def test_a_ballot_that_nobody_was_told_of_is_noticed(small_day):
    with days.on(small_day):
        services.cast(small_day.voters[0], NAME, {"0": ["1"]}, "a form")
    with pytest.raises(NotWhatWasSaid):
        check(small_day, Voters([], 0))
