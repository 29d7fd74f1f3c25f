"""Pages on which the browser does the work: a recount, and your own ballot followed through the count."""

from __future__ import annotations

import json
from itertools import islice
from itertools import pairwise as steps_of
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from elections.repository import candidates_of
from elections.rules import Election
from foundation.pages.paths import path_of
from foundation.ranking import codes
from foundation.ranking.marks import ANSWERS, answer_label, shown_ballot
from foundation.tally import star
from foundation.tally.methods import KIND_OF
from foundation.tally.result import Result, Round

from . import repository, wording
from .access import is_stranger
from .checks import PAGE_ROWS, immutable_view, is_number, page, public_sealed_view
from .exports.files import version
from .pictures.bars import score
from .pictures.drawing import in_order
from .repository import Position, Seal, Sealed, settings_of
from .wording import outcome_of, parts_of

MAX_CONTESTS = 200
EVERYTHING = "1.000000000"  # the keep value of a candidate who is not elected yet


# --- recount ---


@public_sealed_view
def recount(request: HttpRequest, found: Sealed) -> HttpResponse:
    address = path_of("recount_ballots", *found.election.address, found.seal.stamp)
    outcome, decided = outcome_of(found.report.result), found.election.kind == "yes-no"
    is_vote = found.report.result.method == "majority"  # which elects nobody, and is carried or not
    methods = [
        (
            each.method,
            wording.method_label(each.method),
            outcome.heading if is_vote else wording.join_names(each.winners) or _("nobody"),
        )
        for each in found.report.others
    ]
    return page(request, found, "recount", methods=methods, address=address, outcome=outcome, decided=decided)


@immutable_view
def recount_ballots(request: HttpRequest, found: Sealed) -> HttpResponse:
    """Everything a count starts from, and what came out here, to compare."""
    election, report, seal = found.election, found.report, found.seal
    result = json.loads(report.result.as_json())
    counted = repository.counted(election, seal.candidates)
    base = int(report.result.reasons.get("base", 0))  # what a majority is a share of was sealed with the result
    payload = {
        "settings": {"method": election.method, **settings_of(election, seal.seed, base)},
        "lots": {"commitment": election.lots_commitment, "secret": seal.lots_secret}
        | ({"question": election.number} if election.number > 1 else {}),
        "candidates": counted.candidates,
        "rankings": list(counted.counts.items()),
        "digest": seal.digest,
        "result": {name: value for name, value in result.items() if name not in ("reasons", "candidates", "digest")},
        "others": {each.method: {"winners": each.winners, "places": each.places} for each in report.others},
    }
    return JsonResponse(payload, json_dumps_params={"ensure_ascii": False, "separators": (",", ":")})


# --- your ballot ---


@public_sealed_view
def follow(request: HttpRequest, found: Sealed) -> HttpResponse:
    """A script finds a ballot by its code without telling it; without scripts one leafs through the list."""
    form = codes.code_prefix_form(request.GET, found.seal.ballots, _("Start of the code"))
    beginning = form.cleaned_data["code"] if form is not None and form.is_valid() else ""
    part, row = (request.GET.get(name, "0") for name in ("part", "row"))
    if beginning:
        place = repository.find_prefix(found.election, beginning)
    elif is_number(part) and is_number(row):
        place = Position(int(part), int(row))
    else:
        raise Http404
    rows, onward = _page_of_ballots(found, place, beginning)
    context = {"form": form, "rows": rows, "onward": onward, "beginning": beginning, "story": _story(found)}
    context |= {"names_voters": not (found.election.secret_ballot or is_stranger(request)), "version": version(found)}
    return page(request, found, "follow", wrong=form is not None and bool(form.errors), **context)


def _page_of_ballots(found: Sealed, place: Position, beginning: str) -> tuple[list[dict[str, Any]], str]:
    """A page of ballots from this place on, and the address of the next."""
    some = list(islice(repository.ballots_from(found.election, place), PAGE_ROWS + 1))
    candidates = candidates_of(found.election)
    rows = [
        ballot
        | {
            "shown": shown_ballot(ballot["rankings"], candidates, found.election),
            "matches": bool(beginning) and ballot["confirmation"].startswith(beginning),
        }
        for _, ballot in some[:PAGE_ROWS]
    ]
    if len(some) <= PAGE_ROWS:
        return rows, ""
    after = some[PAGE_ROWS][0]
    return rows, f"?{urlencode({'part': after.part, 'row': after.row})}"


def _story(found: Sealed) -> dict[str, Any]:
    """What the script needs: how the count went, where the ballots are, and its wording."""
    numbers = {each.name: each.number for each in candidates_of(found.election)}
    election, result = found.election, found.report.result
    # A receipt has a code for each question: the page of any of them finds them all.
    seals = repository.find_seals(election) if election.more else {}
    others = [each for each in election.questions if each.number in seals and each.number != election.number]
    return ballot_story(result) | {
        "numbers": [numbers[name] for name in result.candidates],
        **_where(found.election, found.seal),
        "elsewhere": [
            {"page": path_of("follow", *each.result_address), **_where(each, seals[each.number])} for each in others
        ],
        "words": _texts(),
    }


