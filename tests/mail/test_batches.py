"""Mails are claimed and marked many at a time: what happens to one of them happens to no other."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.core.mail import EmailMessage

from foundation.acts.storage import table
from foundation.mail import outbox as mail
from foundation.mail import sending
from foundation.mail.emails import Ledger, Mail
from foundation.mail.outbox import ASIDE, FAILED, QUEUED, SENDING, SENT, UNKNOWN, Move
from foundation.mail.sending import BATCH_SECONDS, LEASE_SECONDS, MAX_BATCH_MAILS, send_waiting
from foundation.mail.smtp import Rejected
from foundation.store import keys
from foundation.store.table import Conflict, Delete, Key, Put, Unavailable
from tests.skills.test_endorsing_dynamodb import on_dynamodb  # noqa: F401

COUNTS, FAILURES = Key("ELECTION#board", "MAILS"), "FAILED#"
BATCH = 8  # the fourth, after three that add up to seven
MANY = 7 + BATCH


class Killed(BaseException):
    """Ends a worker at once."""


class Server:
    """Takes mails; `meets` is called with each address, after those that were taken."""

    def __init__(self, meets: Callable[[str], None] = lambda address: None):
        self.taken: list[str] = []
        self.meets = meets

    def compose(self, queued: Mail) -> EmailMessage:
        server = self

        class Message(EmailMessage):
            def send(self, fail_silently: bool = False) -> int:
                server.meets(queued.to)
                server.taken.append(queued.to)
                return 1

        return Message("subject", "text", to=[queued.to])

    def send(self, later: float = 0, **options: Any) -> int:
        """As if it took no time."""
        now = time.time() + later
        return send_waiting(self.compose, **{"now": lambda: now, **options})


@pytest.fixture(params=["site", "distant_site", pytest.param("on_dynamodb", marks=pytest.mark.deep)], autouse=True)
def _anywhere(request):
    """All of it holds on the embedded store and on DynamoDB."""
    request.getfixturevalue(request.param)


def addresses(count: int = MANY) -> list[str]:
    return [f"voter{number:02}@example.org" for number in range(count)]


def queue(count: int = MANY, *, ledger: bool = False) -> list[str]:
    """Their numbers. A ledger has counted them."""
    writes = []
    for number, to in enumerate(addresses(count)):
        own = Ledger(COUNTS, "invited", Key(COUNTS.pk, f"{FAILURES}{number:02}")) if ledger else None
        writes.append(mail.queued("checkpoint", to, own, event_id="7", hash="0f"))
    table().write(*writes, *([Put({**COUNTS.item, "invited_queued": count})] if ledger else []))
    return [write.item["number"] for write in writes]


def counted() -> dict[str, int]:
    return {state: len(found) for state in mail.STATES if (found := mail.in_state(state, 200)[0])}


def ledger_counts() -> dict[str, int]:
    return {name: number for name, number in table().get(COUNTS).items() if name.startswith("invited") and number}


@pytest.fixture
def before_batch(monkeypatch):
    """Acts just before a whole batch is moved to this state."""

    def intercept(state: str, act: Callable[[list[Move]], None]) -> list[int]:
        real, done = mail.move_each, list[int]()

        def move_each(moves) -> mail.Moves:
            wanted = list(moves)
            if not done and len(wanted) >= BATCH and any(each.new == state for each in wanted):
                done.append(1)
                act(wanted)
            return real(wanted)

        monkeypatch.setattr(mail, "move_each", move_each)
        return done

    return intercept


@pytest.fixture
def store_fails(monkeypatch):
    """From now on so many writes fail."""

    def fail(error: BaseException, times: int) -> None:
        store, left = type(table()), [times]
        real = store.write

        def write(self, *writes, **options) -> None:
            left[0] -= 1
            if left[0] >= 0:
                raise error
            real(self, *writes, **options)

        monkeypatch.setattr(store, "write", write)

    return fail


# --- how many writes ---


def test_many_mails_take_few_writes(monkeypatch):
    queue(60, ledger=True)
    sizes, store = list[int](), type(table())
    real = store.write
    monkeypatch.setattr(store, "write", lambda self, *writes, **rest: sizes.append(len(writes)) or real(self, *writes))
    assert Server().send() == 60
    marks = [size for size in sizes if size > 1]
    assert len(marks) <= 2 * 8
    assert max(sizes) == MAX_BATCH_MAILS + 1, "with one for their ledger"
    assert ledger_counts() == {"invited_sent": 60}


def test_a_distant_store_is_not_charged_for_transactions_that_nobody_needs(request, monkeypatch):
    queue(20)
    sizes, here = list[int](), table()
    real = type(here).write
    monkeypatch.setattr(
        type(here), "write", lambda self, *writes, **rest: sizes.append(len(writes)) or real(self, *writes)
    )
    assert Server().send() == 20
    assert sizes == [1] * 40 if here.is_distant else len(sizes) < 20


# --- others at the same time ---


def test_a_mail_that_two_workers_claim_at_once_is_sent_by_one_of_them(before_batch):
    queue()
    before_batch(SENDING, lambda claims: mail.move_all(claims[2:4]))
    server = Server()
    assert server.send() == len(set(server.taken)) == MANY - 2
    assert counted() == {SENT: MANY - 2, SENDING: 2}


def test_a_mail_taken_back_while_its_batch_is_claimed_is_the_only_one_not_sent(before_batch):
    queue()
    before_batch(SENDING, lambda claims: mail.move(claims[0].mail, QUEUED, ASIDE, reason="taken back"))
    server = Server()
    assert server.send() == len(server.taken) == MANY - 1
    assert counted() == {SENT: MANY - 1, ASIDE: 1}


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_ledger_has_each_mail_once_and_one_that_was_closed_stops_none(before_batch, is_closed):
    def meet(address: str) -> None:
        if address in addresses()[-2:]:
            raise Rejected("550 no such user", 550)

    numbers = queue(ledger=True)
    if is_closed:
        before_batch(SENT, lambda moves: table().write(Delete(COUNTS)))
    assert Server(meet).send() == MANY - 2
    assert counted() == {SENT: MANY - 2, FAILED: 2}
    if is_closed:
        assert table().get(COUNTS) is None
        return
    assert ledger_counts() == {"invited_sent": MANY - 2, "invited_failed": 2}
    failed = [table().get(Key(COUNTS.pk, f"{FAILURES}{at:02}")) for at in range(MANY)]
    assert [entry["number"] for entry in failed if entry] == numbers[-2:]


def test_two_mails_of_one_voter_fail_together():
    ledger = Ledger(COUNTS, "invited", Key(COUNTS.pk, f"{FAILURES}ada"))
    writes = [mail.queued("checkpoint", "ada@example.org", ledger, event_id="7", hash="0f") for _ in range(3)]
    table().write(*writes, Put({**COUNTS.item, "invited_queued": 3}))

    def meet(address: str) -> None:
        raise Rejected("550 no such user", 550)

    assert Server(meet).send() == 0
    assert (counted(), ledger_counts()) == ({FAILED: 3}, {"invited_failed": 3})


# --- a worker that dies, a store that fails ---


def test_of_a_batch_that_breaks_off_only_the_mail_at_hand_is_unknown():
    queue()

    def meet(address: str) -> None:
        if address == addresses()[10]:
            raise Killed

    server = Server(meet)
    with suppress(Killed):
        server.send()
    assert counted() == {SENT: 10, SENDING: 1, QUEUED: 4}
    server.meets = lambda address: None
    assert server.send(later=LEASE_SECONDS + 1) == 4
    assert counted() == {SENT: 14, UNKNOWN: 1}
    assert server.taken == [to for to in addresses() if to != addresses()[10]], "in their old order"


@pytest.mark.parametrize("at", [7, 11, 14])
def test_a_worker_killed_outright_leaves_its_batch_unknown_and_sends_nothing_twice(store_fails, monkeypatch, at):
    """Before the first of a batch is sent, among them, and before the last of them is marked."""
    queue(ledger=True)

    def meet(address: str) -> None:
        if address == addresses()[at]:
            store_fails(Killed(), 1000)  # nothing it does from now on is in the store
            raise Killed

    server = Server(meet)
    with suppress(Killed):
        server.send()
    monkeypatch.undo()
    assert counted() == {SENT: 7, SENDING: BATCH}
    assert ledger_counts() == {"invited_sent": 7, "invited_queued": BATCH}
    before, server.meets = list(server.taken), lambda address: None
    assert server.send() == 0, "others may be sending them"
    assert server.send(later=LEASE_SECONDS + 1) == 0
    assert counted() == {SENT: 7, UNKNOWN: BATCH}
    assert ledger_counts() == {"invited_sent": 7, "invited_failed": BATCH}
    assert server.taken == before


def test_a_claim_that_fails_leaves_its_mail_waiting_and_none_unknown(monkeypatch):
    """On DynamoDB each claim is a request of its own, so others may have succeeded by then."""
    numbers, here = queue(), table()
    store, unlucky = type(here), keys.mail(numbers[10])
    real = store.write

    def write(self, *writes, **options) -> None:
        if any(each.key == unlucky for each in writes):
            raise Unavailable("away")
        real(self, *writes, **options)

    monkeypatch.setattr(store, "write", write)
    server = Server()
    with pytest.raises(Unavailable):
        server.send()
    monkeypatch.undo()
    assert counted() == ({SENT: MANY - 1, QUEUED: 1} if here.is_distant else {SENT: 7, QUEUED: BATCH})
    server.send()
    assert (counted(), sorted(server.taken)) == ({SENT: MANY}, addresses())


@pytest.mark.parametrize("error", [Conflict("busy"), Unavailable("away")])
def test_what_was_sent_is_marked_by_a_store_that_is_back_after_a_while(before_batch, store_fails, monkeypatch, error):
    monkeypatch.setattr(sending.time, "sleep", lambda seconds: None)
    queue(ledger=True)
    failed = before_batch(SENT, lambda moves: store_fails(error, 2))
    assert Server().send() == MANY
    assert (counted(), failed) == ({SENT: MANY}, [1])


# --- a slow server, a worker that is to stop ---


def test_a_slow_server_gets_few_mails_at_a_time_and_the_others_keep_their_place():
    queue()
    now = [time.time()]
    sizes = list[int]()

    def meet(address: str) -> None:
        now[0] += BATCH_SECONDS / 2
        sizes.append(len(mail.in_state(SENDING, 200)[0]))

    server = Server(meet)
    assert server.send(now=lambda: now[0]) == MANY
    assert server.taken == addresses()
    assert max(sizes) <= 4, "so that few are unknown if it dies"


def test_what_was_claimed_waits_again_when_the_worker_is_to_stop():
    queue()
    server = Server()
    assert server.send(goes_on=lambda: len(server.taken) < 9) == 9
    assert counted() == {SENT: 9, QUEUED: MANY - 9}
    assert server.send() == MANY - 9
    assert server.taken == addresses()
