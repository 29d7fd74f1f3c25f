"""Values that several processes add up, in files that cannot take a process with them.

The client's own files grow by being made longer, without asking the disk for room: on a full disk the next value that
is counted ends the process (SIGBUS). Here the room is taken first. What finds none stays in the process, is counted
there, and goes into a file as soon as there is room. So what is counted never stops what counts it.

A process holds a slot, by a lock that ends with it; the next process takes the slot and goes on from its numbers. So
there are never more files than processes at once, whatever their process ids, and no number gets smaller.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from prometheus_client.mmap_dict import MmapedDict, mmap_key

SIZE = 1 << 16  # bytes of a new file
MOST_SLOTS = 1000


class Sheet(MmapedDict):
    """The values of one kind of one slot, in a file that the disk has room for."""

    def __init__(self, path: Path):
        if not path.exists():
            _make(path)
        super().__init__(str(path))  # type: ignore[no-untyped-call]

    def _init_value(self, key: str) -> None:
        needed = len(key.encode()) + 32  # the value, its time, its length, and to the next multiple of eight
        if self._used + needed > self._capacity:
            os.posix_fallocate(self._f.fileno(), 0, 2 * self._capacity)
        super()._init_value(key)  # type: ignore[no-untyped-call]


def _make(path: Path) -> None:
    """It has its name only once it has its room: whoever reads finds no empty file."""
    made = path.with_suffix(".new")
    try:
        with open(made, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, SIZE)
        made.rename(path)
    except OSError:
        with suppress(OSError):
            made.unlink()
        raise


class Shelf:
    """The slot of this process, and its sheets; none until it is told where."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.values: list[Value] = []
        self.sheets: dict[str, Sheet] = {}
        self.folder: Path | None = None
        self.slot = ""
        self.held: int | None = None

    @property
    def is_shared(self) -> bool:
        return self.held is not None

    def share(self, folder: Path) -> None:
        """From now on, and as far as the disk allows, what is counted here is counted in this folder too."""
        with self.turn:
            self.folder = folder
            self._place_all()

    def again(self) -> None:
        """Bring out what found no room, if there is room now."""
        with self.turn:
            if self.folder and not (self.held and all(value.sheet for value in self.values)):
                self._place_all()

    def forget(self) -> None:
        """What a forked child does with its parent's slot, and with what was counted there: that is not its own."""
        self.turn = threading.Lock()
        if self.held is not None:
            os.close(self.held)
        self.sheets, self.folder, self.held = {}, None, None
        for value in self.values:
            value.ours, value.is_set, value.sheet = 0.0, False, None

    def _place_all(self) -> None:
        assert self.folder
        with suppress(OSError):
            if self.held is None:
                self.slot, self.held = _slot(self.folder)
            for value in self.values:
                self.place(value)

    def place(self, value: Value) -> None:
        if self.held is None or value.sheet or self.folder is None:
            return
        if value.kind not in self.sheets:
            self.sheets[value.kind] = Sheet(self.folder / f"{value.kind}_{self.slot}.db")
        sheet = self.sheets[value.kind]
        value.earlier = sheet.read_value(value.key)[0]  # type: ignore[no-untyped-call]
        value.sheet = sheet
        value.write()


class Value:
    """What the client asks of a number: as its own, but for where it is kept."""

    def __init__(
        self,
        typ: str,
        metric_name: str,
        name: str,
        labelnames: Sequence[str],
        labelvalues: Sequence[str],
        help_text: str,
        multiprocess_mode: str = "",
        **more: object,
    ):
        self.is_gauge = typ == "gauge"
        self.kind = f"{typ}_{multiprocess_mode}" if self.is_gauge else typ
        self.key = mmap_key(metric_name, name, list(labelnames), list(labelvalues), help_text)
        self.ours = self.earlier = 0.0  # what this process counted, and those who had its slot before
        self.is_set = False
        self.sheet: Sheet | None = None
        with shelf.turn:
            shelf.values.append(self)
            with suppress(OSError):
                shelf.place(self)

    def inc(self, amount: float) -> None:
        with shelf.turn:
            self.ours += amount
            self.write()

    def set(self, value: float, timestamp: float | None = None) -> None:
        with shelf.turn:
            self.ours, self.is_set = value, True
            self.write()

    def write(self) -> None:
        """A gauge that nobody has set here yet leaves what the last process said."""
        if self.sheet and (self.is_set or not self.is_gauge):
            said = self.ours if self.is_gauge else self.earlier + self.ours
            self.sheet.write_value(self.key, said, 0.0)  # type: ignore[no-untyped-call]

    def get(self) -> float:
        return self.ours

    def set_exemplar(self, exemplar: object) -> None:
        """None are kept."""

    def get_exemplar(self) -> None:
        return None


# --- slots ---


def _slot(folder: Path) -> tuple[str, int]:
    for number in range(MOST_SLOTS):
        if (held := _lock(folder, str(number))) is not None:
            return str(number), held
    raise OSError("All slots are taken.")


def _lock(folder: Path, slot: str) -> int | None:
    """The lock of a slot, until this process ends or closes it; `None` if another has it."""
    file = os.open(folder / f"{slot}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file


def clear(folder: Path) -> None:
    """Figures count from the start of the server; those of a worker that goes on stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.db"):
        if (held := _lock(folder, path.stem.rpartition("_")[2])) is not None:
            path.unlink(missing_ok=True)
            os.close(held)


shelf = Shelf()
os.register_at_fork(after_in_child=shelf.forget)
