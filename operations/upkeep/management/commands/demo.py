"""Load the demo: something of everything to look at. Existing people and content are left alone."""

from collections.abc import Callable
from typing import Any

from accounts import services
from accounts.demo import PASSWORD, PEOPLE
from ballots import demo as ballots
from elections import demo as elections
from foundation.acts.queues import Progress
from operations.upkeep.commands import StoreCommand, show_steps
from parts.assembly import demo as assemblies
from parts.live.views import demo as live_sessions
from parts.news import demo as news
from parts.polls import demo as polls
from parts.questions import demo as question_sets
from parts.skills import demo as skills


def people(progress: Progress) -> int:
    made = 0
    for number, (name, role, about) in enumerate(PEOPLE, 1):
        made += services.make_demo_person(name, role, about, PASSWORD)
        progress(number, len(PEOPLE))
    return made


def _quick(load: Callable[[], int]) -> Callable[[Progress], int]:
    """A part too small to report its progress."""
    return lambda progress: load()


PARTS: tuple[tuple[str, Callable[[Progress], int]], ...] = (
    ("people", people),
    ("skills", skills.load),
    ("elections", elections.load),
    ("ballots", ballots.load),
    ("polls", _quick(polls.load)),
    ("news", _quick(news.load)),
    ("question sets", _quick(question_sets.load)),
    ("live sessions", _quick(lambda: live_sessions.load() + assemblies.load())),
    ("groups", _quick(elections.load_group)),
    ("ballots with several questions", _quick(elections.load_ballot)),
)


class Command(StoreCommand):
    help = (
        "Loads demo content into the store and shows its progress. Safe to run again: existing content is left alone, "
        "and an interrupted run is completed. Takes minutes on a distant store: it needs thousands of round trips."
    )

    def handle(self, *, verbosity: int, **options: Any) -> None:
        loaded = 0
        for number, (part, load) in enumerate(PARTS, 1):
            with show_steps(self.stderr, f"Demo, part {number} of {len(PARTS)}, {part}") as progress:
                loaded += load(progress)
        if verbosity:
            self.stdout.write("The demo content is loaded." if loaded else "The demo content is already there.")
