"""Leaks to plant, one at a time: mistakes by which the voters of a secret election would be found out."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.conf import settings

from ballots import repository, rules, sealing, services, views
from elections.invitations import voting_link
from foundation.acts.storage import table
from foundation.mail import outbox as mail
from foundation.ranking import candidates
from foundation.ranking.codes import SYMBOLS
from foundation.store import keys
from foundation.store.log import EventLog, as_text
from foundation.store.sqlite import SqliteTable, rows, writers
from foundation.store.table import DATA, Put, Update

from .attack import PURPOSE

DURING, AFTERWARDS = (2,), (3,)  # what the attacker has: a copy made while it was open, or one made after the close


@dataclass(frozen=True)
class Planted:
    """A leak, and what it gives away."""

    plant: Callable[[pytest.MonkeyPatch], None]
    share: float = 0.9  # of the voters, by name; 0 if it only narrows the circle
    moments: tuple[int, ...] = AFTERWARDS  # of which copies it shows
    by_link: bool = False  # whether it shows of those who vote by link
    on_the_page: int = 0  # how many have to vote in a browser for it to show
    mails: bool = False  # whether it shows in what is mailed, or in spite of it

    @property
    def voters(self) -> int:
        """Among so many it must be found. What gives nearly all away shows among few, and there chance is greater."""
        return 30 if self.share == 0.9 else 60


# --- on the ballot ---


def _with(monkeypatch: pytest.MonkeyPatch, fields: Callable[[Any, rules.Ballot], dict[str, Any]]) -> None:
    """Also when it is changed or withdrawn."""
    stored, replacing = repository._stored, repository.replacing

    def more(context: Any, question: int, ballot: rules.Ballot) -> Put:
        put = stored(context, question, ballot)
        return replace(put, item=put.item | fields(context, ballot))

    def replacing_with_more(context: Any, ballots: rules.Ballots) -> list[Any]:
        gate, *puts = replacing(context, ballots)
        ballot = next(iter(ballots.values()), None)
        return [gate, *(replace(put, item=put.item | fields(context, ballot)) for put in puts)]

    monkeypatch.setattr(repository, "_stored", more)
    monkeypatch.setattr(repository, "replacing", replacing_with_more)


def a_time_on_the_ballot(monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, lambda context, ballot: {"when_cast": as_text(services.utc_now())})


def a_number_on_the_ballot(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count()
    _with(monkeypatch, lambda context, ballot: {"sequence": next(numbers)})


def a_group_on_the_ballot(monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, lambda context, ballot: {"groups": context.entry.get("groups")})


def one_mark_on_all_ballots_of_a_voter(monkeypatch: pytest.MonkeyPatch) -> None:
    """It tells nobody's name, but which ballots of several questions belong together."""
    _with(monkeypatch, lambda context, ballot: {"mark": hashlib.sha256(context.secret.encode()).hexdigest()})


# --- its key ---


WHOSE: dict[str, str] = {}  # the voter of each secret, as nobody should know


def a_key_that_is_a_hash_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def hashed(secret: str, election_name: str, question: int = 1) -> str:
        return hashlib.sha256(keys.fold(WHOSE.get(secret, secret)).encode()).hexdigest()

    monkeypatch.setattr(repository, "ballot_id", hashed)


