"""What makers of sets do: each act one event, on condition of the version."""

from __future__ import annotations

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from foundation.acts.background import wait
from foundation.acts.refusals import NotAllowed, NotThere
from foundation.acts.retry import MAX_RACES
from foundation.store import keys
from foundation.store.log import EventLog
from parts.questions import items, repository, rules, services
from parts.questions.question import SET_TYPES, Kind, Question, Type
from parts.questions.repository import SLICE_QUESTIONS
from parts.questions.rules import ChangedElsewhere, NoRoom
from tests.at_once import at_once
from tests.background import finish_background

from .conftest import CAPITAL, IDEA, MEET, numbered


def kinds(site):
    return [each["event_type"] for each in EventLog(site).since(0) if each["event_type"].startswith("Question")]


def fingerprint(set_id, number):
    return rules.question_fingerprint(repository.find_full(set_id).find(number).question)


# --- finding ---


def test_a_session_is_offered_ones_own_active_sets_and_those_that_are_shared(site, person, ida, made):
    bo = person("Bo")
    owned_by, asleep = services.make(bo, "Mine"), services.make(bo, "Asleep")
    services.activate(bo, asleep.id, on=False)
    assert [each.id for each in repository.usable_by("Bo")] == [owned_by.id]
    services.share(ida, made, on=True)
    offered = repository.usable_by("bo")
    assert [each.name for each in offered] == ["Mine", "Evening"]
    assert [offered[1].suits(type_) for type_ in SET_TYPES] == [1, 1, 2, 3]
    services.activate(ida, made, on=False)
    assert [each.name for each in repository.usable_by("Bo")] == ["Mine"], "what is put away is nobody's to use"
    assert "Evening" not in [each.name for each in repository.usable_by("Ida")]


# --- changing ---


def test_every_act_is_one_event_and_one_version(site, ida, made):
    services.edit(ida, made, rules.set_fingerprint(repository.find_set(made)), name="Night")
    services.activate(ida, made, on=False)
    services.share(ida, made, on=True)
    services.change_question(ida, made, 3, Question("Why?", category="Plans"), fingerprint(made, 3))
    services.move_question(ida, made, 3, up=True)
    services.remove_question(ida, made, 2, fingerprint(made, 2))
    category = repository.find_full(made).category(1)
    services.change_category(ida, made, 1, "Cities", "Big ones.", rules.category_fingerprint(category))
    services.move_category(ida, made, 1, up=False)
    full = repository.find_full(made)
    assert (full.set.version, full.set.name, full.set.shared, full.set.is_active) == (10, "Night", True, False)
    assert [each.title for each in full.questions] == ["Why?", CAPITAL.title, "How was it?"]
    assert full.set.suits(Type.TRIVIA) == 1
    assert kinds(site)[2:] == [
        "QuestionSetChanged",
        "QuestionSetChanged",
        "QuestionSetChanged",
        "QuestionChanged",
        "QuestionMoved",
        "QuestionRemoved",
        "QuestionCategoryChanged",
        "QuestionCategoryMoved",
    ]


def test_asking_for_what_is_so_already_changes_nothing(site, ida, made):
    before = repository.find_set(made)
    services.activate(ida, made, on=True)
    services.share(ida, made, on=False)
    services.move_question(ida, made, 1, up=True)
    services.change_question(ida, made, 1, CAPITAL, fingerprint(made, 1))
    services.add(ida, made, [])
    assert repository.find_set(made) == before
    assert len(kinds(site)) == 2


def test_of_two_who_change_the_same_the_second_is_told(site, ida, made):
    seen = fingerprint(made, 1)
    services.change_question(ida, made, 1, Question("Mine"), seen)
    with pytest.raises(ChangedElsewhere):
        services.change_question(ida, made, 1, Question("Theirs"), seen)
    with pytest.raises(ChangedElsewhere):
        services.remove_question(ida, made, 1, seen)
    services.remove_question(ida, made, 1, fingerprint(made, 1))
    with pytest.raises(NotThere):
        services.change_question(ida, made, 1, Question("Theirs"), seen)
    assert [each.title for each in repository.find_full(made).questions][:2] == [MEET.title, IDEA.title]


def test_two_who_change_different_questions_both_do(site, ida, made):
    first, second = fingerprint(made, 1), fingerprint(made, 3)
    services.change_question(ida, made, 1, Question("One", category="Towns"), first)
    services.change_question(ida, made, 3, Question("Three", category="Plans"), second)
    assert [each.title for each in repository.find_full(made).questions] == ["One", MEET.title, "Three", "How was it?"]


def test_of_many_who_add_at_once_nobody_is_lost(site, ida, made):
    numbers = range(MAX_RACES)  # as each can lose only to every other
    at_once(*(lambda number=number: services.add(ida, made, [Question(f"Number {number}")]) for number in numbers))
    full = repository.find_full(made)
    assert full.set.version == 2 + len(numbers)
    assert sorted(each.number for each in full.placed) == list(range(1, 5 + len(numbers)))
    assert {each.title for each in full.questions} >= {f"Number {number}" for number in numbers}


