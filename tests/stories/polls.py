"""Everything that can happen to a poll."""

from __future__ import annotations

from accounts import services as accounts
from accounts.rules import Role
from parts.polls import repository, services
from parts.polls.counting import seal
from tests.polls.conftest import by_ida, in_hours, made, vote  # noqa: F401 - a fixture
from tests.stories.core import someone


def tell_of_polls(person, made) -> None:  # noqa: F811
    """Everything happens that can happen to a poll."""
    owner, lunch = person("Olga", Role.OWNER), made(listed=True, expires_at=in_hours(2))
    for voter, ranking in (("one", "Pizza>Sushi"), ("two", "Sushi"), ("three", "Tacos=Pizza"), ("one", "Tacos")):
        vote(lunch, voter, ranking)
    services.extend(by_ida(lunch), in_hours(3))
    services.list_publicly(by_ida(lunch), listed=False)
    services.list_publicly(by_ida(lunch), listed=True)
    services.close(by_ida(lunch))
    seal(lunch.id)
    services.reopen(by_ida(lunch), in_hours(4))
    vote(lunch, "four", "Sushi>Tacos")
    services.close(by_ida(lunch))
    seal(lunch.id)
    services.delete(by_ida(made()))
    services.hide(owner, repository.find(lunch.id))
    services.show(owner, repository.find(lunch.id))
    vote(made(by_nobody=True), "one", "Pizza")
    accounts.remove(owner, someone("Ida"))
