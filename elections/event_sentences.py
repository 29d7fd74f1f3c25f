"""What the history of an election says of each type of event: a sentence, made of an `EventContext`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from foundation.acts.storage import SITE
from foundation.pages import times
from foundation.store.keys import fold
from foundation.store.table import Item

from .convening import convened_of
from .rules import FIELDS_OF_EARLIER_VERSIONS, Election


@dataclass(frozen=True, slots=True)
class EventContext:
    """What a sentence is made of."""

    event: Item
    data: Item
    election: Election
    current: set[str]  # names of the candidates it has now, folded

    @property
    def who(self) -> str:
        actor = str(self.event["actor"])
        return _("The site") if actor == SITE else actor

    def text(self, sentence: Any, **values: object) -> str:
        return str(sentence % {"who": self.who, **values})


def sentence_with(sentence: str, attribute: str, word: str = "name") -> Callable[[EventContext], str]:
    return lambda context: context.text(sentence, **{word: context.data.get(attribute, "")})


FIELDS = {
    "description": gettext_lazy("description"),
    "secret_ballot": gettext_lazy("whether ballots are secret"),
    "no_voting_before": gettext_lazy("beginning"),
    "no_voting_after": gettext_lazy("end"),
    "title": gettext_lazy("title of the question"),
    "order": gettext_lazy("order of the questions"),
    "for_groups": gettext_lazy("for which voter groups it is"),
    "kind": gettext_lazy("kind of ballot"),
    "fewest": gettext_lazy("how many voters must choose"),
    "most": gettext_lazy("how much voters may give"),
    "majority": gettext_lazy("majority"),
    "seats": gettext_lazy("seats"),
    "method": gettext_lazy("method"),
    "unranked": gettext_lazy("what leaving a candidate out means"),
    "electorate": gettext_lazy("who may vote"),
    "results_visible": gettext_lazy("when results are shown"),
    "results_public": gettext_lazy("who can see the results"),
    "time_zone": gettext_lazy("time zone"),
    "paper_ballots": gettext_lazy("whether there are paper ballots"),
    "changeable": gettext_lazy("whether votes are final"),
    "safeguards": gettext_lazy("stricter rules for voting"),
    "mail_votes": gettext_lazy("whether voters get mails about their ballots"),
    "vote_by_link": gettext_lazy("whether people can vote with the link in their invitation"),
    "letter_check": gettext_lazy("what voters with a letter are asked for"),
    "announces": gettext_lazy("whether the result is mailed to voters"),
    "remind_before": gettext_lazy("reminders"),
    "joining": gettext_lazy("who may join later"),
}


def created(context: EventContext) -> str:
    if convened := context.data.get("convened"):
        values = {"assembly": convened["assembly"], "words": convened_of(convened).summary}
        return context.text(_("%(who)s created the draft for the assembly “%(assembly)s”: %(words)s."), **values)
    if "copied_from" in context.data:
        return context.text(_("%(who)s created the draft as a copy of another election."))
    return context.text(_("%(who)s created the draft."))


def updated(context: EventContext) -> str:
    election = context.election
    changed = {
        name: value
        for name, value in context.data.items()
        if name not in ("election_name", "question", *FIELDS_OF_EARLIER_VERSIONS)
    }
    if "more" in changed:
        asked = [each["number"] for each in changed["more"]]
        left = [election.at(number).title for number in asked if election.has_question(number)]
        if not left:  # those that are gone are not named
            return context.text(_("%(who)s changed which questions are asked."))
        sentence = _("%(who)s changed which questions are asked: besides the first, %(titles)s.")
        return context.text(sentence, titles=", ".join(f"“{title}”" for title in left))
    if changed == {"allow_edit": False}:
        return context.text(_("%(who)s locked the list of candidates: no more can be added."))
    if set(changed) == {"no_voting_after"}:
        if (end := changed["no_voting_after"]) is None:
            return context.text(_("%(who)s removed the end: it stays open until an organiser closes it."))
        return context.text(_("%(who)s set the end of voting to %(end)s."), end=_in_its_zone(end, election))
    labels = [str(FIELDS[name]) for name in FIELDS if name in changed]
    if not labels:
        return context.text(_("%(who)s changed the settings."))
    return context.text(_("%(who)s changed: %(what)s."), what=", ".join(labels))


def _in_its_zone(stored: str, election: Election) -> str:
    try:
        return times.moment_text(times.local_time(times.from_text(stored), election.time_zone))
    except times.UnknownZone:
        return times.moment_text(times.from_text(stored))


def opened(context: EventContext) -> str:
    if context.data.get("editable"):
        return context.text(_("%(who)s opened the election; candidates may still be added."))
    return context.text(_("%(who)s opened the election."))


def closed(context: EventContext) -> str:
    """An early close is mentioned, as the page showed another end until then."""
    if not context.election.closed_early:
        return context.text(_("%(who)s closed the election."))
    end = _in_its_zone(str(context.election.no_voting_after), context.election)
    return context.text(_("%(who)s closed the election before its planned end, %(end)s."), end=end)


def interrupted(context: EventContext) -> str:
    """Recorded by an earlier version."""
    data, election = context.data, context.election
    values = {"from": _in_its_zone(data["began"], election), "to": _in_its_zone(data["ended"], election)}
    sentence = context.text(_("%(who)s recorded that voting was interrupted from %(from)s to %(to)s."), **values)
    parts = [sentence, _("What happened: %(text)s") % {"text": data["happened"]}]
    parts += [_("What was decided: %(text)s") % {"text": data["decided"]}] if data.get("decided") else []
    if data.get("new_end"):
        parts.append(_("The end of voting was moved to %(end)s.") % {"end": _in_its_zone(data["new_end"], election)})
    return " ".join(parts)


def candidates_added(context: EventContext) -> str:
    names = [str(each["name"]) for each in context.data.get("candidates", ())]
    left = [name for name in names if fold(name) in context.current]
    if not left:
        some = ngettext("%(who)s added %(count)d candidate.", "%(who)s added %(count)d candidates.", len(names))
        return context.text(some, count=len(names))
    sentence = context.text(_("%(who)s added candidates: %(names)s."), names=", ".join(left))
    gone = len(names) - len(left)
    more = ngettext("%(count)d more is no longer a candidate.", "%(count)d more are no longer candidates.", gone)
    return f"{sentence} {more % {'count': gone}}" if gone else sentence


def sentence_with_count(sentence: Any, attribute: str) -> Callable[[EventContext], str]:
    """Of a list, or of a number."""

    def sentence_for(context: EventContext) -> str:
        value = context.data.get(attribute, ())
        return context.text(sentence, count=value if isinstance(value, int) else len(value))

    return sentence_for


def sentence_about_candidate(sentence: str, if_gone: str) -> Callable[[EventContext], str]:
    """Former candidates are not named."""

    def sentence_for(context: EventContext) -> str:
        name = str(context.data.get("candidate_name", ""))
        return context.text(sentence if fold(name) in context.current else if_gone, name=name)

    return sentence_for


candidates_removed = sentence_with_count(
    ngettext_lazy("%(who)s removed %(count)d candidate.", "%(who)s removed %(count)d candidates.", "count"),
    "candidates",
)
candidate_edited = sentence_about_candidate(
    gettext_lazy("%(who)s edited the statement or link of %(name)s."),
    gettext_lazy("%(who)s edited the statement or link of a former candidate."),
)
candidate_pictured = sentence_about_candidate(
    gettext_lazy("%(who)s changed the picture of %(name)s."),
    gettext_lazy("%(who)s changed the picture of a former candidate."),
)
voters_added = sentence_with_count(
    ngettext_lazy("%(who)s added %(count)d voter to the roll.", "%(who)s added %(count)d voters to the roll.", "count"),
    "voters",
)
voters_grouped = sentence_with_count(
    ngettext_lazy(
        "%(who)s changed the voter groups of %(count)d person on the roll.",
        "%(who)s changed the voter groups of %(count)d people on the roll.",
        "count",
    ),
    "voters",
)
voters_weighted = sentence_with_count(
    ngettext_lazy(
        "%(who)s changed the weight of %(count)d person on the roll.",
        "%(who)s changed the weights of %(count)d people on the roll.",
        "count",
    ),
    "voters",
)
voters_removed = sentence_with_count(
    ngettext_lazy(
        "%(who)s removed %(count)d voter from the roll.", "%(who)s removed %(count)d voters from the roll.", "count"
    ),
    "voters",
)
result_sealed = sentence_with_count(
    ngettext_lazy(
        "%(who)s counted %(count)d ballot and sealed the result.",
        "%(who)s counted %(count)d ballots and sealed the result.",
        "count",
    ),
    "ballots",
)


def reminded(context: EventContext) -> str:
    if "hours_before" in context.data:
        return context.text(_("%(who)s sent the automatic reminder."))
    return context.text(_("%(who)s reminded voters."))


handed_over = sentence_with(gettext_lazy("%(who)s handed the election over to %(name)s."), "new_owner")
not_filled = sentence_with(
    gettext_lazy("Not everything could be copied into the draft: %(reason)s"), "sentence", "reason"
)
