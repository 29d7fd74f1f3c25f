"""Make a key pair for backups: one key to encrypt with, one to decrypt with."""

from typing import Any

from django.core.management.base import BaseCommand

from upkeep.backups import age


class Command(BaseCommand):
    help = (
        "Makes a key pair. The identity is shown once and stored nowhere, so keep copies of it in two other places: "
        "backups encrypted to its recipient can never be read without it."
    )
    requires_system_checks: list[str] = []

    def handle(self, **options: Any) -> None:
        identity = age.new_identity()
        self.stderr.write("The identity. Anyone who has it can read every backup, so do not keep it on this machine:")
        self.stdout.write(identity)
        self.stderr.write("The recipient, for the site's settings:")
        self.stdout.write(f"BACKUP_RECIPIENTS={age.recipient_of(identity)}")
