"""Seal the events that are not sealed yet."""

from typing import Any

from config.commands import StoreCommand
from config.log import site_sealer


class Command(StoreCommand):
    help = "Extends the hash chain over all events that have happened since and stores checkpoints of it."

    def handle(self, **options: Any) -> None:
        sealed = site_sealer().seal()
        self.stdout.write(f"{sealed} event numbers sealed." if sealed else "Nothing new to seal.")
