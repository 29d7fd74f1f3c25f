"""What happens once when a process starts."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "config"
    verbose_name = "Plenum"

    def ready(self) -> None:
        from django.conf import settings

        from store import trips
        from store.connect import expect_threads
        from upkeep import metrics, pause

        from . import steps, types

        steps.arrange()
        types.declare()
        expect_threads(settings.WEB_THREADS)
        trips.listen(metrics.observe_trip)
        trips.meter(metrics.observe_cost)
        trips.ask_first(pause.refuse_writes)
