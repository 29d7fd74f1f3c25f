"""The operator's logo: a file that only draws, of bounded size."""

from __future__ import annotations

import pytest

from config.settings import BASE_DIR
from foundation.pages.logo import MAX_LOGO_BYTES, PNG, find_error, read

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1">{}</svg>'


@pytest.fixture
def file(tmp_path):
    def write(content: str | bytes) -> str:
        path = tmp_path / "logo"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        read.cache_clear()
        return str(path)

    return write


@pytest.mark.parametrize(
    ("drawing", "kind"),
    [
        (PNG + b"rest", "image/png"),
        (SVG.format('<style>.a { fill: url(#b) }</style><circle class="a" r="1" style="fill:#fff"/>'), "image/svg+xml"),
        (SVG.format('<use xlink:href="#b"/><image href="data:image/png;base64,AA=="/><!-- ours -->'), "image/svg+xml"),
    ],
)
def test_what_draws_is_taken(file, drawing, kind):
    path = file(drawing)
    assert find_error(path) is None
    assert read(path).kind == kind


@pytest.mark.parametrize("name", ["mark.svg", "favicon.svg", "apple-touch-icon.png"])
def test_our_own_could_be_somebodys_logo(name):
    assert find_error(str(BASE_DIR / "static" / "img" / name)) is None


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '<SCRIPT xmlns="http://www.w3.org/1999/xhtml">alert(1)</SCRIPT>',
        '<circle onload="alert(1)" r="1"/>',
        "<foreignObject/>",
        '<a xlink:href="javascript:alert(1)"><circle r="1"/></a>',
        '<image href="https://elsewhere.example/a.png"/>',
        "<style>@import 'https://elsewhere.example/a.css';</style>",
        '<circle style="fill: url(https://elsewhere.example/a.svg#b)" r="1"/>',
        '<animate attributeName="href" to="javascript:alert(1)"/>',
    ],
)
def test_what_does_more_than_draw_is_refused(file, inside):
    assert "a logo only draws" in find_error(file(SVG.format(inside)))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("<html></html>", "is neither a PNG nor an SVG."),
        ("GIF89a", "is neither a PNG nor an SVG."),
        (b"\xff\xd8\xff", "is neither a PNG nor an SVG."),
        ('<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG.format("&a;"), "declares entities, which no drawing needs."),
        (PNG + bytes(MAX_LOGO_BYTES), "has 200,008 bytes; 200,000 are the most."),
    ],
)
def test_what_is_no_logo_is_a_sentence(file, content, sentence):
    assert sentence in find_error(file(content))


def test_a_file_that_is_not_there_is_a_sentence(tmp_path):
    assert find_error(f"{tmp_path}/nowhere.png").endswith("cannot be read: No such file or directory.")
