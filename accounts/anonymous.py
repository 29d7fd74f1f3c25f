"""Who has not signed in."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser


class Anonymous(AnonymousUser):
    """Django's, which templates can ask what they ask a person: nothing is allowed."""

    can_look = can_vote = can_run_elections = can_audit = can_manage_people = is_owner = False
