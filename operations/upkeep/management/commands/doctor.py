"""Check everything the site needs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from foundation.acts import key_mark, storage
from foundation.store.table import StoreError
from operations.upkeep.doctor import examine
from operations.upkeep.doctor.health import Grade


class Command(BaseCommand):
    help = (
        "Checks the site directly and through its proxy, the store, the mail server, disks, the worker and the clock. "
        "Ends with status 1 if something is broken. Changes nothing, and sends no mail unless asked to."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--mail", metavar="ADDRESS", default="", help="also send a mail to this address")

        parser.add_argument(
            "--accept-key",
            action="store_true",
            help="first record that SECRET_KEY was changed on purpose, so that nothing warns of it any longer",
        )

    def handle(self, *, mail: str = "", accept_key: bool = False, **options: Any) -> None:
        if accept_key:
            try:
                storage.write(key_mark.marking())
            except StoreError as error:
                raise CommandError(str(error)) from error
        grades = []
        for finding in examine(mail):
            self.stdout.write(f"{finding.grade.label:<16} {finding.about}: {finding.sentence}")
            if finding.todo:
                self.stdout.write(f"{'':<16}   {finding.todo}")
            self.stdout.flush()
            grades.append(finding.grade)
        if count := grades.count(Grade.BROKEN):
            raise CommandError(f"Broken: {count}. Needs attention: {grades.count(Grade.WARNING)}.")
