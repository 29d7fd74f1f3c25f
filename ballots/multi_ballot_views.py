"""Pages for voting on several questions at once: one page per question, one review, one button, the receipts."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
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

from accounts.access import View, public, requires
from accounts.rules import Permission
from elections import repository as elections
from elections.access import election_context
from elections.multi_ballots import repository as ballots_of_several
from elections.multi_ballots.rules import question_key
from elections.rules import LEAVE, NO_DRAFTS, Election
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text
from foundation.pages.forms import form_page, token_in
from foundation.ranking import drafts, listing, ranking_cookie
from foundation.ranking.marks import (
    RANK_PREFIX,
    Ranks,
    marks_from,
    may_be_blank,
    ranks_of,
    shown_ballot,
    submitted_ranks,
    typed_ranks,
)

from . import multi_ballots, passes, repository, rules
from .change_views import brings_secret, opened_secret, show_words_form
from .marking import form_context
from .multi_ballots import Answer, Way
from .repository import Standing
from .secret import WrongWords, new_secret
from .services import Outcome
from .views import (
    CONFIRMED,
    SECRET,
    carried_secret,
    draft_key,
    forget_secret,
    has_words,
    receipt_image,
    secret_in,
    show_left,
    words_context,
)

LOST = "lost"  # the question whose form came without a session


def resume_after_sign_in(request: HttpRequest) -> HttpResponse:
    """For voters whose session was lost on the way: back to the same question, after signing in if needed, with all
    rankings; or to the review, if they have left the questions behind."""
    assert request.resolver_match is not None
    kwargs = request.resolver_match.kwargs
    multi_ballot_id, place = kwargs["multi_ballot_id"], kwargs.get("place")
    mark = request.POST.get(ranking_cookie.OWNER_FIELD, "")
    answered = _answered(ranking_cookie.load(request, mark))
    fields = answered.copy()
    if place is None:
        path = reverse("multi_ballot_review", args=[multi_ballot_id])
    else:
        path = reverse("multi_ballot_question", args=[multi_ballot_id, place])
        fields[LOST] = str(place)
        for name in (name for name in request.POST if name.startswith(RANK_PREFIX)):
            fields.setlist(name, request.POST.getlist(name))
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
    return ranking_cookie.load(request, _whose(request, way, standing))


def _whose(request: HttpRequest, way: Way, standing: Standing) -> str:
    """Where no draft may stay on the device, what it carries from question to question opens in this session alone."""
    mark = multi_ballots.whose(standing, way.multi_ballot)
    return mark + drafts.session_mark(request) if NO_DRAFTS in standing.election.safeguards else mark


@vote
@require_safe
def fill_multi_ballot(request: HttpRequest, way: Way) -> HttpResponse:
    place = next(iter(way.standings_by_place()), 1)
    return redirect("multi_ballot_question", multi_ballot_id=way.multi_ballot.id, place=place)


# --- one question after the other ---


@vote
@form_page
def multi_ballot_question(request: HttpRequest, way: Way) -> HttpResponse:
    """Rank in one question. Sent, it leads to the next, or to the one before, or to the review."""
    own = way.standings_by_place()
    standing = own.get(way.place) or (way.standing(way.place) if way.place else None)
    if standing is None:
        raise Http404
    try:
        is_done = multi_ballots.has_finished(standing)
    except Refusal as refusal:
        return _refused(request, way, refusal)
    sent = _carried(request, way, standing)
    places = list(own)
    if is_done and request.method == "POST":
        return redirect(_next(request, way, places))
    if is_done:
        return _show(request, way, places, standing, {}, is_done=True)
    if request.method == "POST":
        return _go_on(request, way, places, standing, _answered(sent))
    if sent is not None and sent.get(LOST) == str(way.place):
        return _show(request, way, places, standing, typed_ranks(sent), found=True)
    return _show(request, way, places, standing, _ranks(standing, sent))


def _ranks(standing: Standing, sent: MultiValueDict | None) -> dict[int, int]:
    """The ranking in progress, or else the one that was cast."""
    field = question_key(standing.election.name)
    if sent is not None and field in sent:
        return ranks_of(sent[field])
    cast = repository.ballot_of(standing)
    return ranks_of(cast.rankings) if cast else {}


def _go_on(
    request: HttpRequest, way: Way, places: list[int], standing: Standing, fields: MultiValueDict
) -> HttpResponse:
    show = partial(_show, request, way, places, standing, typed_ranks(request.POST))
    try:
        rankings = _marks(standing.election, submitted_ranks(request.POST))
    except Refusal as refusal:
        return show(problem=str(refusal))
    fields[question_key(standing.election.name)] = rankings
    answer = redirect(_next(request, way, places))
    ranking_cookie.save(answer, _carried_at(way.multi_ballot.id), _whose(request, way, standing), fields)
    if ranking_cookie.COOKIE not in answer.cookies:
        return show(problem=_("That is more than one form can hold."), is_full=True)
    return answer


def _marks(election: Election, ranks: Ranks) -> str:
    """A question without any mark is skipped, even if its ballots must not be blank."""
    if not any(value.strip() for typed in ranks.values() for value in typed):
        return ""
    return marks_from(ranks, elections.candidates_of(election), election)


def _next(request: HttpRequest, way: Way, places: list[int]) -> str:
    """Of the voter's own questions."""
    number = places.index(way.place) + (-1 if "before" in request.POST else 1)
    if "review" in request.POST or not 0 <= number < len(places):
        return reverse("multi_ballot_review", args=[way.multi_ballot.id])
    return reverse("multi_ballot_question", args=[way.multi_ballot.id, places[number]])


