"""Pages for voting on several questions at once: one page per question, one review, one button, the receipts."""

from __future__ import annotations

import secrets
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import View, requires
from accounts.rules import Permission
from acts.refusals import Refusal
from acts.storage import now_text
from elections import repository as elections
from elections.access import election_context
from elections.multi_ballots.rules import question_key
from pages.forms import form_page, token_in
from ranking import ranking_cookie
from ranking.rankings import (
    RANK_PREFIX,
    choices_of,
    ranked_names,
    ranking_from,
    ranks_of,
    shuffled,
    submitted_ranks,
    typed_ranks,
    unranked_names,
    unranked_sentence,
)

from . import multi_ballots, passes, repository, rules, services
from .multi_ballots import Answer, Way
from .repository import Standing
from .secrecy import SecretReplaced
from .views import draft_key, receipt_image

LOST = "lost"  # the question whose form came without a session


def resume_after_sign_in(request: HttpRequest) -> HttpResponse:
    """For voters whose session was lost on the way: back to the same question, after signing in if needed, with all
    rankings."""
    assert request.resolver_match is not None
    kwargs = request.resolver_match.kwargs
    multi_ballot_id, place = kwargs["multi_ballot_id"], kwargs.get("place", 1)
    mark = request.POST.get(ranking_cookie.OWNER_FIELD, "")
    answered = _answered(ranking_cookie.load(request, mark))
    fields = answered.copy()
    for name in (name for name in request.POST if name.startswith(RANK_PREFIX)):
        fields.setlist(name, request.POST.getlist(name))
    fields[LOST] = str(place)
    path = reverse("multi_ballot_question", args=[multi_ballot_id, place])
    is_known = request.user.is_authenticated or passes.held_for_multi_ballot(request, multi_ballot_id) is not None
    answer = redirect(path) if is_known else redirect_to_login(path)
    ranking_cookie.save(answer, _carried_at(multi_ballot_id), mark, fields)
    if ranking_cookie.COOKIE not in answer.cookies:  # of very many candidates, at least what was ranked before
        ranking_cookie.save(answer, _carried_at(multi_ballot_id), mark, answered)
    return answer


def vote(view: View) -> View:
    """A page for voters in all questions, signed in or by link."""
    opened = partial(requires, Permission.VOTE, load_for=multi_ballots.way_for, guests=passes.held_for_multi_ballot)
    return opened(lost=resume_after_sign_in)(view)


def _carried_at(multi_ballot_id: str) -> str:
    return reverse("fill_multi_ballot", args=[multi_ballot_id])


def _answered(sent: MultiValueDict | None) -> MultiValueDict:
    """The rankings of questions, without what was typed into the one that got lost."""
    fields: MultiValueDict = MultiValueDict()
    for name in sent or ():
        if not name.startswith(RANK_PREFIX) and name != LOST:
            fields[name] = (sent or {})[name]
    return fields


def _carried(request: HttpRequest, way: Way, standing: Standing) -> MultiValueDict | None:
    return ranking_cookie.load(request, multi_ballots.whose(standing, way.multi_ballot))


@vote
@require_safe
def fill_multi_ballot(request: HttpRequest, way: Way) -> HttpResponse:
    return redirect("multi_ballot_question", multi_ballot_id=way.multi_ballot.id, place=1)


# --- one question after the other ---


@vote
@form_page
def multi_ballot_question(request: HttpRequest, way: Way) -> HttpResponse:
    """Rank in one question. Sent, it leads to the next, or to the one before, or to the review."""
    standing = way.standing(way.place, described=True) if way.place else None
    if standing is None:
        raise Http404
    try:
        services.check_own_ballot(standing, now_text())
    except Refusal as refusal:
        return _refused(request, way, refusal)
    sent = _carried(request, way, standing)
    if request.method == "POST":
        return _go_on(request, way, standing, _answered(sent))
    if sent is not None and sent.get(LOST) == str(way.place):
        return _show(request, way, standing, typed_ranks(sent), found=True)
    return _show(request, way, standing, _ranks(standing, sent))


def _ranks(standing: Standing, sent: MultiValueDict | None) -> dict[int, int]:
    """The ranking in progress, or else the one that was cast."""
    field = question_key(standing.election.name)
    if sent is not None and field in sent:
        return ranks_of(sent[field])
    cast = repository.ballot_of(standing)
    return ranks_of(cast.rankings) if cast else {}


def _go_on(request: HttpRequest, way: Way, standing: Standing, fields: MultiValueDict) -> HttpResponse:
    show = partial(_show, request, way, standing, typed_ranks(request.POST))
    try:
        rankings = ranking_from(submitted_ranks(request.POST), elections.candidates_of(standing.election))
    except Refusal as refusal:
        return show(problem=str(refusal))
    fields[question_key(standing.election.name)] = rankings
    answer = redirect(_next(request, way))
    mark = multi_ballots.whose(standing, way.multi_ballot)
    ranking_cookie.save(answer, _carried_at(way.multi_ballot.id), mark, fields)
    if ranking_cookie.COOKIE not in answer.cookies:
        return show(problem=_("That is more than one form can hold."), is_full=True)
    return answer


def _next(request: HttpRequest, way: Way) -> str:
    place = way.place - 1 if "before" in request.POST else way.place + 1
    if "review" in request.POST or not 1 <= place <= way.last:
        return reverse("multi_ballot_review", args=[way.multi_ballot.id])
    return reverse("multi_ballot_question", args=[way.multi_ballot.id, place])


