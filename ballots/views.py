"""Pages for voters: rank, review, cast, keep the receipt, change or withdraw; and rehearsals."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import LostSession, View, current_person, public, requires
from accounts.authentication import clear_browser, end_session
from accounts.models import User
from accounts.rules import Permission
from elections import repository as elections
from elections.access import election_context
from elections.panels import answers_with_candidates
from elections.rules import LEAVE, NO_DRAFTS, Election
from foundation.acts.links import absolute_url
from foundation.acts.refusals import NotThere, Refusal
from foundation.acts.storage import now_text
from foundation.pages.forms import form_page, new_token, token_in
from foundation.pages.fragments import shared_page
from foundation.pages.messages import confirm_page
from foundation.pages.paths import path_of, redirect_to
from foundation.pages.qr import qr_image, qr_svg
from foundation.ranking import drafts, ranking_cookie
from foundation.ranking.candidates import Candidate, remember_order, shuffled_for_browser
from foundation.ranking.marks import (
    RANK_PREFIX,
    ShownBallot,
    choices_of,
    explanation,
    field_prefix,
    is_marked,
    labelled,
    ranks_of,
    sample_ballot,
    shown_ballot,
    submitted_ranks,
    takes_one,
    typed_ranks,
    unranked_sentence,
)
from foundation.store.keys import fold

from . import passes, repository, rules, services
from .emails import NO_LATER_EMAIL
from .passes import Pass
from .repository import VoterContext
from .secret import as_words, joined, new_secret

CONFIRMED = "protected"  # the box by which voters confirm that they protect their device
SECRET, HALF = "secret", "half"  # fields of a form that casts: what the server drew, and what the browser added

Marks = Mapping[int, Mapping[int, Any]]  # on a ballot: of each question, by candidate number

# --- what was sent ---


def carried_fields(post: MultiValueDict) -> MultiValueDict:
    """The fields that the next step needs: of the boxes only those with a mark, unless all are blank."""
    also = ("acts", "voter", SECRET, ranking_cookie.OWNER_FIELD)
    boxes = {name: typed for name, typed in post.lists() if name.startswith(RANK_PREFIX)}
    marked = {name: typed for name, typed in boxes.items() if is_marked({name: typed})}
    return MultiValueDict({name: post.getlist(name) for name in also if name in post} | (marked or boxes))


def secret_in(post: MultiValueDict) -> str:
    """The secret of the ballot that a form casts or changes: nothing but this form ever had it."""
    return joined(post.get(SECRET, ""), post.get(HALF, ""))


def forget_secret(answer: HttpResponse, path: str) -> None:
    """The browser carries it no longer: the receipt shows it."""
    ranking_cookie.clear(answer, path)
    answer.delete_cookie(HALF, path=path, samesite="Lax")


# --- the ballot ---


def resume_after_sign_in(request: HttpRequest) -> HttpResponse:
    """For voters whose session was lost while ranking: back to the ballot, after signing in if needed, with their
    ranking. A form that cast its ballot before, and whose receipt got lost, is answered again."""
    assert request.resolver_match is not None
    kwargs, secret = request.resolver_match.kwargs, secret_in(request.POST)
    if request.resolver_match.url_name == "cast" and secret:
        found = services.voter_context(None, kwargs["name"], token_in(request.POST), secret=secret)
        if found is not None and found.repeated:
            return cast_as(request, None, kwargs["name"])
    path = reverse("ballot", kwargs=kwargs)
    is_known = request.user.is_authenticated or passes.pass_for_election(request, **kwargs) is not None
    answer = redirect(path) if is_known else redirect_to_login(path)
    fields = carried_fields(request.POST)
    fields["lost"] = "1"
    if whose := request.POST.get(ranking_cookie.OWNER_FIELD, ""):
        ranking_cookie.save(answer, path, whose, fields)
    return answer


def load_voter_context(who: User | Pass, name: str, *, described: bool = False) -> VoterContext | None:
    return services.voter_context(who, name, described=described, to_show=True)


def voter_page(
    view: View, lost: LostSession | None = None, load: Callable[..., VoterContext | None] = load_voter_context
) -> View:
    """A page for voters, signed in or by link."""
    return requires(Permission.VOTE, load_for=load, lost=lost, guests=passes.pass_for_election)(view)


@partial(voter_page, lost=resume_after_sign_in, load=partial(load_voter_context, described=True))
@form_page
def ballot(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    """Ranking. With scripts the review is a dialog of this page, which casts the ballot; sent without, it is answered
    with the review."""
    try:
        services.check_voter(voter_context, now_text())
    except rules.HasVoted:
        return _lost_receipt(request, voter_context) or _show_counted(request, voter_context)
    except Refusal as refusal:
        return show_refusal(request, voter_context.election, refusal)
    if request.method == "POST":
        return to_review(request, voter_context)
    if (sent := carried_ranking(request, voter_context)) is not None:
        return show_ballot(request, voter_context, typed_marks(voter_context, sent), found="lost" in sent)
    return show_ballot(request, voter_context, marks_of(repository.ballots_of(voter_context)))


def typed_marks(voter_context: VoterContext, sent: MultiValueDict) -> Marks:
    """As typed, valid or not."""
    return {each.number: typed_ranks(sent, each.number) for each in voter_context.questions}


def marks_of(ballots: rules.Ballots) -> Marks:
    return {number: ranks_of(ballot.rankings) for number, ballot in ballots.items()}


def to_review(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    """The form of the review has all that was sent. Where drafts may stay on the device, the browser carries it, too:
    then going back finds the ranking, and a receipt that got lost is shown again."""
    if "back" in request.POST:
        return show_typed(request, voter_context)
    fields = carried_fields(request.POST)
    fields["at"] = str(voter_context.revision)
    if voter_context.election.secret_ballot:
        fields[SECRET] = secret_for_form(voter_context)
    answer = show_for_review(request, voter_context, fields)
    if NO_DRAFTS not in voter_context.election.safeguards:
        ranking_cookie.save(answer, _cookie_path(voter_context), ranking_owner(voter_context), fields)
    return answer


def secret_for_form(voter_context: VoterContext) -> str:
    """A new half for each form, which the server forgets; or the secret by which the ballot was opened."""
    return voter_context.secret if voter_context.is_unknown else new_secret()


def open_by_secret(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    """Leads to the ballot that was found by its secret; the browser carries that, if it may."""
    if NO_DRAFTS in voter_context.election.safeguards:
        return redirect("change", name=voter_context.election.name)
    voter_context = replace(voter_context, voter=None, entry=None)
    answer = redirect(_path(voter_context, "ballot"))
    fields = MultiValueDict({SECRET: [voter_context.secret], "at": [str(voter_context.revision)]})
    ranking_cookie.save(answer, _cookie_path(voter_context), ranking_owner(voter_context), fields)
    return answer


def _path(voter_context: VoterContext, route: str) -> str:
    """A page of the voter; somebody who is known only by a secret has pages of their own."""
    return path_of(f"change_{route}" if voter_context.is_unknown else route, voter_context.election.name)


def _cookie_path(voter_context: VoterContext) -> str:
    return path_of("change" if voter_context.is_unknown else "ballot", voter_context.election.name)


def ranking_owner(voter_context: VoterContext) -> str:
    """The mark of a voter's rankings in this election."""
    election = voter_context.election
    if voter_context.is_unknown:
        return unknown_owner(election.name)
    about = (
        voter_context.account or "",
        "link" if voter_context.link else "",
        "ballot",
        election.name,
        election.created_at,
    )
    return drafts.person_mark(voter_context.voter or "", *about)