def _show(
    request: HttpRequest, way: Way, places: list[int], standing: Standing, ranks: dict[int, Any], **more: Any
) -> HttpResponse:
    election = standing.election
    candidates = listing.shuffled(request, election.name, elections.candidates_of(election))
    context = {
        **_of_way(way),
        "number": places.index(way.place) + 1,
        "last": len(places),
        "question": way.multi_ballot.short(election.name),
        "about": standing.about,
        **form_context(election, candidates, ranks, skips=True),
        "draft_key": draft_key(request, standing),
        "whose": "" if NO_DRAFTS in election.safeguards else _whose(request, way, standing),
        "replaces": standing.may_change,
        "is_hidden": standing.link is not None,
        "weight": standing.weight,
        "has_words": has_words(standing),
        "is_changing": "change" in request.GET or "review" in request.POST,
    }
    status = 422 if more.get("problem") else 200
    page_context = election_context(request, election, **context | more)
    return listing.remember(request, render(request, "ballots/multi_ballot_question.html", page_context, status=status))


def _of_way(way: Way) -> dict[str, Any]:
    return {"multi_ballot": way.multi_ballot, "place": way.place}


def _refused(request: HttpRequest, way: Way, refusal: Refusal) -> HttpResponse:
    context = {**_of_way(way), "problem": str(refusal), "is_over": isinstance(refusal, rules.Over)}
    return render(request, "ballots/multi_ballot_refused.html", context, status=403)


# --- the review, and casting ---


@vote
@require_safe
def multi_ballot_review(request: HttpRequest, way: Way) -> HttpResponse:
    """All questions again; only new or changed rankings are cast. The browser carries their secret with the rankings,
    and the server forgets it."""
    first = next(iter(way.standings()), None)
    if first is None:
        raise Http404
    sent = _answered(_carried(request, way, first))
    try:
        answers = multi_ballots.answers(way, sent.dict())
    except Refusal as refusal:
        return _refused(request, way, refusal)
    fields = [field for each in answers for field in each.fields]
    mark = _whose(request, way, first)
    if has_words(first):
        fields.append((SECRET, sent.get(SECRET) or new_secret()))
    context = {
        **_of_way(way),
        "rows": [_row(way, each) for each in answers],
        "fields": [
            *fields,
            *([] if NO_DRAFTS in first.election.safeguards else [(ranking_cookie.OWNER_FIELD, mark)]),
            ("token", secrets.token_urlsafe(16)),
        ],
        "count": sum(each.is_new for each in answers),
        "voted": any(each.standing.voted for each in answers),
        "has_words": has_words(first),
        "weight": first.weight,
    }
    answer = render(request, "ballots/multi_ballot_review.html", election_context(request, first.election, **context))
    carried = MultiValueDict({name: [value] for name, value in (*sent.items(), *fields) if ":" not in name})
    ranking_cookie.save(answer, _carried_at(way.multi_ballot.id), mark, carried)
    return answer


def multi_ballot_key(request: HttpRequest, way: Way, standing: Standing) -> str:
    """Under which the browser keeps the secret, if it may; not for the next who opens a link or a letter in it."""
    by = [standing.link.voter] if standing.link else []
    return drafts.key(request, "book", way.multi_ballot.id, way.multi_ballot.created_at, *by)


def _row(way: Way, answer: Answer) -> dict[str, Any]:
    election = answer.standing.election
    return {
        "answer": answer,
        "question": way.multi_ballot.short(election.name),
        "election": election,
        "shown": shown_ballot(answer.rankings, elections.candidates_of(election), election),
        "may_be_blank": may_be_blank(election),
    }


@vote
@require_POST
def cast_multi_ballot(request: HttpRequest, way: Way) -> HttpResponse:
    """Cast all that is new; the receipts list which were cast, and why others were not. Those of secret ballots are the
    answer itself: only it can have their secret."""
    secret = secret_in(request.POST)
    confirmed = CONFIRMED in request.POST
    outcomes, refused = multi_ballots.cast(way, request.POST, token_in(request.POST)[:40], secret, confirmed=confirmed)
    if set(refused.values()) == {rules.NOT_CONFIRMED}:
        messages.error(request, rules.NOT_CONFIRMED)
        return redirect("multi_ballot_review", multi_ballot_id=way.multi_ballot.id)
    for name, sentence in refused.items():
        messages.error(
            request, _("Not cast: %(question)s. %(why)s") % {"question": way.multi_ballot.short(name), "why": sentence}
        )
    cast = [each.standing for each in outcomes.values() if each.standing]
    leaves = any(LEAVE in each.election.safeguards for each in cast)
    if outcomes and not leaves:
        sentence = ngettext("%(count)d ballot is cast.", "%(count)d ballots are cast.", len(outcomes))
        messages.success(request, sentence % {"count": len(outcomes)})
    if leaves or any(each.election.secret_ballot for each in cast):
        answer = _show_receipts(request, way, outcomes, secret)
    else:
        target = "multi_ballot_receipts" if outcomes or refused else "multi_ballot_review"
        answer = redirect(target, multi_ballot_id=way.multi_ballot.id)
    if leaves or not refused or str(rules.NOT_THEIRS) in refused.values():
        forget_secret(answer, _carried_at(way.multi_ballot.id))
    return answer


