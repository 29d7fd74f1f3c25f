"""Elections: list, read, create, edit, open, extend, close; and their turnout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from django.http import Http404
from django.utils.translation import gettext as _
from msgspec import UNSET, Meta, UnsetType

from accounts.api.calls import NO_EFFECT, Call, Page, Paging, cleaned, each_cleaned
from accounts.api.operations import Area, Markdown, Moment, Name, Zone, given, link, moment, operation, stored, typed
from accounts.api.problems import Problem, invalid, of_form_errors
from accounts.api_tokens import Scope
from accounts.rules import Permission
from elections import actions, kinds, repository, rules
from elections.access import check_visible, load_question, may
from elections.drafts import services as drafts
from elections.drafts.forms import TIMES, DescriptionForm, ElectionForm, SettingsForm
from elections.lifecycle import services as lifecycle
from elections.lifecycle.closing import close_and_follow_up
from elections.lifecycle.forms import EndForm, open_form
from elections.rules import Action, Relation, State
from elections.turnout.counts import Turnout as Counted
from elections.turnout.counts import turnouts
from foundation.acts.storage import now_text
from foundation.pages.fields import zone_or_default
from foundation.pages.names import clean_title

AREA = Area("elections", "Elections", "From the draft to the close.")

Kind = Literal["ranked", "yes-no", "choose", "approval", "score", "points"]
RankedMethod = Literal["schulze", "ranked-pairs", "irv", "borda", "stv-scottish", "stv-meek"]
Method = RankedMethod | Literal["majority", "most-votes", "approval", "star", "score", "cumulative"]


class QuestionSettings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """How a question is voted on and counted. What is left out keeps its value, or gets the usual one."""

    kind: Annotated[Kind, Meta(description="The kind of ballot.")] | UnsetType = UNSET
    method: Annotated[Method, Meta(description="One of the kind of ballot; else its usual one.")] | UnsetType = UNSET
    fewest: (
        Annotated[int, Meta(ge=0, le=rules.MAX_CANDIDATES, description="To choose: candidates, at least.")] | UnsetType
    ) = UNSET
    most: (
        Annotated[int, Meta(ge=0, le=rules.MAX_CANDIDATES, description="Candidates to choose, or points, at most.")]
        | UnsetType
    ) = UNSET
    majority: (
        Annotated[str, Meta(max_length=20, description="Of a proposal: a share, and of whom.", examples=["2/3 cast"])]
        | UnsetType
    ) = UNSET
    seats: (
        Annotated[
            int, Meta(ge=1, le=rules.MAX_SEATS, description="Of ranked ballots, more than one needs an STV method.")
        ]
        | UnsetType
    ) = UNSET
    unranked: Literal["below", "no-opinion"] | UnsetType = UNSET


class Settings(QuestionSettings, kw_only=True):
    """The settings of an election, and how its first question is voted on and counted. What is left out keeps its
    value, or gets the usual one."""

    description: Markdown | UnsetType = UNSET
    electorate: (
        Annotated[
            Literal["listed", "everyone"], Meta(description="Whether only those on the roll vote, or every member.")
        ]
        | UnsetType
    ) = UNSET
    joining: Annotated[bool, Meta(description="Members who join while it is open vote, too.")] | UnsetType = UNSET
    secret_ballot: bool | UnsetType = UNSET
    changeable: (
        Annotated[bool, Meta(description="Voters may change or withdraw their ballot until the close.")] | UnsetType
    ) = UNSET
    safeguards: (
        Annotated[
            list[Literal["strict", "no-drafts", "leave", "confirm", "counts"]],
            Meta(description="Stricter rules for voting; `strict` means all of them.", max_length=5),
        ]
        | UnsetType
    ) = UNSET
    paper_ballots: bool | UnsetType = UNSET
    mail_votes: (
        Annotated[
            bool,
            Meta(description="Mail voters when their ballot is cast and, unless it is secret, changed or withdrawn."),
        ]
        | UnsetType
    ) = UNSET
    vote_by_link: bool | UnsetType = UNSET
    announces: Annotated[bool, Meta(description="Mail the result to voters.")] | UnsetType = UNSET
    results_visible: (
        Annotated[Literal["closed", "live"], Meta(description="`live` only if ballots are not secret.")] | UnsetType
    ) = UNSET
    results_public: Annotated[bool, Meta(description="Anyone may see the result.")] | UnsetType = UNSET
    time_zone: Zone | UnsetType = UNSET
    begins: Moment | UnsetType | None = UNSET
    ends: Annotated[Moment | None, Meta(description="After `begins`.")] | UnsetType = UNSET
    remind_before: (
        Annotated[list[Literal[3, 24, 72]], Meta(description="Hours before the end.", max_length=4)] | UnsetType
    ) = UNSET
    letter_check: (
        Annotated[
            Literal["", "birth", "number"],
            Meta(description="What voters by letter are asked for besides the code: their date of birth or number."),
        ]
        | UnsetType
    ) = UNSET


ForGroups = Annotated[
    list[str],
    Meta(description="Voter groups of its roll that may vote; none for all.", max_length=rules.MAX_VOTER_GROUPS),
]


class Changes(Settings):
    """The settings of an election, and for whom of those on its roll its first question is."""

    for_groups: ForGroups | UnsetType = UNSET
    order: (
        Annotated[
            list[int],
            Meta(description="The numbers of all its questions, as voters see them.", max_length=rules.MAX_QUESTIONS),
        ]
        | UnsetType
    ) = UNSET


class NewQuestion(QuestionSettings):
    """What is asked, and how it is voted on and counted."""

    title: Name


class NewElection(Settings):
    """A draft, with its settings."""

    name: Name
    questions: (
        Annotated[
            list[NewQuestion],
            Meta(
                description="Where there are several: all of them, in place of the settings of one.",
                min_length=2,
                max_length=rules.MAX_QUESTIONS,
            ),
        ]
        | UnsetType
    ) = UNSET


class Opening(msgspec.Struct, forbid_unknown_fields=True):
    """What is decided on opening."""

    editable: Annotated[bool, Meta(description="Candidates may still be added while people vote.")] = False
    shows_skills: Annotated[bool, Meta(description="Show voters what candidates say they can do.")] = False


class End(msgspec.Struct, forbid_unknown_fields=True):
    """When voting ends; `null` for no end."""

    ends: Moment | None


class ForOrganisers(msgspec.Struct):
    """What only those who run the election see."""

    owner: str
    managers: list[str]
    voters: int
    voter_groups: Annotated[list[str], Meta(description="The groups that voters on its roll are in.")]
    joining: bool
    paper_ballots: bool
    mail_votes: bool
    vote_by_link: bool
    announces: bool
    remind_before: list[int]
    letter_check: str
    dashboard: str


class ElectionQuestion(msgspec.Struct):
    """One of the questions of an election; mostly it has one, without a title."""

    number: Annotated[int, Meta(description="Stays the same when others are added, moved or removed.")]
    title: str
    kind: str
    method: str
    fewest: int
    most: int
    majority: str
    seats: int
    unranked: str
    for_groups: Annotated[list[str], Meta(description="Voter groups that may vote on it; none for all on the roll.")]
    candidates: Annotated[int, Meta(description="How many there are.")]

    @classmethod
    def of(cls, election: rules.Election, candidates: int) -> ElectionQuestion:
        settings = {each: getattr(election, each) for each in kinds.SETTINGS}
        own: dict[str, Any] = {"for_groups": list(election.for_groups), "candidates": candidates}
        return cls(number=election.number, title=election.title, **settings, **own)


class Election(msgspec.Struct):
    """An election, with the settings of its first question."""

    name: str
    state: State
    description: str
    electorate: str
    for_groups: Annotated[list[str], Meta(description="Voter groups that may vote; none for all on the roll.")]
    secret_ballot: bool
    changeable: bool
    safeguards: list[str]
    kind: str
    method: str
    fewest: int
    most: int
    majority: str
    seats: int
    unranked: str
    results_visible: str
    results_public: bool
    time_zone: str
    begins: Moment | None
    ends: Moment | None
    created_at: Moment
    opened_at: Moment | None
    closed_at: Moment | None
    page: str
    questions: Annotated[list[ElectionQuestion], Meta(description="All of them, in their order on the ballot.")]
    organiser: ForOrganisers | None


class ListedElection(msgspec.Struct):
    """An election in a list."""

    name: str
    state: State
    begins: Moment | None
    ends: Moment | None
    time_zone: str
    winners: Annotated[list[str], Meta(description="The first few, once the result is sealed.")]
    by_lot: Annotated[list[str], Meta(description="The winners whom a lot elected.")]
    page: str


class Listing(Paging):
    """Which elections to list."""

    show: Annotated[
        Literal["all", "open", "closed", "run"], Meta(description="`run`: those you run, with your drafts.")
    ] = "all"


class GroupTurnout(msgspec.Struct):
    """How many of a voter group have voted."""

    group: str
    voters: int
    voted: int


class Turnout(msgspec.Struct):
    """How many have voted, never who."""

    voters: int
    voted: int
    paper: int
    percent: int
    votes: Annotated[int, Meta(description="More than voted where voters have weights.")]
    groups: Annotated[
        list[GroupTurnout],
        Meta(description="Of voter groups, as far as it tells nothing about fewer than five people."),
    ]

    @classmethod
    def of(cls, counted: Counted, voters: int, groups: Sequence[GroupTurnout] = ()) -> Turnout:
        return cls(voters, counted.voted, counted.paper, counted.percent(voters), counted.votes, list(groups))


def load(call: Call, name: str, action: Action, question: int = 1) -> rules.Election:
    """The election as it asks this question, if the owner of the token may act on it at all; a service decides whether
    they may now."""
    election = load_question(name, question)
    if election is None:
        raise Http404
    may(action)(call.user, election)
    return election


def load_visible(call: Call, name: str, question: int = 1) -> rules.Election:
    election = load_question(name, question)
    if election is None:
        raise Http404
    check_visible(call.user, election)
    return election


reading = {"scope": Scope.READ, "permission": Permission.VIEW_APPLICATION}
organising = {"scope": Scope.ORGANISE, "permission": Permission.USE_APPLICATION}


@operation(
    "GET", "elections", AREA, "List elections, newest first", query=Listing, answers=Page[ListedElection], **reading
)
def list_(call: Call) -> Page[ListedElection]:
    state = {"open": State.OPEN, "closed": State.CLOSED}.get(call.query.show)
    run_by = call.user.name if call.query.show == "run" else ""
    found, cursor = repository.list_elections(state=state, run_by=run_by, limit=call.query.limit, cursor=call.cursor)
    listed = [
        ListedElection(
            name=each.name,
            state=each.state(now_text()),
            begins=moment(each.no_voting_before),
            ends=moment(each.no_voting_after),
            time_zone=each.time_zone,
            winners=list(each.winners),
            by_lot=list(each.by_lot),
            page=link("election", each.name),
        )
        for each in found
        if run_by or each.stored_state != State.DRAFT
    ]
    return call.page(listed, cursor)


@operation("GET", "elections/<name:name>", AREA, "Read an election", answers=Election, **reading)
def read(call: Call, name: str) -> Election:
    if (found := repository.find_with_description(name)) is None:
        raise Http404
    election, about = found
    check_visible(call.user, election)
    runs, counts = actions.relation(call.user, election) != Relation.NOBODY, repository.candidate_counts(election)
    plain = [
        *("electorate", "secret_ballot", "changeable", *kinds.SETTINGS),
        *("results_visible", "results_public", "time_zone"),
    ]
    return Election(
        name=election.name,
        state=election.state(now_text()),
        description=about.description,
        **{each: getattr(election, each) for each in plain},
        for_groups=list(election.for_groups),
        safeguards=list(election.safeguards),
        begins=election.begins,
        ends=election.ends,
        created_at=datetime.fromisoformat(election.created_at),
        opened_at=election.opened,
        closed_at=moment(election.closed_at),
        page=link("election", election.name),
        questions=[ElectionQuestion.of(each, counts[each.number]) for each in election.questions],
        organiser=_for_organisers(election) if runs else None,
    )


def _for_organisers(election: rules.Election) -> ForOrganisers:
    plain = ["joining", "paper_ballots", "mail_votes", "vote_by_link", "announces", "letter_check"]
    return ForOrganisers(
        owner=election.owner_name,
        managers=list(election.managers),
        voters=election.voter_count,
        voter_groups=list(election.voter_groups),
        **{each: getattr(election, each) for each in plain},
        remind_before=list(election.remind_before),
        dashboard=link("dashboard", election.name),
    )


@operation(
    "POST", "elections", AREA, "Create a draft", takes=NewElection, answers=Election, status=201,
    refusals=("name-taken",),
    example={"name": "Board 2027", "seats": 3, "method": "stv-scottish", "ends": "2027-03-01T18:00:00+01:00"},
    **organising,
)  # fmt: skip
def create(call: Call) -> Election:
    """Then add candidates and voters, and open it."""
    sent = given(call.body)
    asked = [given(each) for each in sent.pop("questions", ())]
    form = ElectionForm()
    usual = {each: form.get_initial_for_field(field, each) for each, field in form.fields.items()}
    read_settings = partial(_form_values, ElectionForm, usual, zone=zone_or_default(""))
    values = _with_questions(asked, sent, read_settings) if asked else read_settings(sent=sent)
    call.run(lambda: drafts.create(call.user, **values))
    return call.made(read, values["name"])


def _with_questions(
    asked: list[dict[str, Any]], sent: dict[str, Any], read_settings: Callable[..., dict[str, Any]]
) -> dict[str, Any]:
    """The settings of an election with several questions; those of a question are only with the question."""
    if unused := [each for each in kinds.SETTINGS if each in sent]:
        raise of_form_errors({each: [NO_EFFECT] for each in unused})
    titles = each_cleaned("questions", [each.pop("title") for each in asked], clean_title)
    every = []
    for place, own in enumerate(asked):
        try:
            every.append(read_settings(sent=sent | own))
        except Problem as problem:
            for error in problem.errors:
                error.field = f"questions[{place}].{error.field}" if error.field in kinds.SETTINGS else error.field
            raise
    more = (
        rules.Question(number, title, **{each: settings[each] for each in kinds.SETTINGS})
        for number, (title, settings) in enumerate(zip(titles[1:], every[1:], strict=True), 2)
    )
    return every[0] | {"title": titles[0], "more": tuple(more)}


def _form_values(
    form_class: Callable[..., SettingsForm], before: dict[str, Any], sent: dict[str, Any], zone: str
) -> dict[str, Any]:
    """What the page's form makes of the settings; times are kept exactly as they were sent."""
    zone = sent.get("time_zone", zone)
    times = {each: typed(each, sent[each], zone) for each in TIMES if each in sent}
    form = form_class({**before, "time_zone": zone, **sent, **times})
    values = cleaned(form)
    unused = [each for each in kinds.SETTINGS if sent.get(each) and values[each] != sent[each]]
    if wrong := [each for each in unused if each != "majority" or not values[each]]:  # 4/6 is stored as 2/3
        raise of_form_errors({each: [NO_EFFECT] for each in wrong})
    return form.values() | {field: stored(each, sent[each]) for each, field in TIMES.items() if each in sent}


