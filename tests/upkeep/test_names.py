"""The log forgets who somebody was: nothing of the name is left, the chain fits, and what is replayed is the same."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from acts.site import log
from acts.tokens import sign
from ballots import services as voting
from elections import repository as elections
from elections import services as organising
from polls import services as polls
from ranking.candidates import Candidate
from store import keys
from store.log import Event, utc_now
from store.log.forgotten import is_rewritten
from store.log.seal import verify
from store.log.search import Wanted, look
from store.table import LOG, Key, Update
from tests.people import PASSWORD
from tests.polls.conftest import CHOSEN, NAMES
from upkeep import names, replay
from upkeep.sealer import site_sealer

ADA = ("Ada Lovelace", "ada@engine.example", "ada.l@engine.example")


def later(days: int = 31):
    return lambda: utc_now() + timedelta(days=days)


@pytest.fixture
def boss(person):
    return person("Boss", Role.OWNER)


@pytest.fixture
def ada(boss, person):
    """Came by an invitation, changed her address, wrote about herself, ran things, managed people and voted."""
    accounts.invite(boss, ADA[1])
    ada = accounts.accept_invitation(sign("invitation", ADA[1]), ADA[0], PASSWORD)
    accounts.change_role(boss, ada, Role.ADMIN)
    log().record(Event(ada.name, "UserEmailChanged", {"name": ada.name, "email": ADA[2]}), *people.email_change(ada, ADA[2]))
    ada = people.find(ada.name)
    accounts.change_profile(ada, "Countess Lovelace", "I wrote the first program.")
    eve = person("Eve", Role.VOTER)
    accounts.change_role(ada, eve, Role.USER)
    polls.make(ada, NAMES, 30, **CHOSEN)
    return people.find(ada.name)


def an_election(ada, name: str, *, secret: bool = True):
    draft = organising.create(ada, f"Draft of {name}", secret_ballot=secret)
    organising.add_candidates(ada, draft, [Candidate("Bo"), Candidate("Cy")])
    organising.add_voters(ada, elections.find(draft.name), [ada.name, "Eve", ADA[1]])
    organising.rename(ada, elections.find(draft.name), name)
    organising.open_(ada, elections.find(name), editable=False)
    voting.cast(ada, name, {"0": ["1"]}, f"form of {name}")
    return elections.find(name)


def removed(boss, ada):
    accounts.remove(boss, ada)
    site_sealer().seal()


def forgotten(days: int = 31) -> int:
    """Until there is nothing left to do."""
    done = 0
    while names.is_due(later(days)):
        done += names.forget_names(later(days))
        site_sealer().seal()
    return done


def everything_but_mails(table) -> str:
    return "\n".join(json.dumps(item, default=bytes.hex, ensure_ascii=False).casefold() for _, item in table.everything() if not item["PK"].startswith("MAIL#"))


def is_named(table, *words: str) -> list[str]:
    return [word for word in words if word.casefold() in everything_but_mails(table)]


def is_whole(table) -> None:
    verdict = verify(table)
    assert (verdict.flaw, verdict.index_flaw) == (None, None)
    assert replay.check(table).first == ()


# --- what is forgotten ---


def test_nothing_of_somebody_is_left_and_everything_still_fits(site, boss, ada):
    organising.delete(ada, an_election(ada, "Board"))
    organising.clear_away_all()
    removed(boss, ada)
    before = verify(site)
    assert not names.is_due(later(29)), "not before the time has come"
    assert forgotten() == 15
    assert is_named(site, *ADA, "Countess", "first program") == []
    after = verify(site, (before.sealed, before.hash))
    assert (after.flaw, after.index_flaw) == (None, None)
    assert after.rewritten == 15
    assert list(site.each(keys.NAMES_TO_FORGET)) == list(site.each(keys.NAMES_KEPT)) == []
    is_whole(site)
