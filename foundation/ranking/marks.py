"""What voters mark on each kind of ballot: as they typed it, as it is stored, and as pages show it again.

Everything but a ranking is stored as `foundation.tally.ballots` describes it: one group of those who were chosen, or
groups by value. What a voter sends is the same for every kind: a field for each candidate (`RANK_PREFIX`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from foundation.acts.refusals import Refusal
from foundation.photos.photos import Photo
from foundation.tally.ballots import MAX_SCORE, groups_of, ranking_of, ratings_of, text_of
from foundation.tally.majorities import ABSTAIN, NO, YES

from .candidates import Candidate

RANK_PREFIX = "rank-"  # what the name of a rank box starts with
CHOICE = "choice"  # after the prefix: radio buttons, of which the chosen one has a candidate's number as its value
MAX_POINTS = 100  # that a voter may have to distribute
TICKED = ("yes-no", "choose", "approval")  # kinds on which a candidate is chosen or not
ANSWERS = (YES, NO, ABSTAIN)  # the candidates of every yes-or-no ballot, by number
ANSWER_LABELS = {YES: gettext_lazy("Yes"), NO: gettext_lazy("No"), ABSTAIN: gettext_lazy("Abstain")}

Ranks = Mapping[str, Sequence[str]]  # what rank boxes say: candidate number -> what was typed


class BadRanking(Refusal):
    """What was submitted is no ballot of this kind for these candidates."""


class BallotRules(Protocol):
    """What an election, or anything else that people vote in, says about its ballots."""

    @property
    def kind(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def fewest(self) -> int: ...
    @property
    def most(self) -> int: ...
    @property
    def unranked(self) -> str: ...


def labelled(candidates: Sequence[Candidate], kind: str) -> Sequence[Candidate]:
    """Candidates as pages name them: those of a yes-or-no ballot in the reader's language, and in their order."""
    if kind != "yes-no":
        return candidates
    ordered = sorted(candidates, key=lambda each: each.number)
    return [replace(each, name=answer_label(each.name, kind)) for each in ordered]


def answer_label(name: str, kind: str) -> str:
    return str(ANSWER_LABELS.get(name, name)) if kind == "yes-no" else name


def takes_one(rules: BallotRules) -> bool:
    """Whether at most one is chosen: with radio buttons."""
    return rules.kind == "yes-no" or (rules.kind == "choose" and rules.most == 1)


# --- what was sent ---


def field_prefix(question: int) -> str:
    """What the fields of a question begin with: those of the first one as if there were no others."""
    return RANK_PREFIX if question == 1 else f"{RANK_PREFIX}{question}:"


def submitted_ranks(post: MultiValueDict) -> dict[str, list[str]]:
    """What was sent, by candidate number, which follows that of the question unless it is the first one. A radio button
    marks its candidate with a 1, as a box does."""
    sent: dict[str, list[str]] = {}
    for name in (name for name in post if name.startswith(RANK_PREFIX)):
        field, typed = name.removeprefix(RANK_PREFIX), post.getlist(name)
        question, colon, last = field.rpartition(":")
        sent |= (
            {f"{question}{colon}{number}": ["1"] for number in typed if number} if last == CHOICE else {field: typed}
        )
    return sent


def ranks_in(ranks: Ranks, question: int) -> Ranks:
    """Those of one question, by candidate number."""
    if question == 1:
        return {number: typed for number, typed in ranks.items() if ":" not in number}
    mine = f"{question}:"
    return {number.removeprefix(mine): typed for number, typed in ranks.items() if number.startswith(mine)}


def is_marked(ranks: Ranks) -> bool:
    return any(value.strip() for typed in ranks.values() for value in typed)


def typed_ranks(post: MultiValueDict, question: int = 1) -> dict[int, str]:
    """What was typed into the rank inputs of a question, valid or not, by candidate number."""
    sent = ranks_in(submitted_ranks(post), question)
    return {
        int(number): values[-1] for number, values in sent.items() if number.isdecimal() and len(number) < 10 and values
    }


def marks_from(ranks: Ranks, candidates: Sequence[Candidate], rules: BallotRules) -> str:
    """The ballot that a form gives, as it is stored, or a refusal in a sentence."""
    if rules.kind == "ranked":
        return ranking_from(ranks, candidates)
    names = _names(ranks, candidates)
    given = {int(number): _value(typed, names[number], rules) for number, typed in ranks.items()}
    values = {number: value for number, value in given.items() if value}
    if refusal := _CHECKS[rules.kind](values, rules):
        raise BadRanking(refusal)
    return ranking_of([values]) if rules.kind in TICKED else text_of(values)


