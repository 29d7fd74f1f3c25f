"""Making a session: of a set, of one question that is typed, to try it; who may, how many, and what is wrong."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.schema import SCHEMA
from parts.live import repository
from parts.live.formats import FORMATS
from parts.live.rules import Names
from parts.live.services import hosting
from parts.questions import services as sets
from parts.questions.question import Kind, Question, Type
from tests.live.conftest import TRIVIA, drive
from tests.rows import every_row

FORM = {
    "engagement_type": "trivia",
    "question_set": "",
    "question": "Which is a prime?",
    "options": "*3\n4\n\n * 5 ",
    "seconds": "20",
    "title": "",
    "names": "typed",
    "debug_mode": "0",
    "context": "",
}


def text(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def newest(name: str = "Hana"):
    past, _cursor = repository.history(name, limit=1)
    return repository.find(past[0].id)[0]


# --- one question that is typed ---


def test_a_typed_question_is_asked_at_once(hana):
    answer = hana.post("/live/new/", FORM)
    game = newest()
    assert answer["Location"] == f"/live/{game.id}/host/"
    assert (game.engagement_type, game.total_questions) == (Type.TRIVIA, 1)
    assert game.title.startswith("Trivia, ")
    assert "prime" not in game.title, "The lobby must not give the question away."
    (asked,) = repository.read_questions(game.id)
    assert asked == Question("Which is a prime?", Kind.CHOICE, options=("3", "4", "5"), right=(0, 2), seconds=20)
    assert f'dir="ltr">{game.code}<' in text(hana.get(answer["Location"]))


@every_row(
    ("type_", "options", "kind"),
    [
        (Type.CALL_AND_ANSWER, "", Kind.TEXT),
        (Type.CALL_AND_ANSWER, "left over from a trivia", Kind.TEXT),
        (Type.POLL, "Sea\n*Hills", Kind.RANKING),
        (Type.SURVEY, "", Kind.TEXT),
        (Type.SURVEY, "Food\nTalks", Kind.CHOICE),
    ],
)
def test_each_type_takes_a_typed_question(hana, monkeypatch, type_, options, kind):
    monkeypatch.setattr(hosting, "MAX_RUNNING_SESSIONS", 99)
    form = FORM | {"engagement_type": str(type_), "options": options, "speed_bonus": "on"}
    assert hana.post("/live/new/", form).status_code == 302
    game = newest()
    (asked,) = repository.read_questions(game.id)
    assert (game.engagement_type, asked.kind, asked.right) == (type_, kind, ())
    assert not game.speed_bonus, "Only trivia has one."
    assert type_ != Type.POLL or asked.options == ("Sea", "*Hills")


def test_everything_that_can_be_chosen_is_kept(hana):
    chosen = {"title": " Friday ", "names": "approved", "speed_bonus": "on", "debug_mode": "5", "context": "a\r\nb"}
    hana.post("/live/new/", FORM | chosen)
    game = newest()
    assert (game.title, game.names, game.speed_bonus) == ("Friday", Names.APPROVED, True)
    assert (game.debug_mode, game.context) == (5, "a\nb")


@pytest.mark.deep
@every_row(
    ("change", "sentence"),
    [
        ({"question": " "}, "Choose a question set, or type a question."),
        ({"options": "3\n4"}, "Put a * in front of each right answer"),
        ({"options": "*3"}, "Enter 2 to 10 options; there are 1."),
        ({"options": "\n".join(f"*{each}" for each in range(11))}, "Enter 2 to 10 options; there are 11."),
        ({"options": "*3\n3"}, "The same as option 1."),
        ({"options": f"*{'x' * 201}\n4"}, "At most 200 characters; these are 201."),
        ({"question": "x" * 301}, "At most 300 characters; these are 301."),
        ({"title": "x" * 101}, "At most 100 characters; these are 101."),
        ({"title": "a\x07b"}, "A name cannot contain control characters."),
        ({"engagement_type": "election"}, "Select a valid choice."),
        ({"engagement_type": ""}, "This field is required."),
        ({"names": "shouted"}, "Select a valid choice."),
        ({"seconds": "7"}, "Select a valid choice."),
        ({"debug_mode": "1000"}, "Select a valid choice."),
        ({"context": "x" * 5001}, "at most 5000 characters"),
        ({"question_set": "not-there"}, "This question set is no longer available."),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_lost(hana, change, sentence):
    answer = hana.post("/live/new/", FORM | {"context": "my notes"} | change)
    assert answer.status_code == 422
    page = text(answer)
    assert sentence in page
    assert "context" in change or "my notes" in page
    assert "question" in change or "Which is a prime?" in page
    assert repository.history("Hana", limit=1) == ([], None)


# --- of a set ---


def test_speed_counts_in_trivia_unless_the_host_says_otherwise(hana):
    assert re.search('name="speed_bonus"[^>]* checked', text(hana.get("/live/new/")))
    hana.post("/live/new/", FORM)
    assert not newest().speed_bonus


def a_set(name: str, owner: str = "Hana", *, shared: bool = False):
    user = people.find(owner)
    made = sets.make(user, name, custom_instructions="Speak up")
    sets.add(user, made.id, [*TRIVIA, Question("What next?")])
    if shared:
        sets.share(user, made.id, on=True)
    return made


def test_a_session_keeps_its_set_as_it_was(hana):
    made = a_set("General knowledge")
    page = text(hana.get(f"/live/new/?set={made.id}"))
    assert re.search(rf'value="{made.id}" checked', page)
    assert "Trivia: 2 questions" in page
    assert "Best answer: 1 question" in page
    hana.post("/live/new/", FORM | {"question_set": made.id, "question": ""})
    game = newest()
    assert (game.title, game.question_set_id, game.total_questions) == ("General knowledge", made.id, 2)
    assert game.custom_instructions == "Speak up"
    assert repository.read_questions(game.id) == TRIVIA


def test_a_set_without_questions_for_the_type_is_refused(hana):
    made = a_set("General knowledge")
    answer = hana.post("/live/new/", FORM | {"question_set": made.id, "engagement_type": "poll"})
    assert "“General knowledge” has " not in text(answer), "A poll asks choices, too."
    only_texts = sets.make(people.find("Hana"), "Ideas")
    sets.add(people.find("Hana"), only_texts.id, [Question("What next?")])
    answer = hana.post("/live/new/", FORM | {"question_set": only_texts.id})
    assert answer.status_code == 422
    assert "“Ideas” has no questions for this type of session." in text(answer)


def test_only_sets_of_ones_own_and_shared_ones_can_be_used(hana, person):
    person("Cleo")
    hers, shared = a_set("Hers", "Cleo"), a_set("Everybody's", "Cleo", shared=True)
    page = text(hana.get(f"/live/new/?set={hers.id}"))
    assert "Everybody&#39;s" in page
    assert "Hers" not in page
    assert hana.post("/live/new/", FORM | {"question_set": hers.id}).status_code == 422
    assert hana.post("/live/new/", FORM | {"question_set": shared.id}).status_code == 302
    assert hana.get("/live/new/?set=made-up").status_code == 200


# --- to try it ---


def test_one_click_makes_a_session_with_robots(hana, person):
    answer = hana.post("/live/new/", {"rehearse": "yes"}, follow=True)
    game = newest()
    assert (game.engagement_type, game.debug_mode, game.total_questions) == (Type.TRIVIA, 20, 3)
    assert "Twenty robots are joining" in text(answer)
    person("Cleo")
    shared = a_set("For the demo", "Cleo", shared=True)
    hana.post("/live/new/", {"rehearse": "yes"})
    assert newest().question_set_id == shared.id


# --- how many ---


def test_a_host_has_so_many_running_and_so_many_a_day(hana, monkeypatch):
    monkeypatch.setattr(hosting, "MAX_RUNNING_SESSIONS", 1)
    assert hana.post("/live/new/", FORM).status_code == 302
    refused = hana.post("/live/new/", FORM)
    assert refused.status_code == 422
    assert "You have 1 sessions prepared or running. End one" in text(refused)
    assert "Which is a prime?" in text(refused)
    assert "You have 1 sessions prepared or running" in text(hana.post("/live/new/", {"rehearse": "yes"}, follow=True))
    from parts.live.rules import Step

    drive(newest(), Step.END)
    assert hana.post("/live/new/", FORM).status_code == 302
    monkeypatch.setattr(hosting, "MAX_RUNNING_SESSIONS", 9)
    monkeypatch.setattr(hosting, "MADE", hosting.Limit("live-maker-day", 2, hosting.SECONDS_PER_DAY))
    assert "That was tried too often" in text(hana.post("/live/new/", FORM))


# --- the list ---


def test_a_stranger_finds_how_to_join(site):
    page = text(Client().get("/live/"))
    assert 'action="/join/"' in page
    assert "You need no account" in page
    assert 'href="/live/try/"' in page
    assert "Best answer" in page
    assert "New session" not in page
    assert "Rehearse" not in page


def test_a_host_finds_what_runs_and_what_was(hana, made):
    from parts.live.rules import Step

    running, over = made(title="Now"), made(title="Then")
    drive(over, Step.END)
    page = text(hana.get("/live/"))
    assert f"/live/{running.id}/host/" in page
    assert f"/live/{running.id}/remote/" in page
    assert page.index("Now") < page.index("Then")
    assert f"/live/{over.id}/host/" not in page
    assert "All sessions running" not in page


def test_who_may_make_none_sees_none(made, signed_in):
    made(title="Hers")
    page = text(signed_in("Vera", Role.VOTER).get("/live/"))
    assert "Hers" not in page
    assert "New session" not in page


def test_those_who_look_after_the_site_see_all_that_runs(made, signed_in):
    game = made(title="Hers")
    page = text(signed_in("Adam", Role.ADMIN).get("/live/"))
    assert "All sessions running on this site" in page
    assert f"/live/{game.id}/drive/?act=end" in page
    assert game.screen_token not in page


@pytest.mark.needs("assembly")
def test_every_session_stores_what_formats_store_and_the_schema_knows_it(made):
    own = {
        name: value for each in FORMATS.values() if each.own for name, value in repository.values(each.own()).items()
    }
    assert own.keys() <= SCHEMA.type_of(keys.game("a")).fields.keys()
    assert own.items() <= table().get(keys.game(made().id)).items()
    assembly = made(Type.ASSEMBLY, entitled=7)
    stored = table().get(keys.game(assembly.id))
    assert {name: stored[name] for name in own} == {**own, "entitled": 7}
    assert repository.game_from_item(stored) == assembly
