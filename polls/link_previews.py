"""Link previews and embedding of a poll: Open Graph data, iframe code."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape
from django.utils.text import Truncator
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from acts.links import absolute_url
from pages.markdown import excerpt
from pages.markdown_cache import description_html
from pages.sharing import LANGUAGES, MAX_PREVIEW_CHARS
from results.sharing.pen import HEIGHT_PX, WIDTH_PX, edition

from . import counting
from .counting import MethodComparison
from .rules import Poll

FRAME_HEIGHT_PX = 480


def address_of(poll: Poll) -> str:
    return absolute_url(reverse("poll", args=[poll.id]))


def preview(poll: Poll, comparison: MethodComparison | None = None) -> dict[str, Any]:
    """What other sites show for a link: the question, and the result once the poll is over."""
    named = _("Options: %(names)s") % {"names": ", ".join(each.name for each in poll.candidates)}
    summary = excerpt(description_html(poll), MAX_PREVIEW_CHARS) or Truncator(named).chars(MAX_PREVIEW_CHARS)
    about = {"title": poll.title, "address": address_of(poll)}
    if comparison is None or not comparison.total:
        return about | {"summary": summary, "image": absolute_url(static("img/apple-touch-icon.png"))}
    language = get_language() if get_language() in LANGUAGES else settings.LANGUAGE_CODE
    drawn = absolute_url(reverse("poll_card", args=[poll.id, language, edition_of(comparison)]))
    summary_sentence = counting.agreement(comparison)
    return about | {
        "summary": summary_sentence,
        "image": drawn,
        "width": WIDTH_PX,
        "height": HEIGHT_PX,
        "alt": f"{poll.title}. {summary_sentence}",
    }


def edition_of(comparison: MethodComparison) -> str:
    """Identifies the picture of this result, including the version of the drawing code."""
    return f"{edition()}-{comparison.digest[:32]}"


def frame(poll: Poll) -> str:
    """HTML to embed in another page."""
    source = absolute_url(reverse("poll_embed", args=[poll.id]))
    label = escape(_("Poll: %(title)s") % {"title": poll.title})
    return f'<iframe src="{source}" title="{label}" width="100%" height="{FRAME_HEIGHT_PX}" loading="lazy"></iframe>'
