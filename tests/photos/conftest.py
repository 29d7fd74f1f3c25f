"""An election and its organiser; and pictures made in this process, where the other one is not the point."""

from __future__ import annotations

import pytest

from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from foundation.acts.storage import table
from foundation.photos import changing, child
from foundation.ranking.candidates import Candidate
from foundation.store import keys


@pytest.fixture
def here(monkeypatch):
    """No process of its own: that takes a sixth of a second each."""
    monkeypatch.setattr(changing, "run_child", child.answer)


@pytest.fixture
def ada(person):
    return person("Ada")


@pytest.fixture
def board(ada):
    made = drafts.create(ada, "Board")
    add_candidates(ada, made, [Candidate("Bo"), Candidate("Cy")])
    return repository.find("Board")


def bytes_kept() -> set[str]:
    """The pictures of which anything is in the table, by the id."""
    places = (item["PK"] for _table, item in table().everything())
    return {pk.removeprefix("PHOTO#") for pk in places if pk.startswith("PHOTO#")}


def photo_of(candidate: str, election: str = "Board"):
    return repository.find_candidate(election, candidate).photo


def events(*kinds: str) -> list[dict]:
    found = (item for item in table().each(keys.events()))
    return [item for item in found if item["event_type"] in kinds]
