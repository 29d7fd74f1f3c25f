"""Runs once when a process starts."""

import gc
from importlib import import_module
from importlib.util import find_spec

from django.apps import AppConfig, apps
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, reset_queries


class SiteConfig(AppConfig):
    name = "config"
    verbose_name = "Plenum"

    def ready(self) -> None:
        from django.conf import settings

        from foundation.acts import pause
        from foundation.store import round_trips
        from foundation.store.connect import expect_threads
        from foundation.store.schema import SCHEMA
        from operations.upkeep import metrics

        from . import hooks

        # Django looks for databases and caches to clean up around every request; there are none.
        request_started.disconnect(reset_queries)
        request_started.disconnect(close_old_connections)
        request_finished.disconnect(close_old_connections)
        request_finished.disconnect(close_caches)
        hooks.install_hooks()
        # the modules in which apps declare types of items and of events
        items = (f"{config.name}.items" for config in apps.get_app_configs())
        SCHEMA.declare(*(import_module(module) for module in items if find_spec(module)))
        expect_threads(settings.WEB_THREADS)
        round_trips.on_round_trip(metrics.observe_trip)
        round_trips.on_cost(metrics.observe_cost)
        round_trips.add_guard(pause.refuse_writes)
        gc.freeze()
        gc.enable()
