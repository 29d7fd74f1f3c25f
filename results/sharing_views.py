"""Pages by which a sealed result leaves the site: the public one, if the organiser has chosen so, its downloads, and
the mail to voters.

Strangers see what was counted, and can check it: the ballots by their codes, the recount, the bundle. They never see
who voted: neither names on the roll nor names beside the ballots, even where ballots are public to members.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header
from django.utils.text import Truncator
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import mail_quota
from accounts.access import public
from elections.access import election_context, organiser_page
from elections.invitations.emails import make_forecast as forecast_of
from elections.invitations.mailing import ANNOUNCED
from elections.panels import where_to_ask
from elections.rules import Action, Election, State
from foundation.acts.links import absolute_url
from foundation.acts.rate_limits import Limit, TooOften, count
from foundation.acts.storage import now_text
from foundation.pages.forms import form_page
from foundation.pages.fragments import page_with
from foundation.pages.http_cache import MAX_PREVIEW_CHARS, cached_for_reader, site_picture
from foundation.pages.messages import message_page, refusals_as_messages, run_action
from foundation.pages.paths import path_of
from foundation.tally.formats import CannotWrite

from . import mailing, wording
from .access import Reader, for_anybody, is_shared, is_stranger, limit_key
from .exports.bundle import NotSealedYet, bundle_version
from .exports.bundle import bundle as as_zip
from .exports.files import EXPORTS, as_text, context_of_exports, file_name, has, version
from .repository import Found, Report, Sealed
from .views import (
    CachedPage,
    Overview,
    address_of,
    answers_of,
    context_of_report,
    load,
    not_yet,
    of_public_results,
    with_all_questions,
)
from .waiting import waiting_context
from .wording import outcome_of


@public
@require_safe
def shared(request: HttpRequest, name: str, question: int | None = None) -> HttpResponse:
    """To strangers, an election that does not share its result looks like one that does not exist."""
    found = PAGE.find(name, request.user if request.user.is_authenticated else None, question or 1)
    if found is None or not is_shared(found.election):
        raise Http404
    found = found if question else with_all_questions(found)
    context: dict[str, Any] = {
        "election": found.election,
        "address": absolute_url(path_of("shared", *address_of(found))),
    }
    context["takes_requests"] = bool(where_to_ask(name, found.election))
    if found.seal is None:
        over = found.election.state(now_text()) == State.CLOSED
        context |= {"counting": over, "counted": False}
        context |= waiting_context(found.election, request.path) if over else {}
        return render(request, "results/shared.html", context, status=202 if over else 200)
    if isinstance(found, Overview):
        answers = answers_of(found)
        summary = Truncator(" ".join(f"{each.election.title}: {each.line}" for each in answers)).chars(
            MAX_PREVIEW_CHARS
        )
        shown = {
            "title": found.election.name,
            "summary": summary,
            "address": context["address"],
            "image": site_picture(),
        }
        context |= {"answers": answers, "seal": found.seal, "preview": shown, "counted": True}
        return render(request, "results/shared.html", context)
    part, image = PAGE.fragment(found), site_picture()
    context |= {"preview": {**part.extra, "address": context["address"], "image": image}, "counted": True}
    make = partial(page_with, request, part, "results/shared.html", context)
    made_of = part.etag, part.extra, found.election, context["address"], context["takes_requests"], image
    return cached_for_reader(request, made_of, make)


def context_of_part(found: Sealed) -> dict[str, Any]:
    """The context of the part that is the same for all readers."""
    link = absolute_url(path_of("shared", *found.election.result_address))
    context: dict[str, Any] = {"text": f"{as_text(found)}\n{link}\n", "address": link}
    context |= {"election": found.election, "closed": found.election}
    return context_of_report(found) | context_of_exports(found) | context


# --- in words ---


def preview(found: Sealed) -> dict[str, str]:
    """The preview that other sites show of a link to this page."""
    election, report = found.election, found.report
    first = wording.translate(report.sentences[0]) if report.sentences else ""
    total = found.seal.ballots
    ballots = ngettext("%(count)d ballot.", "%(count)d ballots.", total) % {"count": total}
    summary = Truncator(f"{ballots} {first}").chars(MAX_PREVIEW_CHARS)
    return {"title": title(election, report), "summary": summary}


def title(election: Election, report: Report) -> str:
    return f"{election.full_name}: {outcome(report)}"


def outcome(report: Report) -> str:
    """How it ended, in a few words."""
    result, answer = report.result, outcome_of(report.result)
    if result.total == result.blank or not answer.names:
        return answer.line
    names, whole = {"names": Truncator(answer.brief).chars(MAX_PREVIEW_CHARS)}, answer.is_by_lot
    if result.seats > 1:
        return (_("elected by lot: %(names)s") if whole else _("elected: %(names)s")) % names
    alone = _("winner by lot: %(names)s") if whole else _("winner: %(names)s")
    return (_("a tie between %(names)s") if len(result.winners) > 1 else alone) % names


PAGE = CachedPage("results/parts/shared.html", context_of_part, preview)


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
            sentence = _("The log is being sealed. The bundle will be ready in a moment.")
            context = election_context(request, found.election, sentence=sentence, counting=True)
            return render(request, "results/not_yet.html", context, status=202)
        except TooOften as refusal:
            messages.error(request, str(refusal))
            return redirect("results", name=found.election.name)
    return _labelled(request, answer, found, "bundle.zip", tag)


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


@organiser_page(Action.ANNOUNCE)
@form_page
def mail_result(request: HttpRequest, election: Election) -> HttpResponse:
    if request.method == "POST":
        run_action(request, lambda: mailing.mail_result(request.user, election), _("The emails are on their way."))
        return redirect("mail_result", name=election.name)
    if (about := mailing.mailed_outcome(election)) is None:
        return message_page(request, _("Mail the result"), str(mailing.NOT_SEALED))
    context = {
        "outcome": mailing.outcome_sentence(about),
        "called": election.name,
        "numbers": forecast_of(election, ANNOUNCED),
        "asked_at": mailing.mailed_at(election),
        "mails_today": mail_quota.quota_today(request.user),
    }
    return render(request, "results/mail.html", election_context(request, election, **context))
