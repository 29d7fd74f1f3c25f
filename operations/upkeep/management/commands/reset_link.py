"""Help for an owner who has forgotten the password and lost access to the mailbox."""

from typing import Any

from django.core.management.base import CommandError

from accounts import repository
from accounts.rules import Role
from accounts.services import reset_link_of_owner
from foundation.acts.links import absolute_url
from operations.upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = (
        "Prints a link that lets the site's owner set a new password, once and within an hour. Everyone else can have "
        "a link mailed, or ask an admin for help. The log records that it was printed."
    )

    def handle(self, **options: Any) -> None:
        owners = repository.people(role=Role.OWNER, limit=1)[0]
        owner = repository.find(owners[0].name) if owners else None
        if owner is None:
            raise CommandError("This site has no owner yet. Run create_owner to make one.")
        self.stdout.write(f"For {owner.name}, once and within an hour:")
        self.stdout.write(absolute_url(reset_link_of_owner(owner)))
