"""Hold the whole event log against its checkpoints, its index against the log, and what was sealed against it too."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from elections import repository as elections
from elections.rules import State
from live.sealed.verifying import check_rounds
from results.proof import check_sealed
from store.log.seal import verify
from upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = (
        "Reads the whole event log again and names the first event that is not what was sealed; "
        "then its index, every sealed election: ballots, rankings, result and roll; and every sealed round of a live "
        "session that is still kept."
    )
    oldest = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--checkpoint",
            metavar="NUMBER:HASH",
            help="a checkpoint that was published elsewhere, to hold the log against as well",
        )

    def handle(self, checkpoint: str | None, **options: Any) -> None:
        verdict = verify(self.table, _published(checkpoint))
        if verdict.flaw:
            raise CommandError(verdict.flaw)
        self.stdout.write(f"Every event up to {verdict.sealed} is what was sealed; chain {verdict.hash}.")
        if verdict.rewritten:
            self.stdout.write(f"{verdict.rewritten} of them have forgotten a name, as the log says of each.")
        if verdict.unsealed:
            self.stdout.write(f"{verdict.unsealed} newer events are not sealed yet.")
        if verdict.index_flaw:
            raise CommandError(f"But pages may not find everything. {verdict.index_flaw}")
        if closed := self._sealed_elections():
            self.stdout.write(f"Closed elections that are what was sealed: {closed}.")
        rounds, flaws = check_rounds()
        if flaws:
            raise CommandError(" ".join(flaws))
        if rounds:
            self.stdout.write(f"Sealed rounds of live sessions that are what was sealed: {rounds}.")

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
        raise CommandError("A checkpoint is written as NUMBER:HASH, the hash with 64 hexadecimal digits.")
    return int(number), digest.lower()
