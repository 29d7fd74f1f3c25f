"""A host who leaves: their sessions end and go, and so does what they have hosted."""

from __future__ import annotations

import json
import zipfile
from datetime import timedelta

from accounts import services as accounts
from accounts.personal_data import export_personal_data
from accounts.rules import Role
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log import utc_now
from operations.upkeep import erasure
from operations.upkeep.figures import site_sealer
from parts.live import repository
from parts.live.rules import Step
from parts.questions.question import Type
from tests.background import finish_background
from tests.live.conftest import drive
from tests.stories.core import someone
from tests.stories.live import play


def test_what_somebody_hosted_goes_with_them(site, made, person):
    person("Ben")
    own, over, together = made(), made(Type.POLL), made(hosts=("Ben",))
    play(over)
    drive(over, Step.END)
    assert accounts.removal_effects(someone("Hana")) == ["3 live sessions and their reports will be deleted."]
    accounts.remove(person("Olga", Role.OWNER), someone("Hana"))
    finish_background()
    assert [repository.find(game.id) for game in (own, over, together)] == [None] * 3
    assert not [item for _name, item in site.everything() if item["PK"].startswith(("GAME#", "GAMES#", "CODE#"))]


def test_whoever_helped_to_host_helps_no_more(made, person):
    person("Ben")
    game = made(hosts=("Ben", "Cem"))
    accounts.remove(person("Olga", Role.OWNER), someone("Ben"))
    assert repository.find(game.id)[0].hosts == ("Cem",)
    assert not list(table().each(keys.games_of("Ben")))
    assert accounts.removal_effects(someone("Olga")) == []


def test_the_log_forgets_who_hosted(site, made, person):
    person("Ben Kenobi")
    game = made(hosts=("Ben Kenobi",))
    drive(game, Step.END)
    accounts.remove(person("Olga", Role.OWNER), someone("Ben Kenobi"))
    site_sealer().seal()
    assert "Ben Kenobi" in repr(list(site.each(keys.events())))
    erasure.erase_names(lambda: utc_now() + timedelta(days=31))
    assert "Ben Kenobi" not in repr(list(site.each(keys.events())))


def test_whoever_asks_is_told_what_they_hosted(made):
    game = made(title="Friday")
    play(game)
    drive(game, Step.END)
    with zipfile.ZipFile(export_personal_data(someone("Hana"))) as packed:
        (told,) = json.loads(packed.read("live_sessions.json"))
        assert b"live_sessions.json" in packed.read("README.txt")
    assert (told["session"], told["title"], told["engagement_type"], told["players"]) == (
        game.id,
        "Friday",
        "trivia",
        3,
    )
    assert not [word for word in ("Aurelia", "aurelia") if word in str(told)]
