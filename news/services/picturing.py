"""A post gets a picture, another one, other words for it, or none."""

from __future__ import annotations

from dataclasses import replace

from accounts.models import User
from acts.refusals import LostRace
from acts.retry import retry_lost_race
from acts.storage import record
from news import repository
from photos import repository as photos
from photos.changing import Wanted
from store.log import Event

from .writing import check, still_may


def picture(user: User, post_id: str, wanted: Wanted) -> None:
    """Of two at once, the second takes the first one's place; the words of the post stay as they are."""
    retry_lost_race(lambda: _picture(user, post_id, wanted))


def _picture(user: User, post_id: str, wanted: Wanted) -> None:
    post = repository.find(post_id)
    if post is None:
        raise LostRace
    check(user, post)
    after = wanted.instead_of(post.photo)
    if after == post.photo:
        return
    event = Event(user.name, "PostPictured", {"post_id": post.id, **photos.said(after)})
    change = repository.change(post, replace(post, photo=after))
    record(event, *change, *wanted.writes(post.photo), still_may(user))
