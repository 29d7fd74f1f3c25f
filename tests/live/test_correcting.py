"""What a host typed wrong can be put right until it is asked or voted on, and never afterwards."""

from __future__ import annotations

import re
from functools import partial

import pytest
from django.urls import reverse

from foundation.acts.refusals import LostRace, NotNow
from foundation.store.log import EventLog
from parts.live import repository, rules
from parts.live.formats import FORMATS
from parts.live.rules import Phase, Step
from parts.live.screens import rendering, snapshots
from parts.live.screens.formats import Role
from parts.live.services import correcting, moving
from parts.questions.question import Kind, Question, Type
from parts.questions.rules import ChangedElsewhere, question_fingerprint
from tests.live.conftest import drive, give, seated

ITEM = {"kind": "motion", "detail": "", "options": "", "secrecy": "open", "share": "1/2", "of": "cast", "seconds": "0"}


@pytest.fixture
def assembly(made):
    return made(Type.ASSEMBLY)


def titles(game) -> list[str]:
    return [each.title for each in repository.read_questions(game.id)]


def at(game, name: str, *words) -> str:
    return reverse(name, args=[game.id, *words])


def seen(game, place: int) -> str:
    return question_fingerprint(repository.read_questions(game.id)[place])


def move(game, place: int, *, up: bool = True) -> None:
    correcting.move(game.id, "Hana", place, seen(game, place), up=up)


def remove(game, place: int) -> None:
    correcting.remove(game.id, "Hana", place, seen(game, place))


# --- the order, as a rule ---

FIVE = tuple(Question(each) for each in "abcde")


def names(questions) -> str:
    return "".join(each.title for each in questions)


@pytest.mark.needs("assembly")
def test_what_was_asked_keeps_its_place():
    free = [0, 2, 3]  # b and e have been called
    assert names(correcting.with_moved(FIVE, free, 2, up=True)) == "cbade"
    assert names(correcting.with_inserted(FIVE, free, Question("x"), 1)) == "abxced"
    for place, up in ((0, True), (3, False), (1, True)):
        with pytest.raises(NotNow):
            correcting.with_moved(FIVE, free, place, up=up)
    with pytest.raises(NotNow, match="A later item has already been called"):
        correcting.without_question(FIVE, free, 0, FORMATS[Type.ASSEMBLY].keeps_its_place)
    assert names(correcting.without_question(FIVE, [0, 2, 4], 0, "")) == "cbed"


# --- what can be corrected, and until when ---


@pytest.mark.needs("assembly")
def test_a_title_is_corrected_until_the_end_everywhere_it_stands(site, assembly):
    correcting.retitle(assembly.id, "Hana", "Saturday")
    assert repository.find(assembly.id)[0].title == "Saturday"
    assert [line.title for line in repository.history("Hana", limit=9)[0]] == ["Saturday"]
    drive(assembly, Step.END)
    with pytest.raises(NotNow, match="has ended"):
        correcting.retitle(assembly.id, "Hana", "Sunday")


@pytest.mark.needs("assembly")
def test_an_item_added_later_is_moved_before_any_other_business(site, made):
    game = made(Type.ASSEMBLY, [Question("Report", Kind.TOPIC), Question("Any other business", Kind.TOPIC)])
    correcting.add(game.id, "Hana", Question("Shall we buy a boat?", Kind.MOTION))
    move(game, 2)
    assert titles(game) == ["Report", "Shall we buy a boat?", "Any other business"]
    assert snapshots.current(game.id).questions[1].title == "Shall we buy a boat?", (
        "also in a process that knew another"
    )
    said = [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == "LiveSessionCorrected"]
    assert [each["what"] for each in said] == ["moved"]
    assert "boat" not in repr(said)


@pytest.mark.needs("assembly")
def test_an_item_is_added_where_the_host_wants_it(hana, made):
    """Before an item that is still there as it was shown; otherwise nothing is added."""
    game = made(Type.ASSEMBLY, [Question("Report", Kind.TOPIC), Question("Any other business", Kind.TOPIC)])
    other = question_fingerprint(repository.read_questions(game.id)[1])
    item = {"kind": "topic", "title": "Boats", "secrecy": "open", "share": "1/2", "of": "cast", "seconds": "0"}
    page = f"/live/{game.id}/agenda/"
    assert f'<option value="{other}">Before 2. Any other business</option>' in hana.get(f"{page}?add").content.decode()
    assert hana.post(page, item | {"before": other}).status_code == 302
    assert titles(game) == ["Report", "Boats", "Any other business"]
    correcting.change(game.id, "Hana", 2, other, Question("The rest", Kind.TOPIC))
    answer = hana.post(page, item | {"title": "Oars", "before": other})
    assert answer.status_code == 422
    assert "Somebody else has changed this list" in answer.content.decode()
    with pytest.raises(ChangedElsewhere):
        correcting.add(game.id, "Hana", Question("Oars", Kind.TOPIC), before=other)
    assert titles(game) == ["Report", "Boats", "The rest"]


