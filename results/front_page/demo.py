"""The demo's own front page: who decides here, and where else to find them."""

from accounts import repository as people
from accounts.models import User
from foundation.store.table import Item

from . import site_page
from .site_page import Part

WRITTEN: dict[Part, Item] = {
    Part.TEXT: {
        "text": """We are a house with a workshop, a reading room and more opinions than chairs. What concerns all of \
us, we decide together: who sits on the board, where we meet in summer, what we do with what we are left.

Members sign in to vote. **Results are for everybody**, with the count, step by step.
"""
    },
    Part.LINKS: {"links": [{"title": "Write to us", "address": "mailto:house@demo.example"}]},
}


def load() -> int:
    """Write the parts that are empty; returns how many."""
    owner = people.find(people.owner_name() or "")
    return sum(_write(owner, part) for part in WRITTEN) if owner else 0


def _write(owner: User, part: Part) -> bool:
    page = site_page.find()
    if any(site_page.part_data(page, part).values()):
        return False
    site_page.edit(owner, part, site_page.edition(page, part), WRITTEN[part])
    return True
