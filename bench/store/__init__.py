"""Part `store`: both adapters against the bare engine under each, and against PynamoDB's models."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path

from ..report import Report
from . import embedded

ENGINES = ("sqlite", "dynamodb")


def measure(report: Report, scale: float = 1.0, engines: Collection[str] = ENGINES) -> None:
    """A smaller scale takes shorter turns on fewer items."""
    report.build.mkdir(parents=True, exist_ok=True)
    if "sqlite" in engines:
        # On the disk the store would be on: the system's temporary folder may be memory, where a sync costs nothing.
        with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as folder:
            embedded.measure(report, Path(folder), scale)
    if "dynamodb" in engines:
        from . import remote  # brings boto3, which the writing processes of the other half can do without

        remote.measure(report, scale)
