"""The next step for organisers: one sentence, with a button if they may take it.

A pure decision on numbers known without reading the roll. Steps after the result (announcing it, for example) come
from apps above elections, connected in config/hooks.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from elections import opening_rules, rules
from elections.invitations.progress import Progress
from elections.invitations.reminders import moment
from elections.rules import Election, State
from elections.turnout.counts import tells_who
from foundation.acts.hooks import Hooks
from foundation.pages.paths import path_of

REMINDER_LEAD_TIME = timedelta(days=3)  # before the end it is time to remind those who have not voted


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    address: str


@dataclass(frozen=True, slots=True)
class NextStep:
    """`what` is its code; the first button is the primary one unless the step is quiet."""

    what: str
    sentence: str
    button: Button | None = None
    other_buttons: tuple[Button, ...] = ()
    is_quiet: bool = False  # nothing has to be done: the button is an offer


@dataclass(frozen=True, slots=True)
class Numbers:
    """Figures about an election that are stored elsewhere."""

    candidates: Mapping[int, int] = field(default_factory=dict)  # of each question
    voted: int = 0
    uninvited: int = 0  # voters on the roll who have not been invited
    invited: int = 0  # voters who were to be mailed an invitation so far
    reminded: int = 0  # reminder mails
    is_inviting: bool = False  # invitations were asked for and are still being queued
    is_sealed: bool = False
    sealing: str = ""  # how far that is, while it takes its time
    to_answer: NextStep | None = None  # what waits for an answer

    @classmethod
    def of(cls, election: Election, so_far: Progress, candidates: Mapping[int, int], voted: int) -> Numbers:
        return cls(
            candidates=candidates,
            voted=voted,
            uninvited=so_far.uninvited(election),
            invited=so_far.invited.voters if so_far.invited else 0,
            reminded=so_far.reminded.all if so_far.reminded else 0,
            is_inviting=so_far.is_inviting,
            is_sealed=so_far.is_sealed,
            sealing=str(so_far.sealing or ""),
            to_answer=next((step for what in TO_ANSWER if (step := what(election, so_far))), None),
        )


# Shown to those who may answer it (`Action.ANSWER`). What it is decided by is read with the progress (`READ_WITH`).
TO_ANSWER = Hooks[[Election, Progress], NextStep | None](
    "when those who run an election look at it: what waits for an answer"
)
ONCE_SEALED = Hooks[[User, Election], NextStep | None]("the next step once a result is sealed")


def next_step(
    election: Election, numbers: Numbers, offered: Collection[str], now: str, *later: NextStep | None
) -> NextStep:
    """`offered` are the actions this person may take; the first of `later` follows the sealing."""
    state = election.state(now)
    if state == State.DRAFT:
        return _draft_step(election, numbers.candidates, offered, now)
    if state != State.CLOSED:
        return _open_step(election, numbers, offered, now)
    result = Button(_("See the result"), path_of("results", election.name))
    if not numbers.is_sealed:
        sentence = _("The election is closed and final. The ballots are being counted.")
        return NextStep("wait", " ".join(filter(None, (sentence, numbers.sealing))), result, is_quiet=True)
    step = next((step for step in later if step is not None), None)
    if step is None:
        return NextStep("result", _("The election is closed and final."), result)
    return replace(step, other_buttons=(*step.other_buttons, result))


def _button(
    election: Election, page: str, label: str, offered: Collection[str], action: str, query: str = ""
) -> Button | None:
    return Button(label, path_of(page, *election.address) + query) if action in offered else None


def _draft_step(election: Election, candidates: Mapping[int, int], offered: Collection[str], now: str) -> NextStep:
    """If something is missing, the first of all that the sentence names."""
    if election.filling:
        return NextStep("wait", _("Candidates and voters are being copied into this draft."), is_quiet=True)
    try:
        opening_rules.check_opening(election, candidates, now)
    except rules.NotReady as refusal:
        questions, sentence = election.questions, str(refusal)
        lacking = [each for each in questions if opening_rules.lacks_candidates(each, candidates.get(each.number, 0))]
        if lacking:
            button = _button(lacking[0], "candidates", _("Add candidates"), offered, "ADD_CANDIDATES")
            return NextStep("candidates", sentence, button)
        lacks_voters = not election.voter_count or any(map(opening_rules.lacks_group, questions))
        if election.electorate == "listed" and lacks_voters:
            return NextStep("voters", sentence, _button(election, "roll", _("Add voters"), offered, "ADD_VOTERS"))
        button = _button(election, "election_settings", _("Change the settings"), offered, "SET_UP")
        roll = _button(election, "roll", _("See the list"), offered, "ADD_VOTERS")
        return NextStep("settings", sentence, button, (roll,) if roll and election.has_secret_weights else ())
    rehearse = _button(election, "rehearse", _("Dress rehearsal"), offered, "REHEARSE")
    others = (rehearse,) if rehearse else ()
    if button := _button(election, "open_election", _("Open the election"), offered, "OPEN"):
        sentence = _("Everything is ready. People can vote as soon as you open the election.")
        return NextStep("open", sentence, button, others)
    sentence = _("Everything is ready. %(owner)s can open the election.") % {"owner": election.owner_name}
    return NextStep("open", sentence, None, others, is_quiet=True)


def _open_step(election: Election, numbers: Numbers, offered: Collection[str], now: str) -> NextStep:
    """Where every member may vote, inviting by mail is optional."""
    is_listed = election.electorate == "listed"
    invite = _button(election, "invitation", _("Invite voters"), offered, "INVITE")
    if is_listed and numbers.uninvited:
        values = {"waiting": numbers.uninvited, "voters": election.voter_count}
        if numbers.is_inviting:
            text = _("Invitations are on their way: %(waiting)d of %(voters)d still to go.") % values
            return NextStep("wait", text, is_quiet=True)
        text = ngettext(
            "%(waiting)d of %(voters)d voters has not been invited yet.",
            "%(waiting)d of %(voters)d voters have not been invited yet.",
            numbers.uninvited,
        )
        return NextStep("invite", text % values, invite)
    if numbers.to_answer and "ANSWER" in offered:
        return numbers.to_answer
    if not is_listed and numbers.is_inviting:
        return NextStep("wait", _("Invitations are on their way."), is_quiet=True)
    if not is_listed and not numbers.invited:
        text = " ".join((_("Nobody has been invited by mail yet."), turnout_text(election, numbers)))
        return NextStep("invite", text, invite, is_quiet=True)
    if is_listed and numbers.voted >= election.electors:
        text = _("Everyone has voted. You can close the election now, or wait for the end.")
        button = _button(election, "close_election", _("Close the election"), offered, "CLOSE")
        return NextStep("close", text, button, is_quiet=True)
    return _waiting_step(election, numbers, offered, now, *([_("Everyone is invited.")] if is_listed else []))


def _waiting_step(election: Election, numbers: Numbers, offered: Collection[str], now: str, *before: str) -> NextStep:
    """Wait; or remind those who have not voted: once, shortly before the end, unless a reminder is scheduled."""
    end, text = election.no_voting_after, [*before, turnout_text(election, numbers)]
    is_scheduled = end is not None and any(moment(end, hours) > now for hours in election.remind_before)
    tells = tells_who(election, numbers.voted)  # else nobody is left out of a reminder
    if is_scheduled:
        others = _("The others get an automatic reminder.")
        text.append(others if tells else _("Everybody who was invited gets an automatic reminder."))
    is_soon = election.ends is None or election.ends - datetime.fromisoformat(now) <= REMINDER_LEAD_TIME
    if numbers.reminded or is_scheduled or not is_soon or not election.takes_votes(now):
        return NextStep("watch", " ".join(text), is_quiet=True)
    label = _("Remind those who have not voted") if tells else _("Remind voters")
    button = _button(election, "invitation", label, offered, "INVITE", query="?what=reminder")
    return NextStep("remind", " ".join(text), button, is_quiet=True)


def turnout_text(election: Election, numbers: Numbers) -> str:
    values = {"voted": numbers.voted, "voters": election.electors}
    if election.electorate == "listed":
        text = ngettext("%(voted)d of %(voters)d has voted.", "%(voted)d of %(voters)d have voted.", numbers.voted)
    else:
        text = ngettext("%(voted)d has voted.", "%(voted)d have voted.", numbers.voted)
    return text % values
