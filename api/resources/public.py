"""What needs no token: checkpoints of the log."""

from __future__ import annotations

import msgspec
from django.http import Http404
from django.urls import reverse

from acts.links import absolute_url
from acts.storage import log
from api.calls import Call, Page, Paging
from api.operations import operation
from store.keys import EVENT_NUMBER_DIGITS
from store.table import Item


class Checkpoint(msgspec.Struct):
    """A public checkpoint of the event log. With a saved one, anyone can later tell whether the log was changed."""

    number: int
    hash: str
    published_at: str
    page: str


def _checkpoint(item: Item) -> Checkpoint:
    page = absolute_url(reverse("checkpoint", args=[item["event_id"]]))
    return Checkpoint(item["event_id"], item["hash"], item["published_at"], page)


@operation(
    "GET", "checkpoints", "Checkpoints", "List public checkpoints, newest first", query=Paging, answers=Page[Checkpoint]
)
def checkpoints(call: Call) -> Page[Checkpoint]:
    page = log().public_checkpoints(limit=call.query.limit, cursor=call.cursor)
    return call.page([_checkpoint(item) for item in page.items], page.cursor)


@operation("GET", "checkpoints/<int:number>", "Checkpoints", "Read the checkpoint over an event", answers=Checkpoint)
def checkpoint(call: Call, number: int) -> Checkpoint:
    found = log().public_over(number) if 0 < number < 10**EVENT_NUMBER_DIGITS else None
    if found is None:
        raise Http404
    return _checkpoint(found)
