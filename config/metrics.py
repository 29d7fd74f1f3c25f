"""What a machine tells a monitor: requests, round trips to the store and jobs, over all processes of the server."""

from __future__ import annotations

import os

from prometheus_client import REGISTRY as THIS_PROCESS
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

REQUESTS = Histogram(
    "plenum_request_seconds",
    "Time to answer a request, by route and status.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
STORE = Histogram(
    "plenum_store_trip_seconds",
    "Time of a round trip to the store, by operation and outcome.",
    ["operation", "outcome"],
    buckets=(0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5),
)
JOBS = Counter("plenum_worker_runs", "Turns of a job of the worker, by outcome.", ["name", "outcome"])
JOB_SUCCESS = Gauge(
    "plenum_worker_last_success_timestamp_seconds",
    "When the worker last did a job, or saw that there was nothing to do.",
    ["name"],
    multiprocess_mode="max",
)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def observe_request(method: str, route: str, status: int, seconds: float) -> None:
    """A method nobody knows is counted as OTHER, so that a stranger cannot make up series without end."""
    REQUESTS.labels(method if method in METHODS else "OTHER", route, status).observe(seconds)


def observe_trip(operation: str, outcome: str, seconds: float) -> None:
    STORE.labels(operation, outcome).observe(seconds)


def observe_job(name: str, outcome: str, well: bool) -> None:
    JOBS.labels(name, outcome).inc()
    if well:
        JOB_SUCCESS.labels(name).set_to_current_time()


def as_text() -> bytes:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(THIS_PROCESS)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)
    return generate_latest(registry)
