"""The part *webhooks*: signed requests that tell other systems what has happened."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _

from foundation import parts
from foundation.acts.background import Job, anything_in, tasks
from foundation.store import keys


class Webhooks(parts.Part):
    name = "parts.webhooks"
    title = _("Webhooks")
    about = _("Tells other systems when voting begins and ends, and what the result is.")
    once_off = _("Other systems are no longer told. What happens until it is on again is not told later.")
    uses = ("news",)
    places = ("account",)

    def install(self) -> None:
        from accounts.services import ON_REMOVAL
        from elections.invitations.mailing import REMINDING
        from elections.lifecycle.closing import SHUTTING
        from elections.lifecycle.services import OPENING
        from foundation.acts import background
        from foundation.mail.emails import EMAIL_TEMPLATES
        from parts.news.services import PUBLISHING
        from results.services import SEALING

        from . import deliveries, repository
        from .services import forget_webhooks

        background.register(repository.NOTIFYING, repository.DELIVERING)
        EMAIL_TEMPLATES.update(deliveries.EMAIL_TEMPLATES)
        OPENING.add(deliveries.opened)
        SHUTTING.add(deliveries.closed)
        SEALING.add(deliveries.sealed)
        REMINDING.add(deliveries.reminded)
        PUBLISHING.add(deliveries.published)
        ON_REMOVAL.add(forget_webhooks)

    def jobs(self) -> Iterable[Job]:
        from .repository import take_over
        from .services import JOB

        return [
            tasks(JOB, keys.WEBHOOK_TASKS),
            Job("webhooks without a task", 60, take_over, anything_in(keys.DELIVERIES_WITHOUT_TASK)),
        ]
