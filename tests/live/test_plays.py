"""Plays: a session mixes them, a new one is a package and a line, and nothing else asks which one it is."""

from __future__ import annotations

import json

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from foundation.qa.rules import Mode
from parts.live import play as registry
from parts.live import repository, room_questions, steps
from parts.live.answer_forms import InvalidAnswer
from parts.live.play import Closed, Play, play_for_type, play_of
from parts.live.plays import word_cloud
from parts.live.plays.word_cloud import WordCloud
from parts.live.rounds import Round
from parts.live.rules import Phase, Step
from parts.live.screens import snapshots
from parts.live.verifying import check_rounds
from parts.questions import services as sets
from parts.questions.question import Kind, Question, Type
from tests.background import finish_background
from tests.live.conftest import POLL, TRIVIA, drive, give, seated
from tests.live.test_making import FORM
from tests.live.test_play import Phone, text_of

CLOUD = Question("One word for today?", play="word-cloud", seconds=0)
MIXED = (
    TRIVIA[0],
    Question(POLL[0].title, Kind.RANKING, options=POLL[0].options, play="poll", seconds=0),
    Question("What should we try?", Kind.IDEAS, play="ideas", seconds=0),
    CLOUD,
    Question("How was it?", Kind.RATING, play="survey"),
    Question("Again?", Kind.YES_NO, play="survey"),
)


# --- nothing outside of a play asks which one it is ---

# What says which app a thing belongs to, made what of a session, or is a play's own form; not a question's type.
# --- which play ---


def test_a_question_is_played_as_its_session_or_as_it_says(made):
    game = made(Type.TRIVIA, MIXED)
    asked = repository.read_questions(game.id)
    assert [play_of(game, each).name for each in asked] == [
        *("trivia", "poll", "ideas", "word-cloud", "survey", "survey")
    ]
    assert play_for_type(Type.POLL, MIXED[2]).name == "ideas"
    assert play_for_type(Type.TRIVIA, CLOUD) is None


class Applause(Play):
    """A play that nobody has heard of: whoever claps is counted."""

    name = label = "applause"
    kinds = (Kind.TEXT,)

    def answer(self, post, snapshot, player):
        return "clap"

    def summary(self, answer, snapshot):
        return {"text": answer}

    def form_values(self, answer, snapshot):
        return {}

    def form_name(self, snapshot):
        return "write"

    def form(self, snapshot, typed):
        return {"longest": 1, "text": ""}

    def hints(self, snapshot):
        return super().hints(snapshot) | {"hint": "Clap."}

    def close(self, closing):
        return Closed(Round(closing.state.round, closing.state.question, len(closing.box.last), {}))

    def result_context(self, round_, questions, seats, own):
        return "too_few", {"count": round_.count}

    def csv_lines(self, round_, question, name_of):
        yield {"row": "applause", "number": round_.count}


def test_the_engine_takes_a_play_it_has_never_heard_of_like_any_other(made, hana, monkeypatch):
    monkeypatch.setattr(registry, "_PLAYS", {**registry._PLAYS, "applause": Applause()})
    game = made(Type.TRIVIA, (TRIVIA[0], Question("Did you like it?", play="applause")))
    ada = Phone(game, "Ada")
    for step in (Step.NEXT, Step.CLOSE, Step.REVEAL, Step.NEXT):
        drive(game, step)
    assert "Clap." in ada.page()
    assert "Your answer is in." in text_of(ada.answer(2, text="x"))
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert hana.get(reverse("host_game", args=[game.id])).status_code == 200
    assert "applause" in csv_of(hana, game)


def csv_of(client: Client, game) -> str:
    return b"".join(client.get(reverse("game_report_csv", args=[game.id])).streaming_content).decode()


# --- several in one session ---


