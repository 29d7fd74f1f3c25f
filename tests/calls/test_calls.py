"""No act calls more Python functions than is written down: processor time varies from run to run, and calls do not."""

from __future__ import annotations

import pytest

from . import table


@pytest.mark.seconds(8)
def test_no_act_calls_more_functions_than_is_written_down():
    complaints = table.complaints(table.read(), table.count())
    assert not complaints, "\n".join(complaints)


WRITTEN = {"cast": 1000}


@pytest.mark.parametrize("calls", [900, 970, 1000, 1030])
def test_small_differences_are_none(calls):
    assert table.complaints(WRITTEN, {"cast": calls}) == []


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"cast": 1031}, "cast calls 1,031 functions instead of 1,000 (+3.1%). If it is worth that, raise the number"),
        ({"cast": 899}, "cast calls 899 functions instead of 1,000 (-10.1%). Lower the number"),
        ({"cast": 1000, "poll vote": 7}, "poll vote is counted or written down, but not both"),
        ({}, "cast is counted or written down, but not both"),
    ],
)
def test_a_complaint_names_the_act_and_both_counts_and_says_what_to_do(counts, said):
    (complaint,) = table.complaints(WRITTEN, counts)
    assert complaint.startswith(said)


def test_the_file_is_as_it_would_be_written():
    assert table.FILE.read_text() == table.text(table.read())
