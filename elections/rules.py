"""What an election is, its states, and who may do what when: pure decisions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.rules import Permission, Role, has
from foundation.acts.refusals import NotAllowed, NotNow, Permissions, Refusal, Rule
from foundation.pages import lists
from foundation.ranking.marks import how_to_vote
from foundation.store.keys import fold
from foundation.tally import methods

from .convening import Convened
from .kinds import majority_sentence

MAX_CANDIDATES = lists.MAX_CANDIDATES  # as many as can be pasted at once
MAX_QUESTIONS = 20
MAX_TOTAL_CANDIDATES = 1_000  # of all questions of an election: its ballot is one page
MAX_SEATS = 100
MAX_MANAGERS = 20
MAX_VOTER_GROUPS = 20  # of one roll
# bytes of all names of candidates: rounds, ties and lots of a result repeat them many times
MAX_CANDIDATE_NAMES_BYTES = 40_000
MAX_STATEMENTS_BYTES = 1_000_000  # bytes of all statements of an election as HTML: they are shown on one page


class State(Enum):
    """What the stored flags and the clock make of an election."""

    DRAFT = "draft"
    EDITABLE = "editable"  # open, and candidates may still be added
    OPEN = "open"
    CLOSED = "closed"

    @property
    def label(self) -> str:
        return STATE_LABELS[self]


STATE_LABELS = {
    State.DRAFT: _("Draft"),
    State.EDITABLE: _("Open, editable"),
    State.OPEN: _("Open"),
    State.CLOSED: _("Closed"),
}

KINDS = {
    "ranked": _("Ranked"),
    "yes-no": _("Yes or no"),
    "choose": _("Choose"),
    "approval": _("Approval"),
    "score": _("Score"),
    "points": _("Points"),
}
METHODS = {
    "schulze": _("Schulze"),
    "ranked-pairs": _("Ranked pairs"),
    "irv": _("Instant runoff"),
    "borda": _("Borda"),
    "stv-scottish": _("STV (Scottish rules)"),
    "stv-meek": _("STV (Meek)"),
    "majority": _("Majority"),
    "most-votes": _("Most votes"),
    "approval": _("Most approvals"),
    "star": _("STAR"),
    "score": _("Highest total score"),
    "cumulative": _("Most points"),
}
RANKED_METHODS = {name: label for name, label in METHODS.items() if name in methods.KINDS["ranked"]}
SEVERAL_SEATS = methods.SEVERAL_SEATS
# By default, unranked candidates are below all others (foundation.tally.pairwise).
UNRANKED = {"below": _("below all ranked candidates"), "no-opinion": _("no opinion")}
ELECTORATES = {"listed": _("the voters listed"), "everyone": _("everybody here who may vote")}
# What voters are protected by beyond what every election does; all of them together are called strict.
NO_DRAFTS, LEAVE, CONFIRM, COUNTS = "no-drafts", "leave", "confirm", "counts"
SAFEGUARDS = {
    NO_DRAFTS: _("nothing of a ballot is stored on the device"),
    LEAVE: _("the ballot disappears once cast, and the voter is signed out"),
    CONFIRM: _("voters confirm that they have read how to protect their device"),
    COUNTS: _("voters are told that this vote counts"),
}
RESULTS = {"closed": _("after it closes"), "live": _("also while it is open")}


# of an election: still stored with some, and read by nothing
FIELDS_OF_EARLIER_VERSIONS = ("book", "end_moved_at", "frame_hosts", "interruptions", "join_requests", "join_until")


@dataclass(frozen=True, slots=True)
class Question:
    """A question of an election besides its first: how it is voted on and counted, and by whom."""

    number: int  # stays the same when another question is moved or goes, as its candidates are stored under it
    title: str
    kind: str = "ranked"
    method: str = "schulze"
    seats: int = 1
    fewest: int = 0
    most: int = 0
    majority: str = ""
    unranked: str = "below"
    for_groups: tuple[str, ...] = ()
    excluded: int = 0
    extra_votes: int = 0


OF_QUESTION = tuple(Question.__dataclass_fields__)  # fields of an election that say something of one of its questions


@dataclass(frozen=True, slots=True)
class Election:
    """An election as stored, with what its first question asks, which is mostly its only one; or, as `at` gives it,
    with what another of its questions asks. Times are UTC, as text.
    """

    name: str
    owner_name: str
    created_at: str
    secret_ballot: bool = True
    no_voting_before: str | None = None
    no_voting_after: str | None = None
    allow_edit: bool = True
    allow_vote: bool = False
    seats: int = 1
    method: str = "schulze"
    unranked: str = "below"
    electorate: str = "listed"
    results_visible: str = "closed"
    results_public: bool = False  # whether the sealed result is public, but not who voted
    time_zone: str = "UTC"
    managers: tuple[str, ...] = field(default=())
    voter_count: int = 0
    by_letter: int = 0  # how many of them are listed by member number: they get letters instead of mails
    voter_groups: tuple[str, ...] = ()  # the groups that people on its roll are in
    for_groups: tuple[str, ...] = ()  # those of them that may vote; all on the roll if there are none
    excluded: int = 0  # since it opened, how many are on its roll but in none of those groups
    weighted: bool = False  # whether there are, or were, people on its roll whose vote counts more than once
    extra_votes: int = 0  # since it opened, how many votes there are beyond one for each who may vote
    paper_ballots: bool = False
    changeable: bool = True  # whether voters may change and withdraw their ballots; else each vote is final
    safeguards: tuple[str, ...] = ()  # of SAFEGUARDS, in that order
    mail_votes: bool = True  # whether voters are mailed about every cast and, unless it is secret, about every change
    closing: str | None = None  # who is closing it: the ballot box is shut, but the event is not yet recorded
    version: int = 1
    remind_before: tuple[int, ...] = ()  # hours before the end at which those who have not voted are reminded
    renamed_from: str = ""  # until everything it had under that name has been moved
    filling: bool = False  # until candidates and voters have been copied into it
    lots_commitment: str = ""  # to the secret from which, with the ballots, the seed of the lots is made at the close
    joining: bool = False  # whether, where every member may vote, that includes those who join while it is open
    opened_at: str | None = None  # None if opened before this was recorded: then anyone who joins may vote
    closed_at: str | None = None  # when its ballot box was shut
    shows_skills: bool = False  # whether voters see, before they vote, which needs candidates who agreed say they meet
    letter_check: str = ""  # what voters with a letter are asked for besides the code: see `letters.rules.CHECKS`
    vote_by_link: bool = False  # whether the link in an invitation leads to the ballot without signing in
    announces: bool = False  # whether voters are mailed who won as soon as the result is sealed
    of_options: bool = False  # whether it was begun to rank options, not people, so that it needs no skills
    group: str = ""  # the number of the group that was last put on its roll
    shards: int = 1  # how many partitions its roll, gates and ballots are spread over; never changes
    convened: Convened | None = None  # by which assembly, and who was present; never changes
    kind: str = "ranked"  # of ballot
    fewest: int = 0  # candidates that a voter must choose
    most: int = 0  # candidates that a voter may choose, or points that a voter may distribute
    majority: str = ""  # which a proposal needs, as `foundation.tally.majorities` writes it
    questions_from: str = ""  # who may ask candidates questions: "voters", "everyone", or nobody
    questions_open: bool = False  # whether questions are shown before an organiser has approved them
    questions_named: bool = False  # whether everyone sees who asks
    answers: int = 0  # grows whenever shown questions or answers change; while it is 0, there are none to read
    title: str = ""  # of the question, where there are several
    more: tuple[Question, ...] = ()  # the other questions, where there are several
    order: tuple[int, ...] = ()  # of the questions on the ballot, by number; if empty, as they were added
    unasked: int = 0  # how many on the roll none of several questions is for, since it opened
    number: int = 1  # of the question that this value is about; not stored, as it is the first one's
    whole: Election | None = field(default=None, compare=False, repr=False)  # from which `at` took another question

    def at(self, number: int) -> Election:
        """The election as it asks one of its questions; everything that is not the question's is as it was. Raises
        `LookupError` if there is no such question."""
        whole = self.whole or self
        if number == 1:
            return whole
        for asked in whole.more:
            if asked.number == number:
                return replace(whole, whole=whole, **{name: getattr(asked, name) for name in OF_QUESTION})
        raise LookupError(f"{self.name} has no question {number}.")

    def has_question(self, number: int) -> bool:
        return number == 1 or number in (each.number for each in self.more)

    @property
    def questions(self) -> tuple[Election, ...]:
        """The election as it asks each of its questions, in their order on the ballot."""
        if not self.more:
            return (self,)
        return tuple(map(self.at, self.order or (1, *(each.number for each in self.more))))

    def questions_for(self, groups: Collection[str]) -> tuple[Election, ...]:
        """Those that somebody on the roll who is in these groups may vote on."""
        return tuple(each for each in self.questions if each.is_for(groups))

    @property
    def voting_groups(self) -> tuple[str, ...]:
        """The groups that a question is for; none if a question is for all on the roll."""
        some = [each.for_groups for each in self.questions]
        return tuple(dict.fromkeys(group for groups in some for group in groups)) if all(some) else ()

    @property
    def address(self) -> tuple[str] | tuple[str, int]:
        """What the addresses of pages about this question are made with."""
        return (self.name,) if self.number == 1 else (self.name, self.number)

    @property
    def result_address(self) -> tuple[str] | tuple[str, int]:
        """As `address`, of its result: where there are several questions, that of the election is an overview."""
        return (self.name, self.number) if self.more else (self.name,)

    @property
    def heading(self) -> str:
        """What this question is called: its title, or the name of the election if it is the only one."""
        return self.title or self.name

    @property
    def full_name(self) -> str:
        """As `heading`, where nothing else says which election it is."""
        return f"{self.name}: {self.title}" if self.title else self.name

    @property
    def event_subject(self) -> dict[str, Any]:
        """What an event says it is about: the election, and which of its questions besides the first."""
        return {"election_name": self.name} | ({"question": self.number} if self.number > 1 else {})

    def with_question(self, **changes: Any) -> Election:
        """The whole election, with these fields of this question changed."""
        if self.number == 1:
            return replace(self, **changes)
        whole = self.at(1)
        more = (replace(each, **changes) if each.number == self.number else each for each in whole.more)
        return replace(whole, more=tuple(more))

    def state(self, now: str) -> State:
        """As of a moment: an election whose end has come is closed, whether or not anything has run since."""
        if self.allow_vote and is_over(self, now):
            return State.CLOSED
        return STATES[self.allow_edit, self.allow_vote]

    @property
    def begins(self) -> datetime | None:
        return datetime.fromisoformat(self.no_voting_before) if self.no_voting_before else None

    @property
    def ends(self) -> datetime | None:
        return datetime.fromisoformat(self.no_voting_after) if self.no_voting_after else None

    @property
    def opened(self) -> datetime | None:
        return datetime.fromisoformat(self.opened_at) if self.opened_at else None

    @property
    def ended(self) -> datetime | None:
        """When voting really ended: a planned end counts even if it was recorded later."""
        known = [moment for moment in (self.closed_at, self.no_voting_after) if moment]
        return datetime.fromisoformat(min(known)) if known else None

    @property
    def closed_early(self) -> bool:
        """Whether it was closed before its planned end."""
        return bool(self.closed_at and self.no_voting_after and self.closed_at < self.no_voting_after)

    @property
    def method_label(self) -> str:
        return METHODS[self.method]

    @property
    def kind_label(self) -> str:
        return KINDS[self.kind]

    @property
    def how_to_vote(self) -> str:
        return how_to_vote(self)

    @property
    def majority_sentence(self) -> str:
        return majority_sentence(self.majority)

    @property
    def openness(self) -> str:
        """Of an election whose ballots are not secret."""
        if self.kind == "ranked":
            return _("public: everybody may see who ranked whom")
        return _("public: everybody may see how each person voted")

    @property
    def unranked_label(self) -> str:
        return UNRANKED[self.unranked]

    @property
    def entitled(self) -> int:
        """How many of those on the roll may vote."""
        return self.voter_count - self.excluded

    @property
    def electors(self) -> int:
        """How many of those on the roll may vote on any of its questions."""
        return self.voter_count - (self.unasked if self.more else self.excluded)

    @property
    def entitled_votes(self) -> int:
        """How many votes they have, since it opened."""
        return self.entitled + self.extra_votes

    def is_for(self, groups: Iterable[str]) -> bool:
        """Whether somebody on the roll who is in these groups may vote."""
        return is_for(self.for_groups, groups)

    @property
    def electorate_label(self) -> str:
        if self.for_groups:
            return _("voters in: %(groups)s") % {"groups": ", ".join(self.for_groups)}
        return self.roll_label

    @property
    def roll_label(self) -> str:
        """Who may vote on a ballot, some of whose questions may be for some groups only."""
        if self.electorate != "everyone" or (self.opened_at is None and self.stored_state != State.DRAFT):
            return ELECTORATES[self.electorate]
        if self.joining:
            return _("everybody here who may vote, including people who join while it is open")
        if self.opened_at:
            return _("everybody who could vote here when it opened")
        return _("everybody here who may vote when it opens")

    @property
    def safeguard_labels(self) -> list[str]:
        return [SAFEGUARDS[each] for each in self.safeguards]

    @property
    def is_strict(self) -> bool:
        return len(self.safeguards) == len(SAFEGUARDS)

    @property
    def results_label(self) -> str:
        return RESULTS[self.results_visible]

    @property
    def stored_state(self) -> State:
        return STATES[self.allow_edit, self.allow_vote]

    @property
    def has_secrets(self) -> bool:
        """Whether its deleted data must not remain in the store's files either."""
        return self.secret_ballot and self.stored_state != State.DRAFT

    @property
    def has_secret_weights(self) -> bool:
        """Whether secret ballots count several times, which shows whose they are. No draft opens so; an earlier version
        opened some."""
        return self.secret_ballot and any(each.extra_votes > 0 for each in self.questions)

    def takes_votes(self, now: str) -> bool:
        has_begun = self.no_voting_before is None or self.no_voting_before <= now
        return has_begun and self.state(now) in (State.EDITABLE, State.OPEN)

    def is_open_to(self, since: str | None) -> bool:
        """Whether someone who may vote here since then has a vote without being listed."""
        if since is None or self.electorate != "everyone":
            return False
        return self.joining or self.opened_at is None or since <= self.opened_at

    def shows_live(self, now: str) -> bool:
        """Whether there are live results, the count while ballots come in: never those of a secret election."""
        return self.results_visible == "live" and not self.secret_ballot and self.takes_votes(now)


