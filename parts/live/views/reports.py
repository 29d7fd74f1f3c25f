"""The report of a session as page, CSV and JSON, a host's history, copying and deleting.

Rounds are read and written one at a time, to bound memory. Anonymous sessions name no players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from itertools import groupby
from typing import Any

import orjson
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from foundation.acts.storage import table
from foundation.pages.forms import form_page, new_token, token_in
from foundation.pages.fragments import shared_page
from foundation.pages.lists import as_csv
from foundation.pages.messages import confirm_page, refusals_as_messages, run_action
from foundation.pages.names import natural_sort_key
from foundation.pages.paging import list_context
from foundation.qa import store
from foundation.qa.rules import Fate, author_id, best_first
from foundation.store import keys
from parts.live import repository, room_questions, rules, seats, standings
from parts.live.clock import configured
from parts.live.follow_up_store import linked
from parts.live.formats import formats_on, shared_template
from parts.live.moderation import NOTHING_WRITTEN, Texts
from parts.live.play import Play, Text, play_of, plays_of
from parts.live.rounds import Entry, Round, round_digest, round_from_parts
from parts.live.rules import Game, Phase, State, question_numbers
from parts.live.screens.access import Hosted, for_hosts, for_hosts_and_moderators
from parts.live.seats import Seat
from parts.live.services import closing, deleting, follow_ups, making
from parts.live.standings import Standings
from parts.questions.question import Question

from .formats import PAGES

FORMAT = 1
MAX_ROUNDS_SHOWN = 100  # rounds on a page
MAX_PLAYERS_SHOWN = 200  # lines of players on a page
MAX_QUESTIONS_SHOWN = 200  # questions from the room on a page
MAX_ANSWERS_SHOWN = 50  # of one round, listed individually
ROUND_COLUMNS = ("round", "question", "title", "counts")
COLUMNS = (*ROUND_COLUMNS, "row", "player", "answer", "right", "number", "points", "bonus", "place")


STATUS_LABELS: dict[Fate, Text] = {
    Fate.WAITING: gettext_lazy("waited for the host"),
    Fate.SHOWN: gettext_lazy("shown"),
    Fate.ANSWERED: gettext_lazy("answered"),
    Fate.HIDDEN: gettext_lazy("hidden"),
}


@dataclass(frozen=True, slots=True)
class ReportedQuestion:
    text: str
    fate: Fate
    upvotes: int
    answer: str
    name: str = ""

    @property
    def status(self) -> Text:
        return STATUS_LABELS[self.fate]

    def as_item(self) -> dict[str, Any]:
        item = {"text": self.text, "state": str(self.fate), "upvotes": self.upvotes, "answer": self.answer}
        return item | ({"name": self.name} if self.name else {})

    def as_row(self) -> dict[str, object]:
        """A row of the CSV."""
        row = {"row": f"asked, {self.fate}", "title": self.text, "answer": self.answer}
        return {**row, "number": self.upvotes, "player": self.name}


@dataclass(frozen=True)  # no slots, because of cached properties
class Report:
    """A session, and everything whose size does not depend on its rounds."""

    game: Game
    state: State
    questions: tuple[Question, ...]
    seats: Mapping[str, Seat]
    asked: tuple[ReportedQuestion, ...] = ()  # from the room
    texts: Texts = NOTHING_WRITTEN

    @cached_property
    def plays(self) -> tuple[Play, ...]:
        return plays_of(self.game, self.questions)

    @cached_property
    def numbers(self) -> list[str]:
        return question_numbers(self.questions, self.state.played)

    @property
    def is_scored(self) -> bool:
        return any(each.is_scored for each in self.plays)

    @property
    def is_anonymous(self) -> bool:
        """Whether all plays of the session are anonymous."""
        return bool(self.plays) and all(each.is_anonymous for each in self.plays)

    def play(self, round_: Round) -> Play:
        return play_of(self.game, self.questions[round_.question])

    def rounds(self) -> Iterator[Round]:
        """All published rounds, without hidden content."""
        return map(self.visible, self.sealed())

    def visible(self, sealed: Round) -> Round:
        removed = {each.player for each in self.seats.values() if each.removed}
        if self.texts.are_all_seen and not removed:
            return sealed
        return self.play(sealed).without_hidden(self.texts, sealed, removed)

    def sealed(self) -> Iterator[Round]:
        """All published rounds as sealed, including voided ones; read one at a time, in order."""
        items = table().each(keys.round_parts(self.game.id))
        for _number, parts in groupby(items, key=lambda item: item["SK"].split("#")[1]):
            sealed = round_from_parts(list(parts))
            if not self.is_hidden(sealed.number):
                yield sealed

    def is_hidden(self, round_: int) -> bool:
        """An unrevealed round is hidden from everybody, including hosts."""
        return self.state.phase == Phase.RESULTS and round_ == self.state.round and not self.state.revealed

    def name_of(self, player: str) -> str:
        return self.seats[player].name if player in self.seats else ""


def build_report(game: Game, state: State) -> Report:
    """For an anonymous session, names are not even read."""
    report = Report(game, state, repository.read_questions(game.id), {}, (), room_questions.read_texts(game.id))
    if report.is_anonymous:
        return replace(report, asked=tuple(reported_questions(game)))
    named = {each.player: each for each in seats.read_seats(game.id)}
    return replace(report, seats=named, asked=tuple(reported_questions(game, named)))


def reported_questions(game: Game, seated: Mapping[str, Seat] | None = None) -> Iterator[ReportedQuestion]:
    """Best first; those of removed players count as hidden. Pass `seated` if the seats were already read."""
    place = keys.game_qa(game.id)
    items = table().get_many([place, *keys.all_upvotes(game.id)])
    questions = room_questions.read_questions(game.id) if place in items else []
    if not questions:
        return
    known = {each.player: each for each in seats.read_seats(game.id)} if seated is None else seated
    upvotes, is_named = (
        store.read_upvotes(room_questions.board(game.id), items),
        room_questions.qa_from_item(items[place]).named,
    )
    removed = {author_id(game.id, each.player) for each in known.values() if each.removed}
    for each in best_first(questions, upvotes):
        name = known[each.player].name if is_named and each.player in known else ""
        fate = Fate.HIDDEN if each.author in removed else each.fate
        yield ReportedQuestion(each.text, fate, upvotes.get(each.id, 0), each.answer, name)


# --- page ---


def report_context(report: Report) -> dict[str, Any]:
    """Rounds and places, as far as they fit a page; how many are only in the files, and how many were never closed."""
    rows: list[dict[str, Any]] = []
    sealed, sums = 0, Totals()
    for each in report.rounds():
        sealed += 1
        sums.add(report, each)
        if len(rows) < MAX_ROUNDS_SHOWN:
            rows.append(_round_context(report, each))
    unsealed = int(report.state.is_under_way or report.is_hidden(report.state.round))
    places = sums.board(report).lines if report.is_scored else ()
    return {
        "rounds": rows,
        "more": sealed - len(rows),
        "never": len(report.state.played) - sealed - unsealed,
        "places": places[:MAX_PLAYERS_SHOWN],
        "others": max(0, len(places) - MAX_PLAYERS_SHOWN),
    }


def _round_context(report: Report, round_: Round) -> dict[str, Any]:
    """A survey's round has no single question. Without its entries, which would need memory."""
    play, head = report.play(round_), replace(round_, entries=())
    question = None if play.spans else report.questions[round_.question]
    return {
        "round": head,
        "question": question,
        "number": report.numbers[round_.question] if report.game.format.any_order else round_.number,
        "counts": report.state.counts(round_.number),
        "picture": play.render_result(round_, report.questions, report.seats),
        "answers": list(_answered(report, play, round_)),
        "is_long": play.is_scored and len(round_.entries) > MAX_ANSWERS_SHOWN,
        "allows_follow_up": follow_ups.is_offered(report.game, report.state, question, head),
    }


