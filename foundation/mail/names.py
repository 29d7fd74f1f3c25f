"""Names in e-mails: the sender's, and names chosen by people, made safe for text in either direction.

The settings are read with this, so it needs none.
"""

from __future__ import annotations

import re
import unicodedata
from email.utils import parseaddr, quote

from django.utils.translation import get_language_bidi

FIRST_STRONG, POP = "\u2068", "\u2069"
LEFT_TO_RIGHT_MARK, RIGHT_TO_LEFT_MARK = "\u200e", "\u200f"
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # would change text direction, or end our own isolation
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+")
RIGHT_TO_LEFT = ("R", "AL", "AN")


def isolated(name: str) -> str:
    """Isolates a right-to-left name, so that the sentence around it keeps its order.

    The isolates are invisible characters that work in subjects and in both parts of a mail. All other names go without,
    because not every mail program supports them.
    """
    line = _TURNING.sub("", _UNSEEN.sub(" ", name)).strip()
    turns = not line.isascii() and any(unicodedata.bidirectional(character) in RIGHT_TO_LEFT for character in line)
    return f"{FIRST_STRONG}{line}{POP}" if turns else line


def turned_as_here(text: str) -> str:
    """A text that begins with an isolated name, whose direction is that of the language it is in. By its first letter,
    browsers would take that of the name."""
    mark = RIGHT_TO_LEFT_MARK if get_language_bidi() else LEFT_TO_RIGHT_MARK
    return f"{mark}{text}" if FIRST_STRONG in text else text


def named_sender(sender: str, name: str) -> str:
    """The sender of mails; a bare address gets the site's name."""
    shown, address = parseaddr(sender)
    return sender if shown or not address else f'"{quote(name)}" <{address}>'
