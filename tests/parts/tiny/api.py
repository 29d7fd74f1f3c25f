"""The bell, for programs."""

from __future__ import annotations

import msgspec

from accounts.api.calls import Call
from accounts.api.operations import Area, operation

from . import services

AREA = Area("bells", "Bells", "What has been rung.")


class Bell(msgspec.Struct):
    """How often it was rung."""

    rung: int


@operation("GET", "bell", AREA, "Read the bell", answers=Bell)
def read(call: Call) -> Bell:
    return Bell(services.rung())
