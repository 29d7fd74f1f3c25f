"""The part *polls*: quick polls by link, without an account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from django.utils.translation import gettext_lazy as _

from foundation import parts
from foundation.acts.jobs import Job
from foundation.acts.queues import Progress


class Polls(parts.Part):
    name = "parts.polls"
    prefix = "poll/"
    sections = {"parts.polls": "decide"}
    places = {
        "nav": "polls/parts/nav.html",
        "begin": "polls/parts/begin.html",
        "start": "polls/parts/start.html",
        "ways": "polls/parts/ways.html",
    }
    lists = {"decide": ("polls", _("Polls"))}

    def install(self) -> None:
        from accounts.services import ON_REMOVAL
        from elections.dashboard.home_cards import CARDS
        from foundation.acts import background

        from . import repository
        from .home_cards import poll_cards
        from .services import pass_on

        background.register(repository.DELETING)
        CARDS.add(poll_cards)
        ON_REMOVAL.add(pass_on)  # their polls pass to the site's owner

    def jobs(self) -> Iterable[Job]:
        from .sealing import anything_over, seal_what_is_over

        return [Job("polls", 5, seal_what_is_over, anything_over)]

    def template_words(self) -> parts.TemplateWords:
        from .services import may_make

        return parts.TemplateWords({"may_make_polls": may_make})

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        from .demo import load

        return {"polls": lambda progress: load()}
