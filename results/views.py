"""Pages of results: who won and why, and how to check it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from hashlib import sha256
from shlex import quote
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import View, public
from accounts.models import User
from elections import repository as elections
from elections.access import election_context
from elections.kinds import majority_text
from elections.panels import panels
from elections.repository import candidates_of
from elections.rules import KINDS, UNRANKED, Election, State
from foundation.acts.hooks import Hooks
from foundation.acts.storage import now_text
from foundation.pages import fragments
from foundation.pages.fragments import Fragment, page_with, shared_page
from foundation.pages.http_cache import cached_for_reader
from foundation.parts import Panel
from foundation.store.keys import fold
from foundation.tally.lots import COMMITMENT, SEED
from foundation.tally.methods import KINDS as METHODS_OF
from foundation.tally.result import Round

from . import repository, services, wording
from .access import Reader, check_reads, for_anybody, for_voters, is_stranger
from .exports.files import context_of_exports
from .margin import margin_of
from .pictures import contest_rows, pictures_of, turnout_pictures
from .pictures.drawing import exact, voters
from .pictures.rounds import laps
from .repository import Found, Seal, Sealed, find_seals
from .waiting import waiting_context
from .wording import outcome_of, parts_of

MAX_ON_SCREEN = 8  # candidates in a table that the last row of a hall can read
MAX_NAMES_PER_LOT = 12  # of the first lot; the recount and the bundle have all of them

PANELS = Hooks[[Sealed], Panel | None]("when the part of a result is drawn that is the same for all")


def load(reader: Reader, name: str, question: int = 1) -> Found | None:
    return _checked(reader, services.find(name, question))


def _checked(reader: Reader, found: Found | None) -> Found | None:
    if found is not None:
        check_reads(reader, found.election)
    return found


def of_results(view: View) -> View:
    """A page about the result of an election."""
    return for_voters(load_for=load)(view)


def of_public_results(view: View) -> View:
    """Like `of_results`, but also for the public where the result is shared."""
    return for_anybody(load_for=load)(view)


def load_page(reader: Reader, name: str, question: int | None = None) -> Found | None:
    """Without a number, what the address of the whole election shows."""
    found = _checked(reader, PAGE.find(name, reader if isinstance(reader, User) else None, question or 1))
    return found if found is None or question else with_all_questions(found)


@for_anybody(load_for=load_page)
@require_safe
def results(request: HttpRequest, found: Found) -> HttpResponse:
    if (other := _instead(request, found)) is not None:
        return other
    if isinstance(found, Overview):
        context = election_context(request, found.election, answers=answers_of(found), seal=found.seal)
        if "LOOK" in context["offered"]:
            context["panels"] = panels(request.user, found.election)
        return render(request, "results/overview.html", context)
    part, context = PAGE.fragment(found), election_context(request, found.election)
    make = partial(page_with, request, part, "results/results.html")
    if "LOOK" in context["offered"]:  # organisers see what they can do with the result; others came to read it
        return make(context | {"panels": panels(request.user, found.election)})
    made_of = part.etag, found.election, context["state"], sorted(context["offered"])
    return cached_for_reader(request, made_of, partial(make, context))


def load_screen(reader: Reader, name: str, question: int = 1) -> Found | None:
    return _checked(reader, SCREEN.find(name, reader if isinstance(reader, User) else None, question))


@for_anybody(load_for=load_screen)
@require_safe
def result_screen(request: HttpRequest, found: Found) -> HttpResponse:
    """The result on the big screen of a hall."""
    if (other := _instead(request, found)) is not None:
        return other
    part = SCREEN.fragment(found)
    make = partial(page_with, request, part, "results/screen.html", {"election": found.election})
    return cached_for_reader(request, (part.etag, found.election), make)


def _instead(request: HttpRequest, found: Found) -> HttpResponse | None:
    """What they get instead: strangers the public page, and everybody another one before the result is sealed."""
    if is_stranger(request):
        return redirect("shared", *address_of(found))
    if found.seal is not None:
        return None
    is_live = found.election.shows_live(now_text())
    return redirect("live", *found.election.address) if is_live else not_yet(request, found)


def address_of(found: Found) -> tuple[str] | tuple[str, int]:
    """What the address of the result page is made with, or of the overview of all questions."""
    return found.election.address if isinstance(found, Overview) else found.election.result_address


# --- an election with several questions ---


@dataclass(frozen=True, slots=True)
class Overview(Found):
    """An election with several questions whose results are sealed."""

    seals: Mapping[int, Seal] = field(default_factory=dict)


def with_all_questions(found: Found) -> Found:
    if found.seal is None or not found.election.more:
        return found
    return Overview(found.election, found.seal, None, seals=find_seals(found.election))


@dataclass(frozen=True, slots=True)
class Answer:
    """What the overview says of a question."""

    election: Election
    line: str
    ballots: int


def answers_of(found: Overview) -> list[Answer]:
    sealed = ((each, found.seals[each.number]) for each in found.election.questions if each.number in found.seals)
    return [Answer(each, wording.outcome_line(seal.brief), seal.ballots) for each, seal in sealed]


def context_of_part(found: Sealed) -> dict[str, Any]:
    """The context of the part that is the same for all readers who may see it."""
    context = context_of_report(found) | context_of_exports(found) | {"election": found.election}
    context["faces"] = {each.name: each.photo for each in candidates_of(found.election) if each.photo}
    context["pictures"] += turnout_pictures(found.election, found.seal.turnout)
    candidates, result = found.seal.candidates, found.report.result
    is_comparable = len(candidates) > 1 and voters(result) and parts_of(result).comparisons
    return context | {
        "closed": found.election,
        "playable": list(enumerate(candidates)) if is_comparable else [],  # to compare or leave out, by number
        "panels": [panel for make in PANELS if (panel := make(found)) is not None],
    }


def context_of_screen(found: Sealed) -> dict[str, Any]:
    faces = {each.name: each.photo for each in candidates_of(found.election) if each.photo}
    context, result = context_of_report(found) | {"election": found.election, "faces": faces}, found.report.result
    return context | {"laps": laps(result), "ranked": True, "contests": contest_rows(result, MAX_ON_SCREEN)}


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page about a sealed result: the template of the part that is the same for all, and its context. That never
    changes, and drawing it takes thirty times as long as identifying the reader.

    A fragment depends on the election, the seal, which contains the report's digest, and what parts show with it. These
    are read each time, in a distant store once a second; the report is read only on a cache miss.
    """

    template: str
    context_of: Callable[[Sealed], dict[str, Any]]
    preview_of: Callable[[Sealed], dict[str, str]] = lambda found: {}

    def find(self, election_name: str, reader: User | None, question: int = 1) -> Found | None:
        """At most a second old, unless the reader runs the election."""
        with_report = fragments.fragment_cache.peek(self._key(election_name, question)) is None
        places = repository.result_keys(election_name, question, with_report=with_report)
        recently = elections.recent_read(election_name, reader, *places)
        return services.find(election_name, question, with_report=with_report, recently=recently)

    def fragment(self, found: Found) -> Fragment:
        """The fragment, cached or new. A report that does not match the sealed digest is shown, but not cached."""
        election = found.election
        key, source = self._key(election.name, election.number), (election, found.seal, found.beside)
        if (part := fragments.cached(key, source)) is not None:
            return part
        sealed = found if isinstance(found, Sealed) else repository.read_report(found)
        context, extra = self.context_of(sealed), self.preview_of(sealed)
        part = fragments.render_fragment(self.template, context, source, **extra)
        if sha256(sealed.report.as_json().encode()).hexdigest() == sealed.seal.report_digest:
            fragments.fragment_cache.put(key, part)
        return part

    def _key(self, election_name: str, question: int) -> tuple[Hashable, ...]:
        return fragments.cache_key(self.template, fold(election_name), question)