def is_for(for_groups: Collection[str], groups: Iterable[str]) -> bool:
    return not for_groups or not {*map(fold, for_groups)}.isdisjoint(map(fold, groups))


def is_over(election: Any, now: str) -> bool:
    """Whether the end of an election, or of its entry in a list, has come."""
    over = election.no_voting_after is not None and election.no_voting_after <= now
    return over or election.closing is not None


def urgency(election: Any, now: str) -> tuple[int, str]:
    """Sorts elections, or their entries in a list: open ones by their end, then drafts, then closed ones."""
    rank = {State.DRAFT: 2, State.CLOSED: 3}.get(election.state(now), 1)
    return rank, (rank == 1 and election.no_voting_after) or "~"


STATES = {
    (True, False): State.DRAFT,
    (True, True): State.EDITABLE,
    (False, True): State.OPEN,
    (False, False): State.CLOSED,
}


# --- who may do what, and when ---


class Relation(Enum):
    """A person's relation to an election."""

    OWNER = "owner"
    MANAGER = "manager"
    MODERATOR = "moderator"  # ADMIN and above, of another person's election
    NOBODY = "nobody"


class Action(Enum):
    """An organiser's actions, labelled as on their buttons."""

    LOOK = _("see the dashboard")
    DESCRIBE = _("change the description")
    SET_UP = _("change the settings")
    ADD_CANDIDATES = _("add candidates")
    CHANGE_CANDIDATES = _("change or remove candidates")
    SET_NEEDS = _("change the skills it needs")
    SET_QUESTIONS = _("choose who may ask candidates questions")
    REVIEW_QUESTIONS = _("review questions to candidates")
    ANSWER_QUESTIONS = _("answer on behalf of a candidate")
    ADD_VOTERS = _("add voters")
    REMOVE_VOTERS = _("remove voters")
    SEE_ROLL = _("see the roll")
    INVITE = _("invite voters")
    READ_MAILS = _("read what was mailed to voters")
    ANNOUNCE = _("mail the result to voters")
    WORD_INVITATION = _("edit the invitation")
    SET_REMINDERS = _("choose reminders")
    ANSWER = _("answer requests")
    ENTER_PAPER = _("enter paper ballots")
    RUN_STATION = _("run polling stations")
    REHEARSE = _("rehearse it")
    OPEN = _("open it")
    FIX = _("lock the list of candidates")
    EXTEND = _("extend voting")
    CLOSE = _("close it")
    RENAME = _("rename it")
    DELETE = _("delete it")
    COPY = _("copy it")
    CHANGE_MANAGERS = _("change its managers")
    HAND_OVER = _("hand it over")


