from __future__ import annotations

import pytest

from tests.api.program import Program, program_of


@pytest.fixture
def program(site):
    """Makes clients of the API, each with a token of a person."""
    return program_of


@pytest.fixture
def otto(person, program) -> Program:
    """A client of somebody who may run elections."""
    return program(person("Otto"))


@pytest.fixture
def stranger(site) -> Program:
    """A client without a token."""
    return Program()
