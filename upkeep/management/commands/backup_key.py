"""Make a pair of keys for backups: one to encrypt to, one to read with."""

from typing import Any

from django.core.management.base import BaseCommand

from upkeep.backups import age


class Command(BaseCommand):
    help = (
        "Makes a pair of keys. The identity is shown once and kept nowhere: write it down elsewhere, in two places. "
        "Without it no backup that is encrypted to its recipient can ever be read."
    )
    requires_system_checks: list[str] = []

    def handle(self, **options: Any) -> None:
        identity = age.new_identity()
        self.stderr.write("The identity. It must not stay on this machine; whoever has it reads every backup:")
        self.stdout.write(identity)
        self.stderr.write("The recipient, for the settings of the site:")
        self.stdout.write(f"BACKUP_RECIPIENTS={age.recipient_of(identity)}")