# --- the receipts ---


@vote
@require_safe
def multi_ballot_receipts(request: HttpRequest, way: Way) -> HttpResponse:
    """Each question with the code of its ballot, or the reason why there is none. A question on which they have not
    voted has no ballot of theirs, whatever lies under the secret."""
    standings = way.standings()
    secret = carried_secret(request, _carried(request, way, standings[0]) if standings else None)
    opened = multi_ballots.opened_by(way.multi_ballot, secret) if secret else []
    voted = {each.election.name for each in standings if each.voted}
    outcomes = {
        each.election.name: Outcome(each.ballot, standing=each) for each in opened if each.election.name in voted
    }
    return _show_receipts(request, way, outcomes, secret)


def _show_receipts(request: HttpRequest, way: Way, outcomes: Mapping[str, Outcome], secret: str) -> HttpResponse:
    by_place = way.standings_by_place()
    standings = list(by_place.values())
    if not standings:
        raise Http404
    change_path = reverse("change_multi_ballot", args=[way.multi_ballot.id])
    if outcomes and LEAVE in standings[0].election.safeguards:
        codes = [(way.multi_ballot.short(name), each.ballot) for name, each in outcomes.items()]
        return show_left(request, standings[0], codes, change_path, secret)
    rows = [
        {"place": place, **_receipt(request, way, each, outcomes.get(each.election.name))}
        for place, each in by_place.items()
    ]
    may_vote = any(each.voter is not None and each.election.takes_votes(now_text()) for each in standings)
    has_own_words = bool(outcomes) and has_words(standings[0])
    context = {
        **_of_way(way),
        "rows": rows,
        "may_vote": may_vote,
        "has_codes": any(row["cast"] for row in rows),
        "secret": secret if has_own_words else "",
        "draft_key": ""
        if NO_DRAFTS in standings[0].election.safeguards
        else multi_ballot_key(request, way, standings[0]),
        "offers_words": has_words(standings[0]) and any(each.voted for each in standings),
    }
    return render(
        request, "ballots/multi_ballot_receipts.html", election_context(request, standings[0].election, **context)
    )


def _receipt(request: HttpRequest, way: Way, standing: Standing, outcome: Outcome | None) -> dict[str, Any]:
    election = standing.election
    is_secret = election.secret_ballot
    cast = repository.ballot_of(standing) if not is_secret else outcome.ballot if outcome else None
    if is_secret and not election.changeable:
        cast = None
    is_open = election.takes_votes(now_text())
    return {
        "question": way.multi_ballot.short(election.name),
        "election": election,
        "cast": cast,
        "id": question_key(election.name),
        "image": receipt_image(standing, cast) if cast and not is_secret else "",
        "shown": shown_ballot(cast.rankings, elections.candidates_of(election), election) if cast else None,
        "draft_key": draft_key(request, standing) if standing.voted else "",
        "sentence": _sentence_without_code(standing),
        "may_vote": is_open and not standing.voted,
        "may_change": is_open and standing.voted and standing.may_change and election.changeable,
    }


def _sentence_without_code(standing: Standing) -> str:
    """The sentence shown where there is no code."""
    if not standing.voted:
        return _("You have not voted on this question.")
    if standing.election.takes_votes(now_text()) or not standing.election.changeable:
        return _("You have voted, and your vote counts.")
    return _("Voting is closed, and nobody can tell which ballot is whose. Use your code to find yours.")


# --- with the words on the receipts ---


@public
@form_page
def change_multi_ballot(request: HttpRequest, multi_ballot_id: str) -> HttpResponse:
    """Asks for the words, and lists the questions whose ballots they open; with the words, if they were asked for."""
    typed, problem = request.POST.get("words", ""), ""
    if brings_secret(request.POST):
        try:
            secret, multi_ballot = opened_secret(request.POST), ballots_of_several.find(multi_ballot_id)
            standings = multi_ballots.opened_by(multi_ballot, secret) if multi_ballot else []
            if multi_ballot is None or not standings:
                raise WrongWords(rules.NO_SUCH_BALLOT)
            rows = [(multi_ballot.short(each.election.name), each) for each in standings]
            words = words_context(secret if "key" in request.POST else "", request.path)
            context = {"multi_ballot": multi_ballot, "rows": rows, "secret": secret, **words}
            return render(request, "ballots/change_multi_ballot.html", context)
        except WrongWords as refusal:
            problem = str(refusal)
    return show_words_form(request, typed, problem)
