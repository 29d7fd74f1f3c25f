"""What a count has to say for itself, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext

from tally.explain import Sentence


def translate(sentence: Sentence) -> str:
    return gettext(sentence.template) % sentence.values