def ranking_from(ranks: Ranks, candidates: Sequence[Candidate]) -> str:
    """The ranking that the rank inputs give. Only a forged form has several values for one input.

    Equal numbers are equal ranks, an empty input leaves the candidate out, and gaps do not matter.
    """
    names = _names(ranks, candidates)
    groups: dict[int, list[int]] = {}
    for number, typed in ranks.items():
        if (rank := _rank(typed, names[number])) is not None:
            groups.setdefault(rank, []).append(int(number))
    return ranking_of(groups[rank] for rank in sorted(groups))


def _names(ranks: Ranks, candidates: Sequence[Candidate]) -> dict[str, str]:
    """Of all candidates, by number; refuses marks for anybody else."""
    names = {str(each.number): each.name for each in candidates}
    if not ranks.keys() <= names.keys():
        raise BadRanking(_("The ballot names somebody who is not a candidate in this election."))
    return names


def _rank(typed: Sequence[str], name: str) -> int | None:
    text = typed[0].strip() if typed else ""
    if len(typed) > 1 and any(other.strip() != text for other in typed):
        raise BadRanking(_("%(name)s is ranked twice.") % {"name": name})
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) < 1:
        raise BadRanking(_("The rank of %(name)s must be a whole number: 1, 2, 3 …") % {"name": name})
    return int(text)


def _value(typed: Sequence[str], name: str, rules: BallotRules) -> int:
    text = typed[0].strip() if typed else ""
    if len(typed) > 1 and any(other.strip() != text for other in typed):
        raise BadRanking(_("%(name)s is marked twice.") % {"name": name})
    if not text:
        return 0
    highest = {"score": MAX_SCORE, "points": rules.most}.get(rules.kind, 1)
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) > highest:
        values = {"name": name, "highest": highest}
        raise BadRanking(_("What you give %(name)s must be a whole number from 0 to %(highest)d.") % values)
    return int(text)


def _check_number(values: Mapping[int, int], rules: BallotRules) -> str:
    chosen = len(values)
    if chosen > rules.most:
        sentence = ngettext(
            "You chose %(chosen)d, but you may choose only %(most)d.",
            "You chose %(chosen)d, but you may choose at most %(most)d.",
            rules.most,
        )
        return sentence % {"chosen": chosen, "most": rules.most}
    if chosen < rules.fewest:
        sentence = _("You chose %(chosen)d. Please choose at least %(fewest)d.")
        return sentence % {"chosen": chosen, "fewest": rules.fewest}
    return ""


def _check_points(values: Mapping[int, int], rules: BallotRules) -> str:
    given = sum(values.values())
    if given <= rules.most:
        return ""
    numbers = {"given": given, "most": rules.most, "over": given - rules.most}
    return _("You gave %(given)d points, but you have only %(most)d. Take %(over)d away.") % numbers


_CHECKS: dict[str, Callable[[Mapping[int, int], BallotRules], str]] = {
    "yes-no": lambda values, rules: "" if len(values) == 1 else _("Please choose one: yes, no or abstain."),
    "choose": _check_number,
    "approval": lambda values, rules: "",
    "score": lambda values, rules: "",
    "points": _check_points,
}


# --- what a mark means, before it is sent ---


def how_to_vote(rules: BallotRules) -> str:
    """One sentence for pages that describe an election, and the first on its ballot."""
    if rules.kind == "choose":
        values = {"fewest": rules.fewest, "most": rules.most}
        if rules.most == 1:
            return _("Choose one.")
        if rules.fewest == rules.most:
            return _("Choose exactly %(most)d.") % values
        if rules.fewest > 1:
            return _("Choose between %(fewest)d and %(most)d.") % values
        return _("Choose up to %(most)d.") % values
    if rules.kind == "points":
        sentence = ngettext(
            "You have %(count)d point to give.",
            "You have %(count)d points: give them to one candidate, or spread them.",
            rules.most,
        )
        return sentence % {"count": rules.most}
    return str(_HOW_TO_VOTE[rules.kind])


_HOW_TO_VOTE = {
    "ranked": gettext_lazy("Rank as many candidates as you like, best first."),
    "yes-no": gettext_lazy("Vote yes, no or abstain on the proposal."),
    "approval": gettext_lazy("Tick everyone you approve of, as many as you like."),
    "score": gettext_lazy("Score each candidate from 0, the worst, to 5, the best."),
}


def explanation(rules: BallotRules, *, skips: bool = False) -> list[str]:
    """What a mark means, what is too many, and what it means to mark nothing: the rest of the ballot's instructions.
    Among several questions, that `skips` this one."""
    sentences = []
    if rules.kind == "choose":
        sentences.append(_("Everyone you choose gets one vote."))
    if rules.kind == "choose" and rules.most > 1:
        sentences.append(_("A ballot with more than %(most)d is not accepted.") % {"most": rules.most})
    if rules.kind == "approval":
        sentences.append(_("Everyone you tick gets one vote. There is no limit."))
    if rules.kind == "score":
        sentences.append(_("No score counts as 0. You may give the same score more than once."))
    if rules.method == "star":
        runoff = _(
            "The two with the highest totals meet in a runoff: your ballot counts for the one you scored higher."
        )
        sentences.append(runoff)
    if rules.kind == "points":
        sentence = _("You need not use all of them. A ballot with more than %(most)d is not accepted.")
        sentences.append(sentence % {"most": rules.most})
    if skips and rules.kind == "yes-no":
        sentences.append(_("To abstain is a vote, too."))
    if skips:
        sentences.append(_("Without any mark you skip this question: your ballot is blank there."))
    elif may_be_blank(rules):
        sentences.append(_("A ballot without any mark is blank: it counts towards the turnout, but supports nobody."))
    elif rules.kind != "yes-no":
        sentences.append(_("A blank ballot is not accepted."))
    return sentences


