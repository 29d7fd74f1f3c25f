"""Everything that can happen to a skill, and to somebody's."""

from __future__ import annotations

from accounts import services as accounts
from accounts.rules import Role
from parts.skills import merging, repository, services
from parts.skills.endorsements import Ground
from parts.skills.rules import Visibility
from tests.background import finish_background
from tests.skills.conftest import have


def tell_of_skills(person) -> None:
    """Everything happens that can happen to a skill, and to somebody's."""
    owner, ada, bob = person("Olga", Role.OWNER), person("Ada", Role.VOTER), person("Bob")
    python = services.add(owner, "Python", "Programming", "Indents.")
    snakes = services.propose(ada, "Snakes", "Animals", "")
    services.edit(owner, repository.find(snakes.id), "Programming", "They are the same.")
    services.approve(owner, repository.find(snakes.id))
    services.refuse(owner, services.propose(ada, "Nonsense", "Some", ""))
    services.add_alias(owner, repository.find(python.id), "Py")
    services.add_alias(owner, repository.find(python.id), "Pie")
    services.remove_alias(owner, repository.find(python.id), "Pie")
    services.rename(owner, repository.find(python.id), "Python 3")
    for each, skill in ((ada, snakes.id), (bob, snakes.id), (bob, python.id)):
        have(each, skill, notes="Words of mine.")
    have(bob, python.id, level=4)
    services.confirm(bob, snakes.id, "")
    services.show_to(ada, Visibility.ADMINS)
    services.endorse(owner, bob, snakes.id, (Ground.SAW,), "form of before")
    services.withdraw(owner, "Bob", snakes.id)
    services.endorse(ada, bob, snakes.id, (Ground.SAW,), "form of Ada of before")
    services.endorse(ada, bob, python.id, (Ground.SAW,), "another form of Ada")
    merging.merge(owner, repository.find(snakes.id), repository.find(python.id))
    finish_background()
    services.endorse(owner, bob, "python", (Ground.WORKED, Ground.SAW), "form of Olga")
    services.hide(bob, "python", "Olga")
    services.hide(bob, "python", "Olga", hidden=False)
    services.withdraw(owner, "Bob", "python")
    have(ada, services.add(owner, "Tea", "Kitchen", "").id)
    services.remove_from_profile(ada, "tea")
    accounts.remove(owner, bob)
