"""How often each job of the worker looks, for whoever is alarmed when one is late."""

from __future__ import annotations

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from .jobs import JOBS


def as_metric() -> Metric:
    found = GaugeMetricFamily("plenum_worker_every_seconds", "Between two looks of a job.", labels=["name"])
    for job in JOBS:
        found.add_metric([job.name], job.every)
    return found
