"""A session on a store that was filled from a backup: no backup has what would tell who said what."""

from __future__ import annotations

from foundation.store import keys
from foundation.store.backup import contents, take_snapshot
from foundation.store.table import Delete
from parts.live import repository
from parts.live.rules import Phase, Step
from parts.live.services.answering import AnswerStatus
from parts.questions.question import Type
from tests.background import finish_background
from tests.live.conftest import drive, give, seated


def test_no_backup_has_a_salt(site, made):
    game = made(Type.POLL)
    seated(game, "Ada")
    drive(game, Step.NEXT)
    salt = repository.read_salt(game.id, 1)
    assert salt
    copied = [item for _name, item in contents(site, take_snapshot(site))]
    assert any(item["SK"].startswith("PLAYER#") for item in copied)
    assert salt not in [item.get("salt") for item in copied]


def test_a_round_whose_salt_is_lost_is_dropped_and_the_session_goes_on(site, made):
    game = made(Type.POLL)
    (ada,) = seated(game, "Ada")
    drive(game, Step.NEXT)
    give(game, ada, "0>1")
    site.write(Delete(keys.game_salt(game.id, 1)))
    assert give(game, ada, "1>0") == AnswerStatus.LATE
    state = drive(game, Step.CLOSE)
    assert (state.phase, state.voided, state.closing) == (Phase.RESULTS, (1,), False)
    finish_background()
    assert repository.read_answers(game.id, 1) == []
    assert drive(game, Step.REPEAT).round == 2
    assert drive(game, Step.END).phase == Phase.ENDED
