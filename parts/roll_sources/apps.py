"""The part *roll sources*: rolls that follow a list which is kept elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _

from foundation import parts
from foundation.acts.background import Job, goes_on


class RollSources(parts.Part):
    name = "parts.roll_sources"
    title = _("Lists kept elsewhere")
    about = _(
        "The list of voters of an election follows another one: a file at a web address, a group at a sign-in "
        "provider, or what a program sends."
    )
    once_off = _("Lists of voters stay as they are, and follow nothing until this is switched on again.")
    sections = {"parts.roll_sources": "decide"}
    places = ("voters from elsewhere",)

    def install(self) -> None:
        from elections.dashboard.concerns import CONCERNS
        from elections.invitations.progress import READ_WITH
        from foundation.mail.emails import EMAIL_TEMPLATES
        from foundation.store import keys

        from . import emails
        from .sources import failed_night

        EMAIL_TEMPLATES.update(emails.EMAIL_TEMPLATES)
        READ_WITH.add(keys.roll_source)
        CONCERNS.add(failed_night)  # that and why the roll could not follow its source last night

    def jobs(self) -> Iterable[Job]:
        from .sources import follow_due, next_due

        return [Job("rolls", 60, lambda: follow_due(goes_on), moment=next_due, lane="rolls")]

    def running(self) -> Iterable[str]:
        from .sources import followed_nightly

        return followed_nightly()
