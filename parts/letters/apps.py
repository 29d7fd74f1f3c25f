"""The part *letters*: codes on paper, for voters without an email address."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from foundation import parts


class Letters(parts.Part):
    name = "parts.letters"
    title = _("Letters")
    about = _("Voters without an email address get a printed letter, with a code that opens their ballot.")
    once_off = _("Codes in letters open nothing, until you switch letters on again. All that was printed is kept.")
    fits = ("club",)
    sections = {"parts.letters": "decide"}
    places = ("more voters", "ways to reach voters", "voter by number", "mails, in numbers", "about mails", "help")

    def install(self) -> None:
        from ballots.guest_views import WAYS_BACK
        from elections import demo as elections_demo
        from elections.dashboard.checklist import ABOUT_VOTERS
        from elections.drafts.forms import ADDED_FIELDS
        from elections.history import MERGED
        from elections.invitations.voting_link import REPLACING
        from elections.roll.forms import HINTS

        from .demo import list_members
        from .forms import check_field, hint
        from .services import about_voters, reissue, way_back

        MERGED.update(LettersPrinted=("letters",), LetterReissued=("voters",))
        ADDED_FIELDS.add(check_field)
        HINTS.add(hint)
        ABOUT_VOTERS.add(about_voters)
        WAYS_BACK.add(way_back)
        REPLACING.add(reissue)  # when the help desk is asked for it
        elections_demo.DRAFTED.add(list_members)

    def running(self) -> Iterable[str]:
        from .repository import count_voters

        if voters := count_voters():
            yield ngettext(
                "%(count)d voter by letter is on the roll of an open election.",
                "%(count)d voters by letter are on the rolls of open elections.",
                voters,
            ) % {"count": voters}
