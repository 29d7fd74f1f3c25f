"""Everything that can happen to a question set."""

from __future__ import annotations

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from parts.questions import repository, rules, services
from parts.questions.question import Question
from tests.background import finish_background
from tests.questions.conftest import MANY, numbered


def tell_of_sets(person) -> str:
    """Everything happens that can happen to a question set; answers the id of one that Ida, who leaves, has shared."""
    owner, ida = person("Olga", Role.OWNER), person("Ida")
    set_id = services.make(ida, "Evening", "For all.", "Be quick.").id
    services.add(ida, set_id, [*MANY, *numbered(60)])
    services.edit(ida, set_id, rules.set_fingerprint(repository.find_set(set_id)), name="Night")
    services.change_question(ida, set_id, 1, Question("Why?", category="Plans"), fingerprint(set_id, 1))
    services.move_question(ida, set_id, 3, up=True)
    services.remove_question(ida, set_id, 2, fingerprint(set_id, 2))
    first = repository.find_full(set_id).categories[0]
    services.change_category(ida, set_id, first.number, "New", "Words.", rules.category_fingerprint(first))
    services.move_category(ida, set_id, first.number, up=False)
    services.share(ida, set_id, on=True)
    services.copy(owner, repository.find_full(set_id), "Copy")
    private, gone = services.make(ida, "Diary"), services.make(owner, "Gone")
    services.add(ida, private.id, MANY)
    services.activate(ida, private.id, on=False)
    services.add(owner, gone.id, MANY)
    services.replace(owner, gone.id, [*MANY[:1], *numbered(3)], name="Gone", description="", custom_instructions="")
    services.delete(owner, gone.id)
    finish_background()
    accounts.remove(owner, people.find("Ida"))
    return set_id


def fingerprint(set_id: str, number: int) -> str:
    return rules.question_fingerprint(repository.find_full(set_id).find(number).question)
