"""The part *news*: posts, likes, feeds, news by mail, and the site's own page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.translation import gettext_lazy as _

from foundation import parts
from foundation.acts.queues import Progress


class News(parts.Part):
    name = "parts.news"
    title = _("News")
    about = _("Posts on the front page, in a feed and by mail to those who want it.")
    once_off = _("Posts are no longer shown and nothing is mailed. Posts, likes and subscriptions are kept.")
    fits = ("club",)
    sections = {"parts.news": "news", "results.front_page.site_views": "admin"}
    places = ("nav", "admin")
    help = {"news": _("Reading, writing and publishing news.")}

    def install(self) -> None:
        from accounts.services import ON_REMOVAL
        from elections.panels import HOME_CARDS, PANELS
        from foundation.acts import background
        from foundation.mail.emails import EMAIL_TEMPLATES
        from results.front_page.home import FRONT_PANELS
        from results.front_page.home import PANELS as PANELS_AT_HOME

        from . import mailing, repository
        from .likes import forget_likes
        from .mailing import forget_subscription
        from .panels import election_panel, newest_posts, post_cards
        from .services import pass_on

        background.register(repository.FORGETTING_LIKES, repository.MAILING)
        EMAIL_TEMPLATES.update(mailing.EMAIL_TEMPLATES)
        HOME_CARDS.add(post_cards)
        PANELS_AT_HOME.add(newest_posts)
        FRONT_PANELS.add(newest_posts)
        PANELS.add(election_panel)  # the newest posts about it, and the news actions of those who run it
        ON_REMOVAL.add(
            pass_on,  # public posts stay without a name; unpublished ones pass to the site's owner
            forget_likes,  # which posts they like is forgotten; the counts stay
            forget_subscription,  # their address is unsubscribed from the news
        )

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        from .demo import load

        return {"news": lambda progress: load()}
