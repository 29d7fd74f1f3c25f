"""What a clock has to set off: once, for whoever prefers a timer of their own to the worker."""

from typing import Any

from upkeep.commands import StoreCommand
from upkeep.jobs import ENDS, JOBS, LOG, MAILINGS, REMINDERS, SWEEP, refuse_failures, run_each
from upkeep.leases import Leases


class Command(StoreCommand):
    help = "Does once what the worker does again and again, but for sending mail. Safe to run again and at once."

    def handle(self, **options: Any) -> None:
        runs = run_each((job for job in JOBS if job != SWEEP and not job.lane), Leases(self.table))
        closed, reminded, queued, sealed = (runs[job.name].done for job in (ENDS, REMINDERS, MAILINGS, LOG))
        mailed = f"{queued} mails queued, {reminded} reminders set off"
        self.stdout.write(f"{closed} elections closed, {mailed}, {sealed} event numbers sealed.")
        refuse_failures(runs)
