"""Every step is taken in its order when an election opens or ends and when somebody leaves: the core's, then parts'."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings

from accounts.access import PROFILE_VISIBILITY
from accounts.policy import INVITATION_REASONS
from accounts.services import ON_ERASURE, ON_REMOVAL
from ballots.guest_views import BEFORE_VOTING
from ballots.sealing import BEFORE_COUNTING, COUNTING, SEALED
from elections.access import GUESTS
from elections.dashboard.concerns import CONCERNS, WAITING
from elections.dashboard.next_step import ONCE_SEALED, TO_ANSWER
from elections.invitations.mailing import REMINDING
from elections.lifecycle.closing import AFTER_CLOSING, SHUTTING
from elections.lifecycle.services import OPENING
from elections.panels import ANSWERS, PANELS, PLACES_TO_ASK
from foundation.acts.background import TYPES
from foundation.acts.hooks import Hooks
from foundation.mail.emails import COLOURING
from parts.news.services import PUBLISHING
from results.services import SEALING

STEPS = {
    "PROFILE_VISIBILITY": (PROFILE_VISIBILITY, ["parts.skills.access.may_see_profile"]),
    "OPENING": (
        OPENING,
        [
            "parts.skills.needed.needs.storing_snapshot",
            "parts.webhooks.deliveries.opened",
        ],
    ),
    "SHUTTING": (SHUTTING, ["parts.webhooks.deliveries.closed"]),
    "SEALING": (SEALING, ["parts.webhooks.deliveries.sealed"]),
    "REMINDING": (REMINDING, ["parts.webhooks.deliveries.reminded"]),
    "PUBLISHING": (PUBLISHING, ["parts.webhooks.deliveries.published"]),
    "AFTER_CLOSING": (AFTER_CLOSING, ["results.services.wait_for_worker"]),
    "GUESTS": (GUESTS, ["ballots.services.guest_with_link"]),
    "CONCERNS": (CONCERNS, ["parts.roll_sources.sources.failed_night"]),
    "PANELS": (PANELS, ["parts.news.panels.election_panel"]),
    "INVITATION_REASONS": (INVITATION_REASONS, ["elections.invitations.wording.invitations_of"]),
    "ANSWERS": (ANSWERS, ["parts.candidate_questions.repository.answers_with_candidates"]),
    "WAITING": (WAITING, ["parts.candidate_questions.services.to_review"]),
    "BEFORE_VOTING": (BEFORE_VOTING, ["parts.candidate_questions.services.before_voting"]),
    "PLACES_TO_ASK": (PLACES_TO_ASK, ["parts.help_desk.services.page_of"]),
    "TO_ANSWER": (TO_ANSWER, ["parts.help_desk.services.requests_step"]),
    "COLOURING": (COLOURING, ["foundation.pages.colours.site_shades"]),
    "BEFORE_COUNTING": (BEFORE_COUNTING, ["parts.stations.services.end_visits"]),
    "COUNTING": (COUNTING, ["results.services.seal_result"]),
    "SEALED": (SEALED, ["results.mailing.mail_automatically"]),
    "ONCE_SEALED": (ONCE_SEALED, ["results.mailing.mail_result_step"]),
    "ON_ERASURE": (
        ON_ERASURE,
        ["elections.rolls.forget_display_names", "parts.help_desk.services.forget_requests_of"],
    ),
    "ON_REMOVAL": (
        ON_REMOVAL,
        [
            "accounts.handover.pass_on",
            "ballots.services.remove_ballots_of",
            "elections.groups.services.forget_person",
            "elections.personal_data.forget_calendar",
            "elections.invitations.recipients.forget_opt_out",
            "accounts.services.people.delete_sessions",
            "accounts.api_tokens.delete_tokens",
            "accounts.connectors.identities.forget_groups",
            "parts.skills.needed.services.forget_agreements",
            "parts.skills.services.delete_skills",
            "parts.skills.services.delete_endorsements",
            "parts.candidate_questions.services.forget_asker",
            "parts.help_desk.services.forget_person",
            "accounts.handover.pass_on",
            "accounts.handover.pass_on",
            "parts.live.services.deleting.forget_hosting",
            "parts.assembly.minutes.services.forget_attendances",
            "accounts.handover.pass_on",
            "parts.news.likes.forget_likes",
            "parts.news.mailing.forget_subscription",
            "parts.webhooks.services.forget_webhooks",
        ],
    ),
}


def named(steps: Hooks) -> list[str]:
    return [f"{step.__module__}.{step.__name__}" for step in steps]


@pytest.mark.needs
def test_every_step_is_taken_in_its_order():
    assert {name: named(steps) for name, (steps, _) in STEPS.items()} == {
        name: wanted for name, (_, wanted) in STEPS.items()
    }


@pytest.mark.needs
@pytest.mark.seconds(6)
def test_every_type_of_background_work_has_its_step_in_a_process_that_imports_nothing_else(tmp_path):
    """As the worker is one: no page, hence no module of one, is imported there."""
    script = (
        "import django; django.setup();"
        "from foundation.acts.background import TYPES, TaskType; missing = TaskType('', '').do;"
        "print(len(TYPES), [each.name for each in TYPES.values() if each.do is missing])"
    )
    environment = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, check=True, env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True)
    assert run.stdout.split(maxsplit=1) == [str(len(TYPES)), "[]\n"]
