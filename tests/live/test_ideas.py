"""Ideas that a room writes and ranks: written without names, put in order while all look, then counted."""

from __future__ import annotations

import pytest

from foundation.acts.background import wait
from foundation.acts.refusals import LostRace, NotNow
from foundation.store import keys
from foundation.store.log import EventLog
from parts.live import repository, rounds, seats, steps
from parts.live.plays import ideas_order
from parts.live.plays import ideas_order as ideas
from parts.live.plays.ideas_order import SortedIdeas
from parts.live.rounds import GivenAnswer, options_of, pseudonym
from parts.live.rules import Phase, Step
from parts.live.services.answering import AnswerStatus
from parts.questions.question import Kind, Question, Type
from tests.background import finish_background
from tests.live.conftest import drive, give, picture, seated

ASKED = (Question("What should we try?", Kind.IDEAS, seconds=0),)
WRITTEN = {"Ada": ["A bus", "a  BOAT"], "Ben": ["A boat"], "Cem": ["A bike"]}


def sealed(game) -> rounds.Round:
    return rounds.round_from_parts(repository.round_items(game.id, repository.read_state(game.id).round))


def events(site, kind: str) -> list[dict]:
    return [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind]


def numbers(game) -> dict[str, int]:
    """The place of each idea, by its words."""
    return {each.text: each.number for each in ideas_order.read(game.id, 1)[1].idea_views()}


@pytest.fixture
def sorted_game(made):
    """Three have written four ideas, two of them the same, and now they are put in order."""
    game = made(Type.POLL, ASKED)
    seated(game, *WRITTEN)
    drive(game, Step.NEXT)
    for name, texts in WRITTEN.items():
        assert give(game, seats.find(game.id, name.lower()), texts) == AnswerStatus.COUNTED
    assert drive(game, Step.CLOSE).phase == Phase.SORTING
    return game


def vote(game, *rankings: str):
    drive(game, Step.VOTE)
    for name, ranking in zip(WRITTEN, rankings, strict=False):
        assert give(game, seats.find(game.id, name.lower()), ranking) == AnswerStatus.COUNTED
    drive(game, Step.CLOSE)
    return sealed(game)


# --- the whole way ---


def test_what_a_room_writes_is_ranked_by_instant_runoff(site, sorted_game):
    written, found = ideas_order.read(sorted_game.id, 1)
    assert {each.text: each.by for each in found.idea_views()} == {"A boat": 2, "A bus": 1, "A bike": 1}
    assert found.idea_views()[0].text == "A boat", "What was written most often comes first."
    (event,) = events(site, "LiveAnswersSealed")
    assert (event["count"], event["digest"]) == (3, rounds.round_digest(written))
    round_ = vote(sorted_game, "0>1>2", "0>2", "1>0")
    options = options_of(round_, ASKED[0])
    assert sorted(options) == ["A bike", "A boat", "A bus"]
    assert (round_.result["method"], round_.result["winners"], round_.count) == ("irv", [0], 3)
    (opened,) = [each for each in events(site, "LiveSessionMoved") if each["step"] == "vote"]
    assert (opened["options"], opened["digest"]) == (3, ideas.digest(options))
    (event,) = events(site, "LiveRoundSealed")
    assert event["digest"] == rounds.round_digest(round_)


def test_nothing_leads_from_an_idea_or_a_vote_to_who_gave_it(site, sorted_game):
    game = sorted_game
    assert repository.read_salt(game.id, 1) is None, "Destroyed with the first close."
    finish_background("empty live round")
    assert repository.read_answers(game.id, 1) == []
    kept = repository.gathered_items(game.id, 1)
    assert {each["player"] for part in kept for each in part.get("entries", ())} == {""}
    drive(game, Step.VOTE)
    second = repository.read_salt(game.id, 1)
    assert second, "The vote has a salt of its own."
    for name in WRITTEN:
        give(game, seats.find(game.id, name.lower()), "0>1")
    drive(game, Step.CLOSE)
    assert repository.read_salt(game.id, 1) is None
    finish_background("empty live round")
    assert repository.read_votes(game.id, 1) == []
    assert {each.player for each in sealed(game).entries} == {""}
    assert not repository.EMPTYING.unfinished()
    everything = [repr(item) for item in site.each(keys.all_of_game(game.id)) if not item["SK"].startswith("NAME#")]
    assert not any(f"'{name.lower()}'" in item for item in everything for name in WRITTEN)


def secrets_left(site, game) -> list[str]:
    """Where a seat's id leads, by whatever salt there is and the site's own secret."""
    items = [
        *site.each(keys.all_of_game(game.id)),
        *(each for span in keys.shards_of_game(game.id) for each in site.each(span)),
    ]
    salts = [value for item in items for value in item.values() if isinstance(value, bytes)]
    names = {pseudonym(salt, name.lower()) for salt in salts for name in WRITTEN}
    told = [item for item in items if not item["SK"].startswith(("PLAYER#", "NAME#"))]
    return [item["SK"] for item in told if any(name in repr(item) for name in names)]