def unknown_owner(election_name: str) -> str:
    return drafts.person_mark("", "change", fold(election_name))


def carried_ranking(request: HttpRequest, voter_context: VoterContext) -> MultiValueDict | None:
    """The ranking in progress, unless its voter has voted since."""
    if ranking_cookie.COOKIE not in request.COOKIES:
        return None
    sent, now = ranking_cookie.load(request, ranking_owner(voter_context)), str(voter_context.revision)
    return sent if sent is not None and sent.get("at", now) == now else None


def _lost_receipt(request: HttpRequest, voter_context: VoterContext) -> HttpResponse | None:
    """The answer to a cast again, if it got lost: then the browser still carries both halves of the ballot's secret."""
    sent = ranking_cookie.load(request, ranking_owner(voter_context)) or {}
    secret = joined(sent.get(SECRET, ""), request.COOKIES.get(HALF, ""))
    if not voter_context.voted or voter_context.link_is_secret or not secret:
        return None
    found = services.voter_context(current_person(request), voter_context.election.name, secret=secret)
    return show_thanks(request, found, found.ballots) if found and found.ballots else None


def show_refusal(request: HttpRequest, election: Election, refusal: Refusal) -> HttpResponse:
    is_listed = not isinstance(refusal, rules.NotOnTheRoll)
    context = election_context(request, election, problem=str(refusal), is_listed=is_listed)
    return render(request, "ballots/refused.html", context, status=403)


