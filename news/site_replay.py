"""What happens to the site's page when the log is replayed."""

from __future__ import annotations

from collections.abc import Iterator

from store import keys
from store.replay import Act, DoesNotFit, Exempt, Happened, Step, like

from . import site_page


def edited(event: Happened) -> Iterator[Step]:
    page = site_page.find()
    words = {name: value for name, value in event.said.items() if name != "part"}
    yield site_page.writing(site_page.changed(page, words), page)


def removed(event: Happened) -> Iterator[Step]:
    page = site_page.find()
    if not page.version:
        raise DoesNotFit("removes the site's page, and there is none by then.")
    yield site_page.removing(page)


REPLAY: dict[str, Act] = {"SitePageEdited": edited, "SitePageRemoved": removed}
EXEMPT = (
    Exempt(
        like(keys.site_page()),
        "What a text was rendered to depends on the version of the program; the text itself is compared.",
        attributes=("text_html", "html_version"),
    ),
)
