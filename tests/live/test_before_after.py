"""The same ranking before and after: who moved where in numbers, and nothing that leads to whose choice it was."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from foundation.store import keys
from foundation.store.backup import contents, take_snapshot
from parts.live import repository, rounds, seats, steps
from parts.live.plays import before_after, ranked_poll
from parts.live.plays import before_after as twice
from parts.live.rounds import Entry, Round, pseudonym
from parts.live.rules import Phase, Step
from parts.live.services.answering import AnswerStatus
from parts.questions.question import Kind, Question, Type
from tests.live.conftest import drive, give, picture, seated
from tests.rows import every_row

NAMES = ("Ada", "Ben", "Cem", "Dot", "Eva", "Fin")
ASKED = Question("Where do we go?", Kind.RANKING, options=("Sea", "Hills", "Town"), seconds=0, twice=True)
FIRST = {"Ada": "0>1", "Ben": "0>1", "Cem": "0", "Dot": "1", "Eva": "1>0", "Fin": "2"}
SECOND = {"Ada": "1>0", "Ben": "0>1", "Cem": "1", "Dot": "1", "Eva": "0=1", "Fin": "2"}


def sealed(game, number: int | None = None) -> Round:
    number = number or repository.read_state(game.id).round
    return rounds.round_from_parts(repository.round_items(game.id, number))


def answer(game, said: dict[str, str]) -> None:
    for name, ranking in said.items():
        assert give(game, seats.find(game.id, name.lower()), ranking) == AnswerStatus.COUNTED
    drive(game, Step.CLOSE)


def left(site, game) -> list[dict]:
    return [item for item in site.each(keys.all_of_game(game.id)) if item["SK"].startswith("BEFORE#")]


@pytest.fixture
def asked(made):
    game = made(Type.POLL, (ASKED, replace(ASKED, twice=False)))
    seated(game, *NAMES)
    drive(game, Step.NEXT)
    return game


def test_who_moved_where_is_told_in_numbers(site, asked):
    answer(asked, FIRST)
    state = drive(asked, Step.AGAIN)
    assert (state.phase, state.round, state.before, state.voided) == (Phase.QUESTION, 2, 1, ())
    answer(asked, SECOND)
    moved = sealed(asked).result["moved"]
    assert moved["flows"] == [[0, 0, 1], [0, 1, 2], [1, 1, 1], [1, "several", 1], [2, 2, 1]]
    assert (moved["round"], moved["both"], moved["came"], moved["went"]) == (1, 6, 0, 0)
    assert (moved["earlier"]["winners"], moved["earlier"]["firsts"]) == ([0], ["3", "2", "1"])
    assert moved["earlier"]["close"]["ballots"] == 1
    assert sealed(asked).result["winners"] == [1]
    assert not left(site, asked)
    assert Step.AGAIN not in steps.offered(asked, repository.read_state(asked.id)), "Twice, not three times."


def test_until_the_second_close_first_choices_lie_under_other_names(site, asked):
    answers = {}
    salt = repository.read_salt(asked.id, 1)
    for name in NAMES:
        answers[pseudonym(salt, name.lower())] = FIRST[name]
    answer(asked, FIRST)
    (item,) = left(site, asked)
    assert Counter(item["firsts"].values()) == {0: 3, 1: 2, 2: 1}
    assert not item["firsts"].keys() & answers.keys(), "Nothing else leads to them."
    assert pseudonym(item["salt"], "ada") in item["firsts"], "The site could tell until then, and docs say so."
    copied = [each for _name, each in contents(site, take_snapshot(site)) if each["PK"] == keys.game(asked.id).pk]
    assert copied
    assert not [each for each in copied if each["SK"].startswith("BEFORE#")], "No backup has it."
    assert repository.read_salt(asked.id, 1) is None


@pytest.mark.parametrize("is_kept", [True, False])
def test_after_the_second_close_nobodys_first_choice_is_found_unless_the_link_is_kept(
    site, asked, monkeypatch, is_kept
):
    """Planted: a second close that keeps what links the two is found by the same search."""
    if is_kept:
        monkeypatch.setattr(twice, "unlinking", lambda *_words: [])
    answer(asked, FIRST)
    drive(asked, Step.AGAIN)
    answer(asked, SECOND)
    items = list(site.each(keys.all_of_game(asked.id)))
    salts = [value for item in items for value in item.values() if isinstance(value, bytes)]
    names = {pseudonym(salt, name.lower()) for salt in salts for name in NAMES}
    assert any(name in repr(item) for item in items for name in names) is is_kept


@pytest.mark.parametrize(
    "steps",
    [
        [Step.VOID],
        [Step.REPEAT],
        [Step.NEXT],
        [Step.END],
        [Step.REVEAL, Step.NEXT],
        [Step.AGAIN, Step.VOID],
        [Step.AGAIN, Step.CLOSE],
        [Step.AGAIN, Step.END],
        [Step.AGAIN, Step.REPEAT, Step.CLOSE],
    ],
)
def test_whatever_ends_the_comparison_destroys_what_links_the_two(site, asked, steps):
    answer(asked, FIRST)
    for step in steps:
        assert left(site, asked), f"There before {step}."
        drive(asked, step)
    assert not left(site, asked)


def test_a_second_round_that_is_repeated_is_still_compared(asked):
    answer(asked, FIRST)
    drive(asked, Step.AGAIN)
    drive(asked, Step.REPEAT)
    answer(asked, SECOND)
    assert sealed(asked).result["moved"]["both"] == 6


def test_a_store_from_a_backup_says_that_it_cannot_tell(site, asked):
    answer(asked, FIRST)
    site.write(*twice.unlinking(asked, 1))
    drive(asked, Step.AGAIN)
    answer(asked, SECOND)
    moved = sealed(asked).result["moved"]
    assert (moved["untold"], "flows" in moved) == ("lost", False)
    assert moved["earlier"]["winners"] == [0]


def test_too_few_the_first_time_keep_nothing(site, asked):
    answer(asked, {"Ada": "0", "Ben": "1"})
    assert not left(site, asked)
    drive(asked, Step.AGAIN)
    answer(asked, SECOND)
    assert sealed(asked).result["moved"]["earlier"] == {}


@every_row(
    ("before", "after", "told"),
    [
        ({"a": 0, "b": 0, "c": 1}, {"a": 0, "b": 1, "c": 1}, True),
        ({"a": 0, "b": 0, "c": 1}, {"a": 0, "b": 1}, False),  # one left, and all could see whose vote is missing
        ({"a": 0, "b": 0, "c": 1}, {"a": 0, "b": 1, "c": 1, "d": 0}, False),  # one came
        ({"a": 0, "b": 0, "c": 1}, {"a": 0, "b": 1, "c": 1, **dict.fromkeys("def", 0)}, True),
        ({"a": 0, "b": 0}, {"a": 0, "b": 1}, False),
        ({}, {}, False),
    ],
)
def test_nobodys_choice_can_be_told_from_who_came_and_who_left(before, after, told):
    flows = twice.flows(before, after)
    assert ("flows" in flows) is told
    if told:
        assert sum(each[2] for each in flows["flows"]) == len(before.keys() | after.keys())
    else:
        assert flows == {"untold": "few"}


def test_robots_are_nobody_to_move_among():
    before = {"a": 0, "r1": 0, "r2": 1, "r3": 1}
    assert "flows" in twice.flows(before, before)
    assert twice.flows(before, before, {"r1", "r2", "r3"}) == {"untold": "few"}
    alone = dict.fromkeys(("r1", "r2", "r3"), 0)
    assert "flows" in twice.flows(alone, alone, alone.keys())


@every_row(("ranking", "first"), [("", "nobody"), ("2>1", 2), ("0=1>2", "several"), ("1", 1)])
def test_what_somebody_likes_best(ranking, first):
    assert twice.first_of(ranking) == first


@pytest.mark.needs("assembly")
def test_a_question_that_is_no_ranking_of_a_poll_is_asked_once(made):
    game = made(Type.ASSEMBLY, (ASKED,))
    assert not drive(game, Step.NEXT).twice


# --- the picture ---


def test_the_picture_and_its_tables_say_the_same():
    names = ("Sea", "Hills", "<b>Town</b>")
    flows = [[0, 0, 3], [0, 1, 2], [1, "several", 1], [2, "nobody", 3], ["nobody", 2, 4]]
    drawn = before_after.sankey(flows, names)
    assert drawn.count("<path") == len(flows)
    assert "2 went from \u2068Sea\u2069 to \u2068Hills\u2069" in drawn
    assert "<b>" not in drawn
    for number in ("A</tspan> 5", "B</tspan> 1", "C</tspan> 4"):
        assert number in drawn


def test_blocks_never_leave_the_picture():
    hall = [[one, other, 1] for one in range(10) for other in range(10)] + [[0, 0, 900]]
    flows = [tuple(each) for each in hall]
    for at in (0, 1):
        blocks = before_after._blocks(
            before_after._side(flows, at), before_after.LABEL_HEIGHT_EM / 20 * before_after.HEIGHT
        )
        ends = [each.y + each.tall for each in blocks.values()]
        assert max(ends) <= before_after.HEIGHT + 0.01
        assert all(
            one.y + one.tall <= other.y for one, other in zip(blocks.values(), [*blocks.values()][1:], strict=False)
        )


def test_both_times_are_told_with_how_close_they_were(asked):
    answer(asked, FIRST)
    drive(asked, Step.AGAIN)
    answer(asked, SECOND)
    html = picture(Type.POLL, sealed(asked), repository.read_questions(asked.id), {})
    assert "Sea\u2069 wins" in html
    assert "1 other vote would have changed it" in html
    assert "Who moved where" in html
    assert "+1" in html or "+1.5" in html


def test_far_ahead_is_by_a_lot():
    rankings = ["0>1"] * 10 + ["1>0"]
    round_ = Round(1, 0, 11, {}, tuple(Entry("", each) for each in rankings))
    close = twice.closeness(round_, ASKED)
    assert close == {"ballots": 5, "exact": True}
    assert ranked_poll._close(close, 11) == "by a lot"
    assert ranked_poll._close(close, 40) == "5 other votes would have changed it"
    assert ranked_poll._close(close | {"exact": False}, 11) == "5 other votes, or fewer, would have changed it"


@pytest.mark.parametrize(
    ("rankings", "said"), [(["0>1", "1>0"], "1 other vote would have changed it"), (["", ""], "")], ids=["tie", "blank"]
)
def test_a_tie_was_close_and_of_blank_votes_nothing_is_said(rankings, said):
    round_ = Round(1, 0, 2, {}, tuple(Entry("", each) for each in rankings))
    assert ranked_poll._close(twice.closeness(round_, ASKED), 2) == said


# --- the log ---


def test_the_log_holds_no_words_of_ideas_and_comparisons(site, asked, made):
    answer(asked, FIRST)
    drive(asked, Step.AGAIN)
    answer(asked, SECOND)
    game = made(Type.POLL, (Question("What next?", Kind.IDEAS, seconds=0),))
    seated(game, *NAMES)
    drive(game, Step.NEXT)
    for number, name in enumerate(NAMES):
        give(game, seats.find(game.id, name.lower()), [f"Zebras for {number}"])
    drive(game, Step.CLOSE)
    drive(game, Step.VOTE)
    answer(game, FIRST)
    assert "Zebras" not in repr(list(site.each(keys.events())))
