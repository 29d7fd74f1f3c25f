"""Pages for voters: rank, review, cast, keep the receipt, change or withdraw; rehearsals and paper ballots."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import LostSession, View, current_person, public, requires
from accounts.models import User
from accounts.rules import Permission
from acts.links import absolute_url
from acts.refusals import Refusal
from acts.storage import now_text
from elections import repository as elections
from elections.access import election_context, organiser_page
from elections.rules import Action, Election
from pages.forms import form_page, token_in
from pages.messages import confirm_page, message_page
from pages.paths import path_of, redirect_to
from pages.qr import qr_image, qr_svg
from ranking import drafts, ranking_cookie
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

from . import passes, rehearsal, repository, rules, services
from .passes import Pass
from .repository import Standing
from .secrecy import SecretReplaced

# --- what was sent ---


def carried_fields(post: MultiValueDict) -> MultiValueDict:
    """The fields that the next step needs."""
    also = ("acts", "voter", ranking_cookie.OWNER_FIELD)
    return MultiValueDict({name: typed for name, typed in post.lists() if name.startswith(RANK_PREFIX) or name in also})


# --- the ballot ---


def resume_after_sign_in(request: HttpRequest) -> HttpResponse:
    """For voters whose session was lost while ranking: back to the ballot, after signing in if needed, with their
    ranking."""
    assert request.resolver_match is not None
    kwargs = request.resolver_match.kwargs
    path = reverse("ballot", kwargs=kwargs)
    is_known = request.user.is_authenticated or passes.pass_for_election(request, **kwargs) is not None
    answer = redirect(path) if is_known else redirect_to_login(path)
    fields = carried_fields(request.POST)
    fields["lost"] = "1"
    ranking_cookie.save(answer, path, request.POST.get(ranking_cookie.OWNER_FIELD, ""), fields)
    return answer


def standing_for(who: User | Pass, name: str, *, described: bool = False) -> Standing | None:
    return services.standing_of(who, name, described=described, to_show=True)


def vote(view: View, lost: LostSession | None = None, load: Callable[..., Standing | None] = standing_for) -> View:
    """A page for voters, signed in or by link."""
    return requires(Permission.VOTE, load_for=load, lost=lost, guests=passes.pass_for_election)(view)


@partial(vote, lost=resume_after_sign_in, load=partial(standing_for, described=True))
@form_page
def ballot(request: HttpRequest, standing: Standing) -> HttpResponse:
    """Ranking. Submitting it leads to the review; going back from there restores it."""
    try:
        services.check_own_ballot(standing, now_text())
    except Refusal as refusal:
        return _refused(request, standing.election, refusal)
    if request.method == "POST":
        return _to_review(request, standing)
    if (sent := _carried(request, standing)) is not None:
        return _show(request, standing, typed_ranks(sent), found="lost" in sent)
    cast = repository.ballot_of(standing)
    return _show(request, standing, ranks_of(cast.rankings) if cast else {})


def _to_review(request: HttpRequest, standing: Standing) -> HttpResponse:
    """The review is a page of its own, so that going back to it, or reloading it, sends nothing again."""
    try:
        ranking_from(submitted_ranks(request.POST), elections.candidates_of(standing.election))
    except Refusal as refusal:
        return _show_typed(request, standing, problem=str(refusal))
    name, fields = standing.election.name, carried_fields(request.POST)
    fields["at"] = str(standing.acts)
    answer = redirect_to("review", name)
    ranking_cookie.save(answer, path_of("ballot", name), ranking_owner(standing), fields)
    return answer


@vote
@require_safe
def review(request: HttpRequest, standing: Standing) -> HttpResponse:
    """The ballot again before it is cast; without one, back to the ballot."""
    sent = _carried(request, standing)
    if sent is None:
        return redirect("receipt" if standing.voted else "ballot", name=standing.election.name)
    try:
        services.check_own_ballot(standing, now_text())
    except Refusal as refusal:
        return _refused(request, standing.election, refusal)
    return _review(request, standing, sent)


def ranking_owner(standing: Standing) -> str:
    """The mark of a voter's rankings in this election."""
    election = standing.election
    return drafts.person_mark(standing.voter or "", standing.caster, "ballot", election.name, election.created_at)


