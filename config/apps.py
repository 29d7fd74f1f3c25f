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

        from . import here, steps

        steps.arrange()
        self._tell_no_database()
        self._read_settings_directly()
        here.keep_at_hand()
        expect_threads(settings.WEB_THREADS)
        trips.listen(metrics.observe_trip)
        trips.meter(metrics.observe_cost)
        trips.ask_first(pause.refuse_writes)

    def _tell_no_database(self) -> None:
        """Django tells databases and caches of every request. There are none to tell: all is in the store."""
        from django.core.cache import close_caches
        from django.core.signals import request_finished, request_started
        from django.db import close_old_connections, reset_queries

        request_started.disconnect(reset_queries)
        request_started.disconnect(close_old_connections)
        request_finished.disconnect(close_old_connections)
        request_finished.disconnect(close_caches)

    def _read_settings_directly(self) -> None:
        """Settings are read a hundred times a page. Django looks at each value whether it is a method of something that
        is not loaded yet, which takes ten times as long as the reading, and settings have no such methods."""
        from django.conf import LazySettings

        LazySettings.__getattribute__ = object.__getattribute__
