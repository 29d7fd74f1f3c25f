"""Translates the sentences that explain a count."""

from __future__ import annotations

from django.utils.translation import gettext

from tally.explain import Sentence


def translate(sentence: Sentence) -> str:
    return gettext(sentence.template) % sentence.values