@pytest.mark.deep
def test_a_session_that_mixes_plays_is_played_to_its_end(site, made, hana):
    game = made(Type.TRIVIA, MIXED)
    phones = [Phone(game, name) for name in ("Ada", "Ben", "Cem")]
    ada = phones[0]
    scoreboard = reverse("scoreboard", args=[game.id, game.screen_token])

    def host() -> str:
        return text_of(hana.get(reverse("host_game", args=[game.id])))

    drive(game, Step.NEXT)
    for number, phone in enumerate(phones):
        phone.answer(1, option=number)
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert "+1000 points" in ada.page()
    assert "shown-board" in host()

    assert not repository.read_state(game.id).secret
    assert drive(game, Step.NEXT).secret, "a poll is secret, whatever the session was made as"
    for phone in phones:
        assert "Your answer is in." in text_of(phone.answer(2, **{"rank-0": "2", "rank-1": "1"}))
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert "Hills\u2069 wins" in ada.page()
    assert "shown-board" not in host(), "nobody got points"
    assert {each.player for each in snapshots.current(game.id).rounds[2].entries} == {""}

    drive(game, Step.NEXT)
    for number, phone in enumerate(phones):
        phone.answer(3, text=f"Idea {number}")
    assert drive(game, Step.CLOSE).phase == Phase.SORTING
    assert "Idea 1" in host()
    drive(game, Step.VOTE)
    for phone in phones:
        phone.vote(3, **{"rank-0": "1"})
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert "wins" in ada.page()

    drive(game, Step.NEXT)
    for phone, word in zip(phones, ("Sun", "sun", "Rain"), strict=True):
        assert "Your words are in." in text_of(phone.answer(4, text=word))
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert "cloud-5" in host()

    assert drive(game, Step.NEXT).span == 2, "questions of a survey that follow one another are one round"
    assert all(title in ada.page() for title in ("How was it?", "Again?"))
    for phone in phones:
        phone.answer(5, **{"q-0": "5", "q-1": "yes"})
    drive(game, Step.CLOSE)
    assert Step.NEXT not in steps.offered(game, repository.read_state(game.id))
    drive(game, Step.REVEAL)
    assert "Again?" in ada.page()
    assert "1000" in text_of(Client().get(scoreboard)), "and the points of the first question are still there"

    drive(game, Step.END)
    assert "place 1" in ada.page()
    check_what_is_left(hana, game)
    finish_background()


def check_what_is_left(hana: Client, game) -> None:
    report = text_of(hana.get(reverse("game_report", args=[game.id])))
    assert all(
        each in report for each in ("All correct: 1 of 3", "Hills\u2069 wins", "Idea 1", "Sun", "Again?", "Places")
    )
    csv = csv_of(hana, game)
    assert all(f",{row}," in csv for row in ("answer", "ballot", "idea", "word", "option", "total"))
    told = json.loads(b"".join(hana.get(reverse("game_report_json", args=[game.id])).streaming_content))
    assert {"player" in each for each in told["rounds"][0]["entries"]} == {True}
    assert {"player" in each for round_ in told["rounds"][1:] for each in round_["entries"]} == {False}
    assert repository.history("Hana", limit=1)[0][0].rounds == 6


def test_what_a_survey_asked_is_checked_although_another_question_was_added(made, hana):
    game = made(Type.TRIVIA, MIXED[4:])
    ada, ben, cem = seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    for seat in (ada, ben, cem):
        give(game, seat, {"0": 5})
    drive(game, Step.CLOSE)
    added = {"play": "survey", "kind": "yes-no", "title": "And next year?", "seconds": "0"}
    assert hana.post(reverse("add_game_question", args=[game.id]), added).status_code == 302
    assert drive(game, Step.REVEAL).span == 2
    assert drive(game, Step.NEXT).question == 2
    assert check_rounds() == (1, [])


# --- making and correcting one ---


def test_questions_of_several_sets_are_taken_together(hana):
    maker = people.find("Hana")
    quiz, plans = sets.make(maker, "Quiz"), sets.make(maker, "Plans")
    sets.add(maker, quiz.id, TRIVIA)
    sets.add(maker, plans.id, [*POLL, Question("What should we try?", Kind.IDEAS), Question("A word?")])
    page = text_of(hana.get("/live/new/"))
    assert f'value="word-cloud:{plans.id}"' in page
    also = [f"poll:{plans.id}", f"word-cloud:{plans.id}"]
    answer = hana.post("/live/new/", FORM | {"question_set": quiz.id, "question": "", "also": also})
    assert answer.status_code == 302, text_of(answer)
    game = repository.find(repository.history("Hana", limit=1)[0][0].id)[0]
    plays = [play_of(game, each).name for each in repository.read_questions(game.id)]
    assert plays == ["trivia", "trivia", "poll", "ideas", "word-cloud"]
    assert hana.post("/live/new/", FORM | {"question": "", "also": [f"poll:{'x' * 9}"]}).status_code == 422


