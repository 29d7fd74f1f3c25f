"""Markup that people might type, with a number by which each text is found again wherever a page shows it.

The text with the number 7 says `zq7z`. If it became markup, there would be an element or attribute of that name, or one
with the value `xqa7aqx`, which is what the markup tries to ask the server for.
"""

from __future__ import annotations

FULL = "'\"><i-{mark} hx-get={act} hx-trigger=load data-hx-get={act} onclick={act} formaction={act} style={act}>{mark}"
SHORT = "'\"><i-{mark} hx-get={act}>{mark}"  # where there is little room
TINY = "<i-{mark}>"
MARKDOWN = "\n\n[{mark}](javascript:{act}) ![{mark}]({act}) <i-{mark} hx-get={act}>\n\n<form action={act}>\n\n* {mark}"
MARKDOWN_CHARS = 500  # characters that fit: room for Markdown


class Payloads:
    """Gives every text a number, and remembers where it was typed."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def written(self, plain: str, room: int) -> str:
        """A text that the builder of the site writes, with markup behind it. The same text has the same number."""
        return plain + _fitting(self._number(f"written: {plain}"), room - len(plain))

    def typed(self, place: str, kind: str, room: int) -> str:
        """Something to type into a field of this kind that takes so many characters."""
        number = self._number(place)
        if kind == "url":
            return f"https://example.org/{_fitting(number, room - 20)}"
        if kind == "code":
            return f"javascript:{_fitting(number, room - 11)}"
        if kind == "email":
            return f'"{_fitting(number, room - 20)}"@example.org'
        return _fitting(number, room) + (
            MARKDOWN.format(**_words(number)) if kind == "textarea" and room > MARKDOWN_CHARS else ""
        )

    def mark_of(self, place: str) -> str:
        return _words(self.numbers[place])["mark"]

    def _number(self, place: str) -> int:
        return self.numbers.setdefault(place, len(self.numbers))


def _fitting(number: int, room: int) -> str:
    texts = (form.format(**_words(number)) for form in (FULL, SHORT, TINY, "{mark}"))
    return next((text for text in texts if len(text) <= room), "<")


def _words(number: int) -> dict[str, str]:
    return {"mark": f"zq{number}z", "act": f"xqa{number}aqx"}
