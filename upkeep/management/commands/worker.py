"""What has to happen again and again beside the server."""

import gc
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from acts import wakeups
from store.formats import Watch, refusal
from upkeep.commands import StoreCommand
from upkeep.monitoring import shared_metrics
from upkeep.server import NAME
from upkeep.worker.heartbeats import HeartbeatSender
from upkeep.worker.jobs import JOBS, Worker, raise_failures, run_jobs
from upkeep.worker.leases import Leases


class Command(StoreCommand):
    help = (
        "Finishes what was cut short, records ends, seals ballots and events, sends mail and deletes what has expired, "
        "until it is stopped or the process that started it is gone. Any number may run, also on several machines, and "
        "each says in the store that it is alive."
    )
    stopped = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="do every job once and end")
        parser.add_argument("--beside", type=int, metavar="PROCESS", help="the server that started it, and ends it")

    def handle(self, *, once: bool = False, beside: int | None = None, **options: Any) -> None:
        if sentence := refusal(self.table):
            raise CommandError(sentence)
        if once:
            self._once()
        else:
            self._go_on(beside or os.getppid())
            if beside and os.getppid() != beside:  # of one that ends while its server goes on, the sums keep all
                shared_metrics.clear(settings.METRICS_DIR, os.getpid())

    def _go_on(self, parent: int) -> None:
        """A server may be gone before its worker has begun, and the system is everybody's parent then: it is named."""
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, self._stop)
        with suppress(OSError):  # where there is no /proc
            Path("/proc/self/comm").write_text(NAME)
        gc.collect()
        gc.freeze()  # as in config/gunicorn.py: what is loaded by now need not be looked through at every long read
        leases, understands = Leases(self.table), Watch(self.table)
        worker = Worker(JOBS, leases, lambda: not self.stopped and os.getppid() == parent and understands())
        with HeartbeatSender(self.table, leases.at_work).sending(), wakeups.listening(worker.wake):
            worker.run()
        if understands.refused:
            raise CommandError(understands.refused)

    def _once(self) -> None:
        runs = run_jobs(JOBS, Leases(self.table))
        for name, run in runs.items():
            self.stdout.write(f"{name}: {run.outcome}" + (f", {run.done}" if run.done else ""))
        raise_failures(runs)

    def _stop(self, number: int, frame: Any) -> None:
        """The job at hand is finished first; who cannot wait for it sends the signal again."""
        self.stopped = True
        signal.signal(number, signal.SIG_DFL)