def test_a_question_of_any_play_is_added(made, hana):
    game = made(Type.TRIVIA)
    add = reverse("add_game_question", args=[game.id])
    assert "Word cloud" in text_of(hana.get(add))
    typed = {"play": "word-cloud", "kind": "text", "title": "A word?", "seconds": "0"}
    assert hana.post(add, typed).status_code == 302
    assert repository.read_questions(game.id)[-1].play == "word-cloud"
    assert hana.post(add, typed | {"play": "trivia"}).status_code == 422, "a text has no right answer"
    page = text_of(hana.get(reverse("game_questions", args=[game.id])))
    assert page.count("Trivia") == 2
    assert "Word cloud" in page


# --- the word cloud ---


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("text=Sun", ["Sun"]),
        ("text=+big++city+&text=&text=Rain", ["big city", "Rain"]),
        ("text=sun&text=SUN", ["SUN"]),
    ],
)
def test_words_are_read_from_the_form(typed, said):
    assert WordCloud().answer(QueryDict(typed), None, "ada") == said


@pytest.mark.parametrize("typed", ["", "text=+", "text=a&text=b&text=c&text=d", f"text={'x' * 41}"])
def test_what_are_no_words(typed):
    with pytest.raises(InvalidAnswer):
        WordCloud().answer(QueryDict(typed), None, "ada")


def clouded(made, *words: str, **chosen):
    game = made("word-cloud", (Question("A word?", seconds=0),), **chosen)
    players = seated(game, *(f"P{number}" for number in range(len(words))))
    drive(game, Step.NEXT)
    for seat, word in zip(players, words, strict=True):
        give(game, seat, [word])
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    return game


def test_words_are_counted_whatever_their_case_and_sized_by_it(made):
    game = clouded(made, "Sun", "sun", "SUN", "rain", "Rain", "fog")
    round_ = snapshots.current(game.id).rounds[1]
    assert [(each.text.lower(), each.by, each.size) for each in word_cloud.sized(round_)] == [
        ("sun", 3, 5),
        ("rain", 2, 3),
        ("fog", 1, 1),
    ]
    assert {each.player for each in round_.entries} == {""}
    finish_background()
    assert repository.read_answers(game.id, 1) == []


def test_of_fewer_than_three_people_no_word_is_told(made):
    round_ = snapshots.current(clouded(made, "Sun", "Rain").id).rounds[1]
    assert round_.result == {"too_few": True, "count": 2}
    assert round_.entries == ()


def test_hosts_look_at_words_before_the_wall_does(made, hana):
    game = made("word-cloud", (Question("A word?", seconds=0),))
    room_questions.set_up(game.id, "Hana", is_on=False, texts=Mode.APPROVED)
    players = seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    for seat in players:
        give(game, seat, ["Idiots"])
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    wall = reverse("host_game", args=[game.id])
    assert "Idiots" not in text_of(hana.get(wall))
    assert "Idiots" in text_of(hana.get(reverse("manage_qa", args=[game.id])))


def test_a_word_cloud_is_made_like_any_other_session(hana):
    typed = {"engagement_type": "word-cloud", "question": "A word?", "options": ""}
    assert hana.post("/live/new/", FORM | typed).status_code == 302
    game = repository.find(repository.history("Hana", limit=1)[0][0].id)[0]
    assert (game.engagement_type, WordCloud().suits(repository.read_questions(game.id)[0])) == ("word-cloud", True)
    assert "Word cloud" in text_of(hana.get(reverse("live_history")))


def test_robots_send_words(made):
    game = made("word-cloud", (Question("A word?", seconds=0),), debug_mode=5)
    snapshot = snapshots.current(game.id)
    assert len(snapshot.seats) == 5
