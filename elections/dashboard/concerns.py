"""Warnings on the dashboard, most serious first, each with a link to fix it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import factorial

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from elections.invitations.progress import Progress
from elections.rules import Election, State

from .next_step import Button

MIN_SECRET_VOTERS = 10  # voters; with fewer, a secret may be guessed from who voted


@dataclass(frozen=True, slots=True)
class Concern:
    """`what` is its code; there is no link if it can no longer be fixed."""

    what: str
    sentence: str
    link: Button | None = None


@dataclass(frozen=True, slots=True)
class ElectionSnapshot:
    """What the warnings are decided by."""

    election: Election
    candidates: int
    without_statement: int
    offered: Collection[str]  # what this person may do, by the names of the actions
    now: str
    progress: Progress
    needs_accounts: bool = False  # whether voters listed by address would have to make an account

    @property
    def state(self) -> State:
        return self.election.state(self.now)

    def link(self, page: str, label: str, *actions: str, query: str = "", words: tuple[str, ...] = ()) -> Button | None:
        """Where to fix it, for those who may."""
        may = not actions or any(action in self.offered for action in actions)
        return Button(label, reverse(page, args=[self.election.name, *words]) + query) if may else None


def concerns(snapshot: ElectionSnapshot, *, except_for: str = "") -> list[Concern]:
    """Most serious first, without those the next step already covers."""
    every = (
        _restored,
        _end_passed,
        _failed_mails,
        _accounts_needed,
        _without_quorum,
        _without_address,
        _unnoticed_link_votes,
        _weak_secrecy,
        _missing_statements,
    )
    return [each for find in every for each in find(snapshot) if each.what != except_for]


def _restored(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    if snapshot.election.restores:
        sentence = _(
            "The site was restored from a backup while this election was open. Ballots cast before that "
            "count, but can no longer be matched to their voters, who cannot see, change or withdraw them."
        )
        yield Concern("restored", sentence, snapshot.link("history", _("What happened when")))


def _end_passed(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    end = snapshot.election.no_voting_after
    if snapshot.state == State.DRAFT and end is not None and end <= snapshot.now:
        sentence = _("The end of voting is in the past.")
        yield Concern("settings", sentence, snapshot.link("election_settings", _("Change the settings"), "SET_UP"))


def _failed_mails(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    if count := snapshot.progress.failed:
        sentence = ngettext("%(count)d mail could not be sent.", "%(count)d mails could not be sent.", count)
        link = snapshot.link("roll", _("See which, and why"), query="?show=failed")
        yield Concern("failed", sentence % {"count": count}, link)


def _accounts_needed(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    if snapshot.needs_accounts:
        sentence = _(
            "Voters are listed by mail address and “Vote by link” is off, so anyone without an account must "
            "create one before voting. You cannot change this after opening."
        )
        link = snapshot.link("election_step", _("Who votes"), "SET_UP", words=("who",))
        yield Concern("accounts", sentence, link)


def _without_quorum(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    convened = snapshot.election.convened
    if convened and not convened.quorate:
        sentence = _("The assembly that convened this election was not quorate: %(words)s.")
        yield Concern("quorum", sentence % {"words": convened.summary})


def _without_address(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    count = snapshot.progress.invited.nowhere if snapshot.progress.invited else 0
    if count and snapshot.state != State.CLOSED:
        sentence = ngettext(
            "%(count)d voter gets no mail: nobody here has that name.",
            "%(count)d voters get no mail: nobody here has these names.",
            count,
        )
        yield Concern("no address", sentence % {"count": count}, snapshot.link("roll", _("The roll")))


def _unnoticed_link_votes(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    """A forwarded link is noticed by who hears of a ballot that they did not cast."""
    election = snapshot.election
    if election.vote_by_link and not election.mail_votes and snapshot.state != State.CLOSED:
        sentence = _(
            "People can vote with the link in their invitation, but get no mail about their ballots: someone "
            "else could use a link unnoticed."
        )
        yield Concern("unnoticed", sentence, snapshot.link("election_settings", _("Change the settings"), "SET_UP"))


def _weak_secrecy(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    """Before it is too late: while it can still be made public, or have more voters."""
    election, voters = snapshot.election, snapshot.election.voter_count
    if not (election.secret_ballot and election.electorate == "listed" and voters) or snapshot.state == State.CLOSED:
        return
    said = []
    if voters < MIN_SECRET_VOTERS:
        said.append(_("With so few voters, secret ballots may be guessed, for example from a nearly unanimous result."))
    if voters < factorial(min(snapshot.candidates, 5)):
        said.append(_("There are more possible rankings than voters, so a rare ranking may give its voter away."))
    if said:
        yield Concern("secrecy", " ".join(said), Button(_("What “secret” means"), reverse("help_secrecy")))


def _missing_statements(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    if snapshot.without_statement and snapshot.state != State.CLOSED:
        sentence = _("Candidates without a statement: %(count)d.") % {"count": snapshot.without_statement}
        yield Concern("statements", sentence, snapshot.link("candidates", _("Add statements"), "CHANGE_CANDIDATES"))
