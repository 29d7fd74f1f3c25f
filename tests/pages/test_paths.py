"""Where forms lead."""

from __future__ import annotations

from django.urls import reverse, set_script_prefix

from foundation.pages.paths import path_of, redirect_to


def test_a_path_is_djangos_also_when_it_is_asked_again():
    for name in ("Board", "A/B ~ä", "Board"):
        assert path_of("ballot", name) == reverse("ballot", args=[name])
        assert redirect_to("receipt", name)["Location"] == reverse("receipt", args=[name])


def test_a_site_below_a_path_has_its_own():
    before = path_of("ballot", "Board")
    set_script_prefix("/votes/")
    try:
        assert path_of("ballot", "Board") == f"/votes{before}"
    finally:
        set_script_prefix("/")
    assert path_of("ballot", "Board") == before
