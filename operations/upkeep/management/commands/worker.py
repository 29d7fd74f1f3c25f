"""Run the periodic jobs beside the server."""

import gc
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from foundation.acts import wakeups
from foundation.store.formats import Watch, refusal
from operations.upkeep import shared_metrics
from operations.upkeep.commands import StoreCommand
from operations.upkeep.heartbeats import HeartbeatSender
from operations.upkeep.jobs import JOBS, Leases, Worker, raise_failures, run_jobs
from operations.upkeep.server import NAME


class Command(StoreCommand):
    help = (
        "Finishes interrupted work, closes elections, seals ballots and events, sends mail and deletes what has "
        "expired, until it is stopped or the process that started it ends. Any number of workers can run, even on "
        "several machines; each sends heartbeats to the store."
    )
    stopped = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="run every job once and exit")
        parser.add_argument(
            "--beside", type=int, metavar="PROCESS", help="the server that started it; the worker ends with it"
        )

    def handle(self, *, once: bool = False, beside: int | None = None, **options: Any) -> None:
        if sentence := refusal(self.table):
            raise CommandError(sentence)
        if once:
            runs = run_jobs(JOBS, Leases(self.table))
            for name, run in runs.items():
                self.stdout.write(f"{name}: {run.outcome}" + (f", {run.done}" if run.done else ""))
            raise_failures(runs)
        else:
            self._go_on(beside or os.getppid())
            if beside and os.getppid() != beside:  # while its server runs, its counts stay in the sums
                shared_metrics.clear(settings.METRICS_DIR, os.getpid())

    def _go_on(self, parent: int) -> None:
        """The parent is passed in, because a server may end before its worker has started."""
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, self._stop)
        with suppress(OSError):  # where there is no /proc
            Path("/proc/self/comm").write_text(NAME)
        gc.collect()
        gc.freeze()  # as in config/gunicorn.py: saves scanning what is loaded already at every long read
        leases, understands = Leases(self.table), Watch(self.table)
        worker = Worker(JOBS, leases, lambda: not self.stopped and os.getppid() == parent and understands())
        with HeartbeatSender(self.table, leases.at_work).sending(), wakeups.listening(worker.wake):
            worker.run()
        if understands.refused:
            raise CommandError(understands.refused)

    def _stop(self, number: int, frame: Any) -> None:
        """Finish the current job first; a second signal ends the process at once."""
        self.stopped = True
        signal.signal(number, signal.SIG_DFL)
