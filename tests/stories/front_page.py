"""Everything that can happen to the site's own page."""

from __future__ import annotations

from foundation.photos.changing import PictureChange
from foundation.photos.photos import Encoded, Photo
from results.front_page import site_page
from results.front_page.site_page import Part


def tell_of_the_site_page(owner) -> None:
    """Written, pictured, removed, and written again."""
    for number in (4, 5):
        seen = site_page.edition(site_page.find(), Part.TEXT)
        site_page.edit(owner, Part.TEXT, seen, {"text": f"We *are* {number}."})
        site_page.picture(owner, a_picture(number))
        if number == 4:
            site_page.remove(owner)


def a_picture(number: int) -> PictureChange:
    return PictureChange(Encoded(Photo(f"{number:032x}", "A door", 640, 480, (640,), "jpg", ("0" * 64,)), (b"bytes",)))
