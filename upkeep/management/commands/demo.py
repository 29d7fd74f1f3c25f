"""Load the demo content: everything is there to look at, and who is there already stays as they are."""

from typing import Any

from accounts import services
from accounts.demo import PASSWORD, PEOPLE
from ballots import demo as ballots
from elections import demo as elections
from elections.groups import demo as groups
from live import demo as live_sessions
from live.sets import demo as question_sets
from news import demo as news
from polls import demo as polls
from skills import demo as skills
from upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Loads demo content into the store. Safe to run again: what is there stays as it is."

    def handle(self, **options: Any) -> None:
        made = [name for name, role, about in PEOPLE if services.make_demo_person(name, role, about, PASSWORD)]
        loaded = [skills.load(), elections.load(), ballots.load(), polls.load(), news.load()]
        loaded += [question_sets.load(), live_sessions.load(), groups.load()]
        self.stdout.write(
            "The demo content is loaded." if made or any(loaded) else "The demo content is there already."
        )
