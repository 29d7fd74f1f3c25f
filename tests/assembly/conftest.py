"""Sessions to test with, as in the tests of live sessions."""

from tests.live.conftest import hana, made

__all__ = ["hana", "made"]
