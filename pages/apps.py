"""What happens once when a process starts."""

from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "pages"

    def ready(self) -> None:
        from . import sent

        sent.read_at_once()
