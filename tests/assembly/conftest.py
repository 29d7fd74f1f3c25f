"""Sessions to test with, as in the tests of live sessions."""

from tests.live.conftest import made

__all__ = ["made"]