@pytest.mark.needs("assembly")
def test_amendments_are_placed_right_after_their_motion(hana, made):
    game = made(Type.ASSEMBLY, [Question("A boat?", Kind.MOTION), Question("Any other business", Kind.TOPIC)])
    next_one = question_fingerprint(repository.read_questions(game.id)[1])
    page = hana.get(f"/live/{game.id}/agenda/?motion=0").content.decode()
    assert f'<option value="{next_one}" selected>' in page


@pytest.mark.needs("assembly")
def test_an_item_is_corrected_until_it_is_voted_on(site, assembly):
    """Also while it is talked about; then it may become another kind of vote."""
    players = seated(assembly, "Ada", "Ben", "Cy")
    drive(assembly, Step.NEXT)
    drive(assembly, Step.CLOSE)
    drive(assembly, Step.NEXT)
    budget = Question("The budget of 2027", Kind.CHOICE, options=("Large", "Small"), secret=True, seconds=0)
    shown = rendering.render_screen(Role.SCREEN, snapshots.current(assembly.id)).key
    correcting.change(assembly.id, "Hana", 1, seen(assembly, 1), budget)
    assert rendering.render_screen(Role.SCREEN, snapshots.current(assembly.id)).key != shown, (
        "The wall shows the new words."
    )
    state = drive(assembly, Step.VOTE)
    assert (state.kind, state.secret) == ("choice", True)
    with pytest.raises(NotNow):
        correcting.change(assembly.id, "Hana", 1, seen(assembly, 1), Question("Another", Kind.MOTION))
    for seat in players:
        give(assembly, seat, "1")
    drive(assembly, Step.CLOSE)
    for place in (0, 1):
        with pytest.raises(NotNow):
            correcting.change(assembly.id, "Hana", place, seen(assembly, place), Question("Another", Kind.MOTION))
        with pytest.raises(NotNow):
            remove(assembly, place)
    assert snapshots.current(assembly.id).rounds[2].result["chosen"] == [0, 3]


@pytest.mark.needs("assembly")
def test_while_people_vote_the_rest_of_the_agenda_can_change_without_disturbing_them(assembly):
    ada, ben = seated(assembly, "Ada", "Ben")
    drive(assembly, Step.NEXT)
    drive(assembly, Step.CLOSE)
    drive(assembly, Step.NEXT)
    before = drive(assembly, Step.VOTE)
    give(assembly, ada, "yes")
    remove(assembly, 4)
    assert repository.read_state(assembly.id) == before
    give(assembly, ben, "yes")
    assert drive(assembly, Step.CLOSE).phase == Phase.RESULTS
    assert snapshots.current(assembly.id).round.result["yes"] == 2


@pytest.mark.parametrize("type_", [Type.TRIVIA, Type.CALL_AND_ANSWER, Type.POLL, Type.SURVEY])
def test_questions_of_every_play_are_corrected_until_they_are_asked(made, type_):
    game = made(type_)
    last = game.total_questions - 1
    better = rules.replace(repository.read_questions(game.id)[last], title="Better words")
    correcting.change(game.id, "Hana", last, seen(game, last), better)
    assert titles(game)[last] == "Better words"
    drive(game, Step.NEXT)
    with pytest.raises(NotNow, match="has already been asked"):
        correcting.change(game.id, "Hana", 0, seen(game, 0), better)
    if type_ == Type.SURVEY:
        with pytest.raises(NotNow, match="has already been asked"):
            remove(game, last)


def test_a_play_keeps_one_question_and_only_such_as_suit_it(made):
    game = made(Type.POLL)
    with pytest.raises(NotNow, match="at least one question"):
        remove(game, 0)
    with pytest.raises(NotNow):
        correcting.change(game.id, "Hana", 0, seen(game, 0), Question("A text"))


# --- at the same moment ---


@pytest.mark.needs("assembly")
def test_a_button_that_calls_an_item_by_its_place_is_stale_once_places_have_changed(assembly):
    version = repository.read_state(assembly.id).version
    move(assembly, 2)
    with pytest.raises(LostRace):
        moving.drive(assembly.id, "Hana", Step.NEXT, version, item=2)


def once_in_between(monkeypatch, module, name: str, act) -> None:
    """When this function is called next, something else happens first."""
    real = getattr(module, name)

    def called(*arguments, **words):
        monkeypatch.setattr(module, name, real)
        act()
        return real(*arguments, **words)

    monkeypatch.setattr(module, name, called)


