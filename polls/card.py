"""A poll's current result as a PNG card for link previews."""

from __future__ import annotations

from dataclasses import replace

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from results.pictures.drawing import in_order
from results.pictures.points import labels, score
from results.sharing.card import MAX_BARS, Bar, Card
from results.sharing.pen import MAX_MEASURED_CHARS, can_write
from results.wording import join_names

from .counting import MethodComparison, MethodResult, heading
from .rules import Poll

# --- what it says ---


def card_of(poll: Poll, comparison: MethodComparison) -> Card:
    votes = ngettext("%(count)d vote", "%(count)d votes", comparison.total) % {"count": comparison.total}
    if not comparison.total:
        return Card(poll.title, "", _("Nobody has voted yet."), "", (), votes, None)
    leaders = dict.fromkeys(name for counted in comparison.counted for name in counted.leaders)
    caption = _("Points (Borda)") if comparison.kind == "ranked" else labels(comparison.charted.method)[0]
    return Card(
        poll.title, heading(comparison), join_names(tuple(leaders)), caption, _bars(comparison.charted), votes, None
    )


def _bars(counted: MethodResult) -> tuple[Bar, ...]:
    scores = [score(counted.result, name) for name in in_order(counted.result)[:MAX_BARS]]
    most = max(each.length for each in scores) or 1
    return tuple(Bar(each.name, float(each.length / most), each.shown, each.name in counted.leaders) for each in scores)


def writable_card(poll: Poll, comparison: MethodComparison, language: str) -> Card:
    """In this language, or in English if our font lacks its letters; names that it lacks are left out."""
    with translation.override(language):
        card = _writable(card_of(poll, comparison))
    if can_write(f"{card.heading}{card.caption}{card.turnout}"):
        return card
    with translation.override("en"):
        return _writable(card_of(poll, comparison))


def _writable(card: Card) -> Card:
    title = card.title if can_write(card.title) else _("The result of a poll")
    leaders = card.names[: MAX_MEASURED_CHARS + 1] if can_write(card.names) else _("See which option leads")
    bars = card.bars if all(can_write(bar.label) for bar in card.bars) else ()
    return replace(card, title=title, names=leaders, bars=bars, caption=card.caption if bars else "")