PAGE = CachedPage("results/parts/sealed.html", context_of_part)
SCREEN = CachedPage("results/parts/screen.html", context_of_screen)


@public
@require_safe
def help_counting(request: HttpRequest) -> HttpResponse:
    """Every method in a sentence; the names of the methods are places on the page."""

    def make_context() -> dict[str, Any]:
        kinds = [
            (label, [(method, wording.method_label(method), wording.RULES[method]) for method in METHODS_OF[kind]])
            for kind, label in KINDS.items()
        ]
        return {"kinds": kinds}

    return shared_page(request, "results/help_counting.html", "results/parts/help_counting.html", make_context)


def not_yet(request: HttpRequest, found: Found) -> HttpResponse:
    """No result is disclosed early, by any URL or to anyone."""
    over = found.election.state(now_text()) == State.CLOSED
    sentence = (
        _("The ballots are being counted.") if over else _("The result will be shown once the election has closed.")
    )
    context = election_context(request, found.election, sentence=sentence, counting=over)
    if over:
        context |= waiting_context(found.election, request.path)
    return render(request, "results/not_yet.html", context, status=202 if over else 403)


def context_of_report(found: Found) -> dict[str, Any]:
    """Template context of a report."""
    report, seal = found.report, found.seal
    assert report is not None
    result = report.result
    order = [name for name, place in result.places]
    parts, pictures = parts_of(result), pictures_of(result)
    # Lots have facts of their own, and of equal numbers in a chart nothing depends.
    unnamed = ("lot", "left") if parts.chart_first else ("lot",)
    return {
        "report": report,
        "seal": seal,
        "result": result,
        "outcome": outcome_of(result),
        "parts": parts,
        "ballots": seal.ballots if seal else result.total,
        "order": order,
        "contests": contest_rows(result) if parts.comparisons else [],
        "rounds": [(name, [exact(each.tally.get(name, "")) for each in result.rounds or ()]) for name in order],
        "beside_rounds": _other_round_rows(result.rounds or ()),
        "method": wording.method_label(result.method),
        "rule": wording.RULES[result.method],
        "margin": margin_of(result),
        "unranked": str(UNRANKED[result.unranked]) if parts.unranked else "",
        "majority": majority_text(result.reasons["majority"]) if result.method == "majority" else "",
        "ties": [(tie.names, wording.SETTLED[tie.settled]) for tie in result.ties if tie.settled not in unnamed],
        "lots": [(lot, wording.DRAWN[lot.where]) for lot in result.lots],
        "sentences": [wording.translate(each) for each in report.sentences],
        "how_close": wording.how_close(report),
        "chart": pictures if parts.chart_first else [],
        "pictures": [] if parts.chart_first else pictures,
        "all_methods": wording.comparison_sentence(report),
        "methods_differ": bool(wording.differing(report)),
        "others": [
            (wording.method_label(each.method), wording.join_names(each.winners)) for each in wording.comparable(report)
        ],
        **context_of_lots(found),
    }


