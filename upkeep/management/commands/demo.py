"""Load the demo content: everything is there to look at, and who is there already stays as they are."""

from collections.abc import Callable
from typing import Any

from accounts import services
from accounts.demo import PASSWORD, PEOPLE
from acts.queues import Progress
from assembly import demo as assemblies
from ballots import demo as ballots
from elections import demo as elections
from live.views import demo as live_sessions
from news import demo as news
from polls import demo as polls
from questions import demo as question_sets
from skills import demo as skills
from upkeep.commands import StoreCommand
from upkeep.progress import show_steps


def people(progress: Progress) -> int:
    made = 0
    for number, (name, role, about) in enumerate(PEOPLE, 1):
        made += services.make_demo_person(name, role, about, PASSWORD)
        progress(number, len(PEOPLE))
    return made


def _at_once(load: Callable[[], int]) -> Callable[[Progress], int]:
    """What is so little that nobody asks how far it is."""
    return lambda progress: load()


PARTS: tuple[tuple[str, Callable[[Progress], int]], ...] = (
    ("people", people),
    ("skills", skills.load),
    ("elections", elections.load),
    ("ballots", ballots.load),
    ("polls", _at_once(polls.load)),
    ("news", _at_once(news.load)),
    ("question sets", _at_once(question_sets.load)),
    ("live sessions", _at_once(lambda: live_sessions.load() + assemblies.load())),
    ("groups", _at_once(elections.load_group)),
)


class Command(StoreCommand):
    help = (
        "Loads demo content into the store, and shows how far it is. Safe to run again: what is there stays as it is. "
        "A distant store takes minutes: it is thousands of round trips."
    )

    def handle(self, *, verbosity: int, **options: Any) -> None:
        loaded = [self._load(number, what, load) for number, (what, load) in enumerate(PARTS, 1)]
        if verbosity:
            self.stdout.write("The demo content is loaded." if any(loaded) else "The demo content is there already.")

    def _load(self, number: int, what: str, load: Callable[[Progress], int]) -> int:
        with show_steps(self.stderr, f"Demo, part {number} of {len(PARTS)}, {what}") as progress:
            return load(progress)