def _carried(request: HttpRequest, standing: Standing) -> MultiValueDict | None:
    """The ranking in progress, unless its voter has voted since."""
    if ranking_cookie.COOKIE not in request.COOKIES:
        return None
    sent, now = ranking_cookie.load(request, ranking_owner(standing)), str(standing.acts)
    return sent if sent is not None and sent.get("at", now) == now else None


def _refused(request: HttpRequest, election: Election, refusal: Refusal) -> HttpResponse:
    status = 503 if isinstance(refusal, SecretReplaced) else 403
    return render(
        request, "ballots/refused.html", election_context(request, election, problem=str(refusal)), status=status
    )


def _show(request: HttpRequest, standing: Standing, ranks: dict[int, Any], **more: Any) -> HttpResponse:
    election = standing.election
    candidates = elections.candidates_of(election)
    shown = candidates if more.get("paper_for") else shuffled(candidates, standing.order_seed)
    context = {
        "about": standing.about or elections.description_of(election.name),
        "choices": choices_of(shown, ranks),
        "ranks": len(shown),
        "draft_key": draft_key(request, standing),
        "whose": ranking_owner(standing),
        "unranked_sentence": unranked_sentence(election.unranked),
        "acts": standing.acts,
        "voted": standing.voted,
        "may_see_ballot": standing.may_see_ballot,
        "action": path_of("ballot", election.name),
        "paper_for": None,
    }
    status = 422 if more.get("problem") else 200
    return render(request, "ballots/ballot.html", election_context(request, election, **context | more), status=status)


def draft_key(request: HttpRequest, standing: Standing) -> str:
    """A voter by link who is also signed in has two ballots, and two drafts."""
    election = standing.election
    return drafts.key(request, "ballot", *filter(None, (election.name, election.created_at, standing.pass_mark)))


def _show_typed(request: HttpRequest, standing: Standing, **more: Any) -> HttpResponse:
    """The ballot as typed, valid or not, so that nothing is lost."""
    return _show(request, standing, typed_ranks(request.POST), **more)


def _review(request: HttpRequest, standing: Standing, sent: MultiValueDict, **more: Any) -> HttpResponse:
    candidates = elections.candidates_of(standing.election)
    try:
        rankings = ranking_from(submitted_ranks(sent), candidates)
    except Refusal as refusal:
        return _show(request, standing, typed_ranks(sent), problem=str(refusal), **more)
    name, fields = standing.election.name, carried_fields(sent)
    fields["token"] = secrets.token_urlsafe(16)
    context = {
        "ranked": ranked_names(rankings, candidates),
        "unranked": unranked_names(rankings, candidates),
        "unranked_sentence": unranked_sentence(standing.election.unranked),
        "fields": [(field, value) for field, values in fields.lists() for value in values],
        "voted": standing.voted,
        "cast_action": path_of("cast", name),
        "back_action": path_of("ballot", name),
        "paper_for": None,
    }
    return render(request, "ballots/review.html", election_context(request, standing.election, **context | more))


# Casting reads all it needs by itself, once.
@requires(Permission.VOTE, load_for=lambda who, name: name, lost=resume_after_sign_in, guests=passes.pass_for_election)
@require_POST
def cast(request: HttpRequest, name: str) -> HttpResponse:
    try:
        outcome = services.cast(current_person(request), name, submitted_ranks(request.POST), token_in(request.POST))
    except Refusal as refusal:
        if (standing := services.standing_of(current_person(request), name)) is None:
            raise Http404 from None
        return _show_typed(request, standing, problem=str(refusal))
    _show_outcome(request, outcome)
    answer = redirect_to("receipt", name)
    ranking_cookie.clear(answer, path_of("ballot", name))
    return answer


