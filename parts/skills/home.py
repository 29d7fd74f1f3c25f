"""Skills on the home page."""

from __future__ import annotations

from accounts.models import User
from foundation.parts import Panel
from parts.skills.needed import needs


def skill_requests(user: User) -> Panel | None:
    """Elections that ask a candidate whether their skills may be shown."""
    names = needs.unanswered_by(user) if user.can_vote else []
    return Panel("skills/needed/requests.html", {"names": names}, asks=True) if names else None
