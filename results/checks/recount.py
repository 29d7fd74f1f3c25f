"""Page for a recount in the browser."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from results import repository, wording
from results.report import settings_of
from results.repository import Sealed

from .access import immutable_view, page, public_sealed_view, seal_stamp


@public_sealed_view
def recount(request: HttpRequest, found: Sealed) -> HttpResponse:
    methods = [
        (each.method, wording.method_label(each.method), wording.join_names(each.winners))
        for each in found.report.others
    ]
    address = reverse("recount_ballots", args=[found.election.name, seal_stamp(found.seal)])
    return page(request, found, "recount", methods=methods, address=address)


@immutable_view
def recount_ballots(request: HttpRequest, found: Sealed) -> HttpResponse:
    """Everything a count starts from, and what came out here, to compare."""
    report, seal = found.report, found.seal
    result = json.loads(report.result.as_json())
    counted = repository.counted(found.election.name, seal.candidates)
    payload = {
        "settings": {"method": found.election.method, **settings_of(found.election, found.seal.seed)},
        "lots": {"commitment": found.election.lots_commitment, "secret": seal.lots_secret},
        "candidates": counted.candidates,
        "rankings": list(counted.counts.items()),
        "digest": seal.digest,
        "result": {name: value for name, value in result.items() if name not in ("reasons", "candidates", "digest")},
        "others": {each.method: {"winners": each.winners, "places": each.places} for each in report.others},
    }
    return JsonResponse(payload, json_dumps_params={"ensure_ascii": False, "separators": (",", ":")})
