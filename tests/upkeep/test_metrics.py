"""Figures for a monitor stay small, whatever is requested."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.urls import URLResolver, get_resolver

from operations.upkeep import metrics

MAX_METRICS_BYTES = 250_000


def routes(resolver: URLResolver | None = None, before: str = "") -> Iterator[str]:
    for each in (resolver or get_resolver()).url_patterns:
        route = before + str(each.pattern)
        yield from routes(each, route) if isinstance(each, URLResolver) else [route]


@pytest.mark.deep
def test_requests_of_every_route_with_every_status_take_little_room(site):
    for route in (*routes(), "(no route)"):
        for status in range(200, 600):
            metrics.observe_request(route, status, 0.02)
    lines = [line for line in metrics.as_text().splitlines() if line.startswith(b"plenum_request")]
    assert len(b"\n".join(lines)) < MAX_METRICS_BYTES
