"""What people write in rounds: hidden, looked at first, held back by a word, and gone with its author."""

from __future__ import annotations

from html import unescape

import pytest
from django.urls import reverse

from foundation.qa.rules import Fate, Mode
from foundation.store.log import EventLog
from parts.live import clock, repository, room_questions, rounds, seats, standings
from parts.live.moderation import QaAction
from parts.live.plays import ideas_order
from parts.live.rules import Phase, Step
from parts.live.screens import player_part, qa_display, rendering, snapshots
from parts.live.screens.formats import Role
from parts.live.services import answering, seating
from parts.live.verifying import check_rounds
from parts.live.views import reports
from parts.questions.question import Kind, Question, Type
from tests.live.conftest import drive, give, picture, seated
from tests.live.qa.conftest import Phone
from tests.people import sign_in

ANSWERS = {"Ada": "Plant trees", "Ben": "More benches", "Cem": "A fountain", "Dot": "You are all idiots"}
INSULT = ANSWERS["Dot"]


def room_of(game) -> snapshots.Room:
    found = snapshots.current(game.id)
    assert found is not None
    return found


def answered(game, **settings):
    """Four have answered, and now the room votes."""
    if settings:
        room_questions.set_up(game.id, "Hana", **settings)
    seated(game, *ANSWERS)
    drive(game, Step.NEXT)
    for name, text in ANSWERS.items():
        give(game, seats.find(game.id, name.lower()), text)
    assert drive(game, Step.CLOSE).phase == Phase.VOTING
    return game


def decide(game, text: str, act: QaAction) -> None:
    (found,) = [each for each in qa_display.texts_to_moderate(room_of(game)) if each.text == text]
    room_questions.moderate_texts(game.id, found.round, [found.mark], "Hana", act)


def fates(game) -> dict[str, str]:
    return {each.text: str(each.fate) for each in qa_display.texts_to_moderate(room_of(game))}


def shown_to(game, name: str) -> set[str]:
    gathered = room_of(game).phase_data
    return {gathered.answers[number].text for number in gathered.shown_to(name.lower())}


def vote(game, name: str, *texts: str) -> None:
    """For these, the best first; as somebody does who was shown them all."""
    numbers = {each.text: number for number, each in enumerate(room_of(game).phase_data.answers)}
    own = numbers[ANSWERS[name]]
    ranks = {str(numbers[text]): place for place, text in enumerate(texts, start=1)}
    said = {"ranks": ranks, "shown": [each for each in numbers.values() if each != own]}
    seat = seats.find(game.id, name.lower())
    told = answering.submit(game, repository.read_state(game.id), seat, said, clock.now())
    assert told == answering.AnswerStatus.COUNTED


def totals(game) -> dict[str, int]:
    return {line.name: line.total for line in standings.current_standings(room_of(game)).lines}


def everything_told(game) -> str:
    """All that screens, reports and files have."""
    snapshot, report = room_of(game), reports.build_report(*repository.find(game.id))
    files = "".join(reports.csv(report)) + b"".join(reports.as_json(report)).decode()
    phones = [
        player_part.render_own(snapshot, each).html
        for each in snapshot.seats.values()
        if each.plays and not each.removed
    ]
    halls = [
        rendering.render_screen(role, snapshot).html for role in (Role.HOST, Role.SCREEN, Role.REMOTE, Role.PLAYER)
    ]
    return unescape(
        "".join([files, *phones, *halls, *(each["picture"] for each in reports.report_context(report)["rounds"])])
    )


# --- answers that the room votes on ---


