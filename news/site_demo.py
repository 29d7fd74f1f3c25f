"""The page of the demo: a club as there are many, which is not there."""

from __future__ import annotations

from typing import Any

from accounts import repository as people
from photos.changing import Wanted
from photos.encoding import encoded

from . import site_drawing, site_page, site_services
from .site_page import Part

NAME, COLOUR = "Lindenhof (demo)", "#1b5e3f"
TEXT = (
    "Lindenhof is a yard with a workshop, a garden and a hall, and some forty people who look after it together. "
    "**It is made up**: everybody and everything on this site is there to be tried out.\n\n"
    "What concerns all of us we decide by ranked votes: who is on the board, who gets the prize, when the summer party "
    "is to be. Anybody can look up how each of them was counted."
)
ALT = "A drawing of a yard: a workshop of brick, a linden tree, and two beehives in front of hills"
LINKS = [
    {"title": "Where to find us", "address": "https://example.org/lindenhof"},
    {"title": "Rent the hall", "address": "https://example.org/lindenhof/hall"},
    {"title": "Write to the board", "address": "mailto:board@demo.example"},
]
PROJECTS = [
    {
        "title": "The open workshop",
        "words": "Every Tuesday evening: wood, bicycles, and whatever you bring that no longer works.",
        "link": "https://example.org/lindenhof/workshop",
    },
    {"title": "Garden behind the hall", "words": "Eleven beds, two hives and a queue for the wheelbarrow.", "link": ""},
    {"title": "A roof for the bicycles", "words": "The money is there. Now we vote on the drawing.", "link": ""},
]


def load() -> int:
    """Written by the site's owner, where nobody has written any; answers how many parts that were."""
    owner = people.find(people.owner_name() or "")
    if owner is None or site_page.find().version:
        return 0
    words: dict[Part, dict[str, Any]] = {
        Part.NAME: {"name": NAME, "colour": COLOUR},
        Part.TEXT: {"text": TEXT},
        Part.LINKS: {"links": LINKS},
        Part.PROJECTS: {"projects": PROJECTS},
    }
    for part, told in words.items():
        site_services.edit(owner, part, site_page.edition(site_page.find(), part), told)
    site_services.picture(owner, Wanted(new=encoded(site_drawing.picture(), ALT)))
    return len(words) + 1
