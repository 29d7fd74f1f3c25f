"""The app of quick polls."""

from django.apps import AppConfig


class PollsConfig(AppConfig):
    name = "polls"

    def ready(self) -> None:
        from accounts.services import after_removal

        from .services import pass_on

        after_removal.append(pass_on)
