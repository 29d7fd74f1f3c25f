"""News on the front page."""

from __future__ import annotations

from parts.news import services
from tests.results.test_site_page import picture


def test_news_are_shown_to_strangers_with_their_pictures_or_a_drawing(site, client, admin, post):
    post("Plain")
    services.picture(admin, post("Pictured").id, picture())
    page = client.get("/").content.decode()
    plain, pictured = (page.split(f'">{title}</a>')[0].split("<li")[-1] for title in ("Plain", "Pictured"))
    assert 'class="hemicycle area"' in plain
    assert 'alt="A hive"' in pictured
