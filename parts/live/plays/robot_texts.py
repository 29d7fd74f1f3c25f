"""Sentences that robots write, in the host's language."""

from __future__ import annotations

from random import Random

from django.utils.translation import gettext as _

from parts.live.seats import Seat
from parts.live.snapshot import Snapshot


def robot_sentences() -> list[str]:
    return [
        _("More plants in every room"),
        _("A walk together after lunch"),
        _("Shorter meetings, longer breaks"),
        _("Cake on Fridays"),
        _("A quiet hour every morning"),
        _("Somebody new to talk to each week"),
        _("A shelf of books to borrow"),
        _("Music while we tidy up"),
        _("A day outside once a month"),
        _("Fewer mails, more visits"),
        _("A good question on the board"),
        _("Bicycles for everybody"),
        _("Soup for those who stay late"),
        _("A picture on the wall that changes"),
        _("Time to finish what we began"),
        _("A garden on the roof"),
    ]


def robot_sentence(snapshot: Snapshot, seat: Seat) -> str:
    """Shuffled once per round, so that robots rarely send the same sentence."""
    all_of_them = robot_sentences()
    Random(f"{snapshot.game.id} {snapshot.state.round}").shuffle(all_of_them)  # noqa: S311 - chance, no secret
    return all_of_them[int(seat.player[-4:]) % len(all_of_them)]
