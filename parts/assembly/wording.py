"""Labels and sentences about assemblies: kinds of items, majorities, quorums, outcomes, and the agenda as shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from elections.kinds import SHARES
from foundation.tally.majorities import Majority, Of, majority_of
from parts.live.rounds import Round, options_of
from parts.live.rules import Phase
from parts.live.snapshot import Snapshot
from parts.live.symbols import Symbol
from parts.questions.question import MAX_TITLE_CHARS, Kind, Question
from results.pictures.drawing import isolated

from .resolutions import ABSTAIN, NO, YES, Outcome, run_off_options

Result = Mapping[str, Any]  # what a sealed round holds

MAX_TIED_NAMES = 4  # more are shown by numbers and bars only
MAX_BUTTON_CHARS = 30  # of each name on a button

KIND_LABELS: dict[Kind, str | Promise] = {
    Kind.TOPIC: gettext_lazy("Discussion"),
    Kind.MOTION: gettext_lazy("Motion"),
    Kind.CHOICE: gettext_lazy("Choice"),
    Kind.RANKING: gettext_lazy("Ranking"),
    Kind.ALTERNATIVES: gettext_lazy("Motion with amendments"),
    Kind.IDEAS: gettext_lazy("Ideas, then ranked"),
}
OF: dict[Of, str | Promise] = {
    Of.CAST: gettext_lazy("of the votes cast"),
    Of.PRESENT: gettext_lazy("of those present"),
    Of.ENTITLED: gettext_lazy("of all eligible voters"),
}
QUORUMS: dict[str, str | Promise] = {
    "1/10": gettext_lazy("at least a tenth of all eligible voters"),
    "1/5": gettext_lazy("at least a fifth of all eligible voters"),
    "1/4": gettext_lazy("at least a quarter of all eligible voters"),
    "1/3": gettext_lazy("at least a third of all eligible voters"),
    "1/2": gettext_lazy("at least half of all eligible voters"),
    ">1/2": gettext_lazy("more than half of all eligible voters"),
    "2/3": gettext_lazy("at least two thirds of all eligible voters"),
    "3/4": gettext_lazy("at least three quarters of all eligible voters"),
}
VOTE_LABELS: dict[str, str | Promise] = {
    YES: gettext_lazy("Yes"),
    NO: gettext_lazy("No"),
    ABSTAIN: gettext_lazy("Abstention"),
}
OPEN_VOTE = gettext_lazy("Open vote: everyone sees how each person voted.")
SECRET_VOTE = gettext_lazy("Secret vote: nobody finds out how anyone voted.")
WITHOUT_NAMES: dict[Outcome, str | Promise] = {
    Outcome.INVALID: gettext_lazy("Not valid: no quorum"),
    Outcome.TOO_FEW: gettext_lazy("Not counted: too few voted for a secret vote"),
}
BOTH_SIDES: dict[Kind, str | Promise] = {
    Kind.MOTION: gettext_lazy("%(yes)d yes, %(no)d no, %(abstentions)s"),
    Kind.ALTERNATIVES: gettext_lazy("%(yes)d for it, %(no)d for no change, %(abstentions)s"),
}
NEEDED: dict[Kind, str | Promise] = {
    Kind.MOTION: gettext_lazy("%(yes)d of %(of)d voted yes; %(needed)d were needed: %(majority)s."),
    Kind.CHOICE: gettext_lazy("%(yes)d of %(of)d voted for the leading option; %(needed)d were needed: %(majority)s."),
    Kind.ALTERNATIVES: gettext_lazy(
        "Best version by the Schulze method: %(best)s. %(yes)d of %(of)d preferred it to “No change”; "
        "%(needed)d were needed: %(majority)s."
    ),
}


# --- requirements ---


def majority_text(majority: Majority) -> str:
    """“at least two thirds of those present”."""
    return _("%(share)s %(of)s") % {"share": SHARES[majority.share], "of": OF[majority.of]}


def requirement(question: Question) -> str:
    """What an item needs to be carried; empty if it is only discussed."""
    if question.kind in (Kind.TOPIC, Kind.IDEAS):
        return ""
    if question.kind == Kind.RANKING:
        return _("Counted by instant runoff.")
    if question.kind == Kind.CHOICE and not question.majority:
        return _("The option with the most votes wins.")
    needed = majority_text(majority_of(question.majority))
    if question.kind == Kind.ALTERNATIVES:
        return _("The best version must beat “No change” with %(majority)s.") % {"majority": needed}
    return _("Requires %(majority)s.") % {"majority": needed}


def secrecy_text(question: Question) -> str | Promise:
    """Empty if there is no vote."""
    if question.kind == Kind.TOPIC:
        return ""
    return SECRET_VOTE if question.secret else OPEN_VOTE


def quorum_text(quorum: str) -> str:
    if not quorum:
        return ""
    if quorum in QUORUMS:
        return str(QUORUMS[quorum])
    number = int(quorum)
    return ngettext("at least %(count)d person", "at least %(count)d people", number) % {"count": number}


def item_context(question: Question) -> dict[str, Any]:
    """What everyone must know before they vote."""
    return {
        "kind_label": KIND_LABELS[question.kind],
        "requirement": requirement(question),
        "secrecy_text": secrecy_text(question),
    }


# --- outcomes ---


def headline(question: Question, round_: Round) -> str:
    """The decision in a few words: as many names as fit a projector."""
    outcome, options, result = Outcome(round_.result["outcome"]), options_of(round_, question), round_.result
    names = [isolated(options[place]) for place in result.get("leaders", result.get("winners", ()))]
    if outcome in WITHOUT_NAMES:
        return str(WITHOUT_NAMES[outcome])
    if outcome == Outcome.TALKED:
        return _("Discussed") if question.kind == Kind.TOPIC else _("Closed without a vote")
    if outcome == Outcome.TIED and len(names) > MAX_TIED_NAMES:
        return _("No decision: %(count)d options are tied") % {"count": len(names)}
    if outcome == Outcome.TIED:
        tied = {"others": ", ".join(names[:-1]), "last": names[-1]}
        return _("No decision: tied between %(others)s and %(last)s") % tied
    if outcome == Outcome.ELECTED:
        return _("Chosen: %(name)s") % {"name": names[0]}
    if question.kind == Kind.ALTERNATIVES:
        carried = outcome == Outcome.CARRIED
        return _("Carried: %(name)s") % {"name": names[0]} if carried else _("Not carried: nothing changes")
    if question.kind == Kind.MOTION:
        return _("Carried") if outcome == Outcome.CARRIED else _("Not carried")
    return _("No option chosen")


def run_off_title(question: Question) -> str:
    """In the language of the host who adds it. A second run-off has the title of the first."""
    if question.run_off:
        return question.title
    title = _("Run-off: %(title)s") % {"title": question.title}
    return title if len(title) <= MAX_TITLE_CHARS else f"{title[: MAX_TITLE_CHARS - 1]}…"


def run_off_label(snapshot: Snapshot, round_: Round) -> str:
    """The label of the button; empty if the vote was decisive, or has its run-off already."""
    places = run_off_options(round_)
    if not places or any(each.run_off == round_.number for each in snapshot.questions):
        return ""
    if len(places) > MAX_TIED_NAMES:
        return _("Run-off between these %(count)d options") % {"count": len(places)}
    options = options_of(round_, snapshot.questions[round_.question])
    names = [isolated(Truncator(options[place]).chars(MAX_BUTTON_CHARS)) for place in places]
    return _("Run-off between %(others)s and %(last)s") % {"others": ", ".join(names[:-1]), "last": names[-1]}


def numbers(question: Question, result: Result) -> str:
    """“34 yes, 10 no, 7 abstentions”: abstentions are always separate."""
    if ABSTAIN not in result:
        return ""
    count = result[ABSTAIN]
    text = ngettext("%(count)d abstention", "%(count)d abstentions", count) % {"count": count}
    if question.kind in BOTH_SIDES and result["outcome"] != Outcome.TIED:
        text = str(BOTH_SIDES[question.kind]) % {"yes": result[YES], "no": result[NO], "abstentions": text}
    return _("In votes: %(numbers)s") % {"numbers": text} if "weights" in result else text


def why(question: Question, round_: Round) -> list[str]:
    """Sentences that explain the outcome: what was needed, who was present, why it is not valid."""
    result, sentences = round_.result, list[str]()
    if numbers_needed := _numbers_needed(question, result):
        sentences.append(numbers_needed)
    if "weights" in result:
        sentence = ngettext(
            "%(voters)d person cast %(votes)d votes, because some votes count several times.",
            "%(voters)d people cast %(votes)d votes, because some votes count several times.",
            result["voters"],
        )
        sentences.append(sentence % {"voters": result["voters"], "votes": result["votes"]})
    there = _("%(present)d of %(entitled)d eligible voters were present.")
    if not result["entitled"]:
        count = result["present_count"]
        there = ngettext("%(present)d person was present.", "%(present)d people were present.", count)
    sentences.append(there % {"present": result["present_count"], "entitled": result["entitled"]})
    if result["quorum"]:
        sentences.append(_("The quorum was met.") if result["quorate"] else _("The quorum was not met."))
    return sentences


def next_step(round_: Round) -> str:
    """What can decide it, if the vote did not."""
    if not run_off_options(round_):
        return ""
    if round_.result["outcome"] == Outcome.TIED:
        return _("The vote is tied: hold a run-off to decide.")
    return _("No option has the majority: a run-off between the leading ones can decide.")


def _numbers_needed(question: Question, result: Result) -> str:
    if result["outcome"] == Outcome.TOO_FEW:
        return _("With fewer than three votes, people could guess who voted how, so nothing is shown or kept.")
    if result["outcome"] == Outcome.TIED or "needed" not in result:
        return ""
    counts = {name: result[name] for name in (YES, "of", "needed")}
    best = {"best": Symbol(result["best"]).letter} if "best" in result else {}
    return NEEDED[question.kind] % {**counts, **best, "majority": majority_text(majority_of(question.majority))}


# --- versions of a motion ---


@dataclass(frozen=True, slots=True)
class Version:
    """A version that was put to the vote, and the votes that gave it its place."""

    sign: Symbol
    text: str
    place: int
    over_none: str  # votes for it and for no change, as "3 : 1"; empty for no change itself
    over_best: str  # the same with the best version
    is_original: bool  # the motion as it was first moved


def versions(question: Question, round_: Round) -> list[Version]:
    """Best first; empty unless versions were put to the vote and counted."""
    result, options = round_.result, options_of(round_, question)
    if "pairwise" not in result:
        return []
    of, best, last = result["pairwise"], result["best"], len(options) - 1
    original = None if question.run_off else 0  # it comes first, if it was not left out

    def votes(one: int, other: int) -> str:
        return "" if one == other else f"{of[one][other]} : {of[other][one]}"

    return [
        Version(Symbol(each), options[each], place, votes(each, last), votes(each, best), each == original)
        for each, place in result["places"]
    ]


# --- who voted how ---


def voter_text(name: str, weight: int) -> str:
    return name if weight == 1 else _("%(name)s (%(votes)d votes)") % {"name": isolated(name), "votes": weight}


def vote_text(vote: str, question: Question, options: Sequence[str]) -> str:
    """A vote as text: "yes", an option, or a ranking."""
    if vote in VOTE_LABELS or not vote:
        return str(VOTE_LABELS[vote or ABSTAIN])
    if question.kind == Kind.CHOICE:
        return options[int(vote)]
    groups = (each.split("=") for each in vote.split(">"))
    return " > ".join(" = ".join(options[int(place)] for place in group) for group in groups)


# --- the agenda ---


@dataclass(frozen=True, slots=True)
class Item:
    """An agenda item with its outcome so far."""

    place: int
    number: str
    question: Question
    kind: str | Promise
    requirement: str
    vote: str | Promise
    outcome: str  # of the last time that it was closed and counts
    is_withdrawn: bool  # it was called, but no result counts
    numbers: str
    round: int  # of that time
    is_now: bool
    run_off: str = ""  # label of the button that holds it


def agenda(snapshot: Snapshot) -> list[Item]:
    latest, state = {each.question: each for each in snapshot.counting_rounds}, snapshot.state
    items = list[Item]()
    for place, question in enumerate(snapshot.questions):
        round_ = latest.get(place)
        known = round_ if round_ is not None and "outcome" in round_.result else None
        calls = [number for number, played in enumerate(state.played, 1) if played == place] if round_ is None else []
        item = Item(
            place=place,
            number=snapshot.numbers[place],
            question=question,
            kind=KIND_LABELS[question.kind],
            requirement=requirement(question),
            vote=secrecy_text(question),
            outcome=headline(question, known) if known else "",
            is_withdrawn=bool(calls) and not any(map(state.counts, calls)),
            numbers=numbers(question, known.result) if known else "",
            round=round_.number if round_ else 0,
            run_off=run_off_label(snapshot, known) if known else "",
            is_now=state.phase != Phase.ENDED and state.question == place and state.is_under_way,
        )
        items.append(item)
    return items
