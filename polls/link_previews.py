"""Link previews and embedding of a poll: Open Graph data, oEmbed address, iframe code."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import escape
from django.utils.http import urlencode
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from acts.links import absolute_url
from pages.markdown import excerpt
from pages.markdown_cache import description_html
from pages.sharing import MAX_PREVIEW_CHARS, site_picture

from . import counting
from .counting import MethodComparison
from .rules import Poll

FRAME_WIDTH_PX, FRAME_HEIGHT_PX = 600, 480


def address_of(poll: Poll) -> str:
    return absolute_url(reverse("poll", args=[poll.id]))


def preview(poll: Poll, comparison: MethodComparison | None = None) -> dict[str, str]:
    """What other sites show for a link: the question, and the result once the poll is over."""
    named = _("Options: %(names)s") % {"names": ", ".join(each.name for each in poll.candidates)}
    summary = excerpt(description_html(poll), MAX_PREVIEW_CHARS) or Truncator(named).chars(MAX_PREVIEW_CHARS)
    query = urlencode({"url": address_of(poll), "format": "json"})
    oembed = f"{absolute_url(reverse('oembed'))}?{query}"
    if comparison is not None and comparison.total:
        summary = counting.agreement(comparison)
    about = {"title": poll.title, "summary": summary, "address": address_of(poll)}
    return about | {"oembed": oembed, "image": site_picture()}


def frame(poll: Poll, width: int | str = "100%", height: int = FRAME_HEIGHT_PX) -> str:
    """HTML to embed in another page."""
    source = absolute_url(reverse("poll_embed", args=[poll.id]))
    label = escape(_("Poll: %(title)s") % {"title": poll.title})
    return f'<iframe src="{source}" title="{label}" width="{width}" height="{height}" loading="lazy"></iframe>'
