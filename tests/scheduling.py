"""Which process of a run takes which file next."""

from __future__ import annotations

from collections.abc import Collection

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

BROWSER = "tests/browser/"


class ByKind(LoadFileScheduling):
    """A file stays with one process. A browser and its server take seconds to start, so that not every process starts
    them; one that has nothing else left to do helps the others."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        self.workqueue.move_to_end(next_file(node.gateway.id, self.workqueue), last=False)
        super()._assign_work_unit(node)


def next_file(process: str, files: Collection[str]) -> str:
    """The first of its kind: for every second process one with a browser, for the others one without."""
    wants_browser = int(process.removeprefix("gw")) % 2 == 0
    return next((file for file in files if file.startswith(BROWSER) == wants_browser), next(iter(files)))
