"""Downloads of a sealed result: its files, the bundle and the skills of those elected."""

from __future__ import annotations

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from elections.access import election_context
from foundation.acts.rate_limits import Limit, TooOften, count
from foundation.pages.messages import refusals_as_messages
from foundation.tally.formats import CannotWrite

from .access import Reader, for_anybody, is_stranger, limit_key
from .exports.bundle import NotSealedYet, bundle_version
from .exports.bundle import bundle as as_zip
from .exports.files import EXPORTS, file_name, has, version
from .repository import Found, Sealed
from .views import load, not_yet, of_public_results

SECONDS_PER_YEAR = 365 * 24 * 3600
BUNDLES = Limit("bundle", 30, 3600)  # of one person; each reads a stretch of the log
ZIP = "application/zip"


def load_export(reader: Reader, name: str, file: str, question: int = 1) -> tuple[Found, str] | None:
    found = load(reader, name, question) if file in EXPORTS else None
    return (found, file) if found is not None and has(found, file) else None


@for_anybody(load_for=load_export)
@require_safe
def export(request: HttpRequest, requested: tuple[Found, str]) -> HttpResponseBase:
    found, file = requested
    kind = EXPORTS[file]
    if not isinstance(found, Sealed):
        return not_yet(request, found)
    make = kind.make_unnamed if kind.make_unnamed and is_stranger(request) else kind.make
    tag = f"{version(found)}-{get_language()}" if kind.in_words else version(found)
    tag = tag if make == kind.make else f"{tag}-unnamed"
    if (unchanged := _unchanged(request, found, tag)) is not None:
        return unchanged
    with refusals_as_messages(request, (CannotWrite,)):
        content = [] if request.method == "HEAD" else make(found)
        answer = StreamingHttpResponse(content, content_type=kind.media_type)
        return _labelled(request, answer, found, file, tag)
    return redirect("results", *found.election.result_address)


@of_public_results
@require_safe
def bundle(request: HttpRequest, found: Found) -> HttpResponseBase:
    """Everything it takes to check the election elsewhere."""
    if not isinstance(found, Sealed):
        return not_yet(request, found)
    names_voters = not is_stranger(request)
    tag = f"{version(found)}-{bundle_version()}{'' if names_voters else '-unnamed'}"
    if (unchanged := _unchanged(request, found, tag)) is not None:
        return unchanged
    answer: HttpResponseBase = HttpResponse(content_type=ZIP)
    if request.method != "HEAD":
        try:
            count(BUNDLES, limit_key(request))
            answer = FileResponse(as_zip(found, names_voters=names_voters), content_type=ZIP)
        except NotSealedYet:
            return _being_sealed(request, found)
        except TooOften as refusal:
            messages.error(request, str(refusal))
            return redirect("results", name=found.election.name)
    return _labelled(request, answer, found, "bundle.zip", tag)


def _being_sealed(request: HttpRequest, found: Found) -> HttpResponse:
    sentence = _("The log is being sealed. The bundle will be ready in a moment.")
    context = election_context(request, found.election, sentence=sentence, counting=True)
    return render(request, "results/not_yet.html", context, status=202)


# --- what a browser may keep ---


def _unchanged(request: HttpRequest, found: Sealed, tag: str) -> HttpResponseBase | None:
    """The short answer to a browser that has just this file already."""
    answer = get_conditional_response(request, etag=f'"{tag}"')
    return _cacheable(request, answer, found, tag) if answer is not None else None


def _labelled(request: HttpRequest, answer: HttpResponseBase, found: Sealed, file: str, tag: str) -> HttpResponseBase:
    disposition = content_disposition_header(not file.endswith(".txt"), file_name(found.election.full_name, file))
    answer.headers["Content-Disposition"] = disposition
    return _cacheable(request, answer, found, tag)


def _cacheable(request: HttpRequest, answer: HttpResponseBase, found: Sealed, tag: str) -> HttpResponseBase:
    """For good, if the address says which version it is of; else only as long as we say that nothing has changed.

    Privately in any case: most pages are for members and voters, and what they get may name voters.
    """
    for_good = request.GET.get("v") == version(found) and tag == version(found)
    answer.headers["Cache-Control"] = (
        f"private, max-age={SECONDS_PER_YEAR}, immutable" if for_good else "private, no-cache"
    )
    answer.headers["ETag"] = f'"{tag}"'
    return answer