def _show_outcome(request: HttpRequest, outcome: services.Outcome) -> None:
    if outcome.ballot is None:
        return messages.info(request, _("This form was already submitted. This is your current ballot."))
    if not outcome.replaced:
        return messages.success(request, _("Your vote has been cast."))
    messages.success(
        request, _("Your ballot has been changed. The earlier code is no longer valid; this is the new one.")
    )
    if str(outcome.acts) != request.POST.get("acts"):
        messages.info(request, _("It replaced a ballot you had cast in another window in the meantime."))
    return None


@vote
@require_safe
def receipt(request: HttpRequest, standing: Standing) -> HttpResponse:
    is_findable = standing.salt is not None or not standing.election.secret_ballot
    if standing.voted and not standing.may_see_ballot and is_findable:
        return _show_hidden_receipt(request, standing)
    try:
        cast = repository.ballot_of(standing)
    except SecretReplaced as refusal:
        return _refused(request, standing.election, refusal)
    if standing.is_unlinked and standing.election.takes_votes(now_text()):
        return message_page(request, _("Your receipt"), str(rules.UNLINKED))
    if cast is None and standing.voted:
        sentence = _(
            "The election is closed, and nobody can now tell which ballot is whose. Use your code to find yours "
            "among the published ballots."
        )
        context = election_context(request, standing.election, sentence=sentence)
        return render(request, "ballots/closed_receipt.html", context)
    if cast is None:
        return redirect("ballot", name=standing.election.name)
    return _show_receipt(request, standing, cast, voter=None)


def _show_hidden_receipt(request: HttpRequest, standing: Standing) -> HttpResponse:
    """Shows that there is a ballot, but not its content: the visitor may not be the person who cast it."""
    may_change = standing.election.takes_votes(now_text())
    return render(
        request, "ballots/hidden_ballot.html", election_context(request, standing.election, may_change=may_change)
    )


def _show_receipt(request: HttpRequest, standing: Standing, cast: rules.Ballot, *, voter: str | None) -> HttpResponse:
    election, candidates = standing.election, elections.candidates_of(standing.election)
    context = {
        "confirmation": cast.confirmation,
        "qr": qr_svg(follow_link(election, cast)) if voter else receipt_image(standing, cast),
        "ranked": ranked_names(cast.rankings, candidates),
        "unranked": unranked_names(cast.rankings, candidates),
        "unranked_sentence": unranked_sentence(election.unranked),
        "acts": standing.acts,
        "state_url": path_of("ballot_state", election.name),
        "draft_key": "" if voter else draft_key(request, standing),
        "may_change": voter is None and election.takes_votes(now_text()),
        "paper_for": voter,
    }
    return render(request, "ballots/receipt.html", election_context(request, election, **context))


def follow_link(election: Election, cast: rules.Ballot) -> str:
    """Leads to the ballot among all that are published. What follows the # stays in the browser."""
    return f"{absolute_url(path_of('follow', election.name))}#{cast.confirmation}"


def receipt_image(standing: Standing, cast: rules.Ballot) -> SafeString:
    """Drawing a QR code takes as long as the page itself, so the browser loads it afterwards."""
    address = f"{path_of('receipt_qr', standing.election.name)}?acts={standing.acts}"
    return qr_image(follow_link(standing.election, cast), address)


@vote
@require_safe
def receipt_qr(request: HttpRequest, standing: Standing) -> HttpResponse:
    """The QR code of the voter's own ballot. Its URL contains no code, as servers log URLs; the number of acts ties the
    image to the page that shows it."""
    if request.GET.get("acts") != str(standing.acts) or standing.is_unlinked:
        raise Http404
    try:
        cast = repository.ballot_of(standing)
    except SecretReplaced:
        cast = None
    if cast is None or not (svg := qr_svg(follow_link(standing.election, cast))):
        raise Http404
    return HttpResponse(svg, content_type="image/svg+xml")


@vote
@require_safe
def ballot_state(request: HttpRequest, standing: Standing) -> HttpResponse:
    """Lets an open page notice that its ballot was changed elsewhere."""
    return JsonResponse({"acts": standing.acts})


