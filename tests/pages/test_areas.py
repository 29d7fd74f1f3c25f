"""The drawing at the head of each area's list."""

from __future__ import annotations

import re

import pytest

from accounts.rules import Role

AREAS = ("/elections/", "/polls/", "/live/", "/news/", "/people/", "/skills/", "/live/attended/", "/help/")
DRAWING = re.compile(r'<svg class="hemicycle area"[^>]* aria-hidden="true">\s*(<path.*?)</svg>', re.DOTALL)


@pytest.mark.needs
def test_every_area_has_a_small_drawing_of_its_own(site, signed_in):
    browser = signed_in("Olga", Role.OWNER)
    drawings = [DRAWING.findall(browser.get(address).content.decode()) for address in AREAS]
    assert [len(each) for each in drawings] == [1] * len(AREAS)
    assert len({each[0] for each in drawings}) == len(AREAS)
    assert all(len(each[0]) < 500 for each in drawings)


@pytest.mark.needs("polls", "news", "live")
@pytest.mark.parametrize("address", ["/polls/", "/live/", "/news/", "/help/"])
def test_strangers_see_it_too(site, client, address):
    assert DRAWING.search(client.get(address).content.decode())
