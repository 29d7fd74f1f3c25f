"""Words for what the data calls by its own names, in templates."""

from __future__ import annotations

from django import template

from live.words import phase_words, type_words

register = template.Library()
register.filter("type_words", type_words)
register.filter("phase_words", phase_words)