@vote
@form_page
def withdraw(request: HttpRequest, standing: Standing) -> HttpResponse:
    election = standing.election
    if request.method == "POST":
        try:
            services.withdraw(current_person(request), election.name, token_in(request.POST))
        except Refusal as refusal:
            return _refused(request, election, refusal)
        messages.success(request, _("Your ballot has been withdrawn. Its code is no longer valid."))
        return redirect("ballot" if standing.link else "election", name=election.name)
    lead = _(
        "Your ballot will be removed and its code will no longer be valid. You can vote again until the "
        "election closes."
    )
    context = election_context(request, election, lead=lead, danger=True, token=secrets.token_urlsafe(16))
    return confirm_page(request, _("Withdraw my ballot"), _("Withdraw ballot"), **context)


@public
@require_safe
def help_secrecy(request: HttpRequest) -> HttpResponse:
    return render(request, "ballots/help_secrecy.html")


# --- the dress rehearsal ---


@organiser_page(Action.REHEARSE)
@form_page
def rehearse(request: HttpRequest, election: Election) -> HttpResponse:
    """Robots vote in a copy of the draft. The report is all that is left of it."""
    report, problem = None, ""
    if request.method == "POST":
        try:
            report = rehearsal.rehearse(request.user, election)
        except Refusal as refusal:
            problem = str(refusal)
    context = election_context(request, election, report=report, problem=problem, robots=rehearsal.ROBOTS)
    return render(request, "ballots/rehearsal.html", context, status=422 if problem else 200)


# --- ballots on paper ---


@organiser_page(Action.ENTER_PAPER)
@form_page
def paper(request: HttpRequest, election: Election) -> HttpResponse:
    """Asks whose ballot it is, then shows a ballot with the candidates by name.

    Not in the voter's own order: some rank as listed, and their ballots could be guessed from it.
    """
    voter = (request.POST if request.method == "POST" else request.GET).get("voter", "").strip()
    if not voter:
        return _ask_whose(request, election)
    standing = services.paper_standing(election.name, voter)
    try:
        if standing is None:
            raise rules.NotOnTheRoll(rules.NOT_OPEN)
        services.check_paper_voter(request.user, standing)
    except Refusal as refusal:
        return _ask_whose(request, election, voter, str(refusal))
    more = _paper_steps(election, voter)
    if request.method != "POST":
        return _show(request, standing, {}, **more)
    return (
        _show_typed(request, standing, **more)
        if "back" in request.POST
        else _review(request, standing, request.POST, **more)
    )


def _ask_whose(request: HttpRequest, election: Election, voter: str = "", problem: str = "") -> HttpResponse:
    context = election_context(request, election, voter=voter, problem=problem)
    return render(request, "ballots/paper.html", context, status=422 if problem else 200)


def _paper_steps(election: Election, voter: str) -> dict[str, Any]:
    """Shows the voter as they were typed, and nothing that they have done."""
    action, cast_action = reverse("paper", args=[election.name]), reverse("enter_paper", args=[election.name])
    return {
        "paper_for": voter,
        "acts": 0,
        "voted": False,
        "action": action,
        "back_action": action,
        "cast_action": cast_action,
        "draft_key": "",
        "whose": "",
    }


@organiser_page(Action.ENTER_PAPER)
@require_POST
def enter_paper(request: HttpRequest, election: Election) -> HttpResponse:
    voter = request.POST.get("voter", "")
    try:
        outcome = services.enter_paper(
            request.user, election.name, voter, submitted_ranks(request.POST), token_in(request.POST)
        )
    except Refusal as refusal:
        standing = services.paper_standing(election.name, voter)
        if standing is None:
            return _ask_whose(request, election, voter, str(refusal))
        return _show_typed(request, standing, problem=str(refusal), **_paper_steps(election, voter))
    standing = services.paper_standing(election.name, voter)
    if outcome.ballot is None or standing is None:
        messages.info(request, _("This form was already submitted, and the ballot was entered then."))
        return redirect("paper", name=election.name)
    return _show_receipt(request, standing, outcome.ballot, voter=standing.voter)
