"""What an election's history says about letters."""

from __future__ import annotations

from django.utils.translation import ngettext, ngettext_lazy

from elections.history.entries import EventContext, sentence_with_count

letters_reissued = sentence_with_count(
    ngettext_lazy("%(who)s reissued %(count)d letter.", "%(who)s reissued %(count)d letters.", "count"), "voters"
)


def letters_printed(context: EventContext) -> str:
    count, batch = context.data["letters"], context.data["batch"]
    if context.data["how"] == "file":
        sentence = ngettext(
            "%(who)s exported %(count)d letter for printing, batch %(batch)d.",
            "%(who)s exported %(count)d letters for printing, batch %(batch)d.",
            count,
        )
    else:
        sentence = ngettext(
            "%(who)s printed %(count)d letter, batch %(batch)d.",
            "%(who)s printed %(count)d letters, batch %(batch)d.",
            count,
        )
    return context.text(sentence, count=count, batch=batch)
