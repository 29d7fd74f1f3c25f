"""What the core shows of the help desk: the way to it, and what waits there for an answer."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from elections import repository as elections
from elections.dashboard.next_step import Button, Step
from elections.invitations.progress import Progress
from elections.rules import Election, State
from foundation.acts.storage import now_text, table
from foundation.pages.paths import path_of
from foundation.store import keys

from .repository import waiting_in
from .rules import takes_requests

MAX_ELECTIONS = 50  # of those that are open, and of those that closed last: a few kilobytes


def page_of(name: str, election: Election | None) -> str:
    is_closed = election is not None and not takes_requests(election, now_text())
    return "" if is_closed else path_of("ask_for_help", name)


def waiting_text(number: int) -> str:
    text = ngettext(
        "%(count)d request is waiting for an answer.", "%(count)d requests are waiting for an answer.", number
    )
    return text % {"count": number}


def requests_step(election: Election, so_far: Progress) -> Step | None:
    number = waiting_in(so_far.beside.get(keys.help_desk(election.name)))
    button = Button(_("Answer requests"), path_of("requests", election.name))
    return Step("requests", waiting_text(number), button) if number else None


def requests_waiting() -> Iterator[str]:
    """In elections that are open or have closed lately."""
    lists = (elections.list_elections(state=state, limit=MAX_ELECTIONS)[0] for state in (State.OPEN, State.CLOSED))
    desks = [keys.help_desk(each.name) for found in lists for each in found]
    number = sum(map(waiting_in, table().get_many(desks).values())) if desks else 0
    if number:
        yield waiting_text(number)
