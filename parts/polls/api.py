"""Quick polls: list, read, create, close, extend, reopen, delete, results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from django.http import Http404
from django.utils.translation import gettext as _
from msgspec import UNSET, Meta, UnsetType

from accounts.api.calls import NO_EFFECT, Call, Page, Paging, cleaned
from accounts.api.operations import Area, Markdown, Moment, Name, Zone, given, link, moment, operation, stored, typed
from accounts.api.problems import invalid
from accounts.api_tokens import Scope
from accounts.rules import Permission
from elections.api.elections import organising
from foundation.acts.refusals import NotAllowed, TryLater
from foundation.acts.storage import now_text
from foundation.pages.client_address import client_network
from foundation.pages.fields import zone_or_default
from foundation.store import keys
from parts.polls import repository, services
from parts.polls.forms import PollEndForm, PollForm, usual_retention

from . import counting, rules

AREA = Area("polls", "Polls", "Quick polls: anyone with the link can vote.")
Kind = Literal["ranked", "choose", "approval", "score"]


class NewPoll(msgspec.Struct, forbid_unknown_fields=True):
    """A question, and the options to vote on."""

    title: Name
    options: Annotated[
        list[Name],
        Meta(min_length=2, max_length=50, description="Each once.", extra_json_schema={"uniqueItems": True}),
    ]
    kind: Annotated[Kind, Meta(description="Of ballot.")] = "ranked"
    most: (
        Annotated[
            int,
            Meta(
                ge=1, le=rules.MAX_CANDIDATES, description="Options that a voter may choose, if the kind is `choose`."
            ),
        ]
        | UnsetType
    ) = UNSET
    description: Markdown = ""
    ends: Moment | None = None
    time_zone: Zone | UnsetType = UNSET
    results_hidden: Annotated[bool, Meta(description="Until somebody has voted, or it has ended.")] = False
    sign_in: Annotated[bool, Meta(description="Only people with an account may vote.")] = False
    listed: Annotated[bool, Meta(description="List it publicly.")] = False
    days: (
        Annotated[
            int,
            Meta(
                ge=1,
                description="How long to keep it after its end: "
                f"{', '.join(map(str, rules.RETENTIONS))}, or as long as the site allows.",
            ),
        ]
        | UnsetType
    ) = UNSET


class Poll(msgspec.Struct):
    """A poll, as everybody with its link sees it."""

    id: str
    title: str
    description: str
    options: list[str]
    kind: Kind
    most: Annotated[int, Meta(description="Options that a voter may choose; 0 unless the kind is choose.")]
    state: Literal["open", "closed"]
    code: str
    time_zone: str
    ends: Moment | None
    closed_at: Moment | None
    created_at: Moment
    removed_at: Annotated[Moment, Meta(description="When the poll and all its votes are deleted.")]
    sign_in: bool
    listed: bool
    results_hidden: bool
    page: str
    results: str


class ListedPoll(msgspec.Struct):
    """A poll in the list of its creator."""

    id: str
    title: str
    state: Literal["open", "closed"]
    created_at: Moment
    ends: Moment | None
    closed_at: Moment | None
    time_zone: str
    hidden: Annotated[bool, Meta(description="By the administrators of the site; then it cannot be read here.")]
    page: str


class PollEnd(msgspec.Struct, forbid_unknown_fields=True):
    """Until when people can vote; `null` for no end."""

    ends: Moment | None


class Place(msgspec.Struct):
    """Where an option ended up; equals share a place."""

    option: str
    place: int


class Count(msgspec.Struct):
    """The votes counted by one method."""

    method: str
    leaders: list[str]
    places: list[Place]


class PollResult(msgspec.Struct):
    """The votes, by each method of the kind of ballot; final once it is sealed."""

    votes: int
    is_final: bool
    counts: list[Count]
    page: str


def _visible(poll_id: UUID) -> rules.Poll:
    poll = repository.find(str(poll_id))
    if poll is None or poll.hidden_at:
        raise Http404
    return poll


@operation(
    "GET", "polls", AREA, "List your polls, newest first", query=Paging, answers=Page[ListedPoll], scope=Scope.READ,
    permission=Permission.VIEW_APPLICATION,
)  # fmt: skip
def list_(call: Call) -> Page[ListedPoll]:
    span = keys.made_by(call.user.name)
    found, cursor = repository.list_page(span, limit=call.query.limit, cursor=call.cursor)
    return call.page([_listed(each) for each in found], cursor)


def _listed(each: repository.Listed) -> ListedPoll:
    times = datetime.fromisoformat(each.created_at), moment(each.expires_at), moment(each.closed_at)
    plain = each.time_zone, bool(each.hidden_at), link("poll", each.id)
    return ListedPoll(each.id, each.title, "open" if each.is_open(now_text()) else "closed", *times, *plain)


@operation("GET", "polls/<uuid:poll_id>", AREA, "Read a poll", answers=Poll)
def read(call: Call, poll_id: UUID) -> Poll:
    """Everybody who knows its id may."""
    poll = _visible(poll_id)
    plain = ("id", "title", "description", "code", "time_zone", "sign_in", "listed", "results_hidden", "kind", "most")
    return Poll(
        **{each: getattr(poll, each) for each in plain},
        options=[each.name for each in poll.candidates],
        state="open" if poll.is_open(now_text()) else "closed",
        ends=poll.ends,
        closed_at=moment(poll.closed_at),
        created_at=datetime.fromisoformat(poll.created_at),
        removed_at=datetime.fromisoformat(poll.gone_at),
        page=link("poll", poll.id),
        results=link("poll_results", poll.id),
    )


@operation(
    "POST", "polls", AREA, "Create a poll", takes=NewPoll, answers=Poll, status=201, refusals=("too-often",),
    example={"title": "Where shall we eat?", "options": ["Pizza", "Sushi", "Falafel"]}, **organising,
)  # fmt: skip
def create(call: Call) -> Poll:
    """It is open at once. Share its page."""
    sent = {"days": usual_retention(), "time_zone": zone_or_default(""), **given(call.body)}
    ends, options = sent.pop("ends"), sent.pop("options")
    if "most" in sent and sent["kind"] != "choose":
        raise invalid("most", NO_EFFECT)
    lines = "\n".join(each.replace("\n", " ") for each in options)
    form = PollForm({**sent, "candidates": lines, "ends": typed("ends", ends, sent["time_zone"])})
    cleaned(form, {"candidates": "options"})
    values = form.values() | {"expires_at": stored("ends", ends)}

    def make() -> str:
        services.count_making(call.user, client_network(call.request))
        return services.make(call.user, **values)[0].id

    return call.made(read, UUID(call.run(make) or call.first_event()["id"]))


@operation(
    "POST", "polls/<uuid:poll_id>/close", AREA, "Close a poll", answers=Poll, edits=read, refusals=("not-now",),
    **organising,
)  # fmt: skip
def close(call: Call, poll_id: UUID) -> Poll:
    _run(call, poll_id, services.close)
    return read(call, poll_id)


@operation(
    "POST", "polls/<uuid:poll_id>/extend", AREA, "Move the end of a poll", takes=PollEnd, answers=Poll, edits=read,
    refusals=("not-now",), example={"ends": "2027-03-01T18:00:00+01:00"}, **organising,
)  # fmt: skip
def extend(call: Call, poll_id: UUID) -> Poll:
    """Never to an earlier moment than announced."""
    _run(call, poll_id, partial(services.extend, end=_end(call, poll_id)))
    return read(call, poll_id)


@operation(
    "POST", "polls/<uuid:poll_id>/reopen", AREA, "Reopen a poll", takes=PollEnd, answers=Poll, edits=read,
    refusals=("not-now",), example={"ends": "2027-03-01T18:00:00+01:00"}, **organising,
)  # fmt: skip
def reopen(call: Call, poll_id: UUID) -> Poll:
    """Votes can be cast and changed again."""
    _run(call, poll_id, partial(services.reopen, end=_end(call, poll_id)))
    return read(call, poll_id)


def _end(call: Call, poll_id: UUID) -> str | None:
    ends, zone = call.body.ends, _visible(poll_id).time_zone
    cleaned(PollEndForm({"ends": typed("ends", ends, zone)}, zone=zone))
    return stored("ends", ends)


@operation(
    "DELETE", "polls/<uuid:poll_id>", AREA, "Delete a poll for good", status=204, edits=read, **organising,
)  # fmt: skip
def delete(call: Call, poll_id: UUID) -> None:
    """With all its votes. Its link and code stop working."""
    _run(call, poll_id, services.delete)


def _run(call: Call, poll_id: UUID, act: Callable[[services.Runner], None]) -> None:
    """For those who run it: whether they may, and now, is decided by the service."""
    _visible(poll_id)

    def run() -> None:
        runner = services.find_runner(str(poll_id), call.user, "")
        if runner is None:
            raise Http404
        act(runner)

    call.run(run)


@operation(
    "GET", "polls/<uuid:poll_id>/results", AREA, "Read the results of a poll", answers=PollResult,
    refusals=("not-allowed", "try-later"),
)  # fmt: skip
def results(call: Call, poll_id: UUID) -> PollResult:
    """While it is open, only if it shows its results to everybody."""
    snapshot = counting.watched_polls.get(str(poll_id))
    if snapshot is None or snapshot.poll.hidden_at:
        raise Http404
    if snapshot.poll.results_hidden and snapshot.ballots is not None:
        raise NotAllowed(_("This poll shows its results only to people who have voted, and to everyone at the end."))
    if snapshot.result is None:
        raise TryLater(_("The votes are being counted. Please try again in a moment."))
    counts = [
        Count(each.method, list(each.leaders), [Place(*pair) for pair in each.places.items()])
        for each in snapshot.result.counted
    ]
    return PollResult(snapshot.result.total, snapshot.is_sealed, counts, link("poll_results", str(poll_id)))
