"""Help for an owner who has forgotten the password and whose mailbox is gone, too."""

from typing import Any

from django.core.management.base import CommandError

from accounts import repository
from accounts.rules import Role
from accounts.services import reset_link_of_owner
from acts.links import absolute_url
from upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = (
        "Prints a link with which the owner of the site sets a new password, once and within an hour. It is for the "
        "owner alone; everybody else has a link mailed, or is helped by an admin. The log says that it was printed."
    )

    def handle(self, **options: Any) -> None:
        owners = repository.people(role=Role.OWNER, limit=1)[0]
        owner = repository.find(owners[0].name) if owners else None
        if owner is None:
            raise CommandError("This site has no owner yet: create_owner makes one.")
        self.stdout.write(f"For {owner.name}, once and within an hour:")
        self.stdout.write(absolute_url(reset_link_of_owner(owner)))