def _other_round_rows(rounds: tuple[Round, ...]) -> list[tuple[str, list[str]]]:
    """The rows besides the votes of each candidate."""
    rows = {_("Exhausted"): "exhausted", _("Needed"): "threshold"}
    if any(Fraction(each.residue) for each in rounds):
        rows[_("Lost to rounding")] = "residue"
    return [(label, [exact(getattr(each, part)) for each in rounds]) for label, part in rows.items()]


# --- lots ---


def context_of_lots(found: Found) -> dict[str, Any]:
    """Shell commands that draw the lots again (foundation/tally/lots.py); none if the secret was lost."""
    seal, report = found.seal, found.report
    if seal is None or report is None or not seal.seed:
        return {}
    seed, method, number = seal.seed, report.result.method, found.election.number
    return {
        "commitment_command": _sha256(COMMITMENT, seal.lots_secret),
        "seed_command": _sha256(SEED, seal.lots_secret, seal.digest, *([str(number)] if number > 1 else [])),
        "lot_commands": [
            _sha256(seed, method, lot.where, str(lot.round), name)
            for lot in report.result.lots[:1]
            for name in lot.names[:MAX_NAMES_PER_LOT]
        ],
    }


def _sha256(*lines: str) -> str:
    """Quoted: whatever a candidate is called, a shell only takes it for a name."""
    pattern = "\\n".join(["%s"] * len(lines))
    return f"printf '{pattern}' {' '.join(map(quote, lines))} | sha256sum"