@pytest.mark.needs("assembly")
def test_what_is_called_while_somebody_removes_it_stays(assembly, monkeypatch):
    version = repository.read_state(assembly.id).version
    call = partial(moving.drive, assembly.id, "Hana", Step.NEXT, version, item=4)
    once_in_between(monkeypatch, repository, "correction", call)
    with pytest.raises(NotNow, match="has already been asked"):
        remove(assembly, 4)
    assert (repository.read_state(assembly.id).played, len(titles(assembly))) == ((4,), 5)


@pytest.mark.needs("assembly")
def test_what_is_removed_while_somebody_calls_it_is_not_called(assembly, monkeypatch):
    version = repository.read_state(assembly.id).version
    once_in_between(monkeypatch, moving, "next_state", partial(remove, assembly, 4))
    with pytest.raises(LostRace):
        moving.drive(assembly.id, "Hana", Step.NEXT, version, item=4)
    assert (repository.read_state(assembly.id).played, len(titles(assembly))) == ((), 4)


@pytest.mark.needs("assembly")
def test_what_somebody_else_has_changed_is_not_overwritten(assembly):
    old = seen(assembly, 1)
    correcting.change(assembly.id, "Hana", 1, old, Question("By Ines", Kind.MOTION))
    for act in (
        lambda: correcting.change(assembly.id, "Hana", 1, old, Question("By Hana", Kind.MOTION)),
        lambda: correcting.move(assembly.id, "Hana", 1, old, up=True),
        lambda: correcting.remove(assembly.id, "Hana", 1, old),
    ):
        with pytest.raises(ChangedElsewhere):
            act()
    assert titles(assembly)[1] == "By Ines"


# --- the pages ---


@pytest.mark.needs("assembly")
def test_the_agenda_is_corrected_on_its_page(hana, assembly):
    page = hana.get(at(assembly, "agenda")).content.decode()
    up = re.search(r'formaction="([^"]+/asked/1/move/)" name="move" value="(up [^"]+)"', page)
    assert hana.post(up[1], {"move": up[2]})["Location"] == at(assembly, "agenda") + "#item-1"
    assert titles(assembly)[:2] == ["The budget", "Report of the board"]
    form = hana.get(at(assembly, "game_question", 0)).content.decode()
    typed = ITEM | {"title": "The budget of 2027", "seen": re.search('name="seen" value="([^"]+)"', form)[1]}
    assert hana.post(at(assembly, "game_question", 0), typed).status_code == 302
    assert titles(assembly)[0] == "The budget of 2027"
    again = hana.post(at(assembly, "game_question", 0), typed | {"title": "Late words"})
    assert again.status_code == 422
    assert "Somebody else has changed this list" in again.content.decode()
    assert 'value="Late words"' in again.content.decode()
    gone = at(assembly, "remove_game_question", 4) + f"?seen={seen(assembly, 4)}"
    assert "Where next?" in hana.get(gone).content.decode()
    assert hana.post(gone).status_code == 302
    assert len(titles(assembly)) == 4
    assert hana.post(at(assembly, "game_title"), {"title": "Sunday"})["Location"] == at(assembly, "agenda")
    assert "Sunday" in hana.get(at(assembly, "agenda")).content.decode()
    assert hana.post(at(assembly, "game_title"), {"title": "x" * 101}).status_code == 422
    assert hana.get(at(assembly, "game_questions"))["Location"] == at(assembly, "agenda")


def test_the_questions_of_a_play_are_corrected_on_a_page_of_their_own(hana, made):
    game = made(Type.TRIVIA)
    page = hana.get(at(game, "game_questions")).content.decode()
    assert "Which of these are primes?" in page
    assert at(game, "game_questions") in hana.get(at(game, "host_game")).content.decode()
    typed = {"kind": "choice", "title": "Which is prime?", "option1": "4", "option2": "5", "right2": "on"}
    typed |= {"seconds": "20", "seen": seen(game, 1)}
    assert hana.post(at(game, "game_question", 1), typed).status_code == 302
    changed = repository.read_questions(game.id)[1]
    assert (changed.title, changed.options, changed.right) == ("Which is prime?", ("4", "5"), (1,))
    wrong = hana.post(at(game, "game_question", 1), typed | {"kind": "text", "seen": seen(game, 1)})
    assert "This cannot be asked in this type of session." in wrong.content.decode()
    drive(game, Step.NEXT)
    assert hana.get(at(game, "game_question", 0))["Location"] == at(game, "game_questions") + "#item-0"
    assert "has already been asked" in hana.get(at(game, "game_questions")).content.decode()
