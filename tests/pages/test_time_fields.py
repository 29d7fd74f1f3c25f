"""Times as forms take them: what browsers send, what people type, and zones chosen beside them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django import forms
from django.utils import translation

from foundation.pages import fields
from foundation.pages.fields import LocalTimeField, ZonedForm, ZoneField, zone_choices
from foundation.pages.times import AOE, ClockChange, Edge, form_time, local_time, selectable_zones
from tests.rows import every_row


class WindowForm(ZonedForm):
    time_zone = ZoneField()
    opens = LocalTimeField(label="Voting begins", edge=Edge.OPENING, required=False)
    closes = LocalTimeField(label="Voting ends", edge=Edge.CLOSING)


class DeadlineForm(ZonedForm):
    closes = LocalTimeField(label="Voting ends", edge=Edge.CLOSING)

    def zone_name(self):
        return "Asia/Tokyo"


class CarelessForm(ZonedForm):
    time_zone = ZoneField(required=False)
    closes = LocalTimeField(edge=Edge.CLOSING)


def sent(**typed: str) -> WindowForm:
    return WindowForm({"time_zone": "Europe/Berlin", "closes": "2025-11-15T10:30", **typed})


def read(text: str) -> datetime:
    return LocalTimeField(edge=Edge.CLOSING).clean(text)


# --- what is typed ---


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("2026-11-15T10:30", datetime(2026, 11, 15, 10, 30)),
        ("2026-11-15T10:30:15", datetime(2026, 11, 15, 10, 30, 15)),
        ("2026-11-15T10:30:15.5", datetime(2026, 11, 15, 10, 30, 15, 500000)),
        ("2026-11-15T10:30:15.123", datetime(2026, 11, 15, 10, 30, 15, 123000)),
        ("2026-11-15 10:30", datetime(2026, 11, 15, 10, 30)),
        (" 2026-11-15T00:00 ", datetime(2026, 11, 15)),
        ("2028-02-29T23:59", datetime(2028, 2, 29, 23, 59)),
    ],
)
def test_what_browsers_send_is_read(text, local):
    assert read(text) == local


@every_row(
    "text",
    [
        "tomorrow",
        "15.11.2026 10:30",
        "2026-11-15",
        "10:30",
        "2026-11-15T10",
        "2026-11-15T10:30Z",
        "2026-11-15T10:30+01:00",
        "20261115T1030",
        "2026-W46-7T10:30",
        "2026-11-15T10:30\n2026",
        "-2026-11-15T10:30",
        "٢٠٢٦-١١-١٥T١٠:٣٠",
        "<script>",
        "2026-11-15T10:30:15." + "1" * 5000,
    ],
)
def test_what_is_no_time_is_refused_with_an_example(text):
    with pytest.raises(forms.ValidationError, match=r"like this: 2027-03-01 18:00\."):
        read(text)


@pytest.mark.parametrize(
    "text", ["2026-02-30T10:30", "2026-13-01T10:30", "2026-11-15T24:00", "2026-11-15T10:60", "2026-00-00T00:00"]
)
def test_times_that_no_calendar_has_are_refused(text):
    with pytest.raises(forms.ValidationError, match=r"This date or time does not exist\."):
        read(text)


@every_row("year", ["0000", "0001", "0202", "1999", "2200", "9999", "10000", "275760"])
def test_years_without_elections_are_refused(year):
    form = sent(closes=f"{year}-01-01T00:00")
    assert form.errors == {"closes": ["The year must be between 2000 and 2199."]}


def test_a_missing_time_is_none_or_a_mistake_as_the_form_says():
    form = sent(opens="")
    assert form.is_valid()
    assert form.cleaned_data["opens"] is None
    assert sent(closes="").errors == {"closes": ["This field is required."]}


# --- the zone beside it ---


def test_the_form_understands_its_times_in_the_chosen_zone():
    form = sent(opens="2025-10-26T02:30", closes="2025-10-26T02:30")
    assert form.is_valid()
    opens, closes = form.cleaned_data["opens"], form.cleaned_data["closes"]
    assert (opens.moment, closes.moment) == (
        datetime(2025, 10, 26, 0, 30, tzinfo=UTC),
        datetime(2025, 10, 26, 1, 30, tzinfo=UTC),
    )


def test_the_same_digits_in_another_zone_are_another_moment():
    form = sent(time_zone=AOE)
    assert form.is_valid()
    assert form.cleaned_data["closes"].moment == datetime(2025, 11, 15, 22, 30, tzinfo=UTC)


def test_the_form_says_what_it_understood():
    form = sent(opens="2025-03-30T02:30")
    assert form.is_valid()
    assert form.cleaned_data["opens"].note is ClockChange.GAP
    skipped, plain = form.notes()
    assert skipped.startswith("Voting begins: March 30, 2025, 2:30 a.m. does not exist")
    assert skipped.endswith("We used March 30, 2025, 3:30 a.m. CEST instead.")
    assert plain == "Voting ends: Nov. 15, 2025, 10:30 a.m. CET (Europe/Berlin)."


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "localtime", "../etc/passwd", "Europe"])
def test_without_a_zone_no_time_is_understood_and_only_the_zone_is_blamed(zone):
    form = sent(time_zone=zone)
    assert list(form.errors) == ["time_zone"]
    assert "closes" not in form.cleaned_data


def test_a_form_that_forgets_to_ask_for_the_zone_loses_no_time_silently():
    form = CarelessForm({"closes": "2025-11-15T10:30"})
    assert form.errors == {"closes": ["Choose a time zone too, so that everyone knows when this is."]}


def test_a_form_may_know_its_zone_without_asking():
    form = DeadlineForm({"closes": "2025-11-15T10:30"})
    assert form.is_valid()
    assert form.cleaned_data["closes"].moment == datetime(2025, 11, 15, 1, 30, tzinfo=UTC)


def test_every_zone_is_offered_under_its_region():
    nothing, anywhere, universal, *regions = zone_choices()
    assert nothing == ("", "Choose a time zone")
    assert anywhere == (AOE, "Anywhere on Earth (UTC-12:00)")
    assert universal == ("UTC", "UTC")
    grouped = {str(region): dict(places) for region, places in regions}
    assert grouped["Asia"]["Asia/Kolkata"] == "Kolkata (UTC+05:30)"
    assert "Indian/Maldives" in grouped["Indian Ocean"]
    assert all(grouped.values())


# --- on the page ---


def test_the_control_is_the_browsers_own():
    html = str(WindowForm()["closes"])
    assert 'type="datetime-local"' in html
    assert 'max="2199-12-31T23:59"' in html
    assert " min=" not in html


@pytest.mark.parametrize(
    ("moment", "value"),
    [
        (datetime(2025, 11, 15, 9, 30, tzinfo=UTC), "2025-11-15T10:30"),
        (datetime(2025, 11, 15, 9, 30, 17, tzinfo=UTC), "2025-11-15T10:30:17"),
        (datetime(2025, 11, 15, 9, 30, 0, 123000, tzinfo=UTC), "2025-11-15T10:30:00.123"),
    ],
)
def test_a_stored_moment_goes_through_the_form_unchanged(moment, value):
    initial = {"time_zone": "Europe/Berlin", "closes": form_time(moment, "Europe/Berlin")}
    assert f'value="{value}"' in str(WindowForm(initial=initial)["closes"])
    form = WindowForm({"time_zone": "Europe/Berlin", "closes": value}, initial=initial)
    assert form.is_valid()
    assert form.cleaned_data["closes"].moment == moment
    assert form.changed_data == []


def test_a_form_sent_back_keeps_what_was_typed():
    assert 'value="tomorrow &amp; later"' in str(sent(closes="tomorrow & later")["closes"])


def test_a_chosen_zone_stays_chosen():
    assert '<option value="Asia/Tokyo" selected>' in str(sent(time_zone="Asia/Tokyo")["time_zone"])


@pytest.mark.few(5)
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("chosen", [None, "", AOE, "UTC", "Europe/Berlin", "Europe", 'x" selected', "Mars/Olympus"])
def test_the_zones_are_written_as_django_would(chosen, language):
    """But only once for everybody who reads the same language in the same quarter of an hour."""
    with translation.override(language):
        plain = forms.Select({"data-own-zone": True}, choices=zone_choices()).render("zone", chosen)
        assert ZoneField().widget.render("zone", chosen) == plain.strip()


def test_a_change_of_clocks_is_seen_at_once(monkeypatch):
    change = datetime(2027, 3, 28, 1, tzinfo=UTC)
    for moment, offset in [(change - timedelta(seconds=1), "UTC+01:00"), (change, "UTC+02:00")]:
        monkeypatch.setattr(fields, "utc_now", lambda moment=moment: moment)
        assert f"Berlin ({offset})" in str(WindowForm()["time_zone"])


@pytest.mark.deep
def test_clocks_are_put_forward_and_back_on_the_quarters_of_an_hour():
    """What the list of zones relies on."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for place in selectable_zones(start):
        for before, after in pairwise(start + timedelta(days=day) for day in range(0, 1461, 7)):
            if offset_at(before, place.name) != offset_at(after, place.name):
                moment = first_change(before, after, place.name)
                assert moment.timestamp() % 900 == 0, place.name


def offset_at(moment: datetime, zone_name: str) -> timedelta | None:
    return local_time(moment, zone_name).utcoffset()


def first_change(before: datetime, after: datetime, zone_name: str) -> datetime:
    """The second at which another offset begins."""
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // timedelta(seconds=2) * timedelta(seconds=1)
        is_changed = offset_at(middle, zone_name) != offset_at(before, zone_name)
        before, after = (before, middle) if is_changed else (middle, after)
    return after
