"""What a count has to say for itself, in the reader's language."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext

from tally.explain import Sentence

register = template.Library()


@register.filter
def said(sentence: Sentence) -> str:
    return gettext(sentence.template) % sentence.values
