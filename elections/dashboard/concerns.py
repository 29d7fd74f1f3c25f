"""Warnings on the dashboard, most serious first, each with a link to fix it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.rules import skeleton
from elections.invitations.progress import Progress
from elections.opening_rules import MIN_SECRET_GROUP
from elections.rules import Election, State
from foundation.acts.hooks import Hooks
from foundation.ranking.candidates import Candidate

from .next_step import Button, NextStep

MIN_SECRET_VOTERS = 10  # voters; with fewer, a secret may be guessed from who voted


@dataclass(frozen=True, slots=True)
class Concern:
    """`what` is its code; there is no link if it can no longer be fixed."""

    what: str
    sentence: str
    link: Button | None = None


class Waiting(NamedTuple):
    """What waits for the organisers in a part: the code and the sentence of a warning, and a button to a page of the
    election, for those who may take an action."""

    what: str
    sentence: str
    page: str
    label: str
    action: str = ""


WAITING = Hooks[[Election], Waiting | None]("when an organiser opens the dashboard of an election")


@dataclass(frozen=True, slots=True)
class ElectionSnapshot:
    """What the warnings are decided by."""

    election: Election
    candidates: Mapping[int, Sequence[Candidate]]  # of each question
    offered: Collection[str]  # what this person may do, by the names of the actions
    now: str
    progress: Progress
    needs_accounts: bool = False  # whether voters listed by address would have to make an account
    waiting: Sequence[Waiting] = ()  # in parts
    to_answer: NextStep | None = None  # what waits for an answer

    @property
    def state(self) -> State:
        return self.election.state(self.now)

    def link(
        self,
        page: str,
        label: str,
        action: str = "",
        *,
        query: str = "",
        step: tuple[str, ...] = (),
        question: Election | None = None,
    ) -> Button | None:
        """Where to fix it, for those who may."""
        may, about = not action or action in self.offered, question or self.election
        return Button(label, reverse(page, args=[*about.address, *step]) + query) if may else None


CONCERNS = Hooks[[ElectionSnapshot], Iterable[Concern]]("when somebody who runs an election looks at it: what is amiss")


def concerns(snapshot: ElectionSnapshot, *, except_for: str = "") -> list[Concern]:
    """Most serious first, without those the next step already covers."""
    return [each for each in _all_concerns(snapshot) if each.what != except_for]


def _all_concerns(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    election, link, is_closed = snapshot.election, snapshot.link, snapshot.state == State.CLOSED
    end = election.no_voting_after
    if snapshot.state == State.DRAFT and end is not None and end <= snapshot.now:
        sentence = _("The end of voting is in the past.")
        yield Concern("settings", sentence, link("election_settings", _("Change the settings"), "SET_UP"))
    if snapshot.progress.is_key_replaced:
        sentence = _(
            "Voting links and letters that were sent before no longer work: this server was given another secret key. "
            "Ask whoever runs it to put the earlier one back; otherwise send links and print letters again."
        )
        yield Concern("key", sentence, link("roll", _("The roll")))
    if failed := snapshot.progress.failed:
        sentence = ngettext("%(count)d mail could not be sent.", "%(count)d mails could not be sent.", failed)
        page = link("roll", _("See which, and why"), query="?show=failed")
        yield Concern("failed", sentence % {"count": failed}, page)
    for each in snapshot.waiting:
        yield Concern(each.what, each.sentence, link(each.page, each.label, each.action))
    if step := snapshot.to_answer:
        yield Concern(step.what, step.sentence, step.button if "ANSWER" in snapshot.offered else None)
    for found in CONCERNS:
        yield from found(snapshot)
    if snapshot.needs_accounts:
        sentence = _(
            "Voters are listed by mail address and “Vote by link” is off, so anyone without an account must "
            "create one before voting. You cannot change this after opening."
        )
        yield Concern("accounts", sentence, link("election_step", _("Who votes"), "SET_UP", step=("who",)))
    if election.convened and not election.convened.quorate:
        sentence = _("The assembly that convened this election was not quorate: %(words)s.")
        yield Concern("quorum", sentence % {"words": election.convened.summary})
    unreachable = snapshot.progress.invited.nowhere if snapshot.progress.invited else 0
    if unreachable and not is_closed:
        sentence = ngettext(
            "%(count)d voter gets no mail: nobody here has that name.",
            "%(count)d voters get no mail: nobody here has these names.",
            unreachable,
        )
        yield Concern("no address", sentence % {"count": unreachable}, link("roll", _("The roll")))
    if election.vote_by_link and not election.mail_votes and not is_closed:
        sentence = _(
            "People can vote with the link in their invitation, but get no mail about their ballots: someone "
            "else could use a link unnoticed."
        )
        yield Concern("unnoticed", sentence, link("election_settings", _("Change the settings"), "SET_UP"))
    if is_closed:
        return
    for question in election.questions:
        if sentence := _small_group(question, snapshot.state):
            yield Concern("groups", sentence, link("roll", _("The roll"), "ADD_VOTERS"))
    if unasked := election.voter_count - election.electors:
        sentence = ngettext(
            "%(count)d person on the roll is in none of the groups that may vote, and gets no mail.",
            "%(count)d people on the roll are in none of the groups that may vote, and get no mail.",
            unasked,
        )
        yield Concern("unasked", sentence % {"count": unasked}, link("roll", _("The roll")))
    if sentence := _weak_secrecy(election, snapshot.candidates):
        yield Concern("secrecy", sentence, Button(_("What “secret” means"), reverse("help_secrecy")))
    for question in election.questions:
        yield from _of_candidates(snapshot, question)


def _of_candidates(snapshot: ElectionSnapshot, question: Election) -> Iterator[Concern]:
    """What is amiss with those of a question, which is named where there are several."""
    candidates, about = snapshot.candidates[question.number], f"{question.title} · " if question.title else ""
    if alike := lookalikes(candidates):
        sentence = _("Voters may not tell these candidates apart, because their names look alike: %(names)s.")
        page = snapshot.link("candidates", _("Candidates"), "CHANGE_CANDIDATES", question=question)
        yield Concern("lookalikes", about + sentence % {"names": ", ".join(alike)}, page)
    silent = sum(not each.statement for each in candidates)
    if silent and question.kind != "yes-no":
        sentence = _("Candidates without a statement: %(count)d.") % {"count": silent}
        page = snapshot.link("candidates", _("Add statements"), "CHANGE_CANDIDATES", question=question)
        yield Concern("statements", about + sentence, page)


def lookalikes(candidates: Iterable[Candidate]) -> list[str]:
    """Names that look the same as another candidate's, with a letter of another script. Names in plain letters alone,
    such as Stem and Stern, are not meant."""
    names = [each.name for each in candidates]
    if all(name.isascii() for name in names):
        return []
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(skeleton(name), []).append(name)
    return [name for same in alike.values() if len(same) > 1 and not "".join(same).isascii() for name in same]


def _small_group(question: Election, state: State) -> str:
    """What the vote of so few people would reveal, if a question is for some groups."""
    voters = question.entitled
    if not question.for_groups or not question.secret_ballot or voters >= MIN_SECRET_VOTERS:
        return ""
    values = {"question": question.title or question.name, "count": voters, "others": voters - 1}
    if voters >= MIN_SECRET_GROUP:
        return (
            _(
                "%(count)d people may vote on “%(question)s”. If %(others)d of them say how they voted, everybody "
                "knows how the last one did."
            )
            % values
        )
    if state == State.DRAFT:
        sentence = ngettext(
            "“%(question)s” cannot open: %(count)d person may vote on it. With fewer than three, a secret ballot would "
            "be no secret.",
            "“%(question)s” cannot open: %(count)d people may vote on it. With fewer than three, a secret ballot would "
            "be no secret.",
            voters,
        )
    else:
        sentence = ngettext(
            "Only %(count)d person may still vote on “%(question)s”: the result will show how.",
            "Only %(count)d people may still vote on “%(question)s”: each can work out how the other voted.",
            voters,
        )
    return sentence % values


def _weak_secrecy(election: Election, candidates: Mapping[int, Sequence[Candidate]]) -> str:
    """Shown while it can still be made public, or have more voters. Of questions for some groups, `_small_group` says
    more."""
    for_all = [each for each in election.questions if not each.for_groups]
    voters = election.electors
    if not (election.secret_ballot and election.electorate == "listed" and voters and for_all):
        return ""
    sentences = []
    if voters < MIN_SECRET_VOTERS:
        sentences.append(
            _("With so few voters, secret ballots may be guessed, for example from a nearly unanimous result.")
        )
    most = max((len(candidates[each.number]) for each in for_all if each.kind == "ranked"), default=0)
    if voters < factorial(min(most, 5)):
        sentences.append(_("There are more possible rankings than voters, so a rare ranking may give its voter away."))
    return " ".join(sentences)
