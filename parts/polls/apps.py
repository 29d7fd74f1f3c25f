"""The part *polls*: quick polls by link, without an account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from foundation import parts
from foundation.acts.background import Job
from foundation.acts.queues import Progress


class Polls(parts.Part):
    name = "parts.polls"
    title = _("Quick polls")
    about = _("A question that anybody with the link answers, without an account.")
    once_off = _(
        "Links to polls stop working. Polls and their votes are kept; one that should end meanwhile ends once they are "
        "on again."
    )
    is_on_at_first = True
    fits = ("club", "team", "events")
    prefix = "poll/"
    sections = {"parts.polls": "decide"}
    places = ("nav", "begin", "start", "ways")
    lists = {"decide": ("polls", _("Polls"))}

    def install(self) -> None:
        from accounts.services import ON_REMOVAL
        from elections.panels import HOME_CARDS
        from foundation.acts import background

        from . import repository
        from .presentation import poll_cards
        from .services import pass_on

        background.register(repository.DELETING)
        HOME_CARDS.add(poll_cards)
        ON_REMOVAL.add(pass_on)  # their polls pass to the site's owner

    def jobs(self) -> Iterable[Job]:
        from .counting import anything_over, seal_what_is_over

        return [Job("polls", 5, seal_what_is_over, anything_over)]

    def running(self) -> Iterable[str]:
        from .repository import count_open

        if polls := count_open():
            yield ngettext("%(count)d poll has yet to end.", "%(count)d polls have yet to end.", polls) % {
                "count": polls
            }

    def template_words(self) -> parts.TemplateWords:
        from .services import may_make

        return parts.TemplateWords({"may_make_polls": may_make})

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        from .demo import load

        return {"polls": lambda progress: load()}
