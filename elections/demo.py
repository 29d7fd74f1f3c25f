"""Elections of the demo: one in every state, with believable candidates and voters.

Their ballots are in ballots/demo.py, which also closes those that are to be closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from accounts import repository as people
from accounts.models import User
from photos.demo import picture
from ranking.candidates import Candidate
from skills import repository as skills
from store.log import as_text, utc_now

from . import repository, services
from .needs import Need
from .rules import Election

VOTERS = ("Hypatia", "Ibn al-Haytham", "Wang Zhenyi", "Alan Turing", "Emmy Noether", "Katherine Johnson")


@dataclass(frozen=True, slots=True)
class Planned:
    """An election to be made, and how far it is taken."""

    name: str
    owner: str
    description: str
    candidates: tuple[tuple[str, str], ...]
    opened: bool = False
    editable: bool = False
    closed: bool = False
    seats: int = 1
    method: str = "schulze"
    secret: bool = True
    days_left: int | None = None
    electorate: tuple[str, ...] = VOTERS
    paper: bool = False
    shared: bool = False  # whether everybody on the web may see the result
    needs: tuple[tuple[str, int, int], ...] = ()  # a skill, a level, and of how many
    agreeing: tuple[str, ...] = ()  # candidates who show what they can do


PLANNED = (
    Planned(
        "Name of the new reading room",
        "Emmy Noether",
        "The room on the second floor needs a **name**. Rank as many as you like.",
        (("Lovelace Room", "Short and to the point."), ("The Quiet Corner", ""), ("Al-Khwarizmi Library", "")),
    ),
    Planned(
        "Where we meet next summer",
        "Alan Turing",
        "Three towns have offered to host us. Costs are about the same everywhere.",
        (
            ("Ghent", "Canals, and a hall by the water."),
            ("Ljubljana", "Mountains nearby."),
            ("Tartu", "Quiet and light."),
        ),
        opened=True,
        secret=False,
        days_left=9,
    ),
    Planned(
        "Topics for the spring seminar",
        "Emmy Noether",
        "Topics may still be added while people vote.",
        (("Proofs without words", ""), ("A history of zero", ""), ("Voting paradoxes", "Condorcet and friends.")),
        opened=True,
        editable=True,
        secret=False,
    ),
    Planned(
        "Board 2027",
        "Ada Lovelace",
        "Three seats, two years. Candidates introduce themselves below.",
        (
            ("Amara Okafor", "I want our accounts to be *readable*."),
            ("Chen Wei", "More evenings, fewer minutes."),
            ("Grace Lindqvist", "I have kept the archive for six years."),
            ("Mateo Rivera", ""),
            ("Noor al-Said", "Let us open the workshop on Saturdays."),
        ),
        opened=True,
        seats=3,
        method="stv-scottish",
        days_left=2,
    ),
    Planned(
        "Committee of the workshop",
        "Ada Lovelace",
        "Three who keep the workshop going. It needs somebody for the accounts, and somebody to open the door.",
        (
            ("Amina Diallo", "I like it when sums come out."),
            ("Beatriz Lopes", "Tea is on me."),
            ("Elif Kaya", ""),
            ("Hannah Weiss", "Short meetings."),
            ("Henrik Dahl", "The lathe is mended."),
        ),
        opened=True,
        closed=True,
        seats=3,
        method="stv-scottish",
        needs=(("bookkeeping", 2, 1), ("chairing-meetings", 2, 1), ("first-aid", 1, 2), ("welding", 3, 1)),
        agreeing=("Amina Diallo", "Beatriz Lopes", "Hannah Weiss", "Henrik Dahl"),
    ),
    Planned(
        "Colour of the front door",
        "Alan Turing",
        "Settled, at last.",
        (("Green", ""), ("Oxblood", ""), ("As it is", "It was never broken.")),
        opened=True,
        closed=True,
        secret=False,
    ),
    Planned(
        "Talk of the year",
        "Alan Turing",
        "Voted on paper at the annual meeting and typed in since. The winner opens the next one.",
        (
            ("A short history of tea rooms", ""),
            ("Bridges that sing", "With recordings."),
            ("How bees decide", "They vote, in a way."),
            ("Maps of places that never were", ""),
            ("The arithmetic of queues", ""),
            ("Why ice is slippery", "Nobody knows for sure."),
        ),
        opened=True,
        closed=True,
        electorate=tuple(f"member.{number:04d}@example.org" for number in range(1, 2201)),
        paper=True,
        shared=True,
    ),
)


def load() -> int:
    """Make those that are not there; answers how many that were."""
    return sum(_make(planned) for planned in PLANNED)


def _make(planned: Planned) -> bool:
    owner = people.find(planned.owner)
    if owner is None:
        return False
    end = as_text(utc_now() + timedelta(days=planned.days_left)) if planned.days_left else None
    try:
        election = services.create(
            owner,
            planned.name,
            description=planned.description,
            secret_ballot=planned.secret,
            seats=planned.seats,
            method=planned.method,
            time_zone="Europe/Brussels",
            paper_ballots=planned.paper,
            mail_votes=not planned.closed,
            results_public=planned.shared,
            no_voting_after=end,
        )
    except services.NameTaken:
        return False
    _take_along(owner, election, planned)
    return True


def _take_along(owner: User, election: Election, planned: Planned) -> None:
    services.add_candidates(owner, election, [Candidate(*each) for each in planned.candidates])
    for name, _statement in planned.candidates:
        if (wanted := picture(name)) is not None:
            services.picture_candidate(owner, election, name, wanted)
    services.add_voters(owner, election, planned.electorate)
    _say_needs(owner, election, planned)
    if planned.opened:
        services.open_(owner, repository.find(election.name) or election, editable=planned.editable)


def _say_needs(owner: User, election: Election, planned: Planned) -> None:
    """Where the catalogue of the demo is there."""
    known = skills.find_many(skill for skill, _level, _count in planned.needs)
    for skill, level, count in planned.needs:
        if skill in known:
            services.set_need(owner, election, Need(skill, level, count))
    for name in planned.agreeing if known else ():
        if (person := people.find(name)) is not None:
            services.agree(person, election, Candidate(name))
