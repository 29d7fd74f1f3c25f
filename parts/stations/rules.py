"""What a polling station is, the states of its booth, and when a visit is over: all pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotNow

MAX_STATIONS = 100  # of one election
MAX_STATION_NAME_CHARS = 60
IDLE_SECONDS = 10 * 60  # after which a visit is over: without a new page or, where scripts run, without a touch
SCRIPT_IDLE_SECONDS = 5 * 60  # without a touch, after which a script finishes
SPARE_SECONDS = 5
PICK_UP_SECONDS = 15  # in which the answer to the button that begins a visit must have reached the browser


class NoStation(NotNow):
    """There is no such station, or this browser is not its booth."""


class Busy(NotNow):
    """Somebody else has just been let into the booth, or has begun to vote."""


class Occupied(NotNow):
    """Somebody has begun to vote in the booth, and may still be there."""


LISTED_ONLY = _(
    "Where everybody here may vote, people sign in with their own accounts. A polling station needs a list of voters."
)
TOO_MANY = _("An election has at most %(most)d polling stations.")
NOT_PAIRED = _("No browser is paired with this station yet. Enter its code in the browser in the booth first.")
WRONG_CODE = _("This code does not open a polling station. It may have been used already; the desk shows a new one.")
NOT_ITS_CODE = _("This is not the code with which this browser became a booth.")
OCCUPIED = _(
    "Somebody is voting in the booth. Have they left without pressing “Finish”? A vote that was cast stays cast."
)
BUSY = _("The booth has changed in the meantime. Please check what it shows now.")


class Booth(Enum):
    """What the booth is doing."""

    UNPAIRED = "unpaired"
    FREE = "free"
    WAITING = "waiting"
    VOTING = "voting"

    @property
    def label(self) -> str:
        return LABELS[self]


LABELS = {
    Booth.UNPAIRED: _("no browser paired"),
    Booth.FREE: _("free"),
    Booth.WAITING: _("waiting for the voter"),
    Booth.VOTING: _("somebody is voting"),
}


@dataclass(frozen=True, slots=True)
class Visit:
    """One voter's time in the booth. It is stored while it lasts, and then nothing is left of it."""

    hash: str  # of the voter's link
    visitor: str  # encrypted: who they are on the roll and, until the booth has it, the secret of their link
    since: str
    is_picked_up: bool = False


@dataclass(frozen=True, slots=True)
class Station:
    """A polling station as stored."""

    election_name: str
    id: str
    name: str
    opened_at: str
    turn: int = 1  # of its pairing code, which is used once
    paired: int = 0  # the turn whose code was used last
    device: str = ""  # a hash of what the cookie of the paired browser holds
    visit: Visit | None = None

    @property
    def page_seconds(self) -> int:
        """After which a browser without scripts leaves a page: the visit is certainly over then."""
        return IDLE_SECONDS + SPARE_SECONDS

    @property
    def script_idle_seconds(self) -> int:
        return SCRIPT_IDLE_SECONDS

    @property
    def has_code(self) -> bool:
        """Whether there is a code that was not used yet."""
        return self.turn > self.paired

    @property
    def booth(self) -> Booth:
        if not self.device:
            return Booth.UNPAIRED
        if self.visit is None:
            return Booth.FREE
        return Booth.VOTING if self.visit.is_picked_up else Booth.WAITING


@dataclass(frozen=True, slots=True)
class Device:
    """What the cookie of a booth's browser holds."""

    election_name: str
    station_id: str
    secret: str
    visit: str = ""  # the hash of the visit that this browser has picked up
    active_at: str = ""  # when it last opened a page of the ballot

    @property
    def hash(self) -> str:
        return hashlib.sha256(f"plenum: booth of a polling station\n{self.secret}".encode()).hexdigest()


def is_active(device: Device, now: str) -> bool:
    """Whether somebody began to vote in this browser, and was there within the last minutes."""
    return bool(device.visit) and seconds_between(device.active_at, now) <= IDLE_SECONDS


def is_voting(station: Station, device: Device, now: str) -> bool:
    """Whether the visit in this browser goes on."""
    visit = station.visit
    is_own = visit is not None and visit.is_picked_up and visit.hash == device.visit
    return is_own and is_active(device, now)


def is_abandoned(station: Station, device: Device, now: str) -> bool:
    """Whether a visit was begun that this browser does not have, or no longer: its answer got lost, or it was idle."""
    visit = station.visit
    if visit is None or not visit.is_picked_up or is_voting(station, device, now):
        return False
    return visit.hash == device.visit or seconds_between(visit.since, now) > PICK_UP_SECONDS


def seconds_between(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
