"""Part `store`: both adapters against the bare engine under each, and against PynamoDB's models."""

from __future__ import annotations

from ..report import Report
from ..server import work_folder
from . import embedded, remote


def measure(report: Report, scale: float = 1.0) -> None:
    """A smaller scale takes shorter turns on fewer items."""
    with work_folder(report.build) as folder:
        embedded.measure(report, folder, scale)
    remote.measure(report, scale)
