"""Names in templates."""

from __future__ import annotations

import pytest
from django.template.defaultfilters import truncatechars
from django.utils.safestring import mark_safe

from foundation.pages.names import shortened


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Ada",
        "A" * 24,
        "A" * 25,
        "é" * 24,
        "e\u0301" * 24,
        "Ge\u0301za",
        "فاطمة الزهراء بنت محمد العلي",
        "Grace 🦜 Hopper",
        "<b>",
    ],
)
def test_a_name_is_shortened_as_django_would(name):
    assert shortened(name, 24) == truncatechars(name, 24)


def test_a_text_that_is_safe_or_not_stays_so():
    for name in ("<b>", mark_safe("<b>")):
        assert type(shortened(name, 24)) is type(truncatechars(name, 24))
