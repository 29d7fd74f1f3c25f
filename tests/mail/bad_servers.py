"""Bad mail servers before a whole worker: out of reach, greylisting, a tarpit, one that refuses.

`make test-mail` runs it; it is no part of the ordinary run, because it waits as a site would. What was seen is printed,
and stands in docs/explanation/reliability.md.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from accounts import repository as people
from accounts.rules import Role
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from foundation.mail import outbox
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store.log.search import Query, search
from operations.upkeep.jobs import JOBS, Leases, Worker
from tests.mail.servers import DRIP

MANY = [f"voter{number}" for number in range(60)]
TIMEOUT_SECONDS = 300  # seconds that anything may take


@contextmanager
def working(site) -> Iterator[None]:
    """A worker with all its jobs."""
    over = threading.Event()
    worker = threading.Thread(target=Worker(JOBS, Leases(site), lambda: not over.is_set()).run)
    worker.start()
    try:
        yield
    finally:
        over.set()
        worker.join()


def seconds_until(holds: Callable[[], bool]) -> float:
    since = time.monotonic()
    while not holds():
        assert time.monotonic() - since < TIMEOUT_SECONDS, "waited in vain"
        time.sleep(0.05)
    return time.monotonic() - since


def states(numbers: list[str]) -> Counter[str]:
    return Counter(outbox.find(number).state for number in numbers)


def say(what: str, *figures: str) -> None:
    print(f"\n{what}: {'; '.join(figures)}")


@pytest.fixture
def board(site, person):
    """An open election, and how to let it end now."""
    organiser = person("Otto", Role.USER)
    election = drafts.create(organiser, "Board", electorate="everyone")
    add_candidates(organiser, election, [Candidate("Ada"), Candidate("Bo")])
    lifecycle.open_(organiser, elections.find("Board"), editable=False)

    def end() -> None:
        closing.close(people.find("Otto"), elections.find("Board"))

    return end


def is_sealed(site) -> bool:
    return bool(search(site, Query(event_type="ResultSealed"), limit=1).events)


def test_out_of_reach_and_back(site, serves, queue, settings):
    server = serves()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        there, settings.EMAIL_PORT = server.port, nobody.getsockname()[1]
        numbers = queue(*MANY) + queue("ada", kind="already_registered")
        with working(site):
            time.sleep(15)
            assert states(numbers) == {outbox.QUEUED: 61}
            settings.EMAIL_PORT = there
            took = seconds_until(lambda: states(numbers) == {outbox.SENT: 61})
    assert len(server.receivers) == len(set(server.receivers)) == 61
    say("out of reach for 15 s", f"all 61 sent {took:.0f} s after it was back", "none twice")


def test_greylisting(site, serves, queue):
    met: Counter[str] = Counter()

    def grey(line: str) -> str:
        met[line] += 1
        return "250 ok" if met[line] > 1 else "451 4.7.1 greylisted, come back in five minutes"

    server, numbers = serves(rcpt=grey), queue(*MANY)
    assert send_waiting(compose) == 0
    clock = iter(range(60, TIMEOUT_SECONDS * 60, 60))
    while states(numbers)[outbox.SENT] < len(MANY):
        seconds = next(clock)
        send_waiting(compose, partial(sum, (time.time(), seconds)))
    assert len(server.receivers) == len(set(server.receivers)) == 60
    say("greylisting", f"60 of 60 arrived, the last after {seconds // 60} minutes", "none twice")


def test_a_tarpit_for_mails_to_many(site, serves, queue, board):
    server = serves(rcpt=lambda line: DRIP if "voter" in line else "250 ok")
    queue(*MANY)
    with working(site):
        seconds_until(lambda: "rcpt" in server.heard)
        began = time.monotonic()
        (reset,) = queue("ada", kind="already_registered")
        board()
        arrived = seconds_until(lambda: states([reset]) == {outbox.SENT: 1})
        seconds_until(lambda: is_sealed(site))
        sealed = time.monotonic() - began
        server.__exit__()
    say("a tarpit", f"a reset arrived after {arrived:.1f} s", f"a close was sealed after {sealed:.1f} s")


def test_every_mail_refused(site, serves, queue):
    server, numbers = serves(rcpt="550 5.1.1 no such mailbox"), queue(*MANY)
    with working(site):
        took = seconds_until(lambda: states(numbers) == {outbox.FAILED: 60})
    assert {outbox.find(number).detail for number in numbers} == {"550 5.1.1 no such mailbox"}
    say(
        "refused for good",
        f"60 of 60 failed with the server's words after {took:.1f} s",
        f"{server.connections} connection",
    )
