"""Pictures of rounds: they say in words what they show, to the last number, and no name breaks them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.utils import translation

from parts.live import standings, symbols
from parts.live.plays import best_answer, ranked_poll, survey, trivia
from parts.live.rounds import Entry, GivenAnswer, Round
from parts.live.seats import Seat
from parts.live.standings import standings_of
from parts.questions.question import MAX_OPTIONS, Kind, Question, Type
from tests.live.conftest import picture
from tests.rows import every_row

CAPITAL = Question("Capital?", Kind.CHOICE, options=("Sydney", "Canberra", "Perth"), right=(1,))
WHERE = Question("Where?", Kind.RANKING, options=("Sea", "Hills", "Town", "Lake"))
IDEAS = Question("What next?")
SURVEY = (
    Question("How was it?", Kind.RATING),
    Question("Which?", Kind.CHOICE, options=("Talks", "Food")),
    Question("Again?", Kind.YES_NO),
    Question("What else?"),
)
VOID = {"meta", "link", "br", "input"}


def said(*values) -> list[GivenAnswer]:
    return [GivenAnswer(f"p{number}", value, number) for number, value in enumerate(values)]


def seated(*names: str, **more) -> dict[str, Seat]:
    return {f"p{number}": Seat(f"p{number}", name, "", **more) for number, name in enumerate(names)}


SEATS = seated("Ada", "Bo", "Cy", "Di", "Eve", "Flo")


class Page(HTMLParser):
    """Reads a fragment, and complains of what does not fit together or is not allowed here."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.words: list[str] = []
        self.marks: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _value in attrs]
        assert "style" not in names
        assert tag not in ("script", "style")
        assert not any(name.startswith("on") for name in names)
        if tag == "tr":
            self.rows.append([])
            self.marks.append(dict(attrs).get("class", ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if data.strip():
            self.words.append(data.strip())
            if "tr" in self.open:
                self.rows[-1].append(data.strip())

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words)).replace("\u2068", "").replace("\u2069", "")


def page(type_: Type, round_: Round, questions, seats=SEATS, own: str = "") -> Page:
    return Page(picture(type_, round_, questions, seats, own))


def chosen_of(*chosen, own: str = "", question: Question = CAPITAL) -> Page:
    return page(Type.TRIVIA, trivia.count(1, 0, question, said(*chosen), lambda each: (0, 1)), [question], own=own)


def poll(*rankings: str, question: Question = WHERE) -> Page:
    return page(Type.POLL, ranked_poll.count(1, 0, question, said(*rankings), "s"), [question])


def voted(*texts: str) -> Round:
    found = best_answer.count_answers(1, 0, said(*texts))
    answers = [answer.text for answer in best_answer.merged_answers(found)]
    first = {"ranks": {str(answers.index(texts[-1])): 1}, "shown": list(range(len(answers)))}
    return best_answer.count_votes(found, said(first))


# --- trivia ---


def test_options_have_letters_counts_and_a_word_where_they_are_right():
    found = chosen_of([1], [1], [0])
    assert found.rows[1:] == [["A", "Sydney", "1"], ["B", "Canberra", "right", "2"], ["C", "Perth", "0"]]
    assert found.marks[2].split() == ["is-right", "option-1"]
    assert "All correct: 2 of 3" in found.text


def test_ones_own_answer_is_marked_for_oneself_only():
    assert chosen_of([1], [0], own="p1").rows[1] == ["A", "Sydney", "your answer", "1"]
    assert "your answer" not in chosen_of([1], [0]).text


def test_nobody_answered():
    assert "Nobody answered." in chosen_of().text


def test_every_option_there_can_be_has_a_letter_and_a_shape_of_its_own():
    found = [symbols.symbol(number) for number in range(MAX_OPTIONS)]
    assert "".join(each.letter for each in found) == "ABCDEFGHIJ"
    assert len({each.shape for each in found}) == MAX_OPTIONS
    assert symbols.symbol(MAX_OPTIONS) is None


# --- call and answer ---


def test_answers_have_points_places_and_now_their_authors():
    found = page(Type.CALL_AND_ANSWER, voted("Trees", "trees", "Benches", "A fountain"), [IDEAS])
    assert "1 vote " in found.text
    assert "1 A fountain Di 3 points" in found.text.replace("Place ", "")
    assert "2 Trees Ada , Bo 0 points" in found.text.replace("Place ", "")


