"""What happens once when a process starts."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "config"
    verbose_name = "Plenum"

    def ready(self) -> None:
        from store import trips

        from . import metrics

        trips.listen(metrics.observe_trip)
