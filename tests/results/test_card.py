"""The picture of a result: the right words, only letters it can write, always the same size, and nobody else's."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from html import unescape
from types import SimpleNamespace

import pymupdf_fonts
import pytest
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFont, features

from elections.turnout.counts import Turnout
from results.report import report_on
from results.repository import Seal
from results.sharing import pen
from results.sharing.card import Card, card_of, picture
from results.sharing.pen import HEIGHT_PX, WIDTH_PX
from tally.ballots import Ballots
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.results.test_sealing import close, voted  # noqa: F401 - fixtures
from tests.results.test_share import shared  # noqa: F401 - a fixture
from tests.rows import every_row

NAMES = ("Ada", "Zoë Müller", "Čapek", "Dan", "Eve")
CYCLE = ["0>1>2>3"] * 41 + ["1>2>0"] * 33 + ["2>0>1>4"] * 26 + ["3>0", ""]


def card(
    rankings, method="schulze", names=NAMES, name="Board", language="en", voters=200, listed=True, **rules
) -> Card:
    report = report_on(Ballots.of(names, rankings), method, seed="seed", recounts=0, **rules)
    turnout = Turnout(len(rankings), 0, ())
    seal = Seal(len(rankings), "", "", "2031-05-01T12:00:00Z", 1, report.result.candidates, turnout)
    election = SimpleNamespace(name=name, entitled=200, electorate="listed" if listed else "everyone")
    return card_of(election, seal, report, language)


def words_of(said: Card) -> list[str]:
    texts = [said.title, said.heading, said.names, said.caption, said.turnout]
    return [*texts, *(text for bar in said.bars for text in (bar.label, bar.shown))]


# --- what it says ---


def test_of_one_winner_it_shows_the_contests():
    said = card(CYCLE)
    assert (said.title, said.heading, said.names) == ("Board", "Winner", "Ada")
    assert said.caption == "Head to head against"
    assert [(bar.label, bar.shown) for bar in said.bars] == [
        ("Zoë Müller", "68 : 33"),
        ("Čapek", "42 : 59"),
        ("Dan", "100 : 1"),
        ("Eve", "101 : 0"),
    ]
    assert said.bars[0].share == 68 / 101
    assert (said.turnout, said.share) == ("102 of 200 have voted", 0.51)


def test_of_a_count_by_rounds_it_shows_the_last():
    said = card(CYCLE, "irv")
    assert said.caption.startswith("Votes in round ")
    assert [(bar.label, bar.shown, bar.won) for bar in said.bars] == [("Ada", "68", True), ("Zoë Müller", "33", False)]


def test_of_a_count_by_points_it_shows_the_points_of_the_first():
    names = [f"Candidate {number}" for number in range(9)]
    said = card(["8>7>6>5", "8=7"], "borda", names=names)
    assert said.caption == "Points"
    assert [bar.label for bar in said.bars] == [f"Candidate {number}" for number in (8, 7, 6, 5, 0)]
    assert (said.bars[0].share, said.bars[0].shown) == (1.0, "15.5")


def test_a_tie_is_said_to_be_one():
    said = card(["0>1", "1>0"], names=("Ada", "Bo"), listed=False)
    assert (said.heading, said.names) == ("A tie", "Ada, Bo")
    assert [(bar.label, bar.shown) for bar in said.bars] == [("Ada : Bo", "1 : 1")]
    assert (said.turnout, said.share) == ("2 ballots", None)


def test_several_seats_are_filled_by_those_elected():
    said = card(CYCLE, "stv-scottish", seats=3)
    assert (said.heading, said.names) == ("Elected", "Ada, Zoë Müller, Čapek")


def test_where_there_is_nothing_to_count_it_says_so():
    said = card(["", ""])
    assert (said.heading, said.names, said.bars) == ("", "Nothing to count", ())


def test_it_speaks_the_language_it_is_asked_for():
    said = card(["0", "0=1", "0=1", "1"], "plurality", language="de", name="Gemeinderätin")
    assert (said.title, said.heading) == ("Gemeinderätin", "Gleichstand")
    assert card(["0", "0=1", "0"], "plurality", language="de").bars[0].shown == "2,5"


# --- letters ---

UNWRITABLE = ["中村", "とうひょう", "투표", "😀", "Ընտրություն", "தேர்தல்", "Ada 😀", "a\u202eb", "tab\tbed", "\ue000"]


@every_row("name", UNWRITABLE)
def test_a_name_that_cannot_be_written_is_left_out_and_the_rest_stays_right(name):
    said = card(CYCLE, names=(name, *NAMES[1:]))
    assert (said.heading, said.names) == ("Winner", "See who won")
    assert [bar.label for bar in said.bars] == ["Zoë Müller", "Čapek", "Dan", "Eve"]
    other = card(CYCLE, names=(*NAMES[:4], name))
    assert other.names == "Ada"
    assert [bar.label for bar in other.bars] == ["Place 2", "Place 3", "Place 4", "Place 5"]
    assert card(CYCLE, name=name).title == "The result of an election"
    assert card(["0>1", "1>0"], names=("Ada", name)).names == "See who shares first place"
    assert card(CYCLE, "stv-scottish", names=(name, *NAMES[1:]), seats=2).names == "See who was elected"


LETTER = st.characters(exclude_categories=["Cs"])


@pytest.mark.deep
@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(LETTER, min_size=1, max_size=40), min_size=5, max_size=5, unique=True), st.text(LETTER))
def test_whatever_the_names_only_what_can_be_written_is_on_it(names, title):
    for method in ("schulze", "irv"):
        assert all(map(pen.can_write, words_of(card(CYCLE, method, names=names, name=title))))


PLAIN = ["Board “2026” – €", "Straße ÄÖÜ ẞ", "Zażółć gęślą jaźń", "Bầu cử Huế", "Ελληνικά", "Жанна Їжак", "არჩევნები"]
SHAPED = ["مريم", "עדה", "चुनाव", "ที่", "q\u0308"]


@pytest.fixture
def basic_layout(monkeypatch) -> Iterator[None]:
    """Pillow on a system without the FriBiDi library."""
    file = io.BytesIO(pymupdf_fonts.myfont("figo"))
    basic = ImageFont.truetype(file, 20, layout_engine=ImageFont.Layout.BASIC)
    pen._has_glyph.cache_clear()
    monkeypatch.setattr(pen, "font", lambda size: basic)
    yield
    pen._has_glyph.cache_clear()


@pytest.mark.skipif(not features.check("raqm"), reason="FriBiDi is not installed")
def test_names_in_many_scripts_can_be_written():
    assert [name for name in (*PLAIN, *SHAPED) if not pen.can_write(name)] == []
    said = card(CYCLE, names=(*SHAPED[:4], "Жанна"))
    assert (said.names, said.bars[0].label) == (SHAPED[0], SHAPED[1])


def test_without_shaping_only_scripts_that_need_none_are_written(basic_layout):
    assert [name for name in (*PLAIN, *SHAPED) if pen.can_write(name)] == PLAIN


def test_text_is_not_cut_between_a_letter_and_its_marks():
    cut = pen.cut("q\u0308" * 200, 28, 300)
    assert cut.endswith("\u0308…")


def test_a_long_text_is_cut_to_its_room():
    assert pen.cut("Ada", 28, 300) == "Ada"
    for text in ("von und zu " * 40, "W" * 5000, "äöü" * 200, "iø" * 100):
        cut = pen.cut(text, 28, 300)
        assert cut.endswith("…")
        assert 200 < pen.length(cut, 28) <= 300
    found = pen.wrapped("one two three four five six seven " * 10, 28, 200, 3)
    assert len(found) == 3
    assert found[-1].endswith("…")
    assert all(pen.length(line, 28) <= 200 for line in found)


# --- the picture ---


@pytest.mark.few(1)
@pytest.mark.parametrize("length", [1, 2000])
def test_the_picture_has_the_size_that_was_promised_and_few_bytes(length):
    names = [f"{'Wörthersee ' * (length // 10)}{number}" for number in range(30)]
    drawn = picture(card(["29>28>27", "29>3"], names=names, name="Ü" * length))
    image = Image.open(io.BytesIO(drawn))
    assert (image.format, image.size) == ("PNG", (WIDTH_PX, HEIGHT_PX))
    assert len(drawn) < 60_000


# --- its address ---


def meta(client, name: str = "Board", **headers) -> dict[str, str]:
    page = client.get(reverse("shared", args=[name]), **headers).content.decode()
    return {
        key: unescape(value)
        for key, value in re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)">', page)
    }


def path(said: dict[str, str]) -> str:
    return said["og:image"].removeprefix("http://127.0.0.1:8000")


def test_a_link_shows_the_picture(shared, client):  # noqa: F811
    shared()
    said = meta(client)
    assert said["twitter:card"] == "summary_large_image"
    assert (said["og:image:width"], said["og:image:height"]) == ("1200", "630")
    assert said["og:image:alt"] == "Board: winner: Ada. 3 ballots."
    answer = client.get(path(said))
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Set-Cookie" not in answer
    assert 'desc="1 trips"' in answer["Server-Timing"]
    assert client.get(path(said), headers={"If-None-Match": answer["ETag"]}).status_code == 304


def test_each_language_has_a_picture_of_its_own(shared, client):  # noqa: F811
    shared()
    english, german = meta(client), meta(client, headers={"Accept-Language": "de"})
    assert english["og:image"] != german["og:image"]
    asked_for = [client.get(path(said), headers={"Accept-Language": "fr"}).content for said in (english, german)]
    assert asked_for[0] != asked_for[1]
    assert client.get(path(english).replace("/en/", "/xx/")).status_code == 404


def test_another_result_or_none_has_no_such_picture(shared, voted, client, close):  # noqa: F811
    shared()
    address = path(meta(client))
    assert client.get(address[:-5] + ("0.png" if address[-5] != "0" else "1.png")).status_code == 404
    assert client.get(address.replace("/Board/", "/Nothing/")).status_code == 404
    assert client.post(address).status_code == 405


@pytest.mark.parametrize("state", ["open", "not shared"])
def test_what_is_not_sealed_or_not_shared_has_no_picture(voted, client, close, state):  # noqa: F811
    voted({"Ada": 1}, results_public=state == "open")
    if state != "open":
        close()
    assert client.get("/result/Board/card/en/1-0123.png").status_code == 404
    assert "og:image" not in meta(client)
