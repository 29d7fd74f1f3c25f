"""The part *polling stations*: voting in a booth, after an officer has checked who one is."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from foundation import parts


class Stations(parts.Part):
    name = "parts.stations"
    title = _("Polling stations")
    about = _("An officer checks who a voter is and lets them vote on a device in a booth, without an account.")
    once_off = _("Devices in booths become ordinary browsers. Switched on again, they are the booths that they were.")
    uses = ("letters",)
    sections = {"parts.stations": "decide"}
    places = (
        *("while it is open", "head in a booth", "styles in a booth", "voter in a booth", "end of a visit"),
        *("how secrecy works", "limits of secrecy"),
    )

    def install(self) -> None:
        from ballots.sealing import BEFORE_COUNTING
        from foundation.pages.forms import EXPIRED

        from .browser import back_to_booth
        from .services import end_visits

        EXPIRED.add(back_to_booth)
        BEFORE_COUNTING.add(end_visits)  # whoever was still in a booth is out

    def running(self) -> Iterable[str]:
        from .repository import count_open

        if stations := count_open():
            yield ngettext("%(count)d polling station is open.", "%(count)d polling stations are open.", stations) % {
                "count": stations
            }
