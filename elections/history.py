"""The history of an election: what organisers did, and votes as a number per day.

It reveals nothing the election's page does not: no voters, addresses or draft texts, nor another election of that name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import reduce
from operator import add

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.rules import Permission
from foundation.acts.storage import table
from foundation.acts.tokens import SECONDS_PER_DAY, create_token, read_token
from foundation.pages import times
from foundation.store.keys import fold
from foundation.store.log import EventLog, as_text, utc_now
from foundation.store.log.search import Query, search
from foundation.store.parallel import run_parallel
from foundation.store.schema import SCHEMA
from foundation.store.table import BadCursor, Item

from . import repository
from .access import check_visible, election_context, for_readers
from .event_sentences import EventContext
from .rules import Election, State
from .turnout.counts import final_turnout, turnout

PAGE_ROWS = 50
TOKEN_SECONDS = 30 * SECONDS_PER_DAY
MAX_QUERIES_PER_PAGE = 3  # into the log, for one page
MAX_MERGED_GAP = timedelta(minutes=1)
ABOUT_A_QUESTION = ("CandidatesAdded", "CandidatesRemoved", "CandidateEdited", "CandidatePictured", "ResultSealed")
# Types of events that follow upon each other in one act, and the fields of each that are added up
MERGED: dict[str, tuple[str, ...]] = {"VotersAdded": ("voters",)}


@dataclass(frozen=True, slots=True)
class Position:
    """The position of the next page: the election's name at that time, and the event before which to continue."""

    name: str
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One action as a sentence. `first` differs from `number` only where several events are merged."""

    number: int
    first: int
    when: str
    sentence: str
    question: str = ""  # the title of the question that it is about, where there are several
    digest: str = ""
    report_digest: str = ""


# --- what organisers did ---


def organiser_events(place: Position, limit: int) -> tuple[list[Item], Position | None]:
    """Their events from there on, the newest first, back to the making of the election, through all its names."""
    found: list[Item] = []
    for _page in range(MAX_QUERIES_PER_PAGE):
        wanted, name = Query(election=place.name, ballots=False), place.name
        page = search(table(), wanted, before=place.before, limit=limit - len(found))
        for event in page.events:  # older ones may belong to another election of that name
            found.append(event)
            if event["event_type"] == "ElectionCreated":
                return found, None
            if event["event_type"] == "ElectionRenamed":
                old, new = event["event_data"]["election_name"], event["event_data"]["new_name"]
                if fold(old) != fold(name) == fold(new):
                    place = Position(old, event["event_id"])
                    break
        else:
            if page.before is None:
                return found, None
            place = Position(name, page.before)
        if len(found) >= limit:
            break
    return found, place


def history_entries(events: list[Item], election: Election, candidates: Mapping[int, Iterable[str]]) -> list[Entry]:
    """The events as shown to everyone who may see the election and these candidates of each question. A long list of
    voters is put on the roll a batch at a time; that is one act, not a hundred."""
    acts: list[list[Item]] = []
    for event in events:
        if acts and event["event_type"] in MERGED:
            later = acts[-1][-1]
            same = all(later[name] == event[name] for name in ("actor", "event_type"))
            same &= later["event_data"].get("batch") == event["event_data"].get("batch")
            apart = times.from_text(later["when_occurred"]) - times.from_text(event["when_occurred"])
            if same and apart <= MAX_MERGED_GAP:
                acts[-1].append(event)
                continue
        acts.append([event])
    current = {number: {fold(name) for name in own} for number, own in candidates.items()}
    return [_entry(act, election, current) for act in acts]


def _entry(events: list[Item], election: Election, current: Mapping[int, set[str]]) -> Entry:
    event, *parts = events
    event_data = event["event_data"]
    if parts:
        every = [each["event_data"] for each in events]
        found = {name: [each[name] for each in every if name in each] for name in MERGED[event["event_type"]]}
        event_data = {**event_data, **{name: reduce(add, values) for name, values in found.items() if values}}
    number = event_data.get("question", 1)
    context = EventContext(event, event_data, election, current.get(number, set()))
    sentence = SCHEMA.event_type(event["event_type"]).sentence
    if not sentence:  # an unknown type: show its name
        unknown = _("%(who)s did something the log calls “%(type)s”.")
        text = context.text(unknown, type=event["event_type"])
    elif callable(sentence):
        text = sentence(context)
    else:
        text = context.text(sentence, name=event_data.get("name", ""))
    sealed = event_data if event["event_type"] == "ResultSealed" else {}
    digests = [str(sealed.get(name, "")) for name in ("digest", "report_digest")]
    is_about_one = "question" in event_data or event["event_type"] in ABOUT_A_QUESTION
    title = election.at(number).title if is_about_one and election.has_question(number) else ""
    return Entry(event["event_id"], events[-1]["event_id"], event["when_occurred"], text, title, *digests)


# --- what voters did ---


def votes_by_day(election: Election, now: datetime) -> list[tuple[date, int]]:
    """Net votes per UTC day; today is left out while open, so that repeated visits do not show single votes."""
    by_day: dict[date, int] = {}
    before, over = 0, election.state(as_text(now)) == State.CLOSED
    for moment, count in (final_turnout(election) if over else turnout(election)).steps:
        day = (moment - timedelta(seconds=1)).date()
        by_day[day] = by_day.get(day, 0) + count - before
        before = count
    return [(day, votes) for day, votes in sorted(by_day.items()) if votes and (over or day < now.date())]


# --- the page ---


@for_readers(load=repository.find, rule=check_visible)
@require_safe
def history(request: HttpRequest, election: Election) -> HttpResponse:
    """For everyone who can see the election."""
    after, place = request.GET.get("after"), Position(election.name)
    if after:
        parts = read_token("history", after, TOKEN_SECONDS)
        if parts is None or parts[0] != election.name:
            raise BadCursor("This is no place in the history of this election.")
        place = Position(parts[1], int(parts[2]))
    has_days = not after and election.stored_state != State.DRAFT
    (events, earlier), candidates, checkpoint, days = run_parallel(
        table(),
        lambda: organiser_events(place, PAGE_ROWS),
        lambda: repository.candidates_by_question(election),
        EventLog(table()).newest_public,
        lambda: votes_by_day(election, utc_now()) if has_days else [],
    )
    older = ""
    if earlier:  # signed: under another's name, a place would show the history of another election
        token = create_token("history", election.name, earlier.name, str(earlier.before))
        older = f"{reverse('history', args=[election.name])}?{urlencode({'after': token})}"
    is_covered = bool(events and checkpoint and events[0]["event_id"] <= checkpoint["event_id"])
    names = {number: [each.name for each in own] for number, own in candidates.items()}
    context = {
        "entries": history_entries(events, election, names),
        "checkpoint": checkpoint if is_covered else None,
        "days": days,
        "begins": not after,
        "sees_log": request.user.is_authenticated and request.user.can(Permission.VIEW_SECRETS),
        "older": older,
    }
    return render(request, "elections/history.html", election_context(request, election, **context))
