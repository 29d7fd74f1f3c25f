"""Form for the Q&A settings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from live.qa_rules import MAX_BLOCKED_WORD_CHARS, MAX_BLOCKED_WORDS, Mode, QaSettings, folded
from pages.fields import LinesField

MODES: dict[Mode, str | Promise] = {
    Mode.APPROVED: _("You review every question before others see it"),
    Mode.WORDS: _("Everybody sees questions at once, unless they contain a word on your list"),
    Mode.OPEN: _("Everybody sees questions at once"),
}
TEXT_MODES: dict[Mode, str | Promise] = {
    Mode.APPROVED: _("You review everything before others see it"),
    Mode.WORDS: _("Everybody sees it at once, unless it contains a word on your list"),
    Mode.OPEN: _("Everybody sees it at once"),
}
TOO_MANY = _("At most %(most)d lines; you have %(count)d.")
TOO_LONG = _("At most %(most)d characters per line: “%(word)s”.")
NO_WORD = _("This line contains no word: “%(word)s”.")


class QaForm(forms.Form):
    mode = forms.ChoiceField(
        label=_("Who sees a question"),
        choices=[(str(each), told) for each, told in MODES.items()],
        widget=forms.RadioSelect,
    )
    texts = forms.ChoiceField(
        label=_("Who sees what is written in rounds"),
        required=False,
        choices=[(str(each), told) for each, told in TEXT_MODES.items()],
        widget=forms.RadioSelect,
        help_text=_("Answers the room votes on, survey texts, and ideas."),
    )
    words = LinesField(
        label=_("Your list of blocked words"),
        required=False,
        max_length=MAX_BLOCKED_WORDS * (MAX_BLOCKED_WORD_CHARS + 2),
        rows=4,
        attributes={"spellcheck": "false"},
        help_text=_(
            "One per line. Texts that contain one of them wait for your approval; capitals "
            "and accents make no difference."
        ),
    )
    named = forms.BooleanField(
        label=_("Everybody sees who asks"),
        required=False,
        help_text=_("Otherwise questions are anonymous, even to you. Questions sent anonymously stay anonymous."),
    )

    def clean_words(self) -> tuple[str, ...]:
        """One word per line, without duplicates."""
        typed = [line.strip() for line in str(self.cleaned_data["words"]).splitlines() if line.strip()]
        if len(typed) > MAX_BLOCKED_WORDS:
            raise forms.ValidationError(TOO_MANY % {"most": MAX_BLOCKED_WORDS, "count": len(typed)})
        for word in typed:
            if len(word) > MAX_BLOCKED_WORD_CHARS:
                raise forms.ValidationError(
                    TOO_LONG % {"most": MAX_BLOCKED_WORD_CHARS, "word": word[:MAX_BLOCKED_WORD_CHARS]}
                )
            if not folded(word):
                raise forms.ValidationError(NO_WORD % {"word": word})
        return tuple(dict.fromkeys(typed))

    def chosen(self) -> dict[str, Any]:
        """Arguments of `services.set_up`."""
        typed = self.cleaned_data
        texts = {"texts": Mode(typed["texts"])} if typed["texts"] else {}
        return {"mode": Mode(typed["mode"]), "words": typed["words"], "named": typed["named"], **texts}


def initial(qa: QaSettings) -> dict[str, Any]:
    return {"mode": str(qa.mode), "texts": str(qa.texts), "words": "\n".join(qa.words), "named": qa.named}
