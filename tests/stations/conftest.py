"""The election that ballots are tried with."""

from tests.ballots.conftest import opened  # noqa: F401 - a fixture
