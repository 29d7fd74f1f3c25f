"""The mail that asks a candidate whether their skills may be shown."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext_noop

from elections.invitations import wording
from elections.invitations.emails import unless
from elections.rules import State
from foundation.mail.emails import EmailTemplate, Mail


def _values(mail: Mail) -> dict[str, str]:
    return {"who": wording.person_label(mail.about["asked_by"]), "election": mail.about["election_name"]}


EMAIL_TEMPLATES = {
    "candidate_asked": EmailTemplate(
        gettext_noop("You are a candidate in “%(election)s”: may we show your skills?"),
        (
            gettext_noop(
                "%(who)s is preparing the election “%(election)s”, in which you are a candidate. It lists skills it "
                "needs."
            ),
            gettext_noop("May your level in just these skills be shown, with the result or before?"),
            gettext_noop("If you do nothing, they are not shown, which says nothing about you."),
        ),
        lambda mail: reverse("agree", args=[mail.about["election_name"]]),
        gettext_noop("See what would be shown"),
        is_over=unless(State.DRAFT),  # candidates can only agree before it opens
        values=_values,
        title=gettext_noop("Question to a candidate about skills"),
    )
}