@operation(
    "PATCH", "elections/<name:name>", AREA, "Edit an election", takes=Changes, answers=Election, edits=read,
    refusals=("not-now",), example={"description": "Three seats."}, **organising,
)  # fmt: skip
def edit(call: Call, name: str) -> Election:
    """Settings can be changed in a draft; the description alone as long as candidates can be added."""
    sent = given(call.body)
    if set(sent) == {"description"}:
        election, action = load(call, name, Action.DESCRIBE), Action.DESCRIBE
        values = cleaned(DescriptionForm(sent))
    else:
        election, action = load(call, name, Action.SET_UP), Action.SET_UP
        order, now = sent.pop("order", None), [each.number for each in election.questions]
        if order is not None and sorted(order) != sorted(now):
            raise invalid("order", _("Name each question once, by its number."))
        values = changed_settings(election, sent)
        if order is not None and order != now:
            values["order"] = tuple(order)
    call.run(lambda: actions.change(call.user, election, action, **values))
    return read(call, name)


def changed_settings(election: rules.Election, sent: dict[str, Any]) -> dict[str, Any]:
    """The settings that were sent, and those that follow from them, as far as they are not those that are shown."""
    before = SettingsForm.initial_of(election, repository.description_of(election.name).description)
    del before["for_groups"]
    groups = election.voter_groups if "for_groups" in sent else None
    values = _form_values(partial(SettingsForm, groups=groups), before, sent, election.time_zone)
    kept = [field for each, field in TIMES.items() if each not in sent]
    return {each: value for each, value in values.items() if each not in kept and getattr(election, each, ...) != value}


