"""Pictures as a page lays them out."""

from __future__ import annotations

from collections.abc import Iterable

from django import template

from results import pictures
from results.pictures import Picture

register = template.Library()


@register.filter
def arranged(drawn: Iterable[Picture]) -> list[Picture]:
    """Without holes; see results.pictures."""
    return pictures.arranged(drawn)
