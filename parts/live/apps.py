"""The part *live*: sessions on a projector and phones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from foundation import parts
from foundation.acts.background import Job, anything_in
from foundation.acts.queues import Progress
from foundation.store import keys


class Live(parts.Part):
    name = "parts.live"
    title = _("Live sessions")
    about = _("Questions on a projector that a room answers on phones: quizzes, surveys, ideas.")
    once_off = _(
        "Screens and codes of sessions stop working. Sessions and sets of questions are kept, and sessions that are "
        "over are deleted after the usual time."
    )
    fits = ("club", "team", "events")
    uses = ("questions", "polls")
    prefix = "live/"
    sections = {"parts.live": "live"}
    places = ("nav", "begin", "start", "ways", "tries", "ways to try", "code")
    help = {"live": _("Hosting and joining live sessions.")}

    def install(self) -> None:
        from accounts.services import ON_REMOVAL
        from elections.panels import HOME_CARDS
        from foundation.acts import background, pause
        from parts.polls.services import OTHER_CODES

        from . import codes, follow_up_store, play, plays, repository
        from .home_cards import session_cards
        from .screens.broadcaster import BROADCASTER
        from .services import follow_ups  # noqa: F401 - only for its step
        from .services.deleting import forget_hosting

        background.register(repository.EMPTYING, repository.EXPIRING, repository.DELETING, follow_up_store.RECORDING)
        play.register(*plays.PLAYS)
        BROADCASTER.around = pause.guarded  # each pass of its thread changes nothing while the site is paused
        HOME_CARDS.add(session_cards)
        OTHER_CODES.add(codes.address_of)
        ON_REMOVAL.add(forget_hosting)  # their sessions end and are deleted, with the history of those they hosted

    def jobs(self) -> Iterable[Job]:
        from .services.moving import end_abandoned

        return [Job("live sessions", 60, end_abandoned, anything_in(keys.RUNNING_GAMES))]

    def running(self) -> Iterable[str]:
        from .repository import count_running

        if sessions := count_running():
            yield ngettext("%(count)d session is running.", "%(count)d sessions are running.", sessions) % {
                "count": sessions
            }

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        from .views.demo import load

        return {"live sessions": lambda progress: load()}

    def template_words(self) -> parts.TemplateWords:
        from . import clock, symbols
        from .steps import type_label

        return parts.TemplateWords(
            {"option_mark": symbols.option_mark, "shapes": symbols.SHAPES},
            {"minutes": clock.minutes, "time_left": clock.time_left, "type_label": type_label},
        )

    def check(self) -> tuple[str, int, list[str]]:
        from .verifying import check_rounds

        return "Rounds of live sessions", *check_rounds()
