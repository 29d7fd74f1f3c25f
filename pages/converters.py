"""Names in URLs: any name, even one with a slash or made of dots."""

from __future__ import annotations

import re

UNSAFE = re.compile(r"[/~\\.]")
ESCAPED = re.compile(r"~([0-9A-F]{2})")


class NameConverter:
    """A slash would end the path segment, and `.` and `..` would traverse it, so these are written as ~XX."""

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        return ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)

    def to_url(self, value: str) -> str:
        return UNSAFE.sub(lambda found: f"~{ord(found[0]):02X}", value)
