"""Metrics of this machine for a monitor: requests, round trips to the store and jobs, over all server processes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from prometheus_client import REGISTRY as THIS_PROCESS
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from foundation.store import round_trips
from operations.upkeep.shared_metrics import VARIABLE

FOLDER = os.environ.get(VARIABLE)  # where prometheus_client shares the counts of all processes, if set
disable_created_metrics()  # no use for creation times, and they would add a line for each series

# Both are bounded by our own routes, whatever is requested: times by the first part of a route, outcomes by route.
REQUESTS = Counter("plenum_requests", "Requests answered, by route and class of status.", ["route", "status"])
REQUEST_SECONDS = Histogram(
    "plenum_request_seconds",
    "Time to answer a request, by the first part of its route.",
    ["section"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
STORE = Histogram(
    "plenum_store_trip_seconds",
    "Time of a round trip to the store, by operation and outcome.",
    ["operation", "outcome"],
    buckets=(0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5),
)
CAPACITY = Counter(
    "plenum_store_capacity_units",
    "Units of capacity that DynamoDB says were consumed; what it refused is not told.",
    ["kind"],
)
RETRIES = Counter("plenum_store_retries", "What was asked of the store once more, by reason.", ["reason"])
METERED = {round_trips.CAPACITY: CAPACITY, round_trips.RETRIES: RETRIES}
CONNECTIONS_ENDED = Counter(
    "plenum_connections_ended",
    "Connections ended because their client was too slow or there was no room, by reason.",
    ["reason"],
)
OPEN_STREAMS = Gauge(
    "plenum_open_streams", "Answers that are held open, to say more as it happens.", multiprocess_mode="livesum"
)
JOBS = Counter("plenum_worker_runs", "Turns of a job of the worker, by outcome.", ["name", "outcome"])
JOB_SUCCESS = Gauge(
    "plenum_worker_last_success_timestamp_seconds",
    "When the worker last did a job, or saw that there was nothing to do.",
    ["name"],
    multiprocess_mode="max",
)
MAX_READS = 100  # of a folder from which files are being removed
MAX_ROUND_TRIPS = 1000  # the newest ones of each operation, for percentiles


def observe_request(route: str, status: int, seconds: float) -> None:
    requests, times = request_metrics(route, status // 100)
    requests.inc()
    times.observe(seconds)


@cache  # there are few, and the client converts each label to text first
def request_metrics(route: str, status_class: int) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(route, f"{status_class}xx"), REQUEST_SECONDS.labels(route.partition("/")[0])


_newest: dict[str, deque[float]] = {}


@dataclass(frozen=True, slots=True)
class Latency:
    """Durations of the newest round trips of one operation, in seconds."""

    operation: str
    count: int
    half: float
    most: float  # 95th percentile
    nearly_all: float  # 99th percentile
    longest: float


@cache
def _trip_metrics(operation: str, outcome: str) -> Histogram:
    return STORE.labels(operation, outcome)


def observe_trip(operation: str, outcome: str, seconds: float) -> None:
    _trip_metrics(operation, outcome).observe(seconds)
    (_newest.get(operation) or _newest.setdefault(operation, deque(maxlen=MAX_ROUND_TRIPS))).append(seconds)


def observe_cost(what: str, kind: str, amount: float) -> None:
    METERED[what].labels(kind).inc(amount)


def capacity() -> dict[str, float]:
    """Capacity units consumed by this process alone, by kind."""
    return _by(CAPACITY, "kind")


def retries() -> dict[str, float]:
    """Requests to the store that this process alone retried, by reason."""
    return _by(RETRIES, "reason")


def _by(counter: Counter, label: str) -> dict[str, float]:
    samples = (sample for metric in counter.collect() for sample in metric.samples)
    return {sample.labels[label]: sample.value for sample in samples if sample.name.endswith("_total")}


def latencies() -> list[Latency]:
    """For this process alone."""
    found = []
    for operation, trips in sorted(_newest.copy().items()):
        seconds = sorted(trips)
        half, most, nearly_all = (seconds[-(-len(seconds) * percent // 100) - 1] for percent in (50, 95, 99))
        found.append(Latency(operation, len(seconds), half, most, nearly_all, seconds[-1]))
    return found


def observe_job(name: str, outcome: str, well: bool) -> None:
    JOBS.labels(name, outcome).inc()
    if well:
        JOB_SUCCESS.labels(name).set_to_current_time()


def last_successes() -> dict[str, float]:
    """When a worker that shares our folder last did each job, or found nothing to do."""
    return _successes(_registry().collect())


def successes_here() -> dict[str, float]:
    """As `last_successes`, for this process alone."""
    return _successes(JOB_SUCCESS.collect())


def _successes(metrics: Iterable[Metric]) -> dict[str, float]:
    name = "plenum_worker_last_success_timestamp_seconds"
    samples = (sample for metric in metrics if metric.name == name for sample in metric.samples)
    return {sample.labels["name"]: sample.value for sample in samples}


def as_text(site: Iterable[Metric] = ()) -> bytes:
    """All observed metrics, and those of the site as a whole."""
    more = CollectorRegistry()
    more.register(SiteMetrics(site))
    return generate_latest(_registry()) + generate_latest(more)


class SiteMetrics(Collector):
    """Metrics that are known already."""

    def __init__(self, metrics: Iterable[Metric]):
        self.metrics = list(metrics)

    def collect(self) -> Iterable[Metric]:
        return self.metrics


def _registry() -> CollectorRegistry:
    """The counts of all processes; without a shared folder, only those of this process."""
    if not FOLDER or not os.path.isdir(FOLDER):
        return THIS_PROCESS
    registry = CollectorRegistry()
    registry.register(AllProcesses(Path(FOLDER)))
    return registry


class AllProcesses(Collector):
    """What all processes have counted so far, while others start and end.

    prometheus_client cannot read the file of a process that is just starting, because it is still empty. The files of
    processes that have ended are removed, perhaps while this reads them.
    """

    def __init__(self, folder: Path, merge: Callable[[list[str]], Iterable[Metric]] = MultiProcessCollector.merge):
        self.folder, self.merge = folder, merge

    def collect(self) -> Iterable[Metric]:
        for _ in range(MAX_READS):
            with suppress(FileNotFoundError):
                files = [str(path) for path in self.folder.glob("*.db") if path.stat().st_size]
                return list(self.merge(files))
        return []


def forget_process(pid: int) -> None:
    """The counts of an ended process stay in the sums, but its live values are dropped."""
    if FOLDER:
        mark_process_dead(pid, FOLDER)
