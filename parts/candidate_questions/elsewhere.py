"""What pages of others show of questions to candidates."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ballots.link_views import Meanwhile
from elections import repository as elections
from elections.dashboard.concerns import Waiting
from elections.rules import Election, State
from foundation.acts.storage import now_text

from .repository import count_waiting
from .rules import is_taking

MAX_LISTED = 200  # of the open elections, the newest


def to_review(election: Election) -> Waiting | None:
    """On the dashboard."""
    count = count_waiting(election)
    if not count:
        return None
    sentence = ngettext(
        "%(count)d question to candidates is waiting for review.",
        "%(count)d questions to candidates are waiting for review.",
        count,
    )
    return Waiting(
        "questions", sentence % {"count": count}, "review_questions", _("Review questions"), "REVIEW_QUESTIONS"
    )


def before_voting(election: Election, now: str) -> Meanwhile | None:
    """Behind a voting link."""
    if not is_taking(election, now):
        return None
    sentence = _(
        "Voting has not begun yet. Until then you can ask the candidates questions; to vote, open this link again."
    )
    return Meanwhile(sentence, reverse("candidate_questions", args=[election.name]), _("Questions to the candidates"))


def running() -> Iterator[str]:
    """On the page that switches it off."""
    now, (listed, _older) = now_text(), elections.list_elections(state=State.OPEN, limit=MAX_LISTED)
    found = elections.open_elections([each.name for each in listed], now)
    if taking := sum(is_taking(each, now) for each in found):
        sentence = ngettext(
            "In %(count)d open election, candidates can be asked questions.",
            "In %(count)d open elections, candidates can be asked questions.",
            taking,
        )
        yield sentence % {"count": taking}
