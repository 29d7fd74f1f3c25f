"""Waiting for a result while ballots are sealed, which takes a quarter of an hour for a million: cheap for the store,
however many wait.

The page polls a URL signed for this election: no session is read, and each process reads the election and its seal once
a second. Without scripts the whole page reloads. Both poll less often the longer ago the election closed, with random
jitter, so that clients that arrived together spread out.
"""

from __future__ import annotations

from datetime import datetime
from math import ceil
from random import uniform
from typing import Any

from django.core import signing
from django.http import Http404
from django.urls import reverse

from elections import repository as elections
from elections.invitations.progress import sealing
from elections.rules import Election
from store.log import utc_now

from . import repository
from .repository import Found

SALT = "results.waiting"
SHARE_OF_AGE = 0.25  # of the time since the end, that passes before the next look
MAX_SECONDS, MAX_PAGE_SECONDS = 30, 90  # between two looks: at the part, and at the whole page, without scripts
JITTER = 0.25  # by how much of itself an interval may be shorter or longer


def waiting_context(election: Election) -> dict[str, Any]:
    """What a page shows of an election whose ballots are being counted."""
    address = reverse("waiting_for_result", args=[token_for(election)])
    again, page_again = (seconds_until_next(election.ended, most) for most in (MAX_SECONDS, MAX_PAGE_SECONDS))
    return {"sealing": sealing(election.name), "address_of_part": address, "again": again, "page_again": page_again}


def token_for(election: Election) -> str:
    """Signed token for pages that wait for the result; it only allows asking for progress."""
    return signing.dumps([election.name, election.created_at], salt=SALT, compress=True)


def seconds_until_next(ended: datetime | None, most: float = MAX_PAGE_SECONDS) -> int:
    """Grows with the time since the end, with jitter, so that those who came together do not reload together."""
    age = (utc_now() - (ended or utc_now())).total_seconds()
    return ceil(uniform(1 - JITTER, 1 + JITTER) * min(most, max(1.0, SHARE_OF_AGE * age)))  # noqa: S311 - no secret


def find_waiting(token: str) -> Found | None:
    """The election that the token was made for, while it waits for its seal; refused if the token is not ours."""
    try:
        name, created_at = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        raise Http404 from None
    seen = elections.recent_read(name, None, *repository.result_keys(name, with_report=False))
    found = repository.find(name, with_report=False, recently=seen)
    return found if found and not found.seal and found.election.created_at == created_at else None
