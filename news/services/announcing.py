"""Announcing a sealed result: a post created and published at once, tied to the result's digest."""

from __future__ import annotations

import secrets
from dataclasses import replace

from accounts.models import User
from acts.refusals import LostRace, NotAllowed, NotNow
from elections.actions import relation
from elections.rules import Election, Relation
from news import announcements, repository
from news.rules import NOT_PUBLIC, NOT_SEALED, NOT_YOURS, Post
from results.repository import Found, Sealed
from store import keys
from store.table import Check, Equals

from .writing import Written, create, election_exists, new_post

EVENT_FIELDS = ("election_at", "result", "published_at", "time_zone")


def may_announce(user: User, election: Election) -> bool:
    """Those who run the election, and those who look after the site."""
    return relation(user, election) != Relation.NOBODY


def announce(user: User, found: Found) -> tuple[Post, bool]:
    """The post, and whether it is new: each sealed result has one, however many requests race."""
    if not may_announce(user, found.election):
        raise NotAllowed(NOT_YOURS)
    if not isinstance(found, Sealed):
        raise NotNow(NOT_SEALED)
    if not found.election.results_public:
        raise NotNow(NOT_PUBLIC)
    try:
        return _record(user, found), True
    except LostRace:
        if (post := repository.announcing(found.election, found.seal.report_digest)) is None:
            raise
        return post, False


def _record(user: User, found: Sealed) -> Post:
    election, digest = found.election, found.seal.report_digest
    new = new_post(secrets.token_hex(8), user, election)
    post = replace(new, result=digest, published_at=new.created_at, time_zone=election.time_zone, was_dated=True)
    data = {"election_name": election.name, **repository.event_data(post, *EVENT_FIELDS)}
    is_sealed = Check(keys.result(election.name), Equals("report_digest", digest))
    summary = announcements.summary(found)
    written = Written(announcements.title(election), announcements.text(found), summary=summary)
    return create(user, "ResultAnnounced", post, written, data, election_exists(election), is_sealed)
