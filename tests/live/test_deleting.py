"""Removing a session: by whom, what goes, and that nothing of it comes back."""

from __future__ import annotations

import pytest

from accounts.rules import Role
from foundation.acts.refusals import NotThere
from foundation.store import keys
from foundation.store.table import DATA
from parts.live import repository
from parts.live.rules import Step
from parts.live.services import answering, deleting
from parts.live.services.answering import AnswerStatus
from parts.questions.question import Type
from tests.background import finish_background
from tests.live.conftest import drive, give, seated
from tests.people import sign_in
from tests.stories.live import play


def left_of(site, game) -> list[str]:
    """Where anything of a session still lies."""
    mine = (keys.game(game.id).pk, keys.short_code(game.code).pk)
    items = (item for name, item in site.everything() if name == DATA)
    return [item["SK"] for item in items if item["PK"].startswith(mine) or item.get("id") == game.id]


def delete_on(client, game):
    return client.post(f"/live/{game.id}/delete/", follow=True)


def test_everything_goes_and_other_sessions_stay(site, made):
    game, other = made(Type.TRIVIA, hosts=("Ben",)), made(Type.POLL)
    for each in (game, other):
        play(each)
    finish_background("empty live round")
    there = len(left_of(site, other))
    deleting.delete(game.id, "Hana")
    assert repository.find(game.id) is None
    assert repository.read_code(game.code) is None
    assert not list(site.each(keys.games_of("Ben")))
    assert left_of(site, game) != [], "The rest is background work."
    assert finish_background() == 1
    assert left_of(site, game) == []
    assert site.get(keys.FORGETTING), "The files are to forget it."
    assert len(left_of(site, other)) == there
    assert finish_background() == 0


def test_one_that_runs_is_ended_first(site, made):
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada")
    drive(game, Step.NEXT)
    give(game, ada, [0])
    deleting.delete(game.id, "Hana")
    kinds = [event["event_type"] for event in site.each(keys.events())]
    assert kinds[-3:] == ["LiveRoundSealed", "LiveSessionEnded", "LiveSessionDeleted"]
    assert repository.count_running() == 0


def test_an_answer_that_comes_too_late_for_the_session_does_not_count(made, monkeypatch):
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada")
    state = drive(game, Step.NEXT)
    deleting.delete(game.id, "Hana")
    assert answering.submit(game, state, ada, [0], state.clock.began) == AnswerStatus.LATE


def test_what_is_not_there_cannot_be_removed(made):
    game = made()
    deleting.delete(game.id, "Hana")
    with pytest.raises(NotThere):
        deleting.delete(game.id, "Hana")


def test_hosts_and_admins_remove_and_nobody_else(site, made):
    game, others = made(hosts=("Ben",)), made()
    assert sign_in("Stranger").get(f"/live/{game.id}/delete/").status_code == 403
    assert delete_on(sign_in("Stranger"), game).status_code == 403
    assert "It is still running" in sign_in("Ben").get(f"/live/{game.id}/delete/").content.decode()
    assert "The session has been deleted." in delete_on(sign_in("Ben"), game).content.decode()
    assert "The session has been deleted." in delete_on(sign_in("Admin", Role.ADMIN), others).content.decode()
    assert delete_on(sign_in("Hana"), game).status_code == 404
    assert repository.history("Hana", limit=5)[0] == []
