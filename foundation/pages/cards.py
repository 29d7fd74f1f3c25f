"""Choices as cards: each explains itself in plain words and may have a picture. They behave like radio buttons, or like
checkboxes where several may be chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms


@dataclass(frozen=True, slots=True)
class Card:
    """One choice: a title, a sentence, and perhaps a badge."""

    title: Any
    sentence: Any
    mark: Any = ""
    picture: str = ""  # the template that draws it

    def __str__(self) -> str:
        return str(self.title)


class Cards(forms.RadioSelect):
    """Radio buttons on cards. A group of choices stays collapsed under its heading until one of them is chosen."""

    template_name = "pages/cards/cards.html"
    option_template_name = "pages/cards/card.html"


class SeveralCards(forms.CheckboxSelectMultiple):
    """Checkboxes on cards."""

    template_name = Cards.template_name
    option_template_name = Cards.option_template_name