def a_key_made_of_the_name_and_the_sites_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was once, with a salt that lies in the table while the election is open."""
    salt = b"s" * 32
    table().write(Put({"PK": keys.election("Board").pk, "SK": "SALT", "salt": salt}))
    key = hmac.digest(settings.SECRET_KEY.encode(), PURPOSE + salt, "sha256")

    def pseudonym(secret: str, election_name: str, question: int = 1) -> str:
        return hmac.digest(key, keys.fold(WHOSE.get(secret, secret)).encode(), "sha256").hex()

    monkeypatch.setattr(repository, "ballot_id", pseudonym)


def keys_in_the_order_of_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, str] = {}
    in_order = lambda secret, name, question=1: given.setdefault(secret, f"{len(given):064x}")  # noqa: E731
    monkeypatch.setattr(repository, "ballot_id", in_order)


def the_secret_on_the_roll(monkeypatch: pytest.MonkeyPatch) -> None:
    true = repository.marking_roll

    def marking(context: Any, **options: Any) -> Any:
        write = true(context, **options)
        return replace(write, set=write.set | {"ballot_secret": context.secret})

    monkeypatch.setattr(repository, "marking_roll", marking)


def the_link_itself_on_the_roll(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voting_link.Link, "hash", property(lambda link: link.secret))


# --- its code ---


def _code(number: int) -> str:
    letters = "".join(SYMBOLS[number >> shift & 31] for shift in range(75, -5, -5))
    return "-".join(letters[start : start + 4] for start in range(0, 16, 4))


def _coded(monkeypatch: pytest.MonkeyPatch, new: Callable[[], str]) -> None:
    """Each secret its own, once."""
    given: dict[str, str] = {}
    coded = lambda secret, name, question=1: given.get(secret) or given.setdefault(secret, new())  # noqa: E731
    monkeypatch.setattr(services, "code", coded)


def a_code_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count(7)
    _coded(monkeypatch, lambda: _code(next(numbers)))


def a_code_that_tells_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    _coded(monkeypatch, lambda: _code(time.time_ns()))


# --- what it says ---


def a_list_that_anybody_can_work_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order in which the page lists the candidates to a voter, made of nothing but names."""
    monkeypatch.setattr(candidates, "_number", lambda request: keys.fold(request.user.name))


# --- beside the ballot ---


def _after_cast(monkeypatch: pytest.MonkeyPatch, tell: Callable[..., None]) -> None:
    record = services._record_cast

    def told(user: Any, context: Any, rankings: Any, now: Any, form: str, *mails: Any, paper: bool) -> rules.Ballots:
        ballots = record(user, context, rankings, now, form, *mails, paper=paper)
        tell(user, context, ballots[1], form)
        return ballots

    monkeypatch.setattr(services, "_record_cast", told)


def _in_the_event(monkeypatch: pytest.MonkeyPatch, name: str, value: Callable[[Put], Any]) -> None:
    record = EventLog.record

    def telling(self: EventLog, event: Any, *writes: Any, once: str | None = None, **noted: Any) -> int:
        for put in writes:
            question, key = keys.question_of(put.key) if isinstance(put, Put) else (1, None)
            if key is not None and key.sk.startswith("BALLOT#"):
                said = {name if question == 1 else f"{name} {question}": value(put)}
                event = replace(event, event_data=event.event_data | said)
        return record(self, event, *writes, once=once, **noted)

    monkeypatch.setattr(EventLog, "record", telling)


def the_ranking_in_the_event(monkeypatch: pytest.MonkeyPatch) -> None:
    _in_the_event(monkeypatch, "rankings", lambda put: put.item.get("rankings"))


def the_code_in_the_event(monkeypatch: pytest.MonkeyPatch) -> None:
    _in_the_event(monkeypatch, "confirmation", lambda put: put.item.get("confirmation"))


def the_key_in_the_mark_of_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(user: Any, context: Any, ballot: rules.Ballot, form: str) -> None:
        table().write(Update(keys.once(form), set={"ballot": context.ballot_key(1).sk}))

    _after_cast(monkeypatch, tell)


def the_code_in_a_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(user: Any, context: Any, ballot: rules.Ballot, form: str) -> None:
        about = {"election_name": context.election.name, "confirmation": ballot.confirmation}
        table().write(mail.queued("vote_invitation", user.email, **about))

    _after_cast(monkeypatch, tell)