def show_ballot(request: HttpRequest, voter_context: VoterContext, marks: Marks, **more: Any) -> HttpResponse:
    election = voter_context.election
    is_shuffled = not more.get("paper_for")
    context = {
        "about": voter_context.about or elections.description_of(election.name),
        "questions": voter_context.questions,
        "forms": _forms(request, voter_context.questions, marks, is_shuffled),
        "is_ranked": all(each.kind == "ranked" for each in voter_context.questions),
        "draft_key": "" if voter_context.is_unknown else draft_key(request, voter_context),
        "whose": "" if NO_DRAFTS in election.safeguards else ranking_owner(voter_context),
        "token": new_token(),
        "secret": secret_for_form(voter_context) if election.secret_ballot else "",
        "revision": voter_context.revision,
        "replaces": voter_context.may_change,
        "is_hidden": voter_context.link is not None,
        "weight": voter_context.weight,
        "has_words": has_words(voter_context) and not voter_context.is_unknown,
        "sample_ballot": sample_ballot,
        "action": _path(voter_context, "ballot"),
        "cast_action": _path(voter_context, "cast"),
        "paper_for": None,
    }
    status = 422 if more.get("problem") else 200
    page_context = election_context(request, election, **context | more)
    return remember_order(request, render(request, "ballots/ballot.html", page_context, status=status))


def _forms(
    request: HttpRequest, questions: Sequence[Election], marks: Marks, is_shuffled: bool
) -> list[dict[str, Any]]:
    """Of each question. What scripts build a list with comes with the first list that needs it: `tools`, by number."""
    forms: list[dict[str, Any]] = []
    tools: dict[str, int] = {}
    for each in questions:
        candidates = elections.candidates_of(each)
        order = "\n".join(map(str, each.address))
        shown = shuffled_for_browser(request, order, candidates) if is_shuffled else candidates
        form = form_context(each, shown, marks.get(each.number, {}), skips=len(questions) > 1)
        form["listed"] = " ".join(str(one.number) for one in candidates)
        form["tools"] = tools.setdefault(each.unranked if each.kind == "ranked" else "", each.number)
        forms.append(form)
    return forms


def draft_key(request: HttpRequest, voter_context: VoterContext) -> str:
    """A voter by link who is also signed in has two ballots, and two drafts; there may have to be none."""
    election = voter_context.election
    if NO_DRAFTS in election.safeguards:
        return ""
    by = [voter_context.link.voter] if voter_context.link else []
    return drafts.key(request, "ballot", election.name, election.created_at, *by)


def show_typed(request: HttpRequest, voter_context: VoterContext, **more: Any) -> HttpResponse:
    """The ballot as typed, valid or not, so that nothing is lost."""
    return show_ballot(request, voter_context, typed_marks(voter_context, request.POST), **more)