ANY_STATE = frozenset(State)
DRAFTS, CLOSED = frozenset({State.DRAFT}), frozenset({State.CLOSED})
WHILE_OPEN = frozenset({State.EDITABLE, State.OPEN})
UNTIL_FIXED, UNTIL_CLOSED, SINCE_OPENED = DRAFTS | {State.EDITABLE}, ANY_STATE - CLOSED, ANY_STATE - DRAFTS
OWNERS = frozenset({Relation.OWNER})
RUNNERS = OWNERS | {Relation.MANAGER}
MODERATED = OWNERS | {Relation.MODERATOR}
ALL = RUNNERS | MODERATED
RULES: dict[Action, Rule[Relation, State]] = {
    Action.LOOK: Rule(ALL, ANY_STATE),
    Action.DESCRIBE: Rule(ALL, UNTIL_FIXED),
    Action.SET_UP: Rule(OWNERS, DRAFTS),
    Action.ADD_CANDIDATES: Rule(RUNNERS, UNTIL_FIXED),
    Action.CHANGE_CANDIDATES: Rule(RUNNERS, DRAFTS),
    Action.SET_NEEDS: Rule(RUNNERS, DRAFTS),
    Action.SET_QUESTIONS: Rule(RUNNERS, UNTIL_CLOSED),
    Action.REVIEW_QUESTIONS: Rule(ALL, SINCE_OPENED),
    Action.ANSWER_QUESTIONS: Rule(RUNNERS, WHILE_OPEN),
    Action.ADD_VOTERS: Rule(RUNNERS, UNTIL_CLOSED),
    Action.REMOVE_VOTERS: Rule(RUNNERS, DRAFTS),
    Action.SEE_ROLL: Rule(ALL, ANY_STATE),
    Action.INVITE: Rule(RUNNERS, WHILE_OPEN),
    Action.READ_MAILS: Rule(RUNNERS, SINCE_OPENED),
    Action.ANNOUNCE: Rule(RUNNERS, CLOSED),
    Action.WORD_INVITATION: Rule(RUNNERS, UNTIL_CLOSED),
    Action.SET_REMINDERS: Rule(RUNNERS, UNTIL_CLOSED),
    Action.ANSWER: Rule(RUNNERS, SINCE_OPENED),
    Action.ENTER_PAPER: Rule(RUNNERS, WHILE_OPEN),
    Action.RUN_STATION: Rule(RUNNERS, WHILE_OPEN),
    Action.REHEARSE: Rule(RUNNERS, DRAFTS),
    Action.OPEN: Rule(OWNERS, DRAFTS),
    Action.FIX: Rule(OWNERS, frozenset({State.EDITABLE})),
    Action.EXTEND: Rule(OWNERS, WHILE_OPEN),
    Action.CLOSE: Rule(MODERATED, WHILE_OPEN),
    Action.RENAME: Rule(OWNERS, DRAFTS),
    Action.DELETE: Rule(MODERATED, ANY_STATE),
    Action.COPY: Rule(RUNNERS, ANY_STATE),
    Action.CHANGE_MANAGERS: Rule(OWNERS, UNTIL_CLOSED),
    Action.HAND_OVER: Rule(MODERATED, UNTIL_CLOSED),
}