def _answered(report: Report, play: Play, round_: Round) -> Iterator[tuple[str, str, Entry]]:
    """Best first. Empty if the chart already shows everything, as for anonymous rounds or a few texts."""
    if not play.lists_answers(round_) or len(round_.entries) > MAX_ANSWERS_SHOWN:
        return
    question = report.questions[round_.question]
    best = sorted(round_.entries, key=lambda entry: (-entry.total, natural_sort_key(report.name_of(entry.player))))
    for entry in best:
        yield report.name_of(entry.player), str(play.answer_text(entry.value, question, question.options)), entry


class Totals:
    """Totals over the rounds that count, without keeping the rounds."""

    def __init__(self) -> None:
        self.points: Counter[str] = Counter()
        self.bonus: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()

    def add(self, report: Report, round_: Round) -> None:
        if report.play(round_).is_scored and report.state.counts(round_.number):
            for entry in round_.entries:
                self.points[entry.player] += entry.points
                self.bonus[entry.player] += entry.bonus
                self.answered[entry.player] += 1

    def board(self, report: Report) -> Standings:
        """Standings, as if everybody had got all their points in one round."""
        entries = tuple(Entry(each, None, self.points[each], self.bonus[each]) for each in sorted(self.points))
        return standings.standings_of([Round(1, 0, len(entries), {}, entries)], report.seats.values())


