"""What a page weighs, against a stated budget, and that the light palette is written down the same both times."""

from __future__ import annotations

import gzip
import re

import pytest

from config.settings import BASE_DIR

KB = 1024
STYLES = [BASE_DIR / "static" / "css" / f"{name}.css" for name in ("tokens", "base", "parts")]
SCRIPTS = [BASE_DIR / "static" / "js" / f"{name}.js" for name in ("theme", "page")]


@pytest.mark.journey
def test_home_weighs_less_than_60_kilobytes_in_all(visit):
    page = visit("about:blank")
    meter = page.context.new_cdp_session(page)
    meter.send("Network.enable")
    meter.send("Network.setCacheDisabled", {"cacheDisabled": True})
    received = []
    meter.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    page.goto("/", wait_until="networkidle")
    assert len(received) >= 7, "the page, three styles, three scripts"
    assert sum(received) < 60 * KB


@pytest.mark.journey
def test_our_styles_weigh_less_than_40_kilobytes_and_a_quarter_of_it_on_the_way():
    text = b"".join(path.read_bytes() for path in STYLES)
    assert len(text) < 40 * KB
    assert sum(len(gzip.compress(path.read_bytes())) for path in STYLES) < 9.5 * KB


@pytest.mark.journey
def test_our_scripts_weigh_less_than_8_kilobytes():
    assert sum(path.stat().st_size for path in SCRIPTS) < 8 * KB


def test_the_palette_for_old_browsers_is_the_light_half_of_the_pairs():
    text = STYLES[0].read_text()
    old, new = text.split("@supports", 1)
    alone = dict(re.findall(r"--([\w-]+): (#\w+|rgb\([^)]*\));", old))
    paired = dict(re.findall(r"--([\w-]+): light-dark\((#\w+|rgb\([^)]*\)), ", new))
    assert len(paired) > 20
    assert alone == paired


def test_only_the_tokens_name_colours():
    for path in STYLES[1:]:
        screen = path.read_text().split("@layer print", 1)[0]
        assert re.findall(r"#[0-9a-f]{3,8}\b|rgb\(|hsl\(", screen) == []
