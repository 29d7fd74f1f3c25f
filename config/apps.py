"""Runs once when a process starts."""

import gc
from importlib import import_module

from django.apps import AppConfig
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, reset_queries

# The packages whose module `items` declares types of items and of events. A new one only has to be added.
ITEM_PACKAGES = (
    "accounts foundation.mail elections ballots results parts.polls parts.skills parts.news parts.webhooks "
    "foundation.photos parts.questions parts.live parts.assembly operations.upkeep operations.trust api"
)


class SiteConfig(AppConfig):
    name = "config"
    verbose_name = "Plenum"

    def ready(self) -> None:
        from django.conf import settings

        from foundation.store import round_trips
        from foundation.store.connect import expect_threads
        from foundation.store.schema import SCHEMA
        from operations.upkeep import pause
        from operations.upkeep.monitoring import metrics

        from . import hooks

        # Django looks for databases and caches to clean up around every request; there are none.
        request_started.disconnect(reset_queries)
        request_started.disconnect(close_old_connections)
        request_finished.disconnect(close_old_connections)
        request_finished.disconnect(close_caches)
        hooks.install_hooks()
        SCHEMA.declare(*(import_module(f"{package}.items") for package in ITEM_PACKAGES.split()))
        expect_threads(settings.WEB_THREADS)
        round_trips.on_round_trip(metrics.observe_trip)
        round_trips.on_cost(metrics.observe_cost)
        round_trips.add_guard(pause.refuse_writes)
        gc.freeze()
        gc.enable()
