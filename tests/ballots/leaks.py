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

from acts.storage import table
from ballots import repository, rules, secrecy, services, views
from ballots.services import casting, sealing
from elections.lifecycle.closing import SHUTTING
from mail import outbox as mail
from ranking.codes import SYMBOLS
from store import keys
from store.log import EventLog, as_text
from store.sqlite import SqliteTable, rows, writers
from store.table import DATA, Put, Update

DURING, AFTERWARDS = (2,), (3,)  # what the attacker has: a copy made while it was open, or one made after the close


@dataclass(frozen=True)
class Planted:
    """A leak, and what it gives away."""

    plant: Callable[[pytest.MonkeyPatch], None]
    share: float = 0.9  # of the voters, by name; 0 if it only narrows the circle
    moments: tuple[int, ...] = AFTERWARDS  # of which copies it shows
    operator: bool = False  # whether it takes the site's secret
    on_the_page: int = 0  # how many have to vote in a browser for it to show
    mails: bool = False  # whether it shows in what is mailed, or in spite of it

    @property
    def voters(self) -> int:
        """Among so many it must be found. What gives nearly all away shows among few, and there chance is greater."""
        return 30 if self.share == 0.9 else 60


# --- on the ballot ---


def _with(monkeypatch: pytest.MonkeyPatch, fields: Callable[[Any, rules.Ballot], dict[str, Any]]) -> None:
    stored = repository._stored

    def more(standing: Any, ballot: rules.Ballot) -> Put:
        put = stored(standing, ballot)
        return replace(put, item=put.item | fields(standing, ballot))

    monkeypatch.setattr(repository, "_stored", more)


def a_time_on_the_ballot(monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, lambda standing, ballot: {"when_cast": as_text(casting.utc_now())})


def a_number_on_the_ballot(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count()
    _with(monkeypatch, lambda standing, ballot: {"sequence": next(numbers)})


def a_version_on_the_ballot(monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, lambda standing, ballot: {"version": standing.acts + 1})


def fields_in_another_order_after_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = repository._stored

    def turned(standing: Any, ballot: rules.Ballot) -> Put:
        put = stored(standing, ballot)
        return replace(put, item=dict(reversed(put.item.items()))) if standing.acts else put

    monkeypatch.setattr(repository, "_stored", turned)


# --- its key ---


def a_pseudonym_without_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an election that was opened like this."""
    monkeypatch.setattr(secrecy, "_key", lambda salt: hmac.digest(salt, secrecy.PURPOSE, "sha256"))
    place = keys.salt("Board")
    key = secrecy._key((table().get(place) or {})["salt"])
    table().write(Update(place, set={"check": secrecy._check_of(key)}))


def a_pseudonym_that_is_a_hash_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def hashed(salt: Any, voter: str) -> str:
        return hashlib.sha256(keys.fold(voter).encode()).hexdigest()

    monkeypatch.setattr(repository, "pseudonym", hashed)


def pseudonyms_in_the_order_of_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, str] = {}
    monkeypatch.setattr(repository, "pseudonym", lambda salt, voter: given.setdefault(voter, f"{len(given):064x}"))


def the_ballots_stay_in_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """An early copy has the salt, and with it and the site's secret those who voted later are found, too."""
    monkeypatch.setattr(sealing, "empty", lambda election: None)


def the_salt_outlives_the_close_and_the_ballots_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SHUTTING, "steps", ())
    the_ballots_stay_in_the_box(monkeypatch)


# --- its code ---


def _code(number: int) -> str:
    letters = "".join(SYMBOLS[number >> shift & 31] for shift in range(75, -5, -5))
    return "-".join(letters[start : start + 4] for start in range(0, 16, 4))


def a_code_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count(7)
    monkeypatch.setattr(secrecy, "new_confirmation", lambda: _code(next(numbers)))


def a_code_that_tells_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrecy, "new_confirmation", lambda: _code(time.time_ns()))


# --- what it says ---


