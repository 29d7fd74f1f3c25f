"""What happens once when a process starts."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "config"
    verbose_name = "Plenum"

    def ready(self) -> None:
        from store import trips
        from upkeep import metrics, pause

        from . import steps

        steps.arrange()
        trips.listen(metrics.observe_trip)
        trips.meter(metrics.observe_cost)
        trips.ask_first(pause.refuse_writes)
