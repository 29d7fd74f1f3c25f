"""Demo elections: one in every state and of every kind, one about to close, a cycle, several seats, a public result.

Their ballots are in ballots/demo.py, which also closes some of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from accounts import repository as people
from accounts.models import User
from foundation.acts.hooks import Hooks
from foundation.acts.queues import Progress, no_progress
from foundation.acts.refusals import NameTaken
from foundation.photos.demo import picture
from foundation.ranking.candidates import Candidate
from foundation.store.log import as_text, utc_now

from . import repository, rolls
from .candidates import add_candidates, change_picture
from .drafts import services as drafts
from .groups import repository as groups
from .groups import services as group_services
from .lifecycle import services as lifecycle
from .roll.services import add_voters
from .rules import Election, State
from .voter_lists import Details

OWNER = "Ada Lovelace"
GROUP = "Members of the workshop"
VOTERS = ("Hypatia", "Ibn al-Haytham", "Wang Zhenyi", "Alan Turing", "Emmy Noether", "Katherine Johnson")

QUESTIONS, CHAIR, KEEPER = "Spring meeting", "Chair of the house", "Keeper of the workshop"
QUESTION_CANDIDATES = {CHAIR: ("Amara Okafor", "Chen Wei", "Noor al-Said"), KEEPER: ("Elif Kaya", "Henrik Dahl")}
QUESTION_GROUPS = {
    OWNER: ("Workshop",),
    "Hypatia": ("Workshop", "Orchestra"),
    "Ibn al-Haytham": ("Workshop",),
    "Alan Turing": ("Workshop",),
    "Katherine Johnson": ("Workshop",),
    "Wang Zhenyi": ("Orchestra",),
    "Emmy Noether": ("Orchestra",),
}

DRAFTED = Hooks[[User, Election], None]("when the demo has filled a draft, before it opens")


@dataclass(frozen=True, slots=True)
class DemoElection:
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
    kind: str = "ranked"
    fewest: int = 0
    most: int = 0
    majority: str = ""
    secret: bool = True
    hours_left: int | None = None
    electorate: tuple[str, ...] = VOTERS
    paper: bool = False
    given: tuple[tuple[str, int], ...] = ()  # rankings, and how many of the first on the roll give each; else robots
    shared: bool = False  # whether the result is public


DEMO_ELECTIONS = (
    DemoElection(
        "Name of the new reading room",
        "Emmy Noether",
        "The room on the second floor needs a **name**. Rank as many as you like.",
        (
            ("Lovelace Room", "Short and to the point."),
            ("The Quiet Corner", "It says what it is."),
            ("Al-Khwarizmi Library", "For whom algorithms are named."),
        ),
    ),
    DemoElection(
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
        hours_left=9 * 24,
    ),
    DemoElection(
        "Topics for the spring seminar",
        "Emmy Noether",
        "Topics may still be added while people vote.",
        (
            ("Proofs without words", "Three evenings with chalk, and nobody speaks."),
            ("A history of zero", "From an empty place to a number."),
            ("Voting paradoxes", "Condorcet and friends."),
        ),
        opened=True,
        editable=True,
        secret=False,
        electorate=(OWNER, *VOTERS),
    ),
    DemoElection(
        "Film for Friday evening",
        "Alan Turing",
        "The projector is booked, the film is not. Voting is **short** this time, so that somebody can still fetch it.",
        (
            ("The Long Orchard", "Three sisters, forty summers and one ladder."),
            ("Night Train to Bergen", "Somebody on board is not who they say. *102 minutes.*"),
            ("A Short Course in Silence", "A teacher of sign language moves to the loudest street in town."),
            ("The Ball at the Lighthouse", "With songs. Bring a handkerchief."),
        ),
        opened=True,
        hours_left=5,
        electorate=(*VOTERS, OWNER),
    ),
    DemoElection(
        "Board 2027",
        OWNER,
        "Three seats, two years. Candidates introduce themselves below.",
        (
            ("Amara Okafor", "I want our accounts to be *readable*."),
            ("Chen Wei", "More evenings, fewer minutes."),
            ("Grace Lindqvist", "I have kept the archive for six years."),
            ("Mateo Rivera", "Ten years of camps: I can cook for sixty."),
            ("Noor al-Said", "Let us open the workshop on Saturdays."),
        ),
        opened=True,
        seats=3,
        method="stv-scottish",
        hours_left=2 * 24,
    ),
    DemoElection(
        "Committee of the workshop",
        OWNER,
        "Three who keep the workshop going. It needs somebody for the accounts, and somebody to open the door. "
        "Voted on paper at the open day.",
        (
            ("Amina Diallo", "I like it when sums come out, and I have done the books of the choir for four years."),
            ("Beatriz Lopes", "Tea is on me. So is the list of who has which key."),
            ("Elif Kaya", "Welding on Tuesdays, for everybody who has never tried."),
            ("Hannah Weiss", "Short meetings, and minutes that fit on one page."),
            ("Henrik Dahl", "The lathe is mended. Next is the band saw."),
        ),
        opened=True,
        closed=True,
        seats=3,
        method="stv-scottish",
        electorate=(*VOTERS, *(f"friend.{number:02d}@example.org" for number in range(1, 65))),
        paper=True,
        given=(("0>1>3", 25), ("1>3>0", 9), ("2>3>4", 7), ("3>4>2", 8), ("4>3", 6), ("4>2", 5)),
    ),
    DemoElection(
        "What we do with the bequest",
        "Emmy Noether",
        "An old friend of the house has left us **40,000 euros**, and one wish: that we decide together. "
        "Every idea here would use it up.",
        (
            ("A new roof", "It has rained into the library for two winters now."),
            ("A garden", "Behind the house: fruit trees, benches, and a place for the summer party."),
            ("Instruments", "For the orchestra: two cellos, a harp, and a piano that stays in tune."),
            ("The bank", "There it stays, for worse times."),
        ),
        opened=True,
        closed=True,
        electorate=(OWNER, *VOTERS, *(f"guest.{number:03d}@example.org" for number in range(1, 114))),
        paper=True,
        given=(("0>1>2>3", 34), ("1>2>0>3", 29), ("2>0>1>3", 24), ("0>1", 4), ("3", 3)),
    ),
    DemoElection(
        "Colour of the front door",
        "Alan Turing",
        "Settled, at last.",
        (("Green", ""), ("Oxblood", ""), ("As it is", "It was never broken.")),
        opened=True,
        closed=True,
        secret=False,
    ),
    DemoElection(
        "New house rules",
        OWNER,
        "The house stays open until **midnight** on weekdays, and the last to leave locks up.",
        (),
        opened=True,
        kind="yes-no",
        method="majority",
        majority="2/3 cast",
        hours_left=3 * 24,
    ),
    DemoElection(
        "A second lathe",
        OWNER,
        "We buy the **second-hand lathe** for 3,200 euros, from what is left of the bequest.",
        (),
        opened=True,
        closed=True,
        kind="yes-no",
        method="majority",
        majority="2/3 cast",
        electorate=(OWNER, *VOTERS, *(f"maker.{number:02d}@example.org" for number in range(1, 34))),
        paper=True,
        given=(("0", 24), ("1", 9), ("2", 3)),
    ),
    DemoElection(
        "Delegates to the assembly of houses",
        "Emmy Noether",
        "Two go, and choose where to sleep.",
        (("Amina Diallo", ""), ("Beatriz Lopes", ""), ("Hannah Weiss", ""), ("Henrik Dahl", "")),
        opened=True,
        closed=True,
        seats=2,
        kind="choose",
        method="most-votes",
        most=2,
    ),
    DemoElection(
        "Evening for the summer party",
        "Alan Turing",
        "Tick every evening on which you can come.",
        (("Friday", ""), ("Saturday", ""), ("Sunday", "Nobody has to get up early."), ("Monday", "The hall is free.")),
        opened=True,
        closed=True,
        kind="approval",
        method="approval",
    ),
    DemoElection(
        "Poster for the open day",
        "Emmy Noether",
        "Four drafts hang in the hall. How much do you like each?",
        (("The big circle", ""), ("Hands", ""), ("Only letters", "Set by hand."), ("The cat", "It is back.")),
        opened=True,
        closed=True,
        kind="score",
        method="star",
    ),
    DemoElection(
        "What the garden fund pays for",
        "Alan Turing",
        "Ten points each. Give them to one wish, or spread them.",
        (("Fruit trees", ""), ("A bench", ""), ("A beehive", ""), ("Rain barrels", "")),
        opened=True,
        closed=True,
        kind="points",
        method="cumulative",
        most=10,
    ),
    DemoElection(
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
        electorate=tuple(f"member.{number:04d}@example.org" for number in range(1, 2001)),
        paper=True,
        shared=True,
    ),
)


def load(progress: Progress = no_progress) -> int:
    """Create the missing ones; returns how many."""
    made = 0
    for number, planned in enumerate(DEMO_ELECTIONS, 1):
        made += _make(planned)
        progress(number, len(DEMO_ELECTIONS))
    return made


def load_group() -> int:
    """A group ready for the next election. People who have groups keep them."""
    keeper = people.find(OWNER)
    if keeper is None:
        return 0
    made = {each.name: each for each in groups.every_group_of(keeper.name)}
    if made and (GROUP not in made or next(groups.every_member(made[GROUP].id), None)):
        return 0
    group = made.get(GROUP) or group_services.make(keeper, GROUP)
    group_services.add(keeper, group.id, [*VOTERS, "new.member@example.org"])
    return 1


def load_questions() -> int:
    """An election with two questions, one of them only for a voter group."""
    if (owner := people.find(OWNER)) is None:
        return 0
    election = repository.find(QUESTIONS) or drafts.create(owner, QUESTIONS)
    if election.owner_name != owner.name or election.stored_state != State.DRAFT:
        return 0
    known = {name: Details(groups=own) for name, own in QUESTION_GROUPS.items()}
    add_voters(owner, election, list(known), known)
    if not election.more:
        election = repository.find(QUESTIONS) or election
        drafts.add_question(owner, election, KEEPER, first_title=CHAIR, for_groups=("Workshop",))
    election = repository.find(QUESTIONS) or election
    for question in election.questions:
        add_candidates(owner, question, [Candidate(name) for name in QUESTION_CANDIDATES[question.title]])
    lifecycle.open_(owner, repository.find(QUESTIONS) or election)
    return 1


def _make(planned: DemoElection) -> bool:
    owner = people.find(planned.owner)
    if owner is None:
        return False
    end = as_text(utc_now() + timedelta(hours=planned.hours_left)) if planned.hours_left else None
    try:
        election = drafts.create(
            owner,
            planned.name,
            description=planned.description,
            secret_ballot=planned.secret,
            **{name: getattr(planned, name) for name in ("seats", "method", "kind", "fewest", "most", "majority")},
            time_zone="Europe/Brussels",
            paper_ballots=planned.paper,
            mail_votes=not planned.closed,
            results_public=planned.shared,
            no_voting_after=end,
        )
    except NameTaken:
        there = repository.find(planned.name)
        if there is None or there.owner_name != planned.owner or there.stored_state != State.DRAFT:
            return False
        lacks_voters = bool(planned.electorate) and next(rolls.every_voter(there), None) is None
        if not (planned.opened or lacks_voters):
            return False
        election = there  # an attempt to make it was cut short
    _copy_to_draft(owner, election, planned)
    return True


def _copy_to_draft(owner: User, election: Election, planned: DemoElection) -> None:
    if planned.candidates:
        add_candidates(owner, election, [Candidate(*each) for each in planned.candidates])
    for candidate in repository.candidates(election.name):
        if candidate.photo is None and (wanted := picture(candidate.name)) is not None:
            change_picture(owner, election, candidate.name, wanted)
    add_voters(owner, election, planned.electorate)
    for add in DRAFTED:
        add(owner, election)
    if planned.opened:
        lifecycle.open_(owner, repository.find(election.name) or election, editable=planned.editable)