# Actions allowed on a draft that is still being filled, as they cannot interfere.
WHILE_FILLING = frozenset(
    {*(Action.LOOK, Action.ADD_CANDIDATES, Action.SET_NEEDS, Action.ADD_VOTERS, Action.WORD_INVITATION), Action.DELETE}
)


class WrongState(NotNow):
    """An act that could be done, but not now."""


class NotReady(Refusal):
    """What is missing before an election can open."""


def relation(name: str, role: Role, election: Election) -> Relation:
    """People who lost the role to run elections have no relation to them, not even as owner."""
    if has(role, Permission.USE_APPLICATION):
        if fold(name) == fold(election.owner_name):
            return Relation.OWNER
        if fold(name) in map(fold, election.managers):
            return Relation.MANAGER
    return Relation.MODERATOR if has(role, Permission.MANAGE_USERS) else Relation.NOBODY


_PERMISSIONS = Permissions(
    RULES,
    lambda action: NotAllowed(
        _("You may not %(action)s: this election is not yours to run.") % {"action": action.value}
    ),
    lambda action, state: WrongState(
        _("Nobody can %(action)s while the election is in the state “%(state)s”.")
        % {"action": action.value, "state": state.label}
    ),
)
check_who, check_when, offered = _PERMISSIONS.check_who, _PERMISSIONS.check_when, _PERMISSIONS.offered


