"""A plugin of `make test-newest`: whatever Django or Python will take away fails the test that uses it.

Only warnings about our own code count; what other packages have still to do is theirs.
"""

from __future__ import annotations

import pytest
from django.conf import settings

# Mail by MAILERS begins with Django 6.1, and what it replaces ends with "Django 2028". As long as the long-term release
# that Plenum runs on has no MAILERS, the settings and functions of before are right.
OF_MAIL = r".*(MAILERS|mailers|Directly creating EmailBackend|The EMAIL_\w+ setting|get_connection\(\)).*"


def pytest_configure(config: pytest.Config) -> None:
    ours = "|".join(sorted({each.partition(".")[0] for each in settings.INSTALLED_APPS} | {"foundation"}))
    for warning in ("DeprecationWarning", "PendingDeprecationWarning"):
        config.addinivalue_line("filterwarnings", rf"error::{warning}:({ours})\b.*")
        config.addinivalue_line("filterwarnings", f"ignore:{OF_MAIL}:{warning}")
