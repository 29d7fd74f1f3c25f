"""How polls tell of a count: what is ranked in them are options, and nobody stands."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext_lazy, gettext_noop

from tally.explain import TEMPLATES, Sentence

RULES = {
    "schulze": gettext_lazy(
        "Every two options are compared one to one; what has a stronger chain of won contests to another than the "
        "other has back is placed above."
    ),
    "irv": gettext_lazy(
        "Every vote counts for the option it likes best of those still in; what has the fewest votes is eliminated, "
        "round by round, until one has more than half."
    ),
    "borda": gettext_lazy(
        "Every vote gives the option it ranks last no point, the next one point, and so on; equals share."
    ),
}
OF_OPTIONS = {
    TEMPLATES["only one"]: gettext_noop("%(name)s was the only option."),
    TEMPLATES["beat all"]: gettext_noop(
        "%(name)s beat every other option one to one; the closest was %(other)s, %(votes)s to %(against)s."
    ),
    TEMPLATES["beat nobody all"]: gettext_noop("No option beat every other one to one."),
}


def of_options(sentence: Sentence) -> Sentence:
    """The same, in words of a poll."""
    return replace(sentence, template=OF_OPTIONS.get(sentence.template, sentence.template))
