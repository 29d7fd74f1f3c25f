"""An interruption of the voting, as it is on record: on the election, in the log, and in the report on its result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from store.table import Item


@dataclass(frozen=True, slots=True)
class Interruption:
    """Entries are never changed: a correction is another one that refers to it. Times are UTC, as text."""

    number: int  # the first is 1
    began: str
    ended: str
    happened: str
    decided: str
    recorded_at: str
    new_end: str = ""  # of the voting, if it was extended
    corrects: int = 0  # the number of the entry that it corrects; 0 for none

    @property
    def from_(self) -> datetime:
        return datetime.fromisoformat(self.began)

    @property
    def to(self) -> datetime:
        return datetime.fromisoformat(self.ended)

    @property
    def recorded(self) -> datetime:
        return datetime.fromisoformat(self.recorded_at)

    @property
    def extended_to(self) -> datetime | None:
        return datetime.fromisoformat(self.new_end) if self.new_end else None

    @property
    def facts(self) -> Item:
        """As stored and logged, without what is not so."""
        return {name: value for name, value in asdict(self).items() if value not in ("", 0)}

    def says_the_same(self, other: Interruption) -> bool:
        """As another entry, whatever its number and time."""
        names = ("began", "ended", "happened", "decided", "corrects")
        return all(getattr(self, name) == getattr(other, name) for name in names)


def interruption_of(item: Item) -> Interruption:
    return Interruption(**{"decided": "", **{name: item[name] for name in FIELDS if name in item}})


FIELDS = tuple(Interruption.__dataclass_fields__)