def the_code_in_the_web_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name: the order is enough."""

    def tell(user: Any, context: Any, ballot: rules.Ballot, form: str) -> None:
        logging.getLogger("plenum.request").info("cast", extra={"code": ballot.confirmation})

    _after_cast(monkeypatch, tell)


def the_code_in_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    show = views.show_thanks

    def keep(request: Any, context: Any, cast: rules.Ballots, **more: Any) -> Any:
        if request.user.is_authenticated:
            request.session["receipt"] = cast[1].confirmation
        return show(request, context, cast, **more)

    monkeypatch.setattr(views, "show_thanks", keep)


def sealed_in_the_order_of_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    arrived: dict[str, int] = {}
    _after_cast(monkeypatch, lambda user, context, ballot, form: arrived.update({ballot.confirmation: len(arrived)}))
    left = sealing.BallotBox.left

    def parts(box: sealing.BallotBox) -> Iterator[sealing.Part]:
        for part in left(box):
            ballots = sorted(part.ballots, key=lambda ballot: arrived[ballot.partition("\t")[0]])
            yield replace(part, ballots=ballots)

    monkeypatch.setattr(sealing.BallotBox, "left", parts)


# --- in the embedded store ---


def rows_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table as SQLite makes it if not told otherwise."""
    connection = sqlite3.connect(table().path)
    before = connection.execute(f"SELECT pk, sk, gsi1pk, gsi1sk, ttl, body FROM {DATA}").fetchall()
    connection.execute(f"DROP TABLE {DATA}")
    connection.executescript(rows.SCHEMA.replace("WITHOUT ROWID", ""))
    connection.executemany(rows.PUT[DATA], before)
    connection.commit()
    connection.close()


def nothing_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqliteTable, "purge_journal", lambda self: None)
    the_file_is_not_rewritten(monkeypatch)


def the_file_is_not_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqliteTable, "compact", lambda self: True)


def deleted_bytes_stay_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an SQLite that leaves the bytes of deleted rows where they were, as many do."""
    the_file_is_not_rewritten(monkeypatch)
    connect = writers.connect

    def open_carelessly(path: str, **options: bool) -> Any:
        connection = connect(path, **options)
        connection.execute("PRAGMA secure_delete = OFF")
        return connection

    monkeypatch.setattr(writers, "connect", open_carelessly)
    table().close()  # so that it is opened anew


LEAKS = {
    "a time on the ballot": Planted(a_time_on_the_ballot, moments=DURING),
    "a number on the ballot": Planted(a_number_on_the_ballot, moments=DURING),
    "a key that is a hash of the name": Planted(a_key_that_is_a_hash_of_the_name, moments=DURING),
    "a key made of the name and the site's key": Planted(a_key_made_of_the_name_and_the_sites_key, moments=DURING),
    "keys in the order of arrival": Planted(keys_in_the_order_of_arrival, share=0.3, moments=DURING),
    "the secret on the roll": Planted(the_secret_on_the_roll, moments=DURING),
    "the link itself on the roll": Planted(the_link_itself_on_the_roll, share=0.25, moments=DURING, by_link=True),
    "a code that counts": Planted(a_code_that_counts),
    "a code that tells the time": Planted(a_code_that_tells_the_time),
    "a list that anybody can work out": Planted(a_list_that_anybody_can_work_out, share=0.15, on_the_page=60),
    "the ranking in the event": Planted(the_ranking_in_the_event, share=0.5),
    "the code in the event": Planted(the_code_in_the_event),
    "the key in the mark of the form": Planted(the_key_in_the_mark_of_the_form, moments=DURING),
    "the code in a mail": Planted(the_code_in_a_mail, mails=True),
    "the code in the web log": Planted(the_code_in_the_web_log, share=0, on_the_page=25),
    "the code in the session": Planted(the_code_in_the_session, share=0.15, on_the_page=25),
    "sealed in the order of arrival": Planted(sealed_in_the_order_of_arrival),
    "rows with numbers": Planted(rows_with_numbers, share=0.9, moments=DURING),
    # Mails fill a good part of the journal.
    "nothing is forgotten: the journal": Planted(nothing_is_forgotten, share=0.15, mails=True),
    "deleted bytes stay in the file": Planted(deleted_bytes_stay_in_the_file, share=0),
}