def test_what_is_hidden_while_the_room_votes_gets_nothing_and_votes_for_it_do_not_count(site, made):
    game = answered(made(Type.CALL_AND_ANSWER))
    vote(game, "Ada", INSULT, "More benches")
    vote(game, "Ben", INSULT)
    vote(game, "Cem", "Plant trees", INSULT, "More benches")
    assert INSULT in shown_to(game, "Ada")
    key = player_part.own_key(room_of(game), seats.find(game.id, "ada"))
    decide(game, INSULT, QaAction.HIDE)
    snapshot = room_of(game)
    assert INSULT not in shown_to(game, "Ada") | shown_to(game, "Ben")
    assert player_part.own_key(snapshot, seats.find(game.id, "ada")) != key, "so that every phone is sent another form"
    own = player_part.render_own(snapshot, seats.find(game.id, "dot")).html
    assert "The host has hidden your answer." in own
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    # Ada's 2nd is her best now, Ben voted for nothing else, Cem's 3rd is his second.
    assert totals(game) == {"Ben": 3 + 2, "Ada": 3, "Cem": 0, "Dot": 0}
    assert room_of(game).round.votes == 2
    assert INSULT not in everything_told(game)
    assert INSULT not in repr(list(EventLog(site).since(0)))
    assert check_rounds() == (1, [])


def test_what_is_hidden_after_the_results_leaves_them_with_its_points_and_comes_back_with_them(made):
    game = answered(made(Type.CALL_AND_ANSWER))
    vote(game, "Ada", INSULT, "More benches")
    vote(game, "Ben", INSULT)
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert totals(game) == {"Dot": 6, "Ben": 2, "Ada": 0, "Cem": 0}
    digest = rounds.round_digest(room_of(game).round)
    decide(game, INSULT, QaAction.HIDE)
    assert totals(game) == {"Ben": 2, "Ada": 0, "Cem": 0, "Dot": 0}
    assert room_of(game).round.result["answers"][0] == {
        **room_of(game).round.result["answers"][0],
        "text": "More benches",
        "place": 1,
    }
    assert INSULT not in everything_told(game)
    assert digest in "".join(each.decode() for each in reports.as_json(reports.build_report(*repository.find(game.id))))
    assert check_rounds() == (1, []), "the sealed round is as it was"
    decide(game, INSULT, QaAction.SHOW)
    assert totals(game) == {"Dot": 6, "Ben": 2, "Ada": 0, "Cem": 0}


def test_an_answer_goes_with_its_author_while_the_room_votes_and_afterwards(made):
    game = answered(made(Type.CALL_AND_ANSWER))
    vote(game, "Ada", INSULT, "More benches")
    seating.remove(game.id, "dot", "Hana")
    assert INSULT not in shown_to(game, "Ada")
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert totals(game) == {"Ben": 3, "Ada": 0, "Cem": 0}
    assert INSULT not in everything_told(game)
    seating.remove(game.id, "ben", "Hana")
    assert "More benches" not in everything_told(game)
    assert "Plant trees" in everything_told(game)


def test_what_somebody_else_wrote_too_stays_when_one_of_its_authors_goes(made):
    game = made(Type.CALL_AND_ANSWER)
    seated(game, *ANSWERS, "Eve")
    drive(game, Step.NEXT)
    for name, text in {**ANSWERS, "Eve": "PLANT trees"}.items():
        give(game, seats.find(game.id, name.lower()), text)
    drive(game, Step.CLOSE)
    seating.remove(game.id, "eve", "Hana")
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    (told,) = [each for each in room_of(game).round.result["answers"] if each["text"].lower() == "plant trees"]
    assert (told["authors"], told["by"]) == (["ada"], 1)


def test_approved_first_the_time_waits_until_the_host_has_looked(made):
    game = answered(made(Type.CALL_AND_ANSWER), texts=Mode.APPROVED)
    snapshot = room_of(game)
    assert snapshot.state.is_paused
    assert set(fates(game).values()) == {"waiting"}
    assert shown_to(game, "Ada") == set()
    assert qa_display.count_waiting_texts(snapshot) == 4
    assert "4 texts are waiting for you" in rendering.render_status(Role.REMOTE, snapshot).html
    for role, kind in ((Role.REMOTE, " giant"), (Role.HOST, "")):
        screen = rendering.render_screen(role, snapshot).html
        assert f'<a class="button{kind}" href="{reverse("manage_qa", args=[game.id])}#texts">Approve 4 wait' in screen
        assert f'class="button quiet{kind}" ' in screen.partition("Close the voting")[0].rpartition("<")[2]
    assert "Your answer is waiting for the host." in player_part.render_own(snapshot, seats.find(game.id, "ada")).html
    decide(game, INSULT, QaAction.HIDE)
    decide(game, "More benches", QaAction.SHOW)
    assert "Approve 2 waiting texts" in rendering.render_screen(Role.REMOTE, room_of(game)).html
    assert shown_to(game, "Ada") == {"More benches"}
    assert fates(game) == {
        "Plant trees": "waiting",
        "A fountain": "waiting",
        "More benches": "shown",
        INSULT: "hidden",
    }


