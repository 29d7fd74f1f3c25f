"""What the races are about: people, elections that take votes, polls, live sessions, posts and skills."""

from __future__ import annotations

from tests.accounts.test_factors import ada, has_app  # noqa: F401 - fixtures
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.live.conftest import made as session  # noqa: F401 - a fixture
from tests.news.conftest import admin, draft, post  # noqa: F401 - fixtures
from tests.polls.conftest import made  # noqa: F401 - a fixture
from tests.skills.conftest import boss, listed  # noqa: F401 - fixtures
