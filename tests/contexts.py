"""For tests that ask a page for what it was made of, say a secret that it shows as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.template.base import Template
from django.test.utils import instrumented_test_render


@contextmanager
def contexts_kept() -> Iterator[None]:
    """Answers to the test client have their `context`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", instrumented_test_render)
        yield


@pytest.fixture
def with_contexts() -> Iterator[None]:
    with contexts_kept():
        yield
