"""Calendar files, read back as a calendar program reads them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts import services as accounts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.public.calendar import Entry, NotInTheCalendar, calendar
from store.log import as_text
from store.table import Put
from tests.clock import stands_at
from tests.people import sign_in
from tests.rows import every_row
from tests.webhooks.sites import opened

NOW = datetime(2026, 11, 15, 4, 0, tzinfo=UTC)
OPENS = datetime(2027, 2, 22, 8, 0, tzinfo=UTC)
CLOSES = datetime(2027, 3, 1, 17, 0, tzinfo=UTC)
URL = "https://vote.example.org/elections/board"
ODD_NAMES = [
    "Board, treasurer; and \\more\\",
    "Two\nlines",
    "Two\r\nlines and\rthree",
    "\\n is no line",
    "🗳️👩‍👩‍👧‍👦" * 30,
    "انتخابات مجلس الإدارة " * 10,
    "ä" * 200,
    "x" * 200,
    "BEGIN:VALARM",
    "100 %(name)s %d",
    "",
]


def file(**changes: object) -> bytes:
    election = {"name": "Board 2027", "url": URL, "description": "Three seats.", "opens": OPENS, "closes": CLOSES}
    said = {**election, "changed": NOW, **changes}
    return calendar(Entry(**said), said["changed"])


# --- a small reader ---


def unfolded(octets: bytes) -> list[str]:
    assert octets.endswith(b"\r\n")
    return octets.replace(b"\r\n ", b"").decode().removesuffix("\r\n").split("\r\n")


def plain(value: str) -> str:
    """A text value without its escapes; a separator that was not escaped is a mistake."""
    assert not re.search(r"[,;]", re.sub(r"\\.", "", value))
    return re.sub(r"\\(.)", lambda escape: "\n" if escape[1] in "nN" else escape[1], value)


def parsed(octets: bytes) -> dict[str, dict[str, str]]:
    """The properties of each component, which must be properly nested and may have no property twice."""
    inside: list[str] = []
    found: dict[str, dict[str, str]] = {}
    for line in unfolded(octets):
        name, value = line.split(":", 1)
        if name == "BEGIN":
            inside.append(value)
            assert found.setdefault(value, {}) == {}
        elif name == "END":
            assert inside.pop() == value
        else:
            assert name not in found[inside[-1]]
            found[inside[-1]][name] = value
    assert inside == []
    return found


# --- what is in it ---


def test_an_election_is_one_event_from_opening_to_closing():
    event = parsed(file())["VEVENT"]
    assert (event["DTSTART"], event["DTEND"]) == ("20270222T080000Z", "20270301T170000Z")
    assert event["SUMMARY"] == "Voting: Board 2027"
    assert event["URL"] == URL
    assert plain(event["DESCRIPTION"]) == f"Three seats.\n\n{URL}"
    assert event["DTSTAMP"] == event["LAST-MODIFIED"] == "20261115T040000Z"
    assert "DURATION" not in event


def test_the_file_says_what_it_is():
    head = parsed(file())["VCALENDAR"]
    assert head["VERSION"] == "2.0"
    assert head["PRODID"]


def test_a_week_of_voting_makes_nobody_look_busy():
    assert parsed(file())["VEVENT"]["TRANSP"] == "TRANSPARENT"


def test_times_of_any_zone_are_written_in_utc():
    tokyo = CLOSES.astimezone().astimezone(datetime.fromisoformat("2027-01-01T00:00+09:00").tzinfo)
    assert parsed(file(closes=tokyo))["VEVENT"]["DTEND"] == "20270301T170000Z"


@every_row(
    ("opens", "closes", "start", "summary"),
    [
        (None, CLOSES, "20270301T170000Z", "Voting ends: Board 2027"),
        (OPENS, None, "20270222T080000Z", "Voting begins: Board 2027"),
    ],
)
def test_with_one_time_the_event_is_that_moment(opens, closes, start, summary):
    event = parsed(file(opens=opens, closes=closes))["VEVENT"]
    assert (event["DTSTART"], event["DURATION"], event["SUMMARY"]) == (start, "PT1M", summary)
    assert "DTEND" not in event


@every_row(("opens", "closes"), [(None, None), (CLOSES, OPENS), (CLOSES, CLOSES)])
def test_without_times_that_make_sense_there_is_no_file(opens, closes):
    with pytest.raises(NotInTheCalendar, match=r"\.$"):
        file(opens=opens, closes=closes)


# --- one entry per election ---


def test_a_later_file_replaces_the_earlier_one():
    later = file(
        closes=CLOSES + timedelta(days=1), changed=NOW + timedelta(days=1), sequence=1, description="Two seats."
    )
    first, second = parsed(file())["VEVENT"], parsed(later)["VEVENT"]
    assert first["UID"] == second["UID"]
    assert first["DTSTAMP"] < second["DTSTAMP"]
    assert int(first["SEQUENCE"]) < int(second["SEQUENCE"])


def test_elections_of_one_name_on_two_sites_are_two_entries():
    other = parsed(file(url="https://other.example.org/elections/board"))["VEVENT"]
    assert other["UID"] != parsed(file())["VEVENT"]["UID"]


def test_the_same_election_is_the_same_file():
    assert file() == file()


# --- the alarm ---


@every_row("opens", [OPENS, None, CLOSES - timedelta(hours=1)])
def test_an_alarm_rings_a_day_before_the_end(opens):
    alarm = parsed(file(opens=opens))["VALARM"]
    assert alarm["TRIGGER;VALUE=DATE-TIME"] == "20270228T170000Z"
    assert alarm["ACTION"] == "DISPLAY"
    assert alarm["DESCRIPTION"] == "Voting ends in a day: Board 2027"


@every_row(
    "changes", [{"closes": None}, {"changed": CLOSES - timedelta(days=1)}, {"changed": CLOSES + timedelta(days=1)}]
)
def test_no_alarm_rings_late_or_without_an_end(changes):
    assert "VALARM" not in parsed(file(**changes))


# --- odd words ---


def lines_of(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@every_row("name", ODD_NAMES)
def test_odd_names_come_back_whole(name):
    found = parsed(file(name=name, description=name * 3))
    assert plain(found["VEVENT"]["SUMMARY"]) == f"Voting: {lines_of(name)}"
    assert plain(found["VEVENT"]["DESCRIPTION"]) == f"{lines_of(name * 3).strip()}\n\n{URL}".strip()
    assert plain(found["VALARM"]["DESCRIPTION"]) == f"Voting ends in a day: {lines_of(name)}"


@every_row("name", ODD_NAMES)
def test_no_line_is_longer_than_75_octets_and_no_letter_is_cut(name):
    lines = file(name=name, description=name * 3).split(b"\r\n")
    assert max(map(len, lines)) <= 75
    for line in lines:
        line.decode()
        assert b"\n" not in line
        assert b"\r" not in line


def test_lines_are_as_long_as_they_may_be():
    lines = file(name="x" * 200).split(b"\r\n")
    at = next(number for number, line in enumerate(lines) if line.startswith(b"SUMMARY"))
    assert [len(line) for line in lines[at : at + 2]] == [75, 75]


def test_control_characters_are_left_out_and_tabs_kept():
    event = parsed(file(name="a\0b\x07c\td\x85e\ud800f"))["VEVENT"]
    assert event["SUMMARY"] == "Voting: abc\tdef"


def test_an_address_cannot_add_lines():
    event = parsed(file(url=f"{URL}\r\nATTENDEE:mailto:eve@example.org"))["VEVENT"]
    assert "ATTENDEE" not in event


def test_an_address_of_other_letters_is_encoded():
    assert parsed(file(url=f"{URL}/straße"))["VEVENT"]["URL"] == f"{URL}/stra%C3%9Fe"


@pytest.mark.deep
@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_makes_a_file_that_can_be_read(name, description):
    octets = file(name=name, description=description)
    assert max(map(len, octets.split(b"\r\n"))) <= 75
    assert plain(parsed(octets)["VEVENT"]["SUMMARY"]).startswith("Voting: ")


# --- of an election ---


@pytest.mark.parametrize("change", ["extend", "close"])
def test_when_the_times_change_the_event_says_so_and_otherwise_it_stays(person, monkeypatch, change):
    """Calendar programs keep what they have unless a later event has a higher sequence or modification time."""
    otto, now = person("Otto"), datetime.now(UTC)
    stands_at(monkeypatch, as_text(now - timedelta(seconds=9)))
    board = opened(otto, no_voting_after=as_text(now + timedelta(days=2)))
    browser = sign_in(otto)

    def read() -> dict[str, str]:
        return parsed(browser.get("/election/Board/calendar.ics").content)["VEVENT"]

    before = read()
    stands_at(monkeypatch, as_text(now))
    assert read() == before, "what asks again sees no change"
    if change == "close":
        closing.close(otto, board)
    else:
        lifecycle.extend(otto, board, as_text(now + timedelta(days=9)))
    later = read()
    assert later["UID"] == before["UID"]
    assert int(later["SEQUENCE"]) > int(before["SEQUENCE"])
    assert later["DTSTAMP"] == later["LAST-MODIFIED"] > before["LAST-MODIFIED"]
    assert later["DTSTART"] != before["DTSTART"]


def test_the_address_of_a_calendar_that_an_earlier_version_made_leaves_with_the_person(site, person):
    otto = person("Otto")
    site.write(Put({"PK": "CALENDAR#e50c63bf83cceb47a3e5", "SK": "METADATA", "name": "Otto"}))
    accounts.remove_self(otto)
    assert not [item for _name, item in site.everything() if item["PK"].startswith("CALENDAR#")]
