"""What was told is what counts, whoever closes when, and however often somebody is killed while at it."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from random import Random

import pytest

from config.settings import BASE_DIR
from foundation.acts.refusals import LostRace, NotNow
from foundation.acts.storage import table, use_table
from foundation.store.log import EventLog
from foundation.store.table import Table
from parts.live import repository, steps
from parts.live.rounds import Round, round_digest, round_from_parts
from parts.live.rules import Game, State, Step
from parts.live.services import making, moving
from parts.questions.question import Kind, Question, Type
from tests.at_once import at_once
from tests.aws.engine import ours
from tests.chaos import Chaos
from tests.forks import family

from .conftest import IDEAS, SURVEY, seated
from .crowd import NO_ANSWER, OPTIONS, PLAYERS, UNKNOWN, Act, answered_in, flaws, play_all, player_of

NAMES = ("Ada", "Ben", "Cem", "Dot")
ROUNDS = 6


def click(game: Game, step: Step) -> None:
    """Press until somebody's click has arrived; a page that was overtaken shows where the session is."""
    first = seen(game).version
    while step in steps.offered(game, seen(game)) and seen(game).version == first:
        with suppress(LostRace, NotNow, *NO_ANSWER):
            moving.drive(game.id, "Hana", step, first)


def seen(game: Game) -> State:
    """Where the session is, looked at again until the store answers."""
    while True:
        with suppress(*NO_ANSWER):
            return repository.read_state(game.id)


def host(game: Game, rounds: int, enough: int = 20) -> None:
    """Ask, let the room answer, and close from two tabs at once."""
    for _ in range(rounds):
        click(game, Step.NEXT)
        if game.format.any_order:
            click(game, Step.VOTE)
        while not has_heard(game, enough):
            time.sleep(0.05)
        while seen(game).is_under_way:
            elsewhere = partial(acting, table(), game, Step.CLOSE)
            at_once(elsewhere, elsewhere)
    click(game, Step.END)


def acting(weather: Table, game: Game, step: Step) -> None:
    with use_table(weather):
        click(game, step)


def has_heard(game: Game, enough: int) -> bool:
    """So much, and of as many as a secret vote needs to keep its secret: on a slow machine some begin late."""
    state = seen(game)
    with suppress(*NO_ANSWER):
        given = (repository.read_votes if game.format.any_order else repository.read_answers)(game.id, state.round)
        heard = len(given) >= enough and len({each.player for each in given}) >= len(NAMES)
        return state.phase != answered_in(game) or heard
    return False


def sealed(game: Game) -> dict[int, Round]:
    state = repository.read_state(game.id)
    numbers = range(1, len(state.played) + 1)
    return {number: round_from_parts(repository.round_items(game.id, number)) for number in numbers}


def said_in(game: Game, round_: Round) -> dict[str, str]:
    """Whose words count: nobody's name is with them in a survey, but the words name who used them."""
    if game.engagement_type == Type.POLL:
        return {idea["text"].split()[0]: idea["text"] for idea in round_.result["ideas"]}
    if game.format.any_order:  # a secret one names nobody, but its first place does
        assert {bool(entry.player) for entry in round_.entries} == {not round_.result["secret"]}
        return {player_of(entry.value): entry.value for entry in round_.entries}
    if game.engagement_type == Type.CALL_AND_ANSWER:
        return {entry.player: entry.value for entry in round_.entries}
    return {entry.value["text"].split()[0]: entry.value["text"] for entry in round_.entries}


def all_flaws(game: Game, acts: list[Act]) -> list[str]:
    return [flaw for number, round_ in sealed(game).items() for flaw in flaws(acts, number, said_in(game, round_))]


def paid_once(game: Game) -> bool:
    """Whether the log tells of each round once, and of what is there."""
    told = [each["event_data"] for each in EventLog(table()).since(0) if each["event_type"] == "LiveRoundSealed"]
    there = {number: (each.count, round_digest(each)) for number, each in sealed(game).items()}
    return {each["round"]: (each["count"], each["digest"]) for each in told} == there and len(told) == len(there)


TO_VOTE_ON = (Question("What should we try?", Kind.IDEAS, seconds=0),)
ASKED = {Type.CALL_AND_ANSWER: IDEAS * ROUNDS, Type.SURVEY: SURVEY, Type.POLL: TO_VOTE_ON}


@pytest.mark.few(1)
@pytest.mark.parametrize("type_", list(ASKED))
def test_what_threads_are_told_is_what_counts(made, type_):
    game = made(type_, ASKED[type_])
    seated(game, *NAMES)
    driving = threading.Thread(target=host, args=[game, ROUNDS if type_ == Type.CALL_AND_ANSWER else 1])
    driving.start()
    acts = play_all(game, [name.lower() for name in NAMES])
    driving.join()
    assert Counter(act.told for act in acts)["counted"] > 20
    assert all_flaws(game, acts) == []
    assert paid_once(game)


@pytest.mark.deep
def test_what_voters_of_an_assembly_are_told_is_what_counts(made):
    """Open and secret votes in turn, closed from two tabs while votes come in."""
    options = tuple(f"Option {number}" for number in range(OPTIONS))
    items = [Question("Which?", Kind.RANKING, options=options, secret=secret, seconds=0) for secret in (False, True)]
    game = made(Type.ASSEMBLY, items * 2)
    seated(game, *NAMES)
    driving = threading.Thread(target=host, args=[game, 4])
    driving.start()
    acts = play_all(game, list(PLAYERS))
    driving.join()
    assert Counter(act.told for act in acts)["counted"] > 20
    assert all_flaws(game, acts) == []
    assert paid_once(game)


@pytest.mark.deep
def test_what_four_processes_are_told_is_what_counts(made, settings):
    game = made(Type.CALL_AND_ANSWER, IDEAS * 4)
    seated(game, *(f"{name}{number}" for name in NAMES for number in range(2)))
    environment = {**os.environ, "STORE_URL": settings.STORE_URL, "SECRET_KEY": settings.SECRET_KEY}
    environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
    players = [f"{name}0,{name}1".lower() for name in NAMES]
    command = [sys.executable, "-m", "tests.live.crowd", game.id, *players]
    with family(command, cwd=BASE_DIR, env=environment) as crowd:
        assert crowd.stdout.readline() == "ready\n"
        crowd.stdin.write("go\n")
        host(game, 8, enough=40)
        acts = [Act(**each) for each in json.loads(crowd.stdout.readline())]
    assert {act.told for act in acts} >= {"counted"}
    assert all_flaws(game, acts) == []
    assert paid_once(game)


@pytest.mark.deep
def test_what_is_told_on_dynamodb_in_bad_weather_is_what_counts(on_dynamodb, person):
    game = making.make(person("Hana"), Type.CALL_AND_ANSWER, IDEAS * 2, title="Friday")
    seated(game, *NAMES)
    weather = Chaos(table(), Random(17), conflicts=0.1, throttling=0.05, lost_replies=0.1)
    driving = threading.Thread(target=in_weather, args=[weather, game])
    driving.start()
    acts = play_all(game, [name.lower() for name in NAMES], weather)
    driving.join()
    assert Counter(act.told for act in acts)[UNKNOWN] > 0
    assert all_flaws(game, acts) == []
    assert paid_once(game)


@pytest.fixture
def on_dynamodb(site) -> Iterator[None]:
    """The site's table is one on DynamoDB as our own engine plays it, which takes no more time than to be asked."""
    with ours() as engine, use_table(engine.fresh()):
        yield


def in_weather(weather: Chaos, game: Game) -> None:
    with use_table(weather):
        host(game, 2, enough=6)
