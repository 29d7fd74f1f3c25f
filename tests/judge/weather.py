"""Bad weather on the engine: faults before it, and a server that is killed again and again (tests/ballots/soak.py)."""

from __future__ import annotations

from tests.ballots.soak import test_bad_weather_loses_nothing_doubles_nothing_and_answers_nothing_wrong

__all__ = ["test_bad_weather_loses_nothing_doubles_nothing_and_answers_nothing_wrong"]