def test_authors_who_were_removed_are_not_named():
    seats = SEATS | seated("Ada", removed=True)
    found = page(Type.CALL_AND_ANSWER, voted("Trees", "trees", "Benches", "A fountain"), [IDEAS], seats)
    assert "Ada" not in found.text
    assert "Bo" in found.text


def test_many_authors_are_counted_and_many_answers_folded():
    texts = [*["Same"] * 9, *(f"Idea {number}" for number in range(60))]
    names = seated(*(f"Name {number}" for number in range(69)))
    found = page(Type.CALL_AND_ANSWER, best_answer.count_answers(1, 0, said(*texts)), [IDEAS], names)
    assert "All answers" in found.text
    assert "and 41 others" in found.text  # 61 different ones, of which 20 are shown
    merged = page(Type.CALL_AND_ANSWER, voted(*["Same"] * 9, "B", "C"), [IDEAS], names)
    assert "Name 0 , Name 1 , Name 2 and 6 others" in merged.text


def test_too_few_answers_to_vote_on_are_shown_without_points():
    found = page(Type.CALL_AND_ANSWER, best_answer.count_answers(1, 0, said("Yes", "No")), [IDEAS])
    assert "nothing to vote on" in found.text
    assert "Ada" in found.text
    assert "points" not in found.text.replace("no points", "")


def test_ones_own_answer_is_marked():
    assert "your answer" in page(Type.CALL_AND_ANSWER, voted("One", "Two", "Three"), [IDEAS], own="p1").text


# --- polls ---

RACE = ["0>1"] * 4 + ["1>0"] * 3 + ["2>1"] * 2 + ["3>2>1"]


def test_every_round_of_the_count_is_there_with_who_goes_and_where_votes_go():
    found = poll(*RACE)
    assert "Hills wins" in found.text
    assert "10 votes" in found.text
    assert "Round 1 Nobody has the 6 votes needed. Lake has the fewest and is out. Transfers: Town +1." in found.text
    assert "Round 2" in found.text
    assert "Round 3 Hills has 6 votes. 6 were needed." in found.text
    assert [row for row in found.rows if row[0] == "B"] == [
        ["B", "Hills", "3"],
        ["B", "Hills", "3"],
        ["B", "Hills", "wins", "+3", "6"],
    ]
    assert [row for row in found.rows if row[0] == "D"] == [
        ["D", "Lake", "out", "1"],
        ["D", "Lake", "out"],
        ["D", "Lake", "out"],
    ]


def test_the_numbers_of_a_round_are_those_of_the_count():
    sealed = ranked_poll.count(1, 0, WHERE, said(*RACE), "s")
    found = ranked_poll.race(sealed, WHERE)
    for lap, counted in zip(found["laps"], sealed.result["rounds"], strict=True):
        shown = {bar.option: bar.number for bar in lap["bars"]}
        assert shown == {option: votes or "" for option, votes in enumerate(counted["tally"])}
        lengths = [float(bar.length.rstrip("%")) for bar in lap["bars"]]
        assert lengths == sorted(lengths, reverse=True)
        assert max(lengths) <= 100
        for bar in lap["bars"]:  # what was gained ends where the bar ends
            ends = float(bar.since.rstrip("%")) + float(bar.gained.rstrip("%"))
            assert bar.mark == "out" or ends == pytest.approx(float(bar.length.rstrip("%")), abs=0.02)


def test_a_lot_and_a_tie_are_said():
    found = poll("0", "0", "1", "1")
    assert "A tie: " in found.text
    assert "A different draw would put another one ahead." in found.text
    assert "Tie broken by lot: " in found.text


def test_shared_and_exhausted_votes_are_told_in_the_readers_numbers():
    with translation.override("de"):
        found = poll("0=1", "0=1", "0=1", "2", "2", "3")
    assert "1,5" in found.text
    assert "1.5" not in found.text


def test_a_choice_has_one_picture_and_no_rounds():
    colours = Question("Colour?", Kind.CHOICE, options=("Red", "Blue", "Green"))
    found = poll("0", "1", "1", question=colours)
    assert "Blue wins" in found.text
    assert "Round" not in found.text
    assert found.rows[1:] == [["B", "Blue", "wins", "2"], ["A", "Red", "1"], ["C", "Green", "0"]]


def test_a_winner_of_the_first_round_needs_no_race():
    sealed = ranked_poll.count(1, 0, WHERE, said("0", "0", "1"), "s")
    assert "data-race" not in picture(Type.POLL, sealed, [WHERE], {})
    assert "data-race" in picture(Type.POLL, ranked_poll.count(1, 0, WHERE, said(*RACE), "s"), [WHERE], {})