HAS_CANDIDATES = _("A yes-or-no vote is on one proposal and has no candidates. Remove them first.")
ONLY_ANSWERS = _("A yes-or-no vote is on one proposal and has no candidates: voters answer yes, no or abstain.")
OF_CANDIDATES = frozenset(
    {
        *(Action.ADD_CANDIDATES, Action.CHANGE_CANDIDATES, Action.SET_NEEDS, Action.FIX),
        *(Action.SET_QUESTIONS, Action.REVIEW_QUESTIONS, Action.ANSWER_QUESTIONS),
    }
)


def check_not_busy(election: Election, action: Action) -> None:
    if election.kind == "yes-no" and action in OF_CANDIDATES:
        raise WrongState(ONLY_ANSWERS)
    if election.renamed_from and action != Action.LOOK:
        raise WrongState(_("This election is still being renamed. Please try again in a moment."))
    if election.filling and action not in WHILE_FILLING:
        raise WrongState(
            _("Candidates and voters are still being copied into this draft. Please try again in a moment.")
        )


NO_WEIGHTS = _("Where everybody here may vote, every vote counts once. For weights, list the voters instead.")
NO_SECRET_WEIGHTS = _(
    "A secret ballot that counts several times would show whose it is. Make the ballots public, or remove the weights."
)
EVERYBODY_HERE = _(
    "Everybody with an account here can already vote in this election. Add others by their mail address."
)