def show_for_review(
    request: HttpRequest, voter_context: VoterContext, sent: MultiValueDict, **more: Any
) -> HttpResponse:
    try:
        rankings = services.answers(voter_context, submitted_ranks(sent))
    except Refusal as refusal:
        return show_ballot(request, voter_context, typed_marks(voter_context, sent), problem=str(refusal), **more)
    fields = carried_fields(sent)
    fields["token"] = new_token()
    context = {
        "questions": voter_context.questions,
        "answers": [(each, shown_answer(each, rankings[each.number])) for each in voter_context.questions],
        "fields": [(field, value) for field, values in fields.lists() for value in values],
        "replaces": voter_context.may_change,
        "weight": voter_context.weight,
        "has_words": has_words(voter_context) and not voter_context.is_unknown,
        "cast_action": _path(voter_context, "cast"),
        "back_action": _path(voter_context, "ballot"),
        "paper_for": None,
    }
    page_context = election_context(request, voter_context.election, **context | more)
    return render(request, "ballots/review.html", page_context, status=422 if more.get("problem") else 200)


def shown_answer(question: Election, rankings: str) -> ShownBallot:
    return shown_ballot(rankings, elections.candidates_of(question), question)


def has_words(voter_context: VoterContext) -> bool:
    """Whether the ballot they cast is found again only by words that the receipt shows."""
    return (
        voter_context.election.secret_ballot and voter_context.election.changeable and not voter_context.link_is_secret
    )


# Casting reads all it needs by itself, once.
@requires(Permission.VOTE, load_for=lambda who, name: name, lost=resume_after_sign_in, guests=passes.pass_for_election)
@require_POST
def cast(request: HttpRequest, name: str) -> HttpResponse:
    return cast_as(request, current_person(request), name)


def cast_as(request: HttpRequest, who: User | Pass | None, name: str, *, is_change: bool = False) -> HttpResponse:
    """Answers with the thanks themselves, not with a redirect: only this answer can have the secret of the ballot."""
    secret, confirmed = secret_in(request.POST), CONFIRMED in request.POST
    ranks, form = submitted_ranks(request.POST), token_in(request.POST)
    try:
        outcome = services.cast(who, name, ranks, form, secret=secret, confirmed=confirmed)
    except NotThere as refusal:
        raise Http404 from refusal
    except Refusal as refusal:
        if (voter_context := services.voter_context(who, name, secret=secret)) is None:
            raise Http404 from None
        if isinstance(refusal, rules.HasVoted):
            return _show_counted(request, voter_context)
        if isinstance(refusal, rules.NotConfirmed):
            return show_for_review(request, voter_context, request.POST, problem=str(refusal))
        return show_typed(request, voter_context, problem=str(refusal))
    if (voter_context := outcome.context) is None:
        raise Http404
    ballots = outcome.ballots
    if outcome.repeated and voter_context.found and not voter_context.ballots:
        return open_by_secret(request, voter_context)  # it was withdrawn since
    if outcome.repeated and not voter_context.election.secret_ballot:
        if not voter_context.voted:
            return redirect_to("receipt", name)  # withdrawn since, too
        ballots = repository.ballots_of(voter_context)
    revision, notes = voter_context.revision + (not outcome.repeated), _notes(request, outcome)
    is_change = is_change or outcome.replaced
    answer = show_thanks(request, voter_context, ballots, revision=revision, is_change=is_change, notes=notes)
    forget_secret(answer, _cookie_path(voter_context))
    return answer


def _notes(request: HttpRequest, outcome: services.Outcome) -> list[str]:
    """What else happened to a public ballot."""
    if outcome.context is None or outcome.context.election.secret_ballot:
        return []
    if outcome.repeated:
        return [_("This form was already submitted. This is your current ballot.")]
    notes = [_("The earlier code is no longer valid; this is the new one.")] if outcome.replaced else []
    if outcome.replaced and str(outcome.revision) != request.POST.get("acts"):
        notes.append(_("It replaced a ballot you had cast in another window in the meantime."))
    return notes