@pytest.mark.parametrize("is_kept", [True, False])
def test_who_has_the_store_and_the_secret_finds_nobody_unless_a_salt_is_kept(site, made, monkeypatch, is_kept):
    """Planted: a close that keeps its salt, and what was given, is found by the same search."""
    if is_kept:
        monkeypatch.setattr(repository.EMPTYING, "do", lambda task: wait(60))
        monkeypatch.setattr(repository, "unsalting", lambda *_words: [])
    game = made(Type.POLL, ASKED)
    seated(game, *WRITTEN)
    drive(game, Step.NEXT)
    for name, texts in WRITTEN.items():
        give(game, seats.find(game.id, name.lower()), texts)
    drive(game, Step.CLOSE)
    assert bool(secrets_left(site, game)) is is_kept


def test_emptying_what_was_written_leaves_votes_alone(site, sorted_game):
    """A worker that comes late to the first close must not remove the vote that is on."""
    site.write(repository.emptying(sorted_game, 1, ideas=True))
    drive(sorted_game, Step.VOTE)
    for name in WRITTEN:
        give(sorted_game, seats.find(sorted_game.id, name.lower()), "1>0")
    finish_background()
    assert len(repository.read_votes(sorted_game.id, 1)) == 3
    assert not repository.EMPTYING.unfinished()


@pytest.mark.parametrize(
    ("written", "shows"),
    [({"Ada": ["A bus"], "Ben": ["a BUS"], "Cem": ["A bus"]}, True), ({"Ada": ["A bus"], "Ben": ["A boat"]}, False)],
)
def test_too_little_is_not_voted_on(made, written, shows):
    game = made(Type.POLL, ASKED)
    seated(game, *WRITTEN)
    drive(game, Step.NEXT)
    for name, texts in written.items():
        give(game, seats.find(game.id, name.lower()), texts)
    assert drive(game, Step.CLOSE).phase == Phase.RESULTS
    result = sealed(game).result
    assert [each["text"] for each in result.get("ideas", ())] == (["A bus"] if shows else [])
    assert bool(result.get("too_few")) is not shows, "Of two people's ideas nothing is told."
    assert repository.read_salt(game.id, 1) is None


def test_fewer_than_three_votes_tell_nothing_but_the_options(sorted_game):
    result = vote(sorted_game, "0>1", "1>0").result
    assert result["too_few"]
    assert "winners" not in result
    assert len(result["options"]) == 3


@pytest.mark.parametrize("step", [Step.CLOSE, Step.END])
def test_what_is_not_voted_on_is_kept_all_the_same(sorted_game, step):
    drive(sorted_game, step)
    result = sealed(sorted_game).result
    assert (result["voted"], result["options"], len(result["ideas"])) == (False, [], 3)


@pytest.mark.parametrize("phase", [Phase.QUESTION, Phase.SORTING, Phase.VOTING])
@pytest.mark.parametrize("step", [Step.VOID, Step.REPEAT])
def test_of_ideas_that_do_not_count_nothing_is_kept(site, made, phase, step):
    game = made(Type.POLL, ASKED)
    seated(game, *WRITTEN)
    drive(game, Step.NEXT)
    for name, texts in WRITTEN.items():
        give(game, seats.find(game.id, name.lower()), texts)
    for before in {Phase.QUESTION: (), Phase.SORTING: (Step.CLOSE,), Phase.VOTING: (Step.CLOSE, Step.VOTE)}[phase]:
        drive(game, before)
    if step not in steps.offered(game, repository.read_state(game.id)):
        drive(game, Step.VOID)
    state = drive(game, step)
    assert 1 in state.voided
    finish_background()
    left = {item["SK"].split("#")[0] for item in site.each(keys.all_of_game(game.id))}
    assert not left & {"SORTED", "GATHERED", "ROUND"}
    assert repository.read_salt(game.id, 1) is None
    assert repository.read_answers(game.id, 1) == repository.read_votes(game.id, 1) == []


@pytest.mark.needs("assembly")
def test_an_assembly_ranks_ideas_in_secret_and_notes_who_was_there(site, made):
    game = made(Type.ASSEMBLY, ASKED)
    seated(game, *WRITTEN)
    assert drive(game, Step.NEXT).phase == Phase.QUESTION
    for name, texts in WRITTEN.items():
        give(game, seats.find(game.id, name.lower()), texts)
    drive(game, Step.CLOSE)
    round_ = vote(game, "0>1", "0>2", "1")
    assert (round_.result["outcome"], round_.result["kind"]) == ("elected", "ideas")
    assert round_.result["present"] == ["ada", "ben", "cem"]
    assert {each.player for each in round_.entries} == {""}
    assert round_.result["options"][round_.result["winners"][0]] == options_of(round_, ASKED[0])[0]
    opened = [each for each in events(site, "LiveSessionMoved") if each["step"] == "vote"]
    assert [each["present_count"] for each in opened] == [3]
    assert f"{round_.result['options'][0]}\u2069 wins" in picture(Type.ASSEMBLY, round_, ASKED, {})


# --- putting in order ---


