"""Load the demo content, once."""

from typing import Any

from config.commands import StoreCommand
from store import keys
from store.log import Event, EventLog
from store.table import Missing, Put, Refused


class Command(StoreCommand):
    help = "Loads demo content into the store. Safe to run again: what is there stays as it is."

    def handle(self, **options: Any) -> None:
        mark = keys.demo()
        try:
            EventLog(self.table).record(
                Event("plenum", "DemoLoaded"),
                Put({"PK": mark.pk, "SK": mark.sk, "entity_type": "DEMO"}, when=Missing()),
            )
        except Refused:
            self.stdout.write("The demo content is there already.")
        else:
            self.stdout.write("The demo content is loaded.")