def test_a_word_of_the_list_holds_an_answer_back_and_no_other(made):
    game = answered(made(Type.CALL_AND_ANSWER), texts=Mode.WORDS, words=("ÍDIOTS",))
    assert shown_to(game, "Ada") == {"More benches", "A fountain"}
    (held,) = [each for each in qa_display.texts_to_moderate(room_of(game)) if each.held]
    assert (held.text, held.fate) == (INSULT, Fate.WAITING)


# --- surveys and ideas, which nobody signs ---


@pytest.fixture
def surveyed(made):
    game = made(Type.SURVEY, (Question("Again?", Kind.YES_NO), Question("What else?")))
    seated(game, "Ada", "Ben", "Cem", "Dot")
    drive(game, Step.NEXT)
    for name, text in {"ada": "Good food", "ben": "Too long", "cem": "idiots!", "dot": "Good food"}.items():
        give(game, seats.find(game.id, name), {"0": True, "1": text})
    drive(game, Step.CLOSE)
    return game


def test_the_host_looks_at_the_texts_of_a_survey_before_the_wall_does_and_learns_of_nobody(surveyed):
    lines = qa_display.texts_to_moderate(room_of(surveyed))
    assert sorted(each.text for each in lines) == ["Good food", "Too long", "idiots!"]
    assert not room_of(surveyed).state.revealed
    assert {name for each in lines for name in each.__slots__} == {
        *("round", "mark", "text", "fate", "is_of_removed", "held")
    }, "nothing of an author"
    decide(surveyed, "idiots!", QaAction.HIDE)
    drive(surveyed, Step.REVEAL)
    assert "idiots!" not in everything_told(surveyed)
    told = room_of(surveyed).round.result["questions"]
    assert (told[0]["yes"], told[1]["count"], told[1]["kept"]) == (4, 4, 3), "counts stay exact"
    drawn = picture(Type.SURVEY, room_of(surveyed).round, room_of(surveyed).questions, {})
    assert drawn.count("Good food") == 2
    assert "more" not in drawn.replace('class="more"', ""), "what is hidden is not announced as more"
    assert check_rounds() == (1, [])


def test_approved_first_the_wall_has_no_text_of_a_survey_until_the_host_shows_it(surveyed):
    room_questions.set_up(surveyed.id, "Hana", texts=Mode.APPROVED)
    drive(surveyed, Step.REVEAL)
    assert "Good food" not in everything_told(surveyed)
    decide(surveyed, "Good food", QaAction.SHOW)
    assert "Good food" in everything_told(surveyed)
    assert "Too long" not in everything_told(surveyed)


def idea_game(made, **settings):
    game = made(Type.POLL, (Question("What should we try?", Kind.IDEAS, seconds=0),))
    if settings:
        room_questions.set_up(game.id, "Hana", **settings)
    seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    for name, text in {"ada": "A bus", "ben": "A boat", "cem": "Idiots"}.items():
        give(game, seats.find(game.id, name), [text])
    assert drive(game, Step.CLOSE).phase == Phase.SORTING
    return game


def test_ideas_that_the_host_has_to_look_at_are_left_out_until_then(made):
    game = idea_game(made, texts=Mode.WORDS, words=("idiots",))
    shown = rendering.render_screen(Role.PLAYER, room_of(game)).html
    assert "A bus" in shown
    assert "Idiots" not in shown
    held = next(each for each in room_of(game).phase_data.idea_views() if each.out)
    ideas_order.sort(game.id, 1, lambda found: found.left_out(held.number, out=False))
    assert "Idiots" in rendering.render_screen(Role.PLAYER, room_of(game)).html


