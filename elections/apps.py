"""The app of elections."""

from django.apps import AppConfig


class ElectionsConfig(AppConfig):
    name = "elections"

    def ready(self) -> None:
        from accounts import letters
        from accounts.services import after_removal

        from .letters import LETTERS
        from .services import pass_on

        after_removal.append(pass_on)
        letters.LETTERS.update(LETTERS)
