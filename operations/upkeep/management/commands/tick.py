"""Run the worker's jobs once, for operators who prefer a timer to the worker."""

from typing import Any

from operations.upkeep.commands import StoreCommand
from operations.upkeep.jobs import (
    BACKGROUND,
    ENDS,
    JOBS,
    LINKS,
    LOG,
    REMINDERS,
    SWEEP,
    Leases,
    raise_failures,
    run_jobs,
)


class Command(StoreCommand):
    help = "Runs the worker's jobs once, except for sending mail. Safe to run several times at once."

    def handle(self, **options: Any) -> None:
        jobs = [job for job in JOBS if job != SWEEP and (not job.lane or job in (BACKGROUND, LINKS))]
        runs = run_jobs(jobs, Leases(self.table))
        closed, reminded, sealed = (runs[job.name].done for job in (ENDS, REMINDERS, LOG))
        resumed = runs[BACKGROUND.name].done + runs[LINKS.name].done
        worked = f"{reminded} reminders sent, {resumed} background tasks resumed"
        self.stdout.write(f"{closed} elections closed, {worked}, {sealed} event numbers sealed.")
        raise_failures(runs)