def _where(election: Election, seal: Seal) -> dict[str, Any]:
    """Where the ballots are, and how much of a code is sent to find one."""
    address = path_of("follow_ballots", *election.address, seal.stamp)
    return {"address": address, "letters": codes.prefix_length(seal.ballots)}


def _texts() -> dict[str, str]:
    return {
        "not_a_code": _("This is not a code. A code has 16 digits and letters, such as K7QM-2XHD-94TP-WB3N."),
        "not_found": _(
            "No ballot with this code was counted. A ballot that was changed has a new code, and one that was "
            "withdrawn is not counted."
        ),
        "failed": _("The list of ballots could not be fetched. Try again."),
        "found": _("Found: the ballot with this code was counted, exactly as shown here."),
        "blank": _("This ballot is blank."),
        "unranked": _("Not ranked: {names}"),
        "round": _("Round"),
        "ballot": _("Your ballot"),
        "happened": _("What happened"),
        "counts_for": _("counts for {name}"),
        "part_for": _("{part} of it counts for {name}"),
        "kept_by": _("{part} of it stays with {name}, who is elected"),
        "exhausted": _("ranks nobody who is still in the race, so it no longer counts"),
        "part_exhausted": _("{part} of it no longer counts"),
        "elected": _("{name} is elected."),
        "eliminated": _("{name} is eliminated."),
        "surplus": _("The surplus of {name} is passed on."),
        "contest": _("Contest"),
        "outcome": _("All ballots"),
        "versus": _("{one} against {other}"),
        "above": _("{one} above {other}"),
        "equal": _("ranks them equally"),
        "runoff": _("Runoff: {one} against {other}"),
        "same": _("scores both the same, so it counts for neither"),
        "silent": _("does not compare them"),
        "more": _("Only the first {count} contests are shown."),
        "candidate": _("Candidate"),
        "points": _("Points from your ballot"),
    }


@immutable_view
def follow_ballots(request: HttpRequest, found: Sealed) -> HttpResponse:
    """All ballots whose codes begin alike; those of a small election all at once. A longer beginning is not taken."""
    beginning = request.GET.get("begins", "")
    if len(beginning) != codes.prefix_length(found.seal.ballots) or set(beginning) - set(codes.SYMBOLS):
        sentence = _("That is the wrong number of characters.")
        return JsonResponse({"problem": sentence}, status=400)
    some = repository.ballots_with_prefix(found.election, beginning)
    return JsonResponse({"ballots": [[each["confirmation"], each["rankings"]] for each in some]})


# What the browser needs to know about a count to show what one ballot did in it. The ballot stays in the browser.


def ballot_story(result: Result) -> dict[str, Any]:
    """Candidates are numbers into `candidates` throughout, so that hundreds of them stay a short text."""
    contests = decisive_contests(result)
    names = ANSWERS if result.method == "majority" else in_order(result)
    runoffs = []  # of STAR, one for each seat
    for each in star.rounds_of(result) if result.method == star.METHOD else ():
        if each["runoff"]:
            (one, ayes), (other, noes) = each["runoff"].items()
            numbers = {"one": result.candidates.index(one), "other": result.candidates.index(other)}
            runoffs.append(numbers | {"for": int(ayes), "against": int(noes)})
    return {
        "method": result.method,
        "unranked": result.unranked,
        "candidates": [answer_label(name, KIND_OF[result.method]) for name in result.candidates],
        "totals": [] if parts_of(result).comparisons else [score(result, name).shown for name in result.candidates],
        "order": [result.candidates.index(name) for name in names],
        "runoffs": runoffs,
        "rounds": [_round(result, each) for each in result.rounds or ()],
        "contests": contests[:MAX_CONTESTS],
        "more": len(contests) > MAX_CONTESTS,
    }


def decisive_contests(result: Result) -> list[dict[str, int]]:
    """The contests that decided the winner: their own, those on the chains that carried them, and those skipped."""
    if not result.pairwise or not parts_of(result).comparisons:
        return []
    number = {name: position for position, name in enumerate(result.candidates)}
    first = [number[name] for name in result.winners]
    pairs = [(i, j) for i in first for j in range(len(number)) if i != j]
    if paths := result.reasons.get("paths"):
        pairs += [step for i in first for path in paths[i] for step in steps_of(path)]
    pairs += [(number[each["winner"]], number[each["loser"]]) for each in result.reasons.get("skipped", ())]
    once: dict[frozenset[int], tuple[int, int]] = {}
    for pair in pairs:
        once.setdefault(frozenset(pair), pair)
    votes = result.pairwise
    return [{"one": i, "other": j, "for": votes[i][j], "against": votes[j][i]} for i, j in once.values()]


def _round(result: Result, each: Round) -> dict[str, Any]:
    number = {name: position for position, name in enumerate(result.candidates)}
    story: dict[str, Any] = {
        "elected": [number[name] for name in each.elected],
        "eliminated": [number[name] for name in each.eliminated],
    }
    if each.keep is not None:
        story["keep"] = {number[name]: keep for name, keep in each.keep.items() if keep != EVERYTHING}
    elif each.transfers and not each.eliminated:
        giver = each.transfers[0].source
        story["surplus"] = {"giver": number[giver], "held": each.tally[giver], "quota": each.threshold}
    return story
