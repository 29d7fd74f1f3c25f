"""Live sessions: list, read. For their hosts; no answers, players or links are among it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from django.http import Http404
from msgspec import Meta

from accounts.api.calls import Call, Page, Paging
from accounts.api.operations import Area, Moment, link, moment, operation
from accounts.api_tokens import Scope
from accounts.rules import Permission
from parts.live import repository
from parts.live.rules import Phase
from parts.live.screens.access import load_hosted
from parts.questions.question import Type

AREA = Area("live_sessions", "Live sessions", "Sessions that you host. Run them on the site.")


class PastSession(msgspec.Struct):
    """A session in the list of its creator, which outlives it."""

    id: str
    title: str
    type: Type
    created_at: Moment
    began_at: Annotated[Moment | None, Meta(description="When the first question was asked.")]
    ended_at: Moment | None
    players: Annotated[int, Meta(description="Of an ended session, as are `rounds` and `answers`.")]
    rounds: int
    answers: int
    kept: Annotated[bool, Meta(description="Whether the session itself can still be read.")]


class LiveSession(msgspec.Struct):
    """A live session, as its hosts see it."""

    id: str
    title: str
    type: Type
    phase: Phase
    round: Annotated[int, Meta(description="The current one; 0 before the first.")]
    questions: Annotated[int, Meta(description="How many it has.")]
    created_by: str
    hosts: Annotated[list[str], Meta(description="Besides its creator.")]
    time_zone: str
    created_at: Moment
    began_at: Moment | None
    ended_at: Moment | None
    removed_at: Annotated[Moment, Meta(description="When all its data is deleted; while it runs, at the latest.")]
    page: str


running = {"scope": Scope.READ, "permission": Permission.USE_APPLICATION}


@operation(
    "GET", "live-sessions", AREA, "List live sessions you made, newest first", query=Paging,
    answers=Page[PastSession], **running,
)  # fmt: skip
def list_(call: Call) -> Page[PastSession]:
    found, cursor = repository.history(call.user.name, limit=call.query.limit, cursor=call.cursor)
    return call.page([_listed(each) for each in found], cursor)


def _listed(each: repository.PastSession) -> PastSession:
    times = datetime.fromisoformat(each.created_at), moment(each.began_at), moment(each.ended_at)
    counts = each.players, each.rounds, each.answers
    return PastSession(each.id, each.title, Type(each.engagement_type), *times, *counts, each.is_kept)


@operation("GET", "live-sessions/<slug:session_id>", AREA, "Read a live session", answers=LiveSession, **running)
def read(call: Call, session_id: str) -> LiveSession:
    """For its hosts."""
    if (hosted := load_hosted(call.user, session_id)) is None:
        raise Http404
    game, state = hosted
    return LiveSession(
        id=game.id,
        title=game.title,
        type=Type(game.engagement_type),
        phase=state.phase,
        round=state.round,
        questions=game.total_questions,
        created_by=game.created_by,
        hosts=list(game.hosts),
        time_zone=game.time_zone,
        created_at=datetime.fromisoformat(game.created_at),
        began_at=moment(game.began_at or state.began_at),
        ended_at=moment(game.ended_at),
        removed_at=datetime.fromisoformat(game.gone_at),
        page=link("host_game", game.id),
    )
