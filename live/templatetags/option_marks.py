"""The letter of an option: beside its shape and its colour, so that none of them is needed to tell options apart."""

from __future__ import annotations

from django import template

register = template.Library()

LETTERS = "ABCDEFGHIJ"


@register.filter
def letter(place: int) -> str:
    """Of the option at a place from 0."""
    return LETTERS[place]


@register.inclusion_tag("live/parts/option_mark.html")
def option_mark(place: int) -> dict[str, object]:
    """Letter on shape in colour, as phones, projector and pictures of results show it."""
    return {"place": place, "letter": letter(place)}
