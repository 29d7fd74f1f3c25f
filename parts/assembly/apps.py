"""The part *assembly*: live sessions that are formal meetings, from check-in to minutes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.translation import gettext_lazy as _

from foundation import parts
from foundation.acts.queues import Progress


class Assemblies(parts.Part):
    name = "parts.assembly"
    title = _("Assemblies")
    about = _("Formal meetings from check-in to minutes: an agenda, debates, motions, majorities.")
    once_off = _("Assemblies and their minutes can no longer be opened. Both are kept.")
    fits = ("club",)
    within = "live"
    uses = ("live",)
    sections = {"parts.assembly": "live"}

    def install(self) -> None:
        from accounts.services import ON_REMOVAL
        from foundation.acts import background
        from parts.live import play
        from parts.live.formats import FORMATS
        from parts.live.screens.formats import SCREENS
        from parts.live.services.follow_ups import FOLLOW_UPS
        from parts.live.services.formats import HOOKS
        from parts.live.views.formats import PAGES
        from parts.questions.question import Type

        from . import plays
        from .format import Assembly, AssemblyFollowUps, AssemblyHooks, AssemblyPages, AssemblyScreens
        from .minutes import services
        from .minutes.services import forget_attendances

        background.register(services.SEALING, services.DELETING)
        play.register(*plays.PLAYS)  # of agendas
        FORMATS[Type.ASSEMBLY], HOOKS[Type.ASSEMBLY] = Assembly(), AssemblyHooks()
        SCREENS[Type.ASSEMBLY], PAGES[Type.ASSEMBLY] = AssemblyScreens(), AssemblyPages()
        FOLLOW_UPS[Type.ASSEMBLY] = AssemblyFollowUps()
        ON_REMOVAL.add(forget_attendances)  # their list of attended assemblies is deleted; minutes stay unchanged

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        from .demo import load

        return {"assemblies": lambda progress: load()}
