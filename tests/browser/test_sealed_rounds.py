"""A sealed round checked in Chromium: honest ones fit whatever was voted, and every planted fraud is told loudly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from hashlib import sha256
from random import Random

import pytest
from playwright.sync_api import Page, Route, expect

from acts.storage import table
from assembly import resolutions
from config.settings import BASE_DIR
from live import clock, counting, repository, seats
from live.plays import ranked_poll, trivia
from live.rounds import GivenAnswer, Round
from live.rules import Game, Phase, State, Step
from live.seats import Seat
from live.services import answering, moving
from questions.question import Kind, Question, Type
from store.log import utc_now
from store.log.publish import Publisher
from store.log.seal import Sealer

from .live_hall import HOST, PHONE_WIDTH_PX, Hall, judged, open_hall
from .test_live import store  # noqa: F401 - a fixture

SECRET = Question("Who chairs?", Kind.RANKING, options=("Ines", "Jo", "Kim"), secret=True, seconds=0)
RANKINGS = ("0>1", "0", "1>0>2", "0>2>1", "1=2", "0>2", "")  # without a draw: a lot would hang on the session's id


# --- honest rounds ---


@pytest.fixture
def bench(visit) -> Page:
    page = visit("about:blank")
    for program in ("count.js", "sealed_round.js"):
        page.add_script_tag(path=BASE_DIR / "static/js" / program)
    return page


def rankings(random: Random, options: int) -> Iterator[str]:
    """Few different ones, so that many are equal, and lots are drawn."""
    for _voter in range(random.randint(3, 9)):
        some = random.sample(range(options), random.randint(0, options))
        yield "".join(f"{random.choice('>>=') if at else ''}{each}" for at, each in enumerate(some))


def given(said) -> list[GivenAnswer]:
    return [GivenAnswer(f"p{place}", each, place, f"R{place}") for place, each in enumerate(said)]


def polled(random: Random) -> tuple[Question, Round]:
    kind = random.choice((Kind.RANKING, Kind.CHOICE))
    names = ("Sea", "Hills", "Sea", "Überall", "Town")[: random.randint(2, 5)]
    question = Question("Where?", kind, options=names)
    chosen = (each[:1] for each in rankings(random, len(names)))
    said = rankings(random, len(names)) if kind == Kind.RANKING else chosen
    return question, ranked_poll.count(1, 0, question, given(said), "game")


def resolved(random: Random) -> tuple[Question, Round]:
    kind = random.choice((Kind.MOTION, Kind.CHOICE, Kind.RANKING, Kind.ALTERNATIVES))
    options = () if kind == Kind.MOTION else ("One", "Two", "No change")[-random.randint(2, 3) :]
    majority = random.choice(("1/2 cast", "2/3 cast", "3/4 present", "4/5 entitled", "1/2 entitled"))
    question = Question("What?", kind, options=options, majority=majority, secret=random.random() < 0.5)
    said = {
        Kind.MOTION: lambda: random.choices(("yes", "no", "abstain"), k=random.randint(3, 9)),
        Kind.CHOICE: lambda: random.choices(("0", "1", "abstain"), k=random.randint(3, 9)),
    }.get(kind, lambda: list(rankings(random, len(options))))()
    quorum = random.choice(("", "5", "1/2", ">1/2", "1/3"))
    unsaid = {"code": "", "token": "", "screen_token": "", "total_questions": 1}
    game = Game("game", "", Type.ASSEMBLY, "2026-01-01T00:00:00.000Z", "", entitled=10, quorum=quorum, **unsaid)
    state = replace(State(phase=Phase.VOTING, round=1, played=(0,)), secret=question.secret)
    present = sorted({f"p{place}" for place in range(len(said) + random.randint(0, 2))})
    weights = {} if question.secret else {name: 5 for name in present if random.random() < 0.3}
    game = replace(game, extra_votes=sum(weights.values()))
    round_ = resolutions.resolve_item(game, state, question, given(said), present, 7, weights)
    if kind == Kind.RANKING and question.secret:  # as if the room had written the options
        told = {**round_.result, "kind": str(Kind.IDEAS), "options": list(options)}
        return replace(question, kind=Kind.IDEAS, options=(), secret=False), replace(round_, result=told)
    return question, round_


def asked(random: Random) -> tuple[Question, Round]:
    question = Question("Which?", Kind.CHOICE, options=("2", "3", "4", "5"), right=(0, 1, 3))
    said = [random.sample(range(4), random.randint(0, 4)) for _player in range(random.randint(0, 6))]
    return question, trivia.count(1, 0, question, given(said), lambda _each: (random.randint(0, 9_000), 9_000), True)


def test_honest_rounds_are_the_same_counted_again(bench):
    random = Random(18)
    made = [make(random) for make in (polled, resolved, asked) for _turn in range(60)]
    told = [[question.as_item(), json.loads(counting.round_as_bytes(round_))] for question, round_ in made]
    found = bench.evaluate(
        """rounds => rounds.map(([asked, round]) => {
          const both = SealedRound.recounted(round, asked, "game");
          return both && SealedRound.differences(...both);
        })""",
        told,
    )
    assert [(pair, wrong) for pair, wrong in zip(told, found, strict=True) if wrong] == []
    assert sum(each is not None for each in found) > 150, "All but those that were too few."
    assert any(round_.result.get("lots") for _question, round_ in made)


# --- frauds ---


@pytest.fixture
def sealed(store, visit) -> Hall:  # noqa: F811
    """An assembly's secret vote, sealed, and public in the log."""
    hall = open_hall(visit, Type.ASSEMBLY, (SECRET,), entitled=9, quorum="1/2")
    for place in range(len(RANKINGS)):
        table().write(*seats.seating(hall.game, Seat(f"player{place}", f"Player {place}", hall.game.created_at)))
    for step in (Step.NEXT, Step.VOTE, Step.CLOSE):
        state = moving.drive(hall.game.id, HOST, step, repository.read_state(hall.game.id).version)
        if step == Step.VOTE:
            for place, said in enumerate(RANKINGS):
                seat = seats.find(hall.game.id, f"player{place}")
                answering.submit(hall.game, state, seat, said, clock.now(), receipt=f"K7QM-2XHD-000{place}")
    Sealer(table()).seal()
    Publisher(table(), lambda: utc_now() + timedelta(minutes=15)).publish()
    return hall


