"""The commitment to a large roll is made in a process of its own; and here, if nothing comes of that."""

from __future__ import annotations

import sys

import pytest

from accounts import repository as people
from elections import repository as elections
from elections import services as organising
from results import committing, services
from store import keys
from tests.ballots.conftest import opened  # noqa: F401 - a fixture

NAMES = ["Eve", "voter 1", "voter 2", "Zoë"]


@pytest.fixture
def sealed(site, opened):  # noqa: F811
    """Seals the result of an election with these voters; answers the secret of its roll and what was sealed of that."""

    def seal(*names: str) -> tuple[str, str]:
        opened(*names)
        organising.close(people.find("the organiser"), elections.find("Board"))
        found = services.find("Board")
        (said,) = [each["event_data"] for each in site.each(keys.events()) if each["event_type"] == "ResultSealed"]
        return found.seal.roll_secret, said["roll_commitment"]

    return seal


@pytest.mark.parametrize("count", [1, len(NAMES)])
def test_what_comes_from_there_is_what_is_made_here(sealed, monkeypatch, count):
    monkeypatch.setattr(committing, "LARGE", 1)
    with monkeypatch.context() as patch:
        patch.setattr(committing, "roll_commitment", lambda *words: pytest.fail("made here"))
        secret, said = sealed(*NAMES[:count])
    assert said == committing.roll_commitment(elections.find("Board"), secret)


@pytest.mark.parametrize("program", [("/not/there",), (sys.executable, "-c", "raise SystemExit(1)"), ("true",)])
def test_where_nothing_comes_of_it_it_is_made_here(sealed, monkeypatch, program):
    monkeypatch.setattr(committing, "LARGE", 1)
    monkeypatch.setattr(committing, "PROGRAM", program)
    secret, said = sealed(*NAMES)
    assert said == committing.roll_commitment(elections.find("Board"), secret)


def test_a_small_roll_and_one_that_no_other_process_can_read_are_committed_to_here(site, opened, monkeypatch):  # noqa: F811
    election = opened(*NAMES)
    assert type(committing.begin(election)) is committing.Commitment
    monkeypatch.setattr(committing, "LARGE", len(NAMES))
    apart = committing.begin(elections.find("Board"))
    assert type(apart) is committing.Meanwhile
    assert apart.text == committing.roll_commitment(election, apart.secret)
    monkeypatch.setattr(committing, "table", object)
    assert type(committing.begin(election)) is committing.Commitment
