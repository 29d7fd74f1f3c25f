"""Who has not signed in, and who reads a page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest


class Anonymous(AnonymousUser):
    """Django's, which templates can ask what they ask a person: nothing is allowed."""

    can_look = can_vote = can_run_elections = can_audit = can_manage_people = is_owner = False


def person(request: HttpRequest) -> dict[str, Any]:
    """For every page: who reads it. A request can fail before anybody has asked who sent it."""
    return {"user": request.user if hasattr(request, "user") else Anonymous()}
