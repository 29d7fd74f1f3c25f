"""What a form of marks says, field by field."""

from __future__ import annotations

from django.http import QueryDict

from foundation.ranking.marks import ranks_in, submitted_ranks, typed_ranks

SENT = QueryDict("rank-0=1&rank-2:1=2&rank-2:1=3&rank-3:choice=4&choice=5&other:choice=6&note=7")


def test_marks_are_told_apart_by_question_and_no_other_field_is_one():
    sent = submitted_ranks(SENT)
    assert sent == {"0": ["1"], "2:1": ["2", "3"], "3:4": ["1"]}
    assert [ranks_in(sent, number) for number in (1, 2, 3)] == [{"0": ["1"]}, {"1": ["2", "3"]}, {"4": ["1"]}]
    assert [typed_ranks(SENT, number) for number in (1, 2, 3)] == [{0: "1"}, {1: "3"}, {4: "1"}]


def test_a_choice_of_nothing_marks_nobody():
    assert submitted_ranks(QueryDict("rank-choice=&rank-2:choice=")) == {}
