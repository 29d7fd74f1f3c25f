"""What the dashboard of an election says of its source."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from elections.dashboard.concerns import Concern, ElectionSnapshot
from elections.rules import State
from foundation.store import keys

from .sources import trouble


def failed_night(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    source = snapshot.progress.beside.get(keys.roll_source(snapshot.election.name), {})
    if (reason := source.get("failed", "")) and snapshot.state != State.CLOSED:
        page = snapshot.link("roll_source", _("Follow a source"), "ADD_VOTERS")
        yield Concern("source", trouble(reason), page)
