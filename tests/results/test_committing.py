"""The commitment to the roll of an election, made when its result is sealed."""

from __future__ import annotations

import pytest

from accounts import repository as people
from elections import repository as elections
from elections.lifecycle import closing
from foundation.store import keys
from results import services
from tests.ballots.conftest import opened  # noqa: F401 - a fixture

NAMES = ["Eve", "voter 1", "voter 2", "Zoë"]


@pytest.fixture
def sealed(site, opened):  # noqa: F811
    """Seals the result of an election with these voters; answers the secret of its roll and what was sealed of that."""

    def seal(*names: str) -> tuple[str, str]:
        opened(*names)
        closing.close(people.find("the organiser"), elections.find("Board"))
        found = services.find("Board")
        (said,) = [each["event_data"] for each in site.each(keys.events()) if each["event_type"] == "ResultSealed"]
        return found.seal.roll_secret, said["roll_commitment"]

    return seal


def test_the_seal_commits_to_the_roll_with_its_secret(sealed):
    secret, said = sealed(*NAMES)
    assert (said, 0, 0, len(NAMES)) == services.roll_commitment(elections.find("Board"), secret)