def show_thanks(request: HttpRequest, voter_context: VoterContext, cast: rules.Ballots, **more: Any) -> HttpResponse:
    """The answer to a cast, small: words and pictures are drawn for those who ask for the receipt, by a form that sends
    the secret back. The browser that voted remembers the secret, if it may."""
    election, is_secret = voter_context.election, voter_context.election.secret_ballot
    if LEAVE in election.safeguards:
        return _show_final_receipt(request, voter_context, cast)
    may_change = election.changeable and election.takes_votes(now_text())
    by_words = has_words(voter_context)
    context = {
        "codes": codes_of(election, cast) if election.changeable or not is_secret else [],
        "secret": voter_context.secret if by_words and may_change else "",
        "has_words": by_words,
        "may_change": may_change,
        "has_receipt": not is_secret and voter_context.link is None,
        "is_by_link": voter_context.link_is_secret,
        "state_url": "" if is_secret else path_of("ballot_state", election.name),
        "draft_key": "" if voter_context.is_unknown else draft_key(request, voter_context),
        "page_path": _path(voter_context, "receipt"),
        "revision": voter_context.revision,
        "is_change": False,
        "notes": [],
    }
    return render(request, "ballots/thanks.html", election_context(request, election, **context | more))


def codes_of(election: Election, cast: rules.Ballots) -> list[tuple[str, str]]:
    """With the titles of their questions where each has its own: in secret elections with several."""
    if not (election.more and election.secret_ballot):
        return [("", ballot.confirmation) for ballot in cast.values()][:1]
    return [(each.title, cast[each.number].confirmation) for each in election.questions if each.number in cast]


def _show_final_receipt(request: HttpRequest, voter_context: VoterContext, cast: rules.Ballots) -> HttpResponse:
    """Says that the vote counts, with what is to be kept of secret ballots, and ends the voter's session or pass."""
    election = voter_context.election
    context = {
        "codes": codes_of(election, cast) if election.secret_ballot and election.changeable else [],
        "secret": voter_context.secret if has_words(voter_context) else "",
        "receipt_path": path_of("change_receipt", election.name),
        "is_by_link": voter_context.link_is_secret,
        "was_signed_in": request.user.is_authenticated,
        **end_session(request),
    }
    request.guest = None
    answer = render(request, "ballots/final_receipt.html", election_context(request, election, **context))
    clear_browser(request, answer)
    return answer


