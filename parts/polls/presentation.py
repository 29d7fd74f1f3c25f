"""How a poll is shown: as a form to fill in, as a vote that was given, on other sites, and as a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.html import escape
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from elections.panels import MAX_CARDS, MAX_NEWEST, NO_TIME, NOW, RUNNING, HomeCard
from foundation.acts.links import absolute_url
from foundation.acts.storage import table
from foundation.pages.http_cache import MAX_PREVIEW_CHARS, site_picture
from foundation.pages.markdown import description_html, excerpt
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import (
    ShownBallot,
    choices_of,
    how_to_vote,
    shown_ballot,
    shown_ranking,
    takes_one,
    unranked_sentence,
)
from foundation.store.keys import made_by
from foundation.store.parallel import run_parallel

from . import counting, repository
from .counting import MethodComparison
from .rules import Poll

HOW_TO_VOTE = {
    "approval": gettext_lazy("Tick every option that suits you, as many as you like."),
    "score": gettext_lazy("Score each option from 0, the worst, to 5, the best."),
}


def form_context(poll: Poll, candidates: Sequence[Candidate], marks: Mapping[int, Any]) -> dict[str, Any]:
    """The options as listed, with what was marked so far, valid or not."""
    return {
        "election": poll,  # as the parts of a ballot call it
        "choices": choices_of(candidates, marks),
        "ranks": len(candidates),
        "how_to_vote": HOW_TO_VOTE.get(poll.kind) or how_to_vote(poll),
        "explanation": _explanation(poll),
        "takes_one": takes_one(poll),
        "unranked_sentence": unranked_sentence(poll.unranked, options=True),
    }


def _explanation(poll: Poll) -> list[str]:
    """What a mark means, and what is too many."""
    if poll.kind == "score":
        return [_("No score counts as 0. You may give the same score more than once.")]
    if poll.kind == "approval":
        return [_("Every option you tick gets one vote.")]
    if poll.most > 1:
        return [_("Every option you choose gets one vote. More than %(most)d are not accepted.") % {"most": poll.most}]
    return []


def shown_vote(poll: Poll, vote: str) -> ShownBallot:
    if poll.kind == "ranked":
        return shown_ranking(vote, poll.candidates, unranked_sentence(poll.unranked, options=True))
    return shown_ballot(vote, poll.candidates, poll)


FRAME_HEIGHT_PX = 480


def address_of(poll: Poll) -> str:
    return absolute_url(reverse("poll", args=[poll.id]))


def preview(poll: Poll, comparison: MethodComparison | None = None) -> dict[str, str]:
    """What other sites show for a link: the question, and the result once the poll is over."""
    named = _("Options: %(names)s") % {"names": ", ".join(each.name for each in poll.candidates)}
    summary = excerpt(description_html(poll), MAX_PREVIEW_CHARS) or Truncator(named).chars(MAX_PREVIEW_CHARS)
    if comparison is not None and comparison.total:
        summary = counting.agreement(comparison)
    about = {"title": poll.title, "summary": summary, "address": address_of(poll)}
    return about | {"image": site_picture()}


def frame(poll: Poll) -> str:
    """HTML to embed in another page."""
    source = absolute_url(reverse("poll_embed", args=[poll.id]))
    label = escape(_("Poll: %(title)s") % {"title": poll.title})
    return f'<iframe src="{source}" title="{label}" width="100%" height="{FRAME_HEIGHT_PX}" loading="lazy"></iframe>'


def poll_cards(user: User, now: str) -> list[HomeCard]:
    newest, _cursor = repository.list_page(made_by(user.name), limit=MAX_NEWEST)
    open_ = [each.id for each in newest if each.is_open(now)][:MAX_CARDS]
    found = run_parallel(table(), *(partial(repository.with_gates, poll_id) for poll_id in open_))
    cards = [
        (poll.expires_at or NO_TIME, {"poll": poll, "votes": votes}) for poll, votes, _result in filter(None, found)
    ]
    return [HomeCard(RUNNING if of["votes"] else NOW, time, "polls/parts/home_card.html", of) for time, of in cards]
