"""What a typed time means in every kind of zone, how it is shown again, and how much time is left.

The changes of clocks are past ones: governments can no longer move them.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.template import engines
from django.test import override_settings
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from foundation.pages import times
from foundation.pages.times import (
    AOE,
    ClockChange,
    Edge,
    UnknownZone,
    form_time,
    from_text,
    interpret,
    local_time,
    offset_text,
    seconds_left,
    selectable_zones,
    split_seconds,
    zone,
    zone_label,
)
from foundation.store.log import as_text
from tests.rows import every_row

NOON = datetime(2025, 11, 15, 12, tzinfo=UTC)
BOTH = [Edge.OPENING, Edge.CLOSING]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


# --- zones ---


def test_the_places_offered_are_sorted_and_carry_todays_offset():
    places = {place.name: place for place in selectable_zones(NOON)}
    assert places["Europe/Berlin"].label == "Berlin (UTC+01:00)"
    assert places["Asia/Kolkata"].label == "Kolkata (UTC+05:30)"
    assert places["America/Argentina/Buenos_Aires"].label == "Buenos Aires, Argentina (UTC-03:00)"
    assert places["Africa/Abidjan"].label == "Abidjan (UTC)"
    assert [(place.region, place.city) for place in places.values()] == sorted(
        (place.region, place.city) for place in places.values()
    )


def test_offsets_follow_the_season():
    summer = {place.name: place.offset for place in selectable_zones(NOON.replace(month=7))}
    assert summer["Europe/Berlin"] == timedelta(hours=2)


def test_only_places_are_offered_and_each_once():
    names = [place.name for place in selectable_zones(NOON)]
    assert 300 < len(names) == len(set(names))
    assert not {"localtime", "Etc/GMT+12", "EST", "US/Eastern", "Factory", "posixrules"} & set(names)
    assert not {"Asia/Calcutta", "America/Buenos_Aires"} & set(names), "old spellings of places that are there"


def test_every_place_offered_can_be_understood():
    for place in selectable_zones(NOON):
        assert interpret(at("2025-11-15T10:30"), place.name, Edge.CLOSING).zone_name == place.name


def test_an_old_spelling_in_the_store_is_still_understood():
    assert local_time(NOON, "Asia/Calcutta") == local_time(NOON, "Asia/Kolkata")


@every_row(
    "name", ["", "Mars/Olympus", "localtime", "Europe", "../etc/passwd", "/etc/localtime", "EST", "aoe", "Europe/\0"]
)
def test_other_names_are_refused_in_a_sentence(name):
    with pytest.raises(UnknownZone) as refused:
        zone(name)
    assert refused.value.messages == ["No time zone has this name."]


def test_without_the_list_of_places_every_place_is_offered(monkeypatch, tmp_path):
    monkeypatch.setattr(times, "TZPATH", (str(tmp_path),))
    monkeypatch.setattr(times, "find_spec", lambda name: None)
    times._selectable_names.cache_clear()
    try:
        assert {"Europe/Berlin", "Asia/Calcutta"} <= {place.name for place in selectable_zones(NOON)}
    finally:
        times._selectable_names.cache_clear()


def test_anywhere_on_earth_is_twelve_hours_behind():
    last = interpret(at("2025-11-15T23:59"), AOE, Edge.CLOSING)
    assert last.moment == at("2025-11-16T11:59Z")
    assert last.note is ClockChange.PLAIN
    assert last.sentence == "Nov. 15, 2025, 11:59 p.m. AoE (Anywhere on Earth)."


def test_the_day_ends_last_anywhere_on_earth():
    end = at("2025-11-15T23:59")
    everywhere = [interpret(end, place.name, Edge.CLOSING).moment for place in selectable_zones(NOON)]
    assert max(everywhere) <= interpret(end, AOE, Edge.CLOSING).moment


@pytest.mark.parametrize(
    ("minutes", "text"), [(0, "UTC"), (60, "UTC+01:00"), (-210, "UTC-03:30"), (845, "UTC+14:05"), (-720, "UTC-12:00")]
)
def test_offsets_are_written_with_their_sign(minutes, text):
    assert offset_text(timedelta(minutes=minutes)) == text


def test_zones_are_named_for_people():
    assert (zone_label("America/New_York"), zone_label(AOE)) == ("America/New York", "Anywhere on Earth")


# --- times that exist once ---


@every_row("edge", BOTH)
@every_row(
    ("zone_name", "moment"),
    [
        ("Europe/Berlin", "2025-11-15T09:30Z"),
        ("America/New_York", "2025-11-15T15:30Z"),
        ("Australia/Lord_Howe", "2025-11-14T23:30Z"),
        ("Asia/Kathmandu", "2025-11-15T04:45Z"),
        ("UTC", "2025-11-15T10:30Z"),
        (AOE, "2025-11-15T22:30Z"),
    ],
)
def test_a_plain_time_is_what_the_zones_clocks_say(zone_name, moment, edge):
    plain = interpret(at("2025-11-15T10:30"), zone_name, edge)
    assert (plain.moment, plain.note) == (at(moment), ClockChange.PLAIN)
    assert plain.moment.tzinfo is UTC
    assert plain.shown.replace(tzinfo=None) == plain.typed


@pytest.mark.parametrize(
    ("before", "after"), [("2025-03-30T01:59", "2025-03-30T03:00"), ("2025-10-26T01:59", "2025-10-26T03:00")]
)
def test_times_next_to_a_change_are_plain(before, after):
    for text in (before, after):
        assert interpret(at(text), "Europe/Berlin", Edge.CLOSING).note is ClockChange.PLAIN


# --- times that the clocks skip ---

GAPS = [
    # zone, typed, taken, in UTC
    ("Europe/Berlin", "2025-03-30T02:30", "2025-03-30T03:30", "2025-03-30T01:30Z"),
    ("Europe/Berlin", "2025-03-30T02:00", "2025-03-30T03:00", "2025-03-30T01:00Z"),
    ("America/New_York", "2025-03-09T02:30", "2025-03-09T03:30", "2025-03-09T07:30Z"),
    ("Australia/Lord_Howe", "2024-10-06T02:15", "2024-10-06T02:45", "2024-10-05T15:45Z"),
    ("Africa/Casablanca", "2024-04-14T02:30", "2024-04-14T03:30", "2024-04-14T02:30Z"),
    ("Pacific/Apia", "2011-12-30T12:00", "2011-12-31T12:00", "2011-12-30T22:00Z"),
]


@pytest.mark.parametrize("edge", BOTH)
@pytest.mark.parametrize(("zone_name", "local", "taken", "moment"), GAPS)
def test_a_skipped_time_moves_on_by_as_much_as_the_clocks(zone_name, local, taken, moment, edge):
    gap = interpret(at(local), zone_name, edge)
    assert gap.note is ClockChange.GAP
    assert gap.moment == at(moment)
    assert gap.shown.replace(tzinfo=None) == at(taken)


def test_a_skipped_time_is_explained():
    gap = interpret(at("2025-03-30T02:30"), "Europe/Berlin", Edge.OPENING)
    assert gap.sentence == (
        "March 30, 2025, 2:30 a.m. does not exist in this time zone (Europe/Berlin): the clocks go forward and skip it."
        " We used March 30, 2025, 3:30 a.m. CEST instead."
    )


# --- times that come twice ---

REPEATS = [
    # zone, typed, its first coming, its second
    ("Europe/Berlin", "2025-10-26T02:30", "2025-10-26T00:30Z", "2025-10-26T01:30Z"),
    ("Europe/Berlin", "2025-10-26T02:00", "2025-10-26T00:00Z", "2025-10-26T01:00Z"),
    ("America/New_York", "2025-11-02T01:30", "2025-11-02T05:30Z", "2025-11-02T06:30Z"),
    ("Australia/Lord_Howe", "2025-04-06T01:45", "2025-04-05T14:45Z", "2025-04-05T15:15Z"),
    ("Africa/Casablanca", "2024-03-10T02:30", "2024-03-10T01:30Z", "2024-03-10T02:30Z"),
]


@pytest.mark.parametrize(("zone_name", "local", "first", "second"), REPEATS)
def test_a_repeated_time_opens_at_the_first_and_closes_at_the_second(zone_name, local, first, second):
    opening, closing = (interpret(at(local), zone_name, edge) for edge in (Edge.OPENING, Edge.CLOSING))
    assert (opening.note, closing.note) == (ClockChange.REPEATED, ClockChange.REPEATED)
    assert (opening.moment, closing.moment) == (at(first), at(second))
    assert opening.shown.replace(tzinfo=None) == closing.shown.replace(tzinfo=None) == at(local)


def test_a_repeated_time_is_explained():
    opening, closing = (interpret(at("2025-10-26T02:30"), "Europe/Berlin", edge) for edge in BOTH)
    assert "occurs twice in this time zone (Europe/Berlin)" in opening.sentence
    assert "We used the first, Oct. 26, 2025, 2:30 a.m. CEST, so" in opening.sentence
    assert "We used the second, Oct. 26, 2025, 2:30 a.m. CET, so" in closing.sentence


def test_zones_without_letters_are_told_by_their_offset():
    opening, closing = (interpret(at("2025-04-06T01:45"), "Australia/Lord_Howe", edge) for edge in BOTH)
    assert "1:45 a.m. UTC+11:00," in opening.sentence
    assert "1:45 a.m. UTC+10:30," in closing.sentence


# --- years ---


@every_row("zone_name", ["Pacific/Kiritimati", AOE])
@every_row("local", [datetime.min, datetime.max, datetime(1999, 12, 31, 23, 59), datetime(2200, 1, 1)])
def test_years_without_elections_are_refused_in_a_sentence(local, zone_name):
    with pytest.raises(ValidationError) as refused:
        interpret(local, zone_name, Edge.CLOSING)
    assert refused.value.messages == ["The year must be between 2000 and 2199."]


@pytest.mark.parametrize("local", [datetime(2000, 1, 1), datetime(2199, 12, 31, 23, 59)])
def test_the_first_and_the_last_year_are_accepted(local):
    assert interpret(local, AOE, Edge.CLOSING).typed == local


# --- there and back ---

ZONES = st.sampled_from([AOE, "UTC", "Asia/Calcutta", *(place.name for place in selectable_zones(NOON))])
LOCAL_TIMES = st.datetimes(datetime(2000, 1, 1), datetime(2199, 12, 31, 23, 59, 59))


@st.composite
def times_near_changes(draw):
    """A zone whose clocks change, and a time within two hours of a change: chance alone hardly ever meets one."""
    zone_name, local, *_ = draw(st.sampled_from([*GAPS, *REPEATS]))
    return zone_name, at(local) + timedelta(minutes=draw(st.integers(-120, 120)))


@given(st.one_of(st.tuples(ZONES, LOCAL_TIMES), times_near_changes()), st.sampled_from(BOTH))
def test_what_was_typed_is_shown_again_unless_the_clocks_skip_it(zone_and_time, edge):
    zone_name, local = zone_and_time
    told = interpret(local, zone_name, edge)
    assert (form_time(told.moment, zone_name) == local) is (told.note is not ClockChange.GAP)
    if told.note is ClockChange.GAP:
        assert form_time(told.moment, zone_name) > local


@given(st.one_of(st.tuples(ZONES, LOCAL_TIMES), times_near_changes()), st.sampled_from(BOTH))
def test_saving_a_form_again_moves_nothing(zone_and_time, edge):
    zone_name, local = zone_and_time
    moment = interpret(local, zone_name, edge).moment
    assert interpret(form_time(moment, zone_name), zone_name, edge).moment == moment


@given(times_near_changes())
def test_no_zone_lets_an_election_close_before_it_opens(zone_and_time):
    zone_name, local = zone_and_time
    opening, closing = (interpret(local, zone_name, edge).moment for edge in BOTH)
    assert opening <= closing


@given(LOCAL_TIMES)
def test_a_stored_moment_comes_back_to_the_millisecond(local):
    moment = interpret(local, "Europe/Berlin", Edge.CLOSING)
    back = from_text(moment.stored)
    assert timedelta() <= moment.moment - back < timedelta(milliseconds=1)
    assert as_text(back) == moment.stored


# --- time left ---


@every_row(
    ("seconds", "text"),
    [
        (3 * 86400 + 4 * 3600 + 59 * 60, "3 days 4 hours"),
        (86400 + 3600, "1 day 1 hour"),
        (2 * 86400 + 59, "2 days"),
        (86399, "23 hours 59 minutes"),
        (3600, "1 hour"),
        (3599, "59 minutes 59 seconds"),
        (60, "1 minute"),
        (59, "59 seconds"),
        (1, "1 second"),
        (0, "0 seconds"),
        (400 * 86400, "400 days"),
    ],
)
def test_time_left_is_said_in_its_two_largest_units(seconds, text):
    assert " ".join(map(str, split_seconds(seconds))) == text


@pytest.mark.parametrize(("milliseconds", "seconds"), [(1, 1), (1000, 1), (1001, 2), (0, 0), (-1, 0), (-5000, 0)])
def test_a_begun_second_counts_until_it_is_over(milliseconds, seconds):
    assert seconds_left(NOON + timedelta(milliseconds=milliseconds), NOON) == seconds


# --- on the page ---


def rendered(call: str, **values: object) -> str:
    return engines["jinja2"].from_string(f"{{{{ {call} }}}}").render(values).strip()


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", "", html).split())


@every_row(
    ("zone_name", "text"),
    [
        ("Europe/Berlin", "Nov. 15, 2025, 1 p.m. CET (Europe/Berlin), noon UTC"),
        ("Asia/Kolkata", "Nov. 15, 2025, 5:30 p.m. IST (Asia/Kolkata), noon UTC"),
        ("Pacific/Auckland", "Nov. 16, 2025, 1 a.m. NZDT (Pacific/Auckland), Nov. 15, 2025, noon UTC"),
        ("Asia/Dubai", "Nov. 15, 2025, 4 p.m. UTC+04:00 (Asia/Dubai), noon UTC"),
        (AOE, "Nov. 15, 2025, midnight AoE (Anywhere on Earth), noon UTC"),
        ("UTC", "Nov. 15, 2025, noon UTC"),
        ("Africa/Abidjan", "Nov. 15, 2025, noon GMT (Africa/Abidjan)"),
        ("Mars/Olympus", "Nov. 15, 2025, noon UTC"),
    ],
)
def test_without_scripts_a_time_stands_in_the_elections_zone_and_in_utc(zone_name, text):
    assert words(rendered("election_time(moment, zone)", moment=NOON, zone=zone_name)) == text


@every_row(
    ("site_zone", "text"),
    [
        ("", "Nov. 15, 2025, noon UTC, Nov. 15, 2025"),
        ("Pacific/Auckland", "Nov. 16, 2025, 1 a.m. NZDT, Nov. 16, 2025"),
    ],
)
def test_a_time_without_a_zone_of_its_own_is_in_the_sites(site_zone, text):
    with override_settings(SITE_TIME_ZONE=site_zone):
        assert rendered("moment|in_zone ~ ', ' ~ moment|day", moment="2025-11-15T12:00:00.000Z") == text


def test_a_time_tells_scripts_the_moment_and_the_offset():
    html = rendered("election_time(moment, zone)", moment="2025-11-15T12:00:00.000Z", zone="America/St_Johns")
    assert '<time datetime="2025-11-15T12:00:00.000Z" data-local data-offset="-210"' in html
    assert 'data-yours="{time} your time"' in html


@pytest.mark.parametrize(
    ("edge", "left", "text"),
    [
        ("closing", timedelta(days=3, hours=4), "3 days 4 hours left"),
        ("opening", timedelta(minutes=5, seconds=1), "Opens in 5 minutes 1 second"),
        ("closing", timedelta(milliseconds=1), "1 second left"),
        ("closing", timedelta(), "Voting has ended."),
        ("opening", timedelta(days=-1), "Voting has begun."),
    ],
)
def test_the_countdown_says_in_words_what_is_left(edge, left, text):
    html = rendered("countdown(until, edge, now)", until=NOON + left, edge=edge, now=NOON)
    assert words(html) == text


def test_the_countdown_tells_scripts_the_servers_time():
    html = rendered("countdown(until, now=now)", until="2025-11-16T12:00:00.000Z", now=NOON)
    assert (
        'role="timer" data-edge="closing" data-until="2025-11-16T12:00:00.000Z" data-now="2025-11-15T12:00:00.000Z"'
        in html
    )
    assert 'data-words="{time} left" data-over="Voting has ended."' in html
    assert "<span><b>1</b> day</span>" in html


def test_the_countdown_takes_the_present_time_by_itself():
    assert words(rendered("countdown(until)", until=datetime(2000, 1, 1, tzinfo=UTC))) == "Voting has ended."


@pytest.mark.parametrize(
    ("edge", "left", "is_ending"),
    [
        ("closing", timedelta(hours=1), False),
        ("closing", timedelta(minutes=59), True),
        ("opening", timedelta(minutes=59), False),
    ],
)
def test_the_last_hour_before_the_end_looks_different(edge, left, is_ending):
    html = rendered("countdown(until, edge, now)", until=NOON + left, edge=edge, now=NOON)
    assert ('class="countdown ending"' in html) is is_ending


def test_dates_are_written_as_the_readers_language_writes_them():
    with override("de"):
        assert "15. November 2025 13:00 CET" in words(rendered("election_time(moment, 'Europe/Berlin')", moment=NOON))


def test_every_language_has_its_own_words_for_what_is_left():
    for language, text in (("en", "3 days left"), ("de", "noch 3 Tage"), ("en", "3 days left")):
        with override(language):
            left = words(rendered("countdown(until, now=now)", until=NOON + timedelta(days=3), now=NOON))
        assert left == text