# --- CSV ---


def csv(report: Report) -> Iterator[str]:
    """One row per answer and per line of a result; the column `row` says which."""
    return as_csv(COLUMNS, _rows(report))


def _rows(report: Report) -> Iterator[list[object]]:
    sums = Totals()
    for round_ in report.rounds():
        sums.add(report, round_)
        for question, line in report.play(round_).csv_rows(round_, report.questions, report.name_of):
            place = {"round": round_.number, "question": report.numbers[question]}
            place["title"] = report.questions[question].title
            yield _row(place | {"counts": "yes" if report.state.counts(round_.number) else "no"} | line)
    for each in sums.board(report).lines if report.is_scored else ():
        yield _row({"row": "total", "player": each.name, "points": each.total, "place": each.place})
    yield from (_row(question.as_row()) for question in report.asked)


def _row(values: Mapping[str, object]) -> list[object]:
    return [values.get(column, "") for column in COLUMNS]


# --- JSON ---

SESSION_FIELDS = (
    *("id", "title", "engagement_type", "created_at", "created_by", "ended_at", "question_set_id"),
    *("set_version", "speed_bonus"),
)


def as_json(report: Report) -> Iterator[bytes]:
    """All stored data, as documented in docs/how-to/live-sessions.md; generated while it is sent."""
    game, item = report.game, repository.game_as_item(report.game)
    session = {name: item[name] for name in SESSION_FIELDS}
    session |= {"kept_until": game.gone_at, **PAGES.of(game).reported(game)}
    head = {"format": FORMAT, "session": session, "questions": [each.as_item() for each in report.questions]}
    yield orjson.dumps(head)[:-1] + b', "rounds": ['
    sums, comma = Totals(), b""
    for sealed in report.sealed():
        each = report.visible(sealed)
        sums.add(report, each)
        yield comma + b"\n" + orjson.dumps(_round(report, each) | {"digest": round_digest(sealed)})
        comma = b","
    players = list(_players(report, sums) if report.is_scored else _named(report))
    asked = [each.as_item() for each in report.asked]
    yield b"\n]" + (b', "players": ' + orjson.dumps(players) if not report.is_anonymous else b"")
    yield (b', "asked": ' + orjson.dumps(asked) if asked else b"") + b"}\n"


def _round(report: Report, round_: Round) -> dict[str, Any]:
    is_scored, entries = report.play(round_).is_scored, []
    for each in round_.entries:
        named = {"player": each.player} if each.player else {}
        scored = {"points": each.points, "bonus": each.bonus} if is_scored else {}
        entries.append({**named, "said": each.value, **scored})
    return {
        "round": round_.number,
        "question": round_.question,
        "counts": report.state.counts(round_.number),
        "count": round_.count,
        "votes": round_.votes,
        "result": dict(round_.result),
        "entries": entries,
    }


