"""Look at everything the site needs, and say what is well, what to look at and what is broken."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from upkeep.doctor import Finding, Grade, examine


class Command(BaseCommand):
    help = (
        "Asks the site itself and through its proxy, the store, the mail server, disks, the worker and the clock. "
        "Ends with status 1 if something is broken. Changes nothing, and sends no mail unless told to."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--mail", metavar="ADDRESS", default="", help="also send a mail there")

    def handle(self, *, mail: str = "", **options: Any) -> None:
        found = []
        for finding in examine(mail):
            self._print(finding)
            found.append(finding.grade)
        if count := found.count(Grade.BROKEN):
            raise CommandError(f"Broken: {count}. To be looked at: {found.count(Grade.LOOK)}.")

    def _print(self, finding: Finding) -> None:
        self.stdout.write(f"{finding.grade.label:<13} {finding.about}: {finding.sentence}")
        if finding.todo:
            self.stdout.write(f"{'':<13}   {finding.todo}")
        self.stdout.flush()