def test_others_change_nothing_and_admins_take_away_what_is_shared(site, person, ida, made):
    bo, olga = person("Bo"), person("Olga", Role.ADMIN)
    services.share(ida, made, on=True)
    acts = [
        lambda: services.edit(bo, made, "", name="Bo's"),
        lambda: services.activate(bo, made, on=False),
        lambda: services.share(bo, made, on=False),
        lambda: services.add(bo, made, [IDEA]),
        lambda: services.remove_question(bo, made, 1, fingerprint(made, 1)),
        lambda: services.delete(bo, made),
        lambda: services.edit(olga, made, "", name="Olga's"),
        lambda: services.add(olga, made, [IDEA]),
    ]
    for act in acts:
        with pytest.raises(NotAllowed):
            act()
    services.share(olga, made, on=False)
    with pytest.raises(NotAllowed):
        services.delete(olga, made)
    services.share(ida, made, on=True)
    services.delete(olga, made)
    assert repository.find(made) is None
    last = list(EventLog(site).since(0))[-1]
    assert (last["event_type"], last["actor"]) == ("QuestionSetDeleted", "Olga")


# --- many questions ---


def test_more_than_one_transaction_takes_come_in_all_the_same(site, ida):
    set_ = services.make(ida, "Long")
    services.add(ida, set_.id, numbered(2 * SLICE_QUESTIONS + 20))
    full = repository.find_full(set_.id)
    assert (full.set.total_questions, full.waiting, full.set.version) == (120, 0, 4)
    assert kinds(site) == ["QuestionSetMade", *["QuestionsAdded"] * 3]
    with pytest.raises(NoRoom):
        services.add(ida, set_.id, numbered(81))
    services.add(ida, set_.id, [Question(f"More {number}", category="Category 1") for number in range(80)])
    assert repository.find_set(set_.id).total_questions == 200


def test_long_ones_are_parted_by_their_length(site, ida):
    set_ = services.make(ida, "Long")
    long = numbered(60, detail="\N{GRINNING FACE}" * 2000)
    assert [len(each) for each in repository.slices(long)] == [24, 24, 12]
    services.add(ida, set_.id, long)
    assert repository.find(set_.id)[1][0].detail == "\N{GRINNING FACE}" * 2000


def test_what_was_cut_off_a_worker_puts_in(site, ida, monkeypatch):
    set_ = services.make(ida, "Long")
    with monkeypatch.context() as patched:
        patched.setattr(repository.FILLING, "do", lambda task: wait(60))
        services.add(ida, set_.id, numbered(SLICE_QUESTIONS + 5))
    assert repository.find_full(set_.id).waiting == 5
    assert finish_background() == 1
    assert finish_background() == 0
    assert (repository.find_full(set_.id).waiting, repository.find_set(set_.id).total_questions) == (0, 55)


def test_what_comes_while_more_is_on_its_way_comes_in_after_it(site, ida, monkeypatch):
    set_ = services.make(ida, "Long")
    with monkeypatch.context() as patched:
        patched.setattr(repository.FILLING, "do", lambda task: wait(60))
        services.add(ida, set_.id, numbered(SLICE_QUESTIONS + 5))
        services.add(ida, set_.id, numbered(SLICE_QUESTIONS + 3))
    assert finish_background() == 1
    assert (repository.find_full(set_.id).waiting, repository.find_set(set_.id).total_questions) == (0, 108)


def test_a_copy_has_everything_and_is_ones_own(site, person, ida, made):
    category = repository.find_full(made).category(2)
    services.change_category(ida, made, 2, "Plans", "What is next.", rules.category_fingerprint(category))
    services.add(ida, made, numbered(SLICE_QUESTIONS))
    services.share(ida, made, on=True)
    bo, original = person("Bo"), repository.find_full(made)
    copied = repository.find_full(services.copy(bo, original, "Copy of Evening").id)
    assert copied.questions == original.questions
    assert [(each.name, each.description) for each in copied.categories] == [
        (each.name, each.description) for each in original.categories
    ]
    assert (copied.set.created_by, copied.set.shared, copied.set.name) == ("Bo", False, "Copy of Evening")
    assert copied.set.custom_instructions == "Be quick."
    services.delete(ida, made)
    assert repository.find(copied.set.id) is not None


# --- going ---


def test_nothing_of_a_deleted_set_is_left(site, ida, made):
    services.share(ida, made, on=True)
    services.delete(ida, made)
    assert repository.find_full(made) is None
    assert (repository.owned_by("Ida", limit=9)[0], repository.shared(limit=9)[0]) == ([], [])
    assert finish_background() == 1
    assert list(site.each(keys.all_of_set(made))) == []
    with pytest.raises(NotThere):
        services.delete(ida, made)


def test_who_leaves_hands_on_what_others_use_and_the_rest_goes(site, person, ida, made):
    owner = person("Olga", Role.OWNER)
    private = services.make(ida, "Diary")
    services.share(ida, made, on=True)
    assert accounts.removal_effects(ida) == [
        "1 shared question set passes to the owner of the site.",
        "1 question set that nobody else uses is deleted.",
    ]
    assert sorted(each["name"] for each in items.made_by(ida)) == ["Diary", "Evening"]
    accounts.remove(owner, people.find("Ida"))
    finish_background()
    assert repository.find_set(made).created_by == "Olga"
    assert [each.id for each in repository.owned_by("Olga", limit=9)[0]] == [made]
    assert repository.find_set(private.id) is None
    assert accounts.removal_effects(person("Cy")) == []


def test_kinds_are_counted_as_they_change(site, ida, made):
    services.change_question(ida, made, 1, Question("Open?", Kind.YES_NO, category="Towns"), fingerprint(made, 1))
    assert [repository.find_set(made).suits(type_) for type_ in SET_TYPES] == [1, 0, 1, 3]
