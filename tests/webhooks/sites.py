"""An organiser with an election and a webhook, and a receiver that notes what is sent to it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.models import User
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.acts import background, outbound
from foundation.acts.outbound import OutboundError, Response
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import as_text
from parts.webhooks import repository, services
from parts.webhooks.rules import TYPES, Endpoint
from tests.background import finish_background
from tests.clock import stands_at
from tests.people import enrol

URL = "https://hooks.example/plenum"


@dataclass
class Attempt:
    url: str
    body: bytes
    headers: dict[str, str]

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def event(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass
class Network:
    """In place of `foundation.acts.outbound.request`: responds with these statuses, or fails for a reason; then 204."""

    answers: list[int | str] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    arrived: int = 0

    def __call__(self, method: str, url: str, body: bytes, headers: dict[str, str]) -> Response:
        assert method == "POST"
        self.attempts.append(Attempt(url, body, headers))
        answer = self.answers.pop(0) if self.answers else 204
        if isinstance(answer, str):
            raise OutboundError(answer)
        self.arrived += 200 <= answer < 300
        return Response(answer, b"", {})

    @property
    def types(self) -> list[str]:
        return [each.event["type"] for each in self.attempts]


def send(network: Network, later: timedelta = timedelta()) -> int:
    """What the worker does, now or later; how many arrived."""
    before = network.arrived
    finish_background("tell webhooks")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(outbound, "request", network)
        if later:
            stands_at(patched, as_text(datetime.now(UTC) + later))
        while background.resume_due(lane=keys.WEBHOOK_TASKS):
            pass
    return network.arrived - before


def next_due() -> float | None:
    return background.next_due(keys.WEBHOOK_TASKS)


def hooked(user: User, owner: str | None = None, url: str = URL, types: Any = tuple(TYPES)) -> Endpoint:
    return services.add(user, user.name if owner is None else owner, url, types)[0]


def now(endpoint: Endpoint) -> Endpoint:
    found = repository.find(endpoint.owner, endpoint.id)
    assert found is not None
    return found


def ready(owner: User, name: str = "Board", **settings: Any) -> Election:
    enrol("Ann", "Ben")
    end = as_text(datetime.now(UTC) + timedelta(days=2))
    made = drafts.create(owner, name, **{"no_voting_after": end, **settings})
    add_candidates(owner, made, [Candidate("Ada"), Candidate("Bo")])
    add_voters(owner, find(name), ["Ann", "Ben"])
    return find(name)


def opened(owner: User, name: str = "Board", **settings: Any) -> Election:
    lifecycle.open_(owner, ready(owner, name, **settings), editable=False)
    return find(name)


def find(name: str) -> Election:
    found = elections.find(name)
    assert found is not None
    return found
