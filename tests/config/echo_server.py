"""The site's own server settings, for the small application of `echo.py`. Read by gunicorn in a process of its own."""

from __future__ import annotations

from django.conf import settings

from config.gunicorn import (  # noqa: F401 - what gunicorn reads from this module
    accesslog,
    asgi_lifespan,
    asgi_loop,
    bind,
    control_socket_disable,
    graceful_timeout,
    keepalive,
    limit_request_fields,
    limit_request_line,
    on_starting,
    post_fork,
    worker_class,
    worker_connections,
    workers,
)
from config.web import streams

loglevel = "critical"

if settings.REQUEST_SECONDS == 1:
    streams.HEARTBEAT_SECONDS = 0.1