@voter_page
@require_safe
def receipt(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    """Of a public ballot. That of a secret one is shown to who sends its secret (`guest_views.change_receipt`)."""
    if not voter_context.voted:
        return redirect("ballot", name=voter_context.election.name)
    if voter_context.election.secret_ballot or voter_context.link or not (cast := repository.ballots_of(voter_context)):
        return _lost_receipt(request, voter_context) or _show_counted(request, voter_context)
    return show_receipt(request, voter_context, cast)


def _show_counted(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    """Says that they have voted, and what they can do now, without the ballot."""
    context = {
        "is_by_link": voter_context.link is not None,
        "is_by_letter": voter_context.link is not None and not voter_context.link_is_secret,
        "may_change": voter_context.may_change and voter_context.election.changeable,
        "has_words": has_words(voter_context),
        "is_open": voter_context.election.takes_votes(now_text()),
        "draft_key": draft_key(request, voter_context),
    }
    return render(request, "ballots/counted.html", election_context(request, voter_context.election, **context))


def show_receipt(
    request: HttpRequest, voter_context: VoterContext, cast: rules.Ballots, *, paper_for: str | None = None
) -> HttpResponse:
    """Where the ballot is to disappear once cast, without it."""
    asked = [each for each in voter_context.election.questions if each.number in cast]
    election = voter_context.election
    words: dict[str, Any] = {"words": []}  # in three forms; what follows the # stays in the browser
    if voter_context.secret and has_words(voter_context) and not paper_for:
        link = f"{absolute_url(path_of('change', election.name))}#{voter_context.secret}"
        words = {"words": as_words(voter_context.secret), "change_link": link, "change_qr": qr_svg(link)}
    image = ""  # of the code of a public ballot: drawn when the browser asks for it, as it is to be seen
    if not paper_for and not election.secret_ballot:
        address = f"{path_of('receipt_qr', election.name)}?acts={voter_context.revision}"
        image = qr_image(follow_link(voter_context.questions[0], cast), address)
    is_hidden = LEAVE in election.safeguards and not paper_for
    codes = codes_of(election, cast)
    context = {
        "codes": codes,
        **words,
        "pictures": [qr_svg(follow_link(each, cast)) for each in asked[: len(codes)]] if paper_for else [],
        "image": image,
        "answers": [] if is_hidden else [(each, shown_answer(each, cast[each.number].rankings)) for each in asked],
        "revision": voter_context.revision,
        "state_url": "" if election.secret_ballot else path_of("ballot_state", election.name),
        "draft_key": "" if paper_for or voter_context.is_unknown else draft_key(request, voter_context),
        "may_change": not paper_for and election.changeable and election.takes_votes(now_text()),
        "paper_for": paper_for,
    }
    return render(request, "ballots/receipt.html", election_context(request, election, **context))


def follow_link(question: Election, cast: rules.Ballots) -> str:
    """Leads to the ballot among all that are published. What follows the # stays in the browser."""
    return f"{absolute_url(path_of('follow', *question.address))}#{cast[question.number].confirmation}"


@voter_page
@require_safe
def receipt_qr(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    """The QR code of the voter's own public ballot. The revision ties the image to the page that shows it."""
    cast = {} if voter_context.election.secret_ballot else repository.ballots_of(voter_context)
    if request.GET.get("acts") != str(voter_context.revision) or not cast:
        raise Http404
    if not (svg := qr_svg(follow_link(voter_context.questions[0], cast))):
        raise Http404
    return HttpResponse(svg, content_type="image/svg+xml")


@voter_page
@require_safe
def ballot_state(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    """Lets an open page notice that its ballot was changed elsewhere."""
    return JsonResponse({"acts": voter_context.revision})


@voter_page
@form_page
def withdraw(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    return withdraw_as(request, current_person(request), voter_context)


def withdraw_as(request: HttpRequest, who: User | Pass | None, voter_context: VoterContext) -> HttpResponse:
    election = voter_context.election
    is_sent = request.method == "POST" and "ask" not in request.POST
    try:
        services.check_voter(voter_context, now_text())
        if is_sent:
            services.withdraw(who, election.name, token_in(request.POST), secret=voter_context.secret)
    except Refusal as refusal:
        return show_refusal(request, election, refusal)
    if is_sent:
        messages.success(request, _("Your ballot has been withdrawn. Its code is no longer valid."))
        stays = voter_context.link is not None or voter_context.is_unknown
        return redirect(_path(voter_context, "ballot") if stays else path_of("election", election.name))
    lead = _(
        "Your ballot will be removed and its code will no longer be valid. You can vote again until the "
        "election closes."
    )
    if election.secret_ballot:
        lead = f"{lead} {_(NO_LATER_EMAIL)}"
    fields = [(SECRET, voter_context.secret)] if "ask" in request.POST else []
    context = {"lead": lead, "danger": True, "token": secrets.token_urlsafe(16), "fields": fields}
    titles = _("Withdraw my ballot"), _("Withdraw ballot")
    return confirm_page(request, *titles, **election_context(request, election, **context))


# --- help ---


@public
@require_safe
def help_secrecy(request: HttpRequest) -> HttpResponse:
    return shared_page(request, "ballots/help_secrecy.html", "ballots/parts/help_secrecy.html")


def form_context(
    question: Election, candidates: Sequence[Candidate], marks: Mapping[int, Any], *, skips: bool
) -> dict[str, Any]:
    """The candidates of a question as listed, with what was marked so far, valid or not. For a voter with several
    questions, marking nothing `skips` this one."""
    proposal = [question.majority_sentence] if question.kind == "yes-no" else []
    return {
        "question": question,
        "prefix": field_prefix(question.number),
        "candidate_answers": answers_with_candidates(question),
        "choices": choices_of(labelled(candidates, question.kind), marks),
        "ranks": len(candidates),
        "how_to_vote": question.how_to_vote,
        "explanation": [*explanation(question, skips=skips), *proposal],
        "skips": skips,
        "takes_one": takes_one(question),
        "unranked_sentence": unranked_sentence(question.unranked),
    }