@operation(
    "POST", "elections/<name:name>/open", AREA, "Open an election", takes=Opening, answers=Election, edits=read,
    refusals=("not-now",), example={"editable": False}, **organising,
)  # fmt: skip
def open_(call: Call, name: str) -> Election:
    """From then on people can vote. It needs two candidates, a voter, and an end in the future or none."""
    election = load(call, name, Action.OPEN)
    values = cleaned(open_form(msgspec.structs.asdict(call.body), election))
    call.run(lambda: lifecycle.open_(call.user, election, **values))
    return read(call, name)


@operation(
    "POST", "elections/<name:name>/extend", AREA, "Move the end of voting", takes=End, answers=Election, edits=read,
    refusals=("not-now",), example={"ends": "2027-03-08T18:00:00+01:00"}, **organising,
)  # fmt: skip
def extend(call: Call, name: str) -> Election:
    election, ends = load(call, name, Action.EXTEND), call.body.ends
    cleaned(EndForm({"ends": typed("ends", ends, election.time_zone)}, zone=election.time_zone))
    call.run(lambda: lifecycle.extend(call.user, election, stored("ends", ends)))
    return read(call, name)


@operation(
    "POST", "elections/<name:name>/close", AREA, "Close an election for good", answers=Election, edits=read,
    refusals=("not-now",), **organising,
)  # fmt: skip
def close(call: Call, name: str) -> Election:
    election = load(call, name, Action.CLOSE)
    call.run(lambda: close_and_follow_up(call.user, election))
    return read(call, name)


@operation(
    "GET",
    "elections/<name:name>/turnout",
    AREA,
    "Read the turnout",
    answers=Turnout,
    scope=Scope.READ,
    permission=Permission.USE_APPLICATION,
)
def turnout(call: Call, name: str) -> Turnout:
    """For those who run the election."""
    election = load(call, name, Action.SEE_ROLL)
    return Turnout.of(turnouts(election, to_show=True)[0], election.entitled)