def changed_round(act):
    def change(round_: str, proof: str) -> tuple[str, str]:
        told = json.loads(round_)
        act(told)
        return json.dumps(told, ensure_ascii=False, separators=(",", ":"), sort_keys=True), proof

    return change


def with_a_forged_event(round_: str, proof: str) -> tuple[str, str]:
    """A ranking is changed, and the event says the new digest: only the checkpoint knows better."""
    digest = {text: sha256(text.encode()).hexdigest() for text in (round_, round_.replace('"1=2"', '"0"'))}
    (old, new), told = digest.values(), json.loads(proof)
    event = told["event"].replace(old, new)
    forged = told | {"event": event, "event_digest": sha256(event.encode()).hexdigest()}
    return list(digest)[1], json.dumps(forged)


def without_a_receipt(round_: str, proof: str) -> tuple[str, str]:
    told = json.loads(proof)
    return round_, json.dumps(told | {"heard": json.dumps(json.loads(told["heard"])[1:], separators=(",", ":"))})


def with_options_swapped(round_: str, proof: str) -> tuple[str, str]:
    return round_, proof.replace("Ines", "Jo", 1)


FRAUDS = {
    "one ranking changed": (changed_round(lambda told: told["entries"][0].update(said="2")), {"bytes", "counted"}),
    "one entry dropped": (changed_round(lambda told: told["entries"].pop()), {"bytes", "heard", "counted"}),
    "the result changed": (changed_round(lambda told: told["result"].update(winners=[2])), {"bytes", "counted"}),
    "the event forged with it": (with_a_forged_event, {"bytes", "chained", "counted"}),
    "a receipt dropped from the list": (without_a_receipt, {"heard"}),
    "an option's name swapped": (with_options_swapped, {"question"}),
}


def test_planted_frauds_are_told_loudly_and_an_honest_round_fits(sealed, subtests):
    page = sealed.visit(f"/live/{sealed.game.id}/rounds/1/", who=HOST, width=PHONE_WIDTH_PX)
    with subtests.test("honest"):
        page.click("[data-start]")
        expect(page.locator("[data-same]")).to_be_visible()
        expect(page.locator(".check-right")).to_have_count(6)
        expect(page.locator("[data-different]")).to_be_hidden()
        page.fill("#own-receipt", "k7qm 2xhd ooo2")
        page.click("[data-own-form] button")
        expect(page.locator("[data-own-said]")).to_contain_text("Kim")
        page.fill("#own-receipt", "K7QM-2XHD-0009")
        page.click("[data-own-form] button")
        expect(page.locator("[data-own-missing]")).to_be_visible()
        assert judged(page, "dark") == []
    for name, (act, wrong) in FRAUDS.items():
        with subtests.test(name):
            expect(page.locator("[data-start]")).to_be_enabled()
            planted(page, act)
            page.click("[data-start]")
            expect(page.locator("[data-different]")).to_be_visible()
            expect(page.locator("[data-same]")).to_be_hidden()
            found = page.locator(".check-wrong").evaluate_all("lines => lines.map(each => each.dataset.check)")
            assert set(found) == wrong
    assert judged(page, "light") == []


def planted(page: Page, act) -> None:
    """From now on the page gets another round, or another proof."""
    page.unroute_all()
    address = page.url.partition("#")[0]
    texts = act(*(page.request.get(address + file).text() for file in ("round.json", "proof.json")))
    for file, text in zip(("round.json", "proof.json"), texts, strict=True):
        page.route(address + file, partial(put_in, text))


def put_in(text: str, route: Route) -> None:
    route.fulfill(body=text, content_type="application/json")