def a_list_that_anybody_can_work_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order in which the page lists the candidates to a voter, made of nothing but names."""

    def listing(standing: Any) -> bytes:
        words = (standing.election.name, standing.election.created_at, keys.fold(standing.voter))
        return "\n".join(words).encode()

    monkeypatch.setattr(repository.Standing, "order_seed", property(listing), raising=False)


# --- beside the ballot ---


def _after_cast(monkeypatch: pytest.MonkeyPatch, tell: Callable[..., None]) -> None:
    record = casting._record_cast

    def told(user: Any, standing: Any, rankings: str, now: Any, form: str, *mails: Any, paper: bool) -> rules.Ballot:
        ballot = record(user, standing, rankings, now, form, *mails, paper=paper)
        tell(user, standing, ballot, form)
        return ballot

    monkeypatch.setattr(casting, "_record_cast", told)


def _in_the_event(monkeypatch: pytest.MonkeyPatch, name: str, value: Callable[[Put], Any]) -> None:
    record = EventLog.record

    def telling(self: EventLog, event: Any, *writes: Any, once: str | None = None, **noted: Any) -> int:
        for put in writes:
            if isinstance(put, Put) and put.item["SK"].startswith("BALLOT#"):
                event = replace(event, event_data=event.event_data | {name: value(put)})
        return record(self, event, *writes, once=once, **noted)

    monkeypatch.setattr(EventLog, "record", telling)


def the_ranking_in_the_event(monkeypatch: pytest.MonkeyPatch) -> None:
    _in_the_event(monkeypatch, "rankings", lambda put: put.item["rankings"])


def the_code_in_the_event(monkeypatch: pytest.MonkeyPatch) -> None:
    _in_the_event(monkeypatch, "confirmation", lambda put: put.item["confirmation"])


def the_key_in_the_mark_of_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(user: Any, standing: Any, ballot: rules.Ballot, form: str) -> None:
        table().write(Update(keys.once(form), set={"ballot": standing.ballot_key.sk}))

    _after_cast(monkeypatch, tell)


def the_code_in_a_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(user: Any, standing: Any, ballot: rules.Ballot, form: str) -> None:
        about = {"election_name": standing.election.name, "confirmation": ballot.confirmation}
        table().write(mail.queued("vote_invitation", user.email, **about))

    _after_cast(monkeypatch, tell)


def the_code_in_the_web_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name: the order is enough."""

    def tell(user: Any, standing: Any, ballot: rules.Ballot, form: str) -> None:
        logging.getLogger("plenum.request").info("cast", extra={"code": ballot.confirmation})

    _after_cast(monkeypatch, tell)


def the_code_in_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    say = views._show_outcome

    def keep(request: Any, outcome: services.Outcome) -> None:
        request.session["receipt"] = outcome.ballot.confirmation if outcome.ballot else ""
        say(request, outcome)

    monkeypatch.setattr(views, "_show_outcome", keep)


def sealed_in_the_order_of_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    arrived: dict[str, int] = {}
    _after_cast(monkeypatch, lambda user, standing, ballot, form: arrived.update({ballot.confirmation: len(arrived)}))
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
    "a version on the ballot": Planted(a_version_on_the_ballot, share=0, moments=DURING),
    "fields in another order after a change": Planted(fields_in_another_order_after_a_change, share=0, moments=DURING),
    "a pseudonym without the secret": Planted(a_pseudonym_without_the_secret, moments=DURING),
    "a pseudonym that is a hash of the name": Planted(a_pseudonym_that_is_a_hash_of_the_name, moments=DURING),
    "pseudonyms in the order of arrival": Planted(pseudonyms_in_the_order_of_arrival, share=0.3, moments=DURING),
    "the ballots stay in the box": Planted(the_ballots_stay_in_the_box, moments=(0, 3), operator=True),
    "the salt outlives the close": Planted(the_salt_outlives_the_close_and_the_ballots_stay, operator=True),
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
    "nothing is forgotten: the salt": Planted(nothing_is_forgotten, operator=True),
    "deleted bytes stay in the file": Planted(deleted_bytes_stay_in_the_file, share=0),
}