def many(count: int, **order) -> SortedIdeas:
    """Ideas of which each was written once more than the one after it."""
    written = tuple(ideas.Idea(f"Idea {number}", count - number) for number in range(count))
    return SortedIdeas(written, ideas.first_order(count, 1))


def then(found: SortedIdeas, order) -> SortedIdeas:
    return SortedIdeas(found.ideas, order)


def test_what_means_the_same_becomes_one_and_is_taken_apart_again():
    found = many(4)
    one = then(found, found.merged([2, 1]))
    told = {each.text: (each.by, set(each.texts)) for each in one.idea_views()}
    assert told["Idea 1"] == (5, {"Idea 1", "Idea 2"}), "In the words that were written most often."
    assert one.idea_views()[0].text == "Idea 1", "Together they are the most."
    again = then(one, one.led_by(2))
    assert "Idea 2" in {each.text for each in again.idea_views()}
    better = then(again, again.worded(1, "An idea"))
    assert "An idea" in {each.text for each in better.idea_views()}
    apart = then(better, better.split(2))
    assert {each.text for each in apart.idea_views()} == {each.text for each in found.idea_views()}
    three = then(one, one.merged([1, 3], "All of it"))
    assert [each.text for each in three.idea_views() if each.is_merged] == ["All of it"]


def test_the_ten_written_most_often_go_on_until_somebody_chooses():
    found = many(12)
    assert {each.text for each in found.idea_views() if each.goes} == {f"Idea {number}" for number in range(10)}
    with pytest.raises(ideas.CannotSort, match="At most 10"):
        found.chosen(11, goes=True)
    fewer = then(found, found.chosen(0, goes=False))
    assert fewer.going == 9
    other = then(fewer, fewer.chosen(11, goes=True))
    assert {each.text for each in other.idea_views() if each.goes} == {f"Idea {n}" for n in (*range(1, 10), 11)}
    without = then(other, other.left_out(11, out=True))
    assert without.going == 9
    assert without.idea_views()[-1].text == "Idea 11"
    assert not then(without, without.left_out(11, out=False)).idea_views()[-1].goes, "Chosen anew, or not."


def test_what_cannot_be_voted_on_is_refused_in_words():
    found = many(3)
    alone = then(found, found.merged([0, 1, 2]))
    with pytest.raises(ideas.CannotSort, match="at least 2"):
        alone.options()
    alike = then(found, found.worded(0, "idea  2"))
    with pytest.raises(ideas.CannotSort, match="read the same"):
        alike.options()
    with pytest.raises(ideas.CannotSort, match="two ideas"):
        found.merged([1])
    with pytest.raises(ideas.CannotSort, match="does not exist"):
        found.left_out(7, out=True)
    with pytest.raises(ideas.CannotSort, match="Too long"):
        found.worded(0, "x" * 201)


def test_options_stand_in_an_order_that_says_nothing():
    assert many(6).options() != tuple(each.text for each in many(6).idea_views())
    assert sorted(many(6).options()) == sorted(each.text for each in many(6).idea_views())


def test_an_order_is_stored_as_it_is():
    found = many(5)
    order = then(found, found.merged([0, 4], "Both")).left_out(2, out=True)
    assert ideas.order_of(ideas.as_item(order)) == order
    hall = ideas.as_item(ideas.first_order(6_000, 8))
    assert len(repr(hall)) < 50_000, "A full hall fits one item."


def test_what_one_person_writes_twice_counts_once_and_what_is_too_long_is_cut():
    given = [
        GivenAnswer("a", ["One", "one ", "Two", "Three", "Four"], 1),
        GivenAnswer("b", "x" * 900, 2),
        GivenAnswer("c", None, 3),
    ]
    round_ = ideas.collected(1, 0, given)
    assert {each.value["text"]: each.value["by"] for each in round_.entries} == {
        **dict.fromkeys(("one", "Two", "Three"), 1),
        "x" * 200: 1,
    }
    assert round_.count == 2


def test_nobody_puts_in_order_what_is_voted_on(sorted_game):
    drive(sorted_game, Step.VOTE)
    with pytest.raises(NotNow):
        ideas_order.sort(sorted_game.id, 1, lambda found: found.left_out(0, out=True))
    before = repository.read_state(sorted_game.id)
    assert before.phase == Phase.VOTING


def test_a_vote_that_an_act_overtakes_is_opened_with_what_all_have_seen(sorted_game, monkeypatch):
    """The act came between the host's look and the step: the step is refused, nothing is voted on unseen."""
    place = numbers(sorted_game)
    options = SortedIdeas.options

    def overtaken(self):
        monkeypatch.setattr(SortedIdeas, "options", options)
        ideas_order.sort(sorted_game.id, 1, lambda found: found.left_out(place["A bike"], out=True))
        return options(self)

    monkeypatch.setattr(SortedIdeas, "options", overtaken)
    with pytest.raises(LostRace):
        drive(sorted_game, Step.VOTE)
    drive(sorted_game, Step.VOTE)
    assert sorted(ideas_order.find_order(sorted_game.id, 1).options) == ["A boat", "A bus"]
