"""The mails about a roll that follows a source: to organisers, who are asleep when it does."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext_noop, ngettext

from elections import repository
from foundation.mail.emails import EmailTemplate, Mail, NothingToSay

from . import sources


def _values(mail: Mail) -> dict[str, str]:
    if (election := repository.find(mail.about["election_name"])) is None:
        raise NothingToSay
    if reason := mail.about.get("reason"):
        return {"election": election.name, "outcome": sources.trouble(reason)}
    added, changed = int(mail.about["added"]), int(mail.about["changed"])
    was_added = ngettext("%(count)d voter added.", "%(count)d voters added.", added) % {"count": added}
    was_changed = ngettext(
        "The details for the letter of %(count)d voter have changed.",
        "The details for the letters of %(count)d voters have changed.",
        changed,
    ) % {"count": changed}
    outcome = " ".join(each for each, count in ((was_added, added), (was_changed, changed)) if count)
    return {"election": election.name, "outcome": outcome}


EMAIL_TEMPLATES = {
    sources.FOLLOWED: EmailTemplate(
        gettext_noop("The roll has followed its source: %(election)s"),
        (
            gettext_noop(
                "The election “%(election)s” is open, and its roll followed its source last night. %(outcome)s"
            ),
            gettext_noop("If you did not expect that, look at the roll, and ask who can change the source."),
        ),
        lambda mail: reverse("roll", args=[mail.about["election_name"]]),
        gettext_noop("Open the roll"),
        values=_values,
        title=gettext_noop("A roll that follows a source"),
    ),
    sources.NOT_FOLLOWED: EmailTemplate(
        gettext_noop("The roll has not followed its source: %(election)s"),
        (
            gettext_noop("The election “%(election)s”: %(outcome)s"),
            gettext_noop("You get this email once, unless the reason changes."),
        ),
        lambda mail: reverse("roll_source", args=[mail.about["election_name"]]),
        gettext_noop("Follow a source"),
        values=_values,
        title=gettext_noop("A roll that does not follow its source"),
    ),
}
