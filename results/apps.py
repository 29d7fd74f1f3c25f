"""The app of results."""

from django.apps import AppConfig


class ResultsConfig(AppConfig):
    name = "results"

    def ready(self) -> None:
        from ballots.services import with_sealing

        from .services import seal_result

        with_sealing.append(seal_result)