def may_be_blank(rules: BallotRules) -> bool:
    return rules.kind != "yes-no" and not rules.fewest


def unranked_sentence(unranked: str, *, options: bool = False) -> str:
    """What leaving a candidate unranked means, by the rule of the election or poll."""
    if options and unranked == "below":
        return _("Options you leave out rank below all the others.")
    if options:
        return _("Your vote counts neither for nor against options you leave out.")
    if unranked == "below":
        return _("Candidates you leave out rank below all the others.")
    return _("Your ballot counts neither for nor against candidates you leave out.")


# --- a ballot as a form shows it ---


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate as shown on the ballot; the rank is what was typed, valid or not."""

    number: int
    name: str
    statement: str
    link: str
    rank: str
    photo: Photo | None = None


def choices_of(candidates: Sequence[Candidate], ranks: Mapping[int, Any]) -> list[Choice]:
    return [
        Choice(each.number, each.name, each.statement_html, each.link, str(ranks.get(each.number, "")), each.photo)
        for each in candidates
    ]


def ranks_of(rankings: str) -> dict[int, int]:
    """What a ballot's boxes show, by candidate number: ranks, or the values of a ballot with values."""
    if "@" in rankings:
        return ratings_of(rankings)
    return {number: rank for rank, group in enumerate(groups_of(rankings), 1) for number in group}


# --- a stored ballot, as pages show it ---


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of a ballot: those with the same rank, or one candidate and what it was given."""

    sign: str
    names: list[str]
    spoken: str = ""  # instead of the sign, for those who do not see it


@dataclass(frozen=True, slots=True)
class ShownBallot:
    """A ballot in the words of its kind: what was marked, best first; and what was left out."""

    kind: str
    marks: list[Mark]
    rest: Sequence[str] = ()
    rest_title: str = ""
    rest_sentence: str = ""


def shown_ballot(text: str, candidates: Sequence[Candidate], rules: BallotRules) -> ShownBallot:
    kind = rules.kind
    if kind == "ranked":
        return shown_ranking(text, candidates, unranked_sentence(rules.unranked))
    names = {each.number: answer_label(each.name, kind) for each in candidates}
    values = ranks_of(text)
    marks = [_mark(kind, names[number], value) for number, value in values.items()]
    rest = [] if kind == "yes-no" else [name for number, name in names.items() if number not in values]
    return ShownBallot(kind, marks, rest, *map(str, _REST.get(kind, ("", ""))))


def shown_ranking(text: str, candidates: Sequence[Candidate], sentence: str) -> ShownBallot:
    """With what leaving candidates out means."""
    marks = [Mark(str(rank), names) for rank, names in enumerate(ranked_names(text, candidates), 1)]
    ranked = ranks_of(text)
    rest = [each.name for each in candidates if each.number not in ranked]
    return ShownBallot("ranked", marks, rest, _("Not ranked"), sentence)


def sample_ballot(rules: BallotRules) -> ShownBallot:
    """A ballot without names, from whose lines a script makes those of any other: with equals, with a value for each
    plural that a language may have, and with somebody left out."""
    text = {"ranked": "0=1", "score": "0@1", "points": "0@100>1@11>2@3>3@2>4@1"}.get(rules.kind, "0")
    return shown_ballot(text, [Candidate("", number=number) for number in range(6)], rules)


def _mark(kind: str, name: str, value: int) -> Mark:
    if kind in TICKED:
        return Mark("✓", [name], _("chosen"))
    words = {"score": _("score %(value)d"), "points": ngettext("%(value)d point", "%(value)d points", value)}
    return Mark(str(value), [name], words[kind] % {"value": value})


_REST = {
    "choose": (gettext_lazy("Not chosen"), ""),
    "approval": (gettext_lazy("Not ticked"), ""),
    "score": (gettext_lazy("No score"), gettext_lazy("Counts as 0.")),
    "points": (gettext_lazy("No points"), ""),
}


def ranked_names(rankings: str, candidates: Sequence[Candidate]) -> list[list[str]]:
    """A ranking in names, best first."""
    names = {each.number: each.name for each in candidates}
    return [[names[number] for number in group] for group in groups_of(rankings)]
