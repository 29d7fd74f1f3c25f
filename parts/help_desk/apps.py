"""The part *help desk*: requests of voters to the organisers of an election, and their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from django.utils.translation import gettext_lazy as _

from foundation import parts
from foundation.acts.queues import Progress
from foundation.store import keys


class HelpDesk(parts.Part):
    name = "parts.help_desk"
    title = _("Help desk")
    about = _("Voters ask the organisers of an election for help on a page of their own, and get the answer by email.")
    once_off = _(
        "Nobody can ask or answer, and no page, invitation or letter leads there. Requests are kept as long as ever: "
        "until 90 days after their election has closed."
    )
    fits = ("club",)
    sections = {"parts.help_desk": "decide"}
    places = ("more election tabs",)

    def install(self) -> None:
        from accounts.services import ON_ERASURE, ON_REMOVAL
        from elections.dashboard.next_step import TO_ANSWER
        from elections.invitations.progress import READ_WITH
        from elections.panels import PLACES_TO_ASK
        from foundation.acts import background
        from foundation.mail.emails import EMAIL_TEMPLATES

        from . import emails, repository, services
        from .services import forget_person, forget_requests_of

        background.register(repository.TELLING, repository.FORGETTING)
        EMAIL_TEMPLATES.update(emails.EMAIL_TEMPLATES)
        PLACES_TO_ASK.add(services.page_of)
        READ_WITH.add(keys.help_desk)
        TO_ANSWER.add(services.requests_step)
        ON_REMOVAL.add(forget_person)  # what they asked organisers is deleted, with the answers
        ON_ERASURE.add(forget_requests_of)  # likewise, of who never had an account

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        from .demo import load

        return {"requests": lambda progress: load()}

    def running(self) -> Iterable[str]:
        from .services import requests_waiting

        return requests_waiting()