def _named(report: Report) -> Iterator[dict[str, Any]]:
    """All players of the session, because rounds refer to them by id."""
    there = (each for each in report.seats.values() if each.plays)
    yield from ({"player": each.player, "name": each.name} for each in sorted(there, key=lambda each: each.player))


def _players(report: Report, sums: Totals) -> Iterator[dict[str, Any]]:
    for line in sums.board(report).lines:
        player = {"player": line.player, "name": line.name, "place": line.place, "total": line.total}
        yield player | {"bonus": sums.bonus[line.player], "answered": sums.answered[line.player]}


# --- pages ---

ONE_HOUR = timedelta(hours=1)


@for_hosts
@require_safe
def report(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game, state = hosted[0], closing.settled(*hosted)
    built = build_report(game, state)
    asked = built.asked[:MAX_QUESTIONS_SHOWN]
    context = {
        "game": game,
        "state": state,
        "kept_days": configured().retention.days,
        "token": new_token(),
        "is_anonymous": built.is_anonymous,
        "summary": report_context(built),
        "asked": asked,
        "more_asked": len(built.asked) - len(asked),
        "made": linked(game.id, request.user),
    }
    return render(request, "live/report.html", context)


@for_hosts
@require_safe
def report_csv(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    return _file(csv(build_report(*hosted)), "text/csv; charset=utf-8", "csv")


@for_hosts
@require_safe
def report_json(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    return _file(as_json(build_report(*hosted)), "application/json", "json")


def _file(lines: Iterable[str | bytes], kind: str, ending: str) -> HttpResponse:
    answer = StreamingHttpResponse(lines, content_type=kind)
    answer["Content-Disposition"] = f'attachment; filename="report.{ending}"'
    return answer


@requires(Permission.USE_APPLICATION)
@require_safe
def history(request: HttpRequest) -> HttpResponse:
    """The user's own sessions, newest first, without any players."""

    def read(limit: int, cursor: str | None) -> tuple[list[repository.PastSession], str | None]:
        return repository.history(request.user.name, limit=limit, cursor=cursor)

    own = {"kept_days": configured().retention.days, "kept": shared_template("history/kept")}
    return render(request, "live/history.html", list_context(request, read) | own)


@for_hosts
@require_POST
def copy(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """Copies a session in any phase, as long as its data exists."""
    with refusals_as_messages(request):
        made = making.copy(request.user, hosted[0].id, token_in(request.POST))
        messages.success(request, _("This is the copy, ready to start. Change whatever is different this time."))
        return redirect(made.format.questions_page, made.id)
    return redirect("games")


ALL_GOES = gettext_lazy(
    "This deletes everything about “%(title)s”: who was there, all answers, the report, and its entry in the history."
)


@for_hosts_and_moderators
@form_page
def delete(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game = hosted[0]
    if request.method == "POST":
        run_action(request, lambda: deleting.delete(game.id, request.user.name), _("The session has been deleted."))
        return redirect("games")
    goes = game.format.all_but_record_goes if rules.keeps_record(*hosted) else ALL_GOES
    runs = "" if game.ended_at else " " + _("It is still running and will be ended for everybody first.")
    return confirm_page(
        request, _("Delete the session"), _("Delete it"), lead=goes % {"title": game.title} + runs, danger=True
    )


@public
@require_safe
def help_live(request: HttpRequest) -> HttpResponse:
    lifetime = configured()
    source = {
        "kept": lifetime.retention.days,
        "waiting": lifetime.waiting.days,
        "idle": lifetime.idle // ONE_HOUR,
    }
    formats = formats_on()
    source |= {f"{type_}_idle": each.idle(lifetime) // ONE_HOUR for type_, each in formats.items()}
    own = {"formats": [each.templates for each in formats.values()], "ending": shared_template("help/ending")}
    return shared_page(request, "live/help_live.html", "live/help/all.html", lambda: source | own, source)
