"""The email to candidates about new questions."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext_noop

from elections.invitations.emails import unless
from elections.rules import State
from foundation.mail.emails import EmailTemplate
from foundation.mail.mail import Mail

from .telling import is_on

is_closed = unless(State.EDITABLE, State.OPEN)


def is_over(mail: Mail) -> bool:
    """Its link would lead nowhere, either, while the part is switched off."""
    return not is_on() or is_closed(mail)


EMAIL_TEMPLATES = {
    "candidate_questions": EmailTemplate(
        gettext_noop("New questions to you as a candidate: %(election)s"),
        (
            gettext_noop("There are new questions to you as a candidate in the election “%(election)s”."),
            gettext_noop(
                "Voters see your answers with your name and on the ballot. You can change them until voting ends."
            ),
        ),
        lambda mail: reverse("answer_questions", args=[mail.about["election_name"]]),
        gettext_noop("Answer the questions"),
        is_over=is_over,
        values=lambda mail: {"election": mail.about["election_name"]},
        title=gettext_noop("New questions to a candidate"),
    )
}