@every_row("rankings", [(), ("0", "1")])
def test_too_few_votes_are_not_shown(rankings):
    found = poll(*rankings)
    assert "Too few answers to show" in found.text
    assert found.rows == []


# --- surveys ---


def sheets(*rows) -> list[GivenAnswer]:
    return said(*({str(place): value for place, value in enumerate(row)} for row in rows))


def test_every_question_of_a_survey_is_shown_by_its_kind():
    rows = [(5, [0], True, "Good"), (4, [1], False, "Better"), (2, [1], True, "Best")]
    found = page(Type.SURVEY, survey.count(1, SURVEY, sheets(*rows)), SURVEY)
    assert "3.67 of 5 on average" in found.text
    assert ["5", "1"] in found.rows
    assert ["3", "0"] in found.rows
    assert ["A", "Talks", "1"] in found.rows
    assert ["Yes", "2"] in found.rows
    assert {"Good", "Better", "Best"} <= set(found.words)


def test_many_texts_are_folded_and_the_last_counted():
    rows = [(5, [0], True, f"Text {number}") for number in range(70)]
    found = page(Type.SURVEY, survey.count(1, SURVEY, sheets(*rows)), SURVEY)
    assert "48 more" in found.text
    assert "and 10 others" in found.text


def test_a_question_few_answered_tells_nothing():
    rows = [(5, [0], True, "secret"), (5, [0], True, ""), (5, [0], True, "")]
    found = page(Type.SURVEY, survey.count(1, SURVEY, sheets(*rows)), SURVEY)
    assert "Fewer than three people answered this" in found.text
    assert "secret" not in found.text


# --- places ---


def paid(number: int, **points: int) -> Round:
    return Round(number, number - 1, len(points), {}, tuple(Entry(each, 0, got) for each, got in points.items()))


def test_the_board_has_places_movement_and_points():
    seats = [*SEATS.values(), Seat("late", "Gus", "", since=2)]
    standing = standings_of([paid(1, p0=9, p1=5, p2=1), paid(2, p2=9, late=2)], seats)
    found = Page(standings.render_standings(standing, own="p1"))
    assert found.rows[1:5] == [
        ["1", "up", "2", "Cy", "+9", "10"],
        ["2", "down", "1", "Ada", "9"],
        ["3", "down", "1", "Bo", "5"],
        ["4", "new", "Gus", "from question 2", "+2", "2"],
    ]
    assert "is-own" in found.marks[3]


def test_without_a_standing_before_there_is_no_movement():
    found = Page(standings.render_standings(standings_of([paid(1, p0=9)], SEATS.values())))
    assert found.rows[1] == ["1", "Ada", "+9", "9"]
    assert "Movement" not in found.text


def test_who_is_not_among_the_best_sees_their_own_line_below():
    seats = seated(*(f"Name {number:02d}" for number in range(30)))
    standing = standings_of([paid(1, **{f"p{number}": 100 - number for number in range(30)})], seats.values())
    assert len(Page(standings.render_standings(standing)).rows) == 1 + 10
    found = Page(standings.render_standings(standing, own="p20"))
    assert found.rows[-1] == ["21", "Name 20", "+80", "80"]
    assert "is-own" in found.marks[-1]
    assert "and 20 others" in found.text


def test_the_final_has_a_podium_that_equals_share_and_the_rest():
    standing = standings_of([paid(1, p0=9, p1=9, p2=5, p3=1)], SEATS.values())
    found = Page(standings.render_final(standing, own="p5"))
    assert "Ada Bo Place 1 9 points Cy Place 3 5 points" in found.text
    assert found.rows[1] == ["4", "Di", "1"]
    assert "Place 2" not in found.text
    assert "is-own" in found.marks[-1]


def test_a_final_without_points_has_no_podium():
    assert "Nobody has points." in Page(standings.render_final(standings_of([], SEATS.values()))).text


def test_ones_own_place():
    standing = standings_of([paid(1, p0=9, p1=5), Round(2, 1, 1, {}, (Entry("p1", 0, 5, 7),))], SEATS.values())
    found = Page(standings.render_own_place(standing.place_of("p1"), len(standing.lines)))
    assert found.text == "Place 1 of 6 up 1 17 points +12 (7 for speed)"
    assert standings.render_own_place(None, 6).strip() == ""
