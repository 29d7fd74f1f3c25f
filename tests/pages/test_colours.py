"""A site's own colour: what can be read is taken, and every shade made of it can be read where it is used."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import BASE_DIR
from foundation.pages import colours
from foundation.pages.colours import DARK, LIGHT, MIN_CONTRAST, contrast, find_error, shades, stylesheet

TOKENS = (BASE_DIR / "static" / "css" / "tokens.css").read_text()
ANY = st.integers(0, 0xFFFFFF).map("#{:06x}".format)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == contrast("#ffffff", "#000000") == 21
    assert contrast("#123456", "#123456") == 1
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48  # the grey everybody quotes as just too light


@pytest.mark.parametrize("colour", ["violet", "#fff", "56278a", "#56278g", "#56278a;}"])
def test_what_is_no_colour_is_a_sentence(colour):
    assert find_error(colour) == f"SITE_COLOUR should look like #56278a, not {colour!r}."


def test_a_colour_too_light_to_read_is_a_sentence_with_one_that_would_do():
    sentence = find_error("#ffcc00")
    assert "its contrast is 1.3 to 1, and should be at least 4.5 to 1" in sentence
    (better,) = set(re.findall("#[0-9a-f]{6}", sentence)) - {"#ffcc00"}
    assert find_error(better) is None


@pytest.mark.deep
@given(ANY)
def test_every_shade_can_be_read_where_it_is_used(colour):
    if find_error(colour):
        colour = re.findall("#[0-9a-f]{6}", find_error(colour))[-1]
    for at, surfaces in enumerate((LIGHT, DARK)):
        accent, strong, soft, on = (pair[at] for pair in shades(colour).values())
        texts = [(accent, surface) for surface in (*surfaces, soft)] + [(on, accent), (on, strong), (strong, soft)]
        assert [pair for pair in texts if contrast(*pair) < MIN_CONTRAST] == []


def test_the_surfaces_are_those_of_the_pages():
    for name, light, dark in zip(("sheet", "paper", "sunken"), LIGHT, (DARK[1], DARK[0], DARK[2]), strict=True):
        assert f"--{name}: light-dark({light}, {dark});" in TOKENS


def test_the_sheet_changes_tokens_that_there_are_and_nothing_else():
    sheet = stylesheet("#0b5394")
    assert "--accent: light-dark(#0b5394, " in sheet
    assert sheet.startswith("@layer tokens {")
    assert set(re.findall(r"--[\w-]+", sheet)) == {f"--{name}" for name in colours.shades("#0b5394")}
    assert set(re.findall(r"--[\w-]+", sheet)) <= set(re.findall(r"--[\w-]+", TOKENS))
