"""Link previews and embedding of a poll: Open Graph data, iframe code."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import escape
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from foundation.acts.links import absolute_url
from foundation.pages.http_cache import MAX_PREVIEW_CHARS, site_picture
from foundation.pages.markdown import description_html, excerpt

from . import counting
from .counting import MethodComparison
from .rules import Poll

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
