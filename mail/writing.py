"""A mail as it is sent, written as Django and Python write it, without what costs them most for nothing."""

from __future__ import annotations

import secrets
from email.message import Message
from email.policy import Compat32
from typing import Any

from django.core.mail import EmailMultiAlternatives

A_LINE = 78  # characters: longer ones are folded


class ShortLines(Compat32):
    """A header that fits its line and is plain need not be looked at for where to fold it: nearly all are so."""

    def fold_binary(self, name: str, value: Any) -> bytes:
        line = f"{name}: {value}" if isinstance(value, str) else ""
        if 0 < len(line) <= A_LINE and line.isascii() and line.isprintable() and line == line.strip():
            return f"{line}{self.linesep}".encode()
        return super().fold_binary(name, value)


class Posted(EmailMultiAlternatives):
    def message(self) -> Message:
        made = super().message()
        for part in made.walk():
            part.policy = SHORT_LINES
        if made.is_multipart():
            made.set_boundary(secrets.token_hex(16))  # or Python searches all parts for one that is in none of them
        return made


SHORT_LINES = ShortLines()
