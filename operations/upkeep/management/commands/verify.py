"""Verify the event log against its checkpoints, and its index, elections and live sessions against the log."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from elections import repository as elections
from elections.rules import State
from foundation.parts import parts
from foundation.store.log.seal import verify
from operations.upkeep.commands import StoreCommand
from results.proof import check_sealed


class Command(StoreCommand):
    help = (
        "Reads the whole event log and reports the first event that differs from what was sealed. Then verifies the "
        "log's index, every sealed election (ballots, rankings, result and roll), and every sealed round of a live "
        "session that still exists."
    )
    oldest = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--checkpoint",
            metavar="NUMBER:HASH",
            help="a checkpoint you saved elsewhere, to verify the log against as well",
        )

    def handle(self, checkpoint: str | None, **options: Any) -> None:
        verdict = verify(self.table, _published(checkpoint))
        if verdict.flaw:
            raise CommandError(verdict.flaw)
        self.stdout.write(f"All events up to {verdict.sealed} are as sealed; chain {verdict.hash}.")
        if verdict.rewritten:
            self.stdout.write(f"Names were erased from {verdict.rewritten} of them, as the log records.")
        if verdict.unsealed:
            self.stdout.write(f"{verdict.unsealed} newer events are not sealed yet.")
        if verdict.index_flaw:
            raise CommandError(f"But pages may not find all events. {verdict.index_flaw}")
        if closed := self._sealed_elections():
            self.stdout.write(f"Closed elections that are as sealed: {closed}.")
        for name, seen, flaws in filter(None, (part.check() for part in parts())):
            if flaws:
                raise CommandError(" ".join(flaws))
            if seen:
                self.stdout.write(f"{name} that are as sealed: {seen}.")

    def _sealed_elections(self) -> int:
        flaws, seen = [], 0
        for item in self.table.each(elections.list_of(State.CLOSED)):
            if (election := elections.find(item["name"])) is not None:
                seen += 1
                flaws += [flaw] if (flaw := check_sealed(election)) else []
        if flaws:
            raise CommandError(" ".join(flaws))
        return seen


def _published(checkpoint: str | None) -> tuple[int, str] | None:
    if checkpoint is None:
        return None
    number, colon, digest = checkpoint.partition(":")
    if not number.isdecimal() or not colon or len(digest) != 64:
        raise CommandError("Write a checkpoint as NUMBER:HASH, with a hash of 64 hexadecimal digits.")
    return int(number), digest.lower()