def test_an_idea_that_is_hidden_while_it_is_voted_on_gets_no_votes(made):
    game = idea_game(made)
    drive(game, Step.VOTE)
    options = ideas_order.find_order(game.id, 1).options
    bad, bus, boat = (options.index(text) for text in ("Idiots", "A bus", "A boat"))
    for name, ranking in {"ada": f"{bad}>{boat}", "ben": f"{bad}>{boat}", "cem": f"{bus}>{bad}"}.items():
        give(game, seats.find(game.id, name), ranking)
    decide(game, "Idiots", QaAction.HIDE)
    ballot = rendering.render_screen(Role.PLAYER, room_of(game)).html
    assert "Idiots" not in ballot
    assert "(hidden by the host)" in ballot
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    result = room_of(game).round.result
    assert [result["options"][winner] for winner in result["winners"]] == ["A boat"]
    assert not int(result["rounds"][0]["tally"][bad] or 0)
    assert "Idiots" not in everything_told(game)


# --- the pages ---


@pytest.fixture
def voting(made):
    """Three phones have answered, one of them rudely, and the room votes."""
    game = made(Type.CALL_AND_ANSWER, (Question("What now?", seconds=0),))
    phones = {name: Phone(game, name) for name in ("Ada", "Ben", "Cem", "Dot")}
    drive(game, Step.NEXT)
    for name, phone in phones.items():
        give(game, phone.seat, ANSWERS[name])
    drive(game, Step.CLOSE)
    return game, phones


def test_a_host_without_a_script_hides_and_shows_and_every_phone_follows(voting):
    game, phones = voting
    hana, address = sign_in("Hana"), reverse("manage_qa", args=[game.id])
    page = unescape(hana.get(address).content.decode())
    assert INSULT in page
    assert not [name for name in ANSWERS if f">{name}<" in page], "nobody is named"
    (found,) = [each for each in qa_display.texts_to_moderate(room_of(game)) if each.text == INSULT]
    ada = phones["Ada"].client
    play, now = reverse("play", args=[game.id]), reverse("game_now", args=[game.id, "player"])
    assert INSULT in ada.get(play).content.decode()
    assert hana.post(address, {"act": f"hide {found.id}"})["Location"] == address
    assert INSULT not in ada.get(play).content.decode()
    pushed = ada.get(now).content.decode()
    assert "More benches" in pushed
    assert INSULT not in pushed
    number = {each.text: at for at, each in enumerate(room_of(game).phase_data.answers)}[INSULT]
    late = ada.post(reverse("give_vote", args=[game.id]), {"round": "1", f"rank-{number}": "1"})
    assert late.status_code == 422, "who had it on their screen still is told what to do"
    hana.post(address, {"act": f"show {found.id}"})
    assert INSULT in ada.get(play).content.decode()


def test_only_what_there_is_is_moderated(voting):
    game, _phones = voting
    address = reverse("manage_qa", args=[game.id])
    (found,) = [each for each in qa_display.texts_to_moderate(room_of(game)) if each.text == INSULT]
    hana = sign_in("Hana")
    for act in (f"answer {found.id}", "hide t1-0000000000000000", "hide t9", "show waiting", f"up {found.id}"):
        assert hana.post(address, {"act": act}, headers={"X-Requested-With": "fetch"}).status_code == 409
    assert set(fates(game).values()) == {"shown"}


def test_how_texts_are_taken_is_chosen_also_where_questions_are_off_and_all_that_wait_are_shown_at_once(voting):
    game, phones = voting
    hana, address = sign_in("Hana"), reverse("manage_qa", args=[game.id])
    hana.post(address, {"act": "settings", "mode": "approved", "texts": "approved", "words": ""})
    assert set(fates(game).values()) == {"waiting"}
    assert not room_of(game).qa.is_on
    assert "More benches" not in phones["Ada"].client.get(reverse("play", args=[game.id])).content.decode()
    assert "Show all 4 waiting texts" in hana.get(address).content.decode()
    hana.post(address, {"act": "show waiting"})
    assert set(fates(game).values()) == {"shown"}
    assert "More benches" in phones["Ada"].client.get(reverse("play", args=[game.id])).content.decode()
