"""The time that is left, as phones and projector say it when a page is loaded; a script goes on from there."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def time_left(milliseconds: int) -> str:
    """In minutes and seconds, the second that has begun in full: it says 0:00 only when the time is over."""
    seconds = -(-milliseconds // 1000)
    return f"{seconds // 60}:{seconds % 60:02d}"


@register.filter
def minutes(seconds: int) -> str:
    """How long something has lasted, in minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02d}"
