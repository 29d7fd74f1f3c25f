"""News on other pages, the home page and those of elections; and what the page of a post says of its election."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.http import urlencode

from accounts.models import User
from elections.panels import LATER, MAX_CARDS, HomeCard
from elections.rules import Election, State
from foundation.acts.storage import now_text
from foundation.parts import Panel
from results import repository as results
from results.repository import Seal

from . import repository, rules
from .repository import newest, scheduled
from .rules import Post
from .services import may_announce

SHORT_DIGEST_CHARS = 12  # characters of a digest that people compare


# --- on the pages of an election ---


def election_panel(user: User, election: Election) -> Panel | None:
    """The newest posts about it, and the actions of those who may write them. A draft election has none."""
    if election.stored_state == State.DRAFT:
        return None
    posts, more = repository.on_election(election, limit=repository.MAX_TEASERS)
    may, is_over = may_announce(user, election), election.state(now_text()) == State.CLOSED
    if not posts and not may:
        return None
    is_announced = any(post.result for post in posts)
    context = {
        "posts": posts,
        "more": more is not None,
        "may_write": may,
        "about": about_query(election),
        "may_announce": may and is_over and election.results_public and not is_announced,
        "cannot_announce": rules.NOT_PUBLIC if may and is_over and not election.results_public else "",
    }
    return Panel("news/parts/on_election.html", context)


def about_query(election: Election) -> str:
    """The query string that says what to write about."""
    return str(urlencode({"election": election.name}))


# --- on the page of a post ---


@dataclass(frozen=True, slots=True)
class About:
    """What a post is about, in its current state."""

    post: Post
    election: Election | None = None  # `None` if it is gone
    seal: Seal | None = None

    @property
    def fits(self) -> bool:
        """Whether the post announces the result that is sealed."""
        return self.seal is not None and self.seal.report_digest == self.post.result

    @property
    def short(self) -> str:
        return self.post.result[:SHORT_DIGEST_CHARS]


def load_about(post: Post) -> About | None:
    """One read if the post is about an election, otherwise none."""
    if not post.election:
        return None
    sealed = results.find_seal(post.election)
    is_same = sealed is not None and sealed[0].created_at == post.election_at
    return About(post, *sealed) if sealed and is_same else About(post)


def newest_posts(_user: Any) -> Panel | None:
    posts = newest()
    return Panel("news/parts/newest.html", {"posts": posts}) if posts else None


def post_cards(user: User, _now: str) -> list[HomeCard]:
    """Of a person's scheduled posts."""
    posts, _cursor = scheduled(user.name, limit=MAX_CARDS)
    return [HomeCard(LATER, str(post.published_at), "news/parts/home_card.html", {"post": post}) for post in posts]