def takes_names(election: Election) -> bool:
    """Whether voters can be listed by name: not where voting itself adds names, as that would reveal who voted."""
    comes_by_voting = election.electorate == "everyone" and election.stored_state != State.DRAFT
    return not (comes_by_voting and election.secret_ballot)


def check_listing(election: Election, names: Iterable[str]) -> None:
    if not takes_names(election) and not all("@" in name for name in names):
        raise WrongState(EVERYBODY_HERE)


def check_new_end(election: Election, end: str | None, now: str) -> None:
    """While it is open, the end may only move later."""
    if end is not None and end <= now:
        raise WrongState(_("The new end is in the past. Choose a later time."))
    if election.no_voting_after is None and end is not None:
        raise WrongState(
            _("This election has no end, and none can be set while it is open. Close it when the time comes.")
        )
    if election.no_voting_after is not None and end is not None and end < election.no_voting_after:
        raise WrongState(_("While it is open, the end can only be moved later."))


def check_titles(election: Election) -> None:
    """Voters, and results, tell several questions apart by their titles."""
    titles = [fold(each.title) for each in election.questions if election.more]
    if not all(titles):
        raise WrongState(_("Every question needs a title."))
    if len(set(titles)) < len(titles):
        raise WrongState(_("There is already a question with this title. Please choose another one."))


def check_names(names: Sequence[str], others: int = 0) -> None:
    """Refuse more candidates, or longer names, than a result can hold and show; `others` are in other questions."""
    if others and len(names) + others > MAX_TOTAL_CANDIDATES:
        most = {"most": MAX_TOTAL_CANDIDATES}
        raise WrongState(_("All questions together have at most %(most)d candidates.") % most)
    if len(names) > MAX_CANDIDATES:
        raise WrongState(_("An election has at most %(most)d candidates.") % {"most": MAX_CANDIDATES})
    size = sum(len(name.encode()) for name in names)
    if size > MAX_CANDIDATE_NAMES_BYTES:
        values = {"most": MAX_CANDIDATE_NAMES_BYTES // 1000, "size": -(-size // 1000)}
        raise WrongState(
            _(
                "All candidates' names together may have at most %(most)d kB; these have %(size)d kB. Please "
                "shorten some."
            )
            % values
        )


def check_statements(length: int, before: int, others: int) -> None:
    """A statement may become shorter in any case: an election may have had more before this was asked."""
    if length > before and others + length > MAX_STATEMENTS_BYTES:
        raise NotReady(
            _("Together, the statements of this election would be too long for one page. Please shorten this one.")
        )


def check_settings(method: str, seats: int, secret_ballot: bool, results_visible: str) -> None:
    if seats > 1 and method not in SEVERAL_SEATS:
        raise ValidationError(_("This method elects one winner. For several seats, choose an STV method."))
    if secret_ballot and results_visible == "live":
        raise ValidationError(_("A secret election shows its result only after it closes."))


def check_window(begin: str | None, end: str | None) -> None:
    if begin is not None and end is not None and end <= begin:
        raise ValidationError(_("Voting must end after it begins."))
