"""Some days after a session nothing is left of it but its line in the history: on both stores, and in the files."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from foundation.acts import background
from foundation.acts.storage import use_table
from foundation.store import keys, purging
from foundation.store.table import DATA
from parts.live import clock, repository, rules
from parts.live.rules import Step
from parts.live.screens import presence, snapshots
from parts.live.services import making
from parts.questions.question import SET_TYPES, Type
from tests.aws.engine import ours
from tests.background import finish_background
from tests.clock import stands_at
from tests.live.conftest import QUESTIONS, drive
from tests.stories.live import NAMES, WORDS, assemble, play

SAID = (*NAMES, WORDS)  # names of players, and what they said


def played(made) -> list:
    games = [made(type_, title=f"About {type_}") for type_ in SET_TYPES]
    for game in games:
        play(game)
        presence.PRESENCE.saw_host(game.id)
        presence.PRESENCE.look(snapshots.current(game.id))
        drive(game, Step.END)
    finish_background("empty live round")
    return [repository.find(game.id)[0] for game in games]


def of_games(site) -> list[dict]:
    return [item for name, item in site.everything() if name == DATA and item["PK"].startswith(("GAME#", "CODE#"))]


@pytest.mark.needs("assembly")
def test_everything_of_a_session_expires_with_it(site, made):
    assemble(assembly := made(Type.ASSEMBLY))
    games = {game.id: game for game in (*played(made), repository.find(assembly.id)[0])}
    kinds = set()
    for item in of_games(site):
        kind, game_id = item["SK"].split("#")[0], item["PK"].split("#")[1]
        if item["PK"].startswith("CODE#"):
            assert item["ttl"] == games[item["game"]].code_ttl
        elif kind == "PRESENCE":
            assert item["ttl"] <= time.time() + 2 * 3600
        else:
            assert item["ttl"] == games[game_id].ttl, item
        kinds.add(kind)
    assert kinds >= {"METADATA", "STATE", "QUESTIONS", "NAME", "ROUND", "HEARD", "GATHERED", "PRESENCE", "PLAYER"}
    assert kinds >= {"ANSWER", "VOTE"}
    assert all("ttl" not in line for line in site.each(keys.games_of("Hana")))


def test_the_last_day_of_every_item_leaves_room_for_the_longest_session(made, settings):
    settings.LIVE_RETENTION = 30
    game = made()
    last = rules.from_text(game.kept_until) - rules.from_text(game.created_at)
    assert last == clock.MAX_SESSION_DURATION + timedelta(days=30)
    over = replace(game, ended_at=game.created_at)
    assert over.code_ttl - rules.from_text(game.created_at).timestamp() == pytest.approx(86_400, abs=1)


def test_its_data_goes_some_days_after_its_end_as_the_operator_says(site, made, settings, monkeypatch):
    settings.LIVE_RETENTION = 3
    games = played(made)
    ended = max(game.ended_at for game in games)
    assert {game.expires_at for game in games} == {rules.later(game.ended_at, timedelta(days=3)) for game in games}
    stands_at(monkeypatch, rules.later(ended, timedelta(days=3, minutes=-1)))
    assert background.resume_due() == 0
    assert all(repository.find(game.id) for game in games)
    stands_at(monkeypatch, rules.later(ended, timedelta(days=3, minutes=1)))
    assert background.resume_due() == len(games)
    finish_background()
    assert [item for item in of_games(site) if not item["PK"].startswith("CODE#")] == []
    lines = repository.history("Hana", limit=9)[0]
    assert [line.is_kept for line in lines] == [False] * len(SET_TYPES)
    assert background.next_due() is None


def test_nothing_is_read_of_it_after_its_last_day_even_without_a_worker(site, made, monkeypatch):
    games = played(made)
    late = max(game.ttl for game in games) + 1
    monkeypatch.setattr("time.time", lambda: late)
    site.clock = lambda: late
    assert all(repository.find(game.id) is None and snapshots.current(game.id) is None for game in games)
    assert of_games(site) == []
    assert len(repository.history("Hana", limit=9)[0]) == len(SET_TYPES)


def test_neither_store_nor_files_know_a_name_or_a_word_any_more(site, made, settings, monkeypatch):
    games = played(made)
    path = Path(settings.STORE_URL.removeprefix("sqlite://"))
    assert [word for word in SAID if word.encode() in in_files(path)] == list(SAID)
    stands_at(monkeypatch, rules.later(max(game.expires_at for game in games), timedelta(minutes=1)))
    assert background.resume_due() == len(games)
    assert finish_background() == len(games)
    purging.purge_journal(site)
    assert purging.rewrite_file(site)
    assert site.get(keys.FORGETTING) is None
    left = in_files(path)
    assert [word for word in SAID if word.encode() in left] == []
    assert b"About trivia" in left, "The history stays."


def in_files(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(path.parent.glob(f"{path.name}*")))


def test_dynamodb_shows_nothing_that_has_expired(person):
    """There the engine removes it, at a time of its own choice; until then reading hides it."""
    now = [int(time.time())]
    with ours() as engine, use_table(engine.fresh(clock=lambda: now[0])):
        host = person("Hana")
        game = making.make(host, Type.POLL, QUESTIONS[Type.POLL], title="Friday")
        play(game)
        assert repository.find(game.id) is not None
        now[0] = game.ttl + 1
        assert repository.find(game.id) is None
        assert repository.round_items(game.id) == []
        assert [each.title for each in repository.history("Hana", limit=9)[0]] == ["Friday"]
