"""The app of ballots."""

from django.apps import AppConfig


class BallotsConfig(AppConfig):
    name = "ballots"

    def ready(self) -> None:
        from accounts import letters
        from accounts.services import after_removal
        from elections.services import with_closing, with_opening

        from .letters import LETTERS
        from .secrecy import salted, unsalted
        from .services import take_along

        with_opening.append(salted)
        with_closing.append(unsalted)
        after_removal.append(take_along)
        letters.LETTERS.update(LETTERS)
