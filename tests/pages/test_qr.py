"""QR codes: drawn by segno, for any text that fits one."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
import segno

from foundation.pages.qr import MAX_QR_BYTES, fits_qr, qr_image, qr_svg, shared_qr_svg
from tests.rows import every_row

ADDRESS = "https://vote.example.org/election/Board/follow/#K3F9-2Q7M-XW8P"


@every_row("text", ["1", ADDRESS, "Straße 東京 🙂", '"><script>', "a" * MAX_QR_BYTES])
def test_a_qr_code_is_an_image_with_a_white_ground(text):
    svg = ElementTree.fromstring(qr_svg(text))
    ground, modules = svg
    assert svg.tag == "{http://www.w3.org/2000/svg}svg", "it can stand alone"
    assert (ground.get("fill"), modules.get("stroke")) == ("#fff", "#000")
    assert shared_qr_svg(text) == qr_svg(text)


def test_two_texts_have_two_codes():
    assert qr_svg(ADDRESS) != qr_svg(ADDRESS[:-1] + "Q")


@every_row("text", ["a" * (MAX_QR_BYTES + 1), "🙂" * 190 * 4, "ä" * MAX_QR_BYTES])
def test_text_that_is_too_long_has_no_code(text):
    assert not fits_qr(text)
    assert qr_svg(text) == shared_qr_svg(text) == qr_image(text, "/qr.svg") == ""


@pytest.mark.deep
def test_the_longest_text_is_the_longest_that_segno_takes():
    assert segno.make_qr(b"a" * MAX_QR_BYTES, error="m").version == 40
    with pytest.raises(segno.DataOverflowError):
        segno.make_qr(b"a" * (MAX_QR_BYTES + 1), error="m")


def test_an_image_names_its_address_and_not_the_text():
    assert qr_image("secret", "/qr.svg?a=1&b=2") == '<img src="/qr.svg?a=1&amp;b=2" alt="" loading="lazy">'
