"""What the announcement of a sealed result says: who won, how it was counted, how many voted, and how to check it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from elections.rules import Election
from foundation.acts.links import absolute_url
from foundation.pages import times
from foundation.pages.names import MAX_NAME_CHARS
from foundation.tally.result import Result
from results import wording
from results.repository import Sealed
from results.wording import outcome_of

from .rules import MAX_SUMMARY_CHARS

TITLE_RESERVE_CHARS = 20  # for the words around the name in a title
MAX_SUMMARY_NAME_CHARS = 160  # characters of names in a summary
MAX_WINNERS_NAMED = 20  # winners, of all questions; the result names all of them
MARKUP = re.compile(r"([!-/:-@\[-`{-~])")  # every character with a meaning in Markdown
BEGIN, END = "\u2068", "\u2069"  # isolates text with a direction of its own
DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # would affect the text around them


def title(election: Election) -> str:
    """No longer than the edit form allows."""
    return str(_("Result: %(name)s") % {"name": Truncator(election.name).chars(MAX_NAME_CHARS - TITLE_RESERVE_CHARS)})


def text(questions: Sequence[Sealed]) -> str:
    """What each question decided, in the language of the person who announces it."""
    named = max(1, MAX_WINNERS_NAMED // len(questions))
    parts = []
    for each in questions:
        if each.election.title:  # where there are several questions
            parts.append(f"## {escape_markdown(each.election.title)}")
        parts += [_outcome(each.report.result, named), _facts(each)]
    election = questions[0].election
    page = absolute_url(reverse("shared", args=[election.name]))
    result, proof = _("The full result, explained"), _("What was sealed")
    parts.append(f"[{result}](<{page}>)" if election.more else f"[{result}](<{page}>)\n[{proof}](<{page}#proof>)")
    return "\n\n".join((*parts, _sealed(questions)))


def summary(questions: Sequence[Sealed]) -> str:
    """Who won and how many voted, as plain text for lists; of several questions, as many as there is room for."""
    if len(questions) == 1:
        return f"{_who_won(questions[0].report.result)} {_turnout(questions[0])}."
    lines = (f"{isolate(each.election.title)}: {_who_won(each.report.result)}" for each in questions)
    return str(Truncator(" ".join(lines)).chars(MAX_SUMMARY_CHARS))


def _who_won(result: Result) -> str:
    outcome = outcome_of(result)
    names = isolate(Truncator(outcome.brief).chars(MAX_SUMMARY_NAME_CHARS))
    if result.total == result.blank or not outcome.names:
        return outcome.line if result.method == "majority" else f"{outcome.heading}."
    if result.seats == 1 and len(outcome.names) == 1:
        sentence = _("%(name)s has won by lot.") if outcome.is_by_lot else _("%(name)s has won.")
        return str(sentence % {"name": names})
    return f"{outcome.heading}: {names}."


def isolate(name: str) -> str:
    """Keeps right-to-left letters from reordering the text around them."""
    return BEGIN + DIRECTIONS.sub("", name) + END


def escape_markdown(name: str) -> str:
    """A name escaped as Markdown: no part of it becomes markup or a link."""
    return MARKUP.sub(r"\\\1", isolate(name))


def _outcome(result: Result, named: int) -> str:
    outcome = outcome_of(result)
    if outcome.sentence or not outcome.names:
        return f"**{outcome.heading}.** {outcome.sentence}".rstrip()
    if result.seats == 1 and len(outcome.names) == 1:
        answer = f"**{outcome.heading}:** {escape_markdown(outcome.names[0])}"
    else:
        answer = f"**{outcome.heading}:**\n\n{_names(outcome.names, named)}"
    return f"{answer}\n\n{escape_markdown(outcome.lot_sentence)}" if outcome.lots else answer


def _names(winners: tuple[str, ...], named: int) -> str:
    lines = [f"- {escape_markdown(name)}" for name in winners[:named]]
    if more := len(winners) - len(lines):
        others = ngettext("%(count)d more", "%(count)d more", more) % {"count": more}
        lines.append(f"- {others}")
    return "\n".join(lines)


def _facts(found: Sealed) -> str:
    result = found.report.result
    drawn = _("A tie was broken by lot. The result shows between whom, and how to repeat the draw.")
    lines = [
        f"- {_('Method')}: {wording.method_label(result.method)}",
        *([] if result.method == "majority" else [f"- {_('Seats')}: {result.seats}"]),
        f"- {_('Turnout')}: {_turnout(found)}",
        *([f"- {drawn}"] if result.lots else []),
    ]
    return "\n".join(lines)


def _turnout(found: Sealed) -> str:
    cast, entitled = found.seal.turnout.voted, found.election.entitled
    if found.election.electorate != "listed" or not entitled:
        return str(ngettext("%(count)d ballot", "%(count)d ballots", cast) % {"count": cast})
    sentence = ngettext("%(count)d of %(voters)d has voted", "%(count)d of %(voters)d have voted", cast)
    return str(sentence % {"count": cast, "voters": entitled})


def _sealed(questions: Sequence[Sealed]) -> str:
    last = max(questions, key=lambda each: each.seal.sealed_at)
    when = times.moment_with_zone(datetime.fromisoformat(last.seal.sealed_at), last.election.time_zone)
    lines = [str(_("Counted and sealed: %(when)s") % {"when": when})]
    for each in questions:
        digest = _("Digest of the result: %(digest)s") % {"digest": f"`{each.seal.report_digest}`"}
        lines.append(f"{escape_markdown(each.election.title)}: {digest}" if each.election.title else str(digest))
    return "\n".join(lines)
