"""The site as gunicorn runs it, and two pages beside it (see addresses.py): one is behind everything that stands before
each page of the site, the other behind nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler

from config.wsgi import application as site

from . import addresses


def _without_middleware() -> WSGIHandler:
    ours, settings.MIDDLEWARE = settings.MIDDLEWARE, []
    try:
        return WSGIHandler()
    finally:
        settings.MIDDLEWARE = ours


addresses.lead_there()
_bare = _without_middleware()


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    return (_bare if environ["PATH_INFO"] == addresses.BARE else site)(environ, start_response)
