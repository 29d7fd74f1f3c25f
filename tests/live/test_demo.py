"""The demo has a session that waits to be tried, and one that a room has decided."""

from __future__ import annotations

import pytest

from parts.assembly import demo as assemblies
from parts.live import repository
from parts.live.rules import Step
from parts.live.views import demo
from parts.questions.demo import MAKER
from parts.questions.question import Type


def load() -> int:
    return demo.load() + assemblies.load()


@pytest.mark.needs("assembly")
def test_the_demo_is_loaded_once_and_has_always_something_to_try(site, person):
    assert load() == 0, "Without its people there is no demo."
    person(MAKER)
    assert load() == 3
    assert load() == 0
    made = {each.title: each for each in repository.history(MAKER, limit=9)[0]}
    meeting, decided = made.pop(assemblies.MEETING), made.pop(demo.DECIDED)
    (waiting,) = made.values()
    assert meeting.engagement_type == Type.ASSEMBLY
    game, state = repository.find(waiting.id)
    assert (game.debug_mode, state.round, game.engagement_type) == (demo.ROBOTS, 0, Type.TRIVIA)
    assert (decided.players, decided.answers) == (len(demo.ROOM), len(demo.ROOM))
    for each in (game, repository.find(meeting.id)[0]):
        demo._drive(each, Step.END)
    assert load() == 2
