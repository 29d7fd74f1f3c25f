"""What a clock has to set off: once, for whoever prefers a timer of their own to the worker."""

from typing import Any

from upkeep.commands import StoreCommand
from upkeep.worker.jobs import BACKGROUND, ENDS, JOBS, LOG, REMINDERS, SWEEP, raise_failures, run_jobs
from upkeep.worker.leases import Leases


class Command(StoreCommand):
    help = "Does once what the worker does again and again, but for sending mail. Safe to run again and at once."

    def handle(self, **options: Any) -> None:
        jobs = [job for job in JOBS if job != SWEEP and (not job.lane or job == BACKGROUND)]
        runs = run_jobs(jobs, Leases(self.table))
        closed, reminded, resumed, sealed = (runs[job.name].done for job in (ENDS, REMINDERS, BACKGROUND, LOG))
        worked = f"{reminded} reminders set off, {resumed} background tasks resumed"
        self.stdout.write(f"{closed} elections closed, {worked}, {sealed} event numbers sealed.")
        raise_failures(runs)