def _show(request: HttpRequest, way: Way, standing: Standing, ranks: dict[int, Any], **more: Any) -> HttpResponse:
    election = standing.election
    candidates = shuffled(elections.candidates_of(election), standing.order_seed)
    context = {
        **_of_way(way),
        "question": way.multi_ballot.short(election.name),
        "about": standing.about,
        "choices": choices_of(candidates, ranks),
        "ranks": len(candidates),
        "draft_key": draft_key(request, standing),
        "whose": multi_ballots.whose(standing, way.multi_ballot),
        "unranked_sentence": unranked_sentence(election.unranked),
        "voted": standing.voted,
        "may_see_ballot": standing.may_see_ballot,
        "is_changing": "change" in request.GET or "review" in request.POST,
    }
    status = 422 if more.get("problem") else 200
    page_context = election_context(request, election, **context | more)
    return render(request, "ballots/multi_ballot_question.html", page_context, status=status)


def _of_way(way: Way) -> dict[str, Any]:
    return {"multi_ballot": way.multi_ballot, "place": way.place, "last": way.last}


def _refused(request: HttpRequest, way: Way, refusal: Refusal) -> HttpResponse:
    status = 503 if isinstance(refusal, SecretReplaced) else 403
    context = {**_of_way(way), "problem": str(refusal), "is_over": isinstance(refusal, rules.Over)}
    return render(request, "ballots/multi_ballot_refused.html", context, status=status)


# --- the review, and casting ---


@vote
@require_safe
def multi_ballot_review(request: HttpRequest, way: Way) -> HttpResponse:
    """All questions again; only new or changed rankings are cast."""
    first = next(iter(way.standings()), None)
    if first is None:
        raise Http404
    sent = _answered(_carried(request, way, first))
    try:
        answers = multi_ballots.answers(way, sent.dict())
    except Refusal as refusal:
        return _refused(request, way, refusal)
    fields = [field for each in answers for field in each.fields]
    context = {
        **_of_way(way),
        "rows": [_row(way, each) for each in answers],
        "fields": [
            *fields,
            (ranking_cookie.OWNER_FIELD, multi_ballots.whose(first, way.multi_ballot)),
            ("token", secrets.token_urlsafe(16)),
        ],
        "count": sum(each.is_new for each in answers),
        "voted": any(each.standing.voted for each in answers),
    }
    return render(request, "ballots/multi_ballot_review.html", election_context(request, first.election, **context))


def _row(way: Way, answer: Answer) -> dict[str, Any]:
    election = answer.standing.election
    candidates = elections.candidates_of(election)
    return {
        "answer": answer,
        "question": way.multi_ballot.short(election.name),
        "election": election,
        "ranked": ranked_names(answer.rankings, candidates),
        "unranked": unranked_names(answer.rankings, candidates),
        "unranked_sentence": unranked_sentence(election.unranked),
    }


@vote
@require_POST
def cast_multi_ballot(request: HttpRequest, way: Way) -> HttpResponse:
    """Cast all that is new; the receipts then list which were cast, and why others were not."""
    count, refused = multi_ballots.cast(way, request.POST, token_in(request.POST)[:40])
    answer = redirect(
        "multi_ballot_receipts" if count or refused else "multi_ballot_review",
        multi_ballot_id=way.multi_ballot.id,
    )
    for name, sentence in refused.items():
        messages.error(
            request, _("Not cast: %(question)s. %(why)s") % {"question": way.multi_ballot.short(name), "why": sentence}
        )
    if count:
        sentence = ngettext("%(count)d ballot is cast.", "%(count)d ballots are cast.", count)
        messages.success(request, sentence % {"count": count})
    if not refused:
        ranking_cookie.clear(answer, _carried_at(way.multi_ballot.id))
    return answer


# --- the receipts ---


@vote
@require_safe
def multi_ballot_receipts(request: HttpRequest, way: Way) -> HttpResponse:
    """Each question with the code of its ballot, or the reason why there is none."""
    standings = way.standings()
    if not standings:
        raise Http404
    try:
        rows = [_receipt(request, way, each) for each in standings]
    except SecretReplaced as refusal:
        return _refused(request, way, refusal)
    may_vote = any(each.voter is not None and each.election.takes_votes(now_text()) for each in standings)
    context = {**_of_way(way), "rows": rows, "may_vote": may_vote, "has_codes": any(row["cast"] for row in rows)}
    return render(
        request, "ballots/multi_ballot_receipts.html", election_context(request, standings[0].election, **context)
    )


def _receipt(request: HttpRequest, way: Way, standing: Standing) -> dict[str, Any]:
    election = standing.election
    cast, candidates = repository.ballot_of(standing), elections.candidates_of(election)
    return {
        "question": way.multi_ballot.short(election.name),
        "election": election,
        "cast": cast,
        "id": question_key(election.name),
        "qr": receipt_image(standing, cast) if cast else "",
        "ranked": ranked_names(cast.rankings, candidates) if cast else [],
        "draft_key": draft_key(request, standing) if standing.voted else "",
        "sentence": _sentence_without_code(standing),
        "may_change": election.takes_votes(now_text()),
    }


def _sentence_without_code(standing: Standing) -> str:
    """The sentence shown where there is no code."""
    is_open = standing.election.takes_votes(now_text())
    if not standing.voted:
        return _("You have not voted on this question.")
    if standing.is_unlinked and is_open:
        return str(rules.UNLINKED)
    if is_open:
        return _("You have voted, and your ballot counts.")
    return _("Voting is closed, and nobody can now tell which ballot is whose. Use your code to find yours.")
