"""Names and other short texts in templates."""

from django import template
from django.template.defaultfilters import truncatechars

register = template.Library()


@register.filter
def shortened(name: str, length: int) -> str:
    """As `truncatechars`, which thinks long about every name: one of plain letters that is short stays what it is."""
    return name if len(name) <= length and name.isascii() else truncatechars(name, length)


@register.filter
def begins(text: str, beginning: str) -> bool:
    return text.startswith(beginning)
