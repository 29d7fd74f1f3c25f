"""Small icons beside words, never instead of them."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString

# The line ends outside the icon: white space separates it from the words after it.
SVG = '<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"/></svg>\n'
INFO = "M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM12 11v5.5M12 7.7v.1"
PATHS = {
    "check": "M4 12.5l5.5 5.5L20 6.5",
    "close": "M6 6l12 12M18 6L6 18",
    "menu": "M4 7h16M4 12h16M4 17h16",
    "person": "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.8-4 3.6-6 7.5-6s6.7 2 7.5 6",
    "down": "M6 9.5l6 6 6-6",
    "copy": "M9 9h11v11H9zM15 9V4H4v11h5",
    "lock": "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11",
    "warning": "M12 4L2.5 20h19zM12 10v4.5M12 17.2v.1",
    "heart": "M12 20.5C6 16 3 12.6 3 8.9A4.9 4.9 0 0 1 12 6a4.9 4.9 0 0 1 9 2.9c0 3.7-3 7.1-9 11.6z",
    "error": "M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3zM12 7.5v5.5M12 16.2v.1",
}


def icon(name: str) -> SafeString:
    """The icon of that name; any other name, such as a message level, gives the information icon."""
    return format_html(SVG, PATHS.get(name, INFO))
