"""Load the demo: something of everything to look at. Existing people and content are left alone."""

from collections.abc import Callable
from typing import Any

from accounts import services
from accounts.demo import PASSWORD, PEOPLE
from ballots import demo as ballots
from elections import demo as elections
from foundation.acts.queues import Progress
from foundation.parts import parts
from operations.upkeep.commands import StoreCommand, show_steps
from results.front_page import demo as site_page


def people(progress: Progress) -> int:
    made = 0
    for number, (name, role, about) in enumerate(PEOPLE, 1):
        made += services.make_demo_person(name, role, about, PASSWORD)
        progress(number, len(PEOPLE))
    return made


def _quick(load: Callable[[], int]) -> Callable[[Progress], int]:
    """A part too small to report its progress."""
    return lambda progress: load()


def steps() -> dict[str, Callable[[Progress], int]]:
    """What is loaded, in this order."""
    first, others = (
        {name: load for part in parts() if part.demo_comes_first == comes_first for name, load in part.demo().items()}
        for comes_first in (True, False)
    )
    core = {"elections": elections.load, "ballots": ballots.load}
    later = {
        "groups": _quick(elections.load_group),
        "several questions": _quick(elections.load_questions),
        "site page": _quick(site_page.load),
    }
    return {"people": people} | first | core | others | later


class Command(StoreCommand):
    help = (
        "Loads demo content into the store and shows its progress. Safe to run again: existing content is left alone, "
        "and an interrupted run is completed. Takes minutes on a distant store: it needs thousands of round trips."
    )

    def handle(self, *, verbosity: int, **options: Any) -> None:
        loaded, loading = 0, steps()
        for number, (part, load) in enumerate(loading.items(), 1):
            with show_steps(self.stderr, f"Demo, part {number} of {len(loading)}, {part}") as progress:
                loaded += load(progress)
        if verbosity:
            self.stdout.write("The demo content is loaded." if loaded else "The demo content is already there.")
