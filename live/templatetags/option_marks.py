"""The mark of an option on pages: its letter on its shape, in its colour."""

from __future__ import annotations

from django import template

from ..signs import SHAPES, Sign, sign

register = template.Library()


@register.filter
def letter(place: int) -> str:
    """Of the option at a place from 0."""
    return Sign(place).letter


@register.inclusion_tag("live/parts/option_mark.html")
def option_mark(place: int) -> dict[str, object]:
    """Letter on shape in colour, as phones and projector show it."""
    return {"sign": sign(place)}


@register.simple_tag
def shapes() -> tuple[str, ...]:
    return SHAPES
