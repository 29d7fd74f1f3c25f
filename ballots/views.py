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
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import LostSession, View, current_person, public, requires
from accounts.models import User
from accounts.rules import Permission
from accounts.signing_out import clear_browser, end_session
from elections import repository as elections
from elections.access import election_context, organiser_page
from elections.rules import LEAVE, NO_DRAFTS, Action, Election
from foundation.acts.links import absolute_url
from foundation.acts.refusals import NotThere, Refusal
from foundation.acts.storage import now_text
from foundation.pages.forms import form_page, new_token, token_in
from foundation.pages.messages import confirm_page
from foundation.pages.page_cache import shared_page
from foundation.pages.paths import path_of, redirect_to
from foundation.pages.qr import qr_image, qr_svg
from foundation.ranking import drafts, listing, ranking_cookie
from foundation.ranking.marks import (
    RANK_PREFIX,
    ShownBallot,
    is_marked,
    ranks_of,
    sample_ballot,
    shown_ballot,
    submitted_ranks,
    typed_ranks,
)
from foundation.store.keys import fold

from . import passes, rehearsal, repository, rules, services
from .emails import NO_LATER_EMAIL
from .marking import form_context
from .passes import Pass
from .repository import Standing
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


def carried_secret(request: HttpRequest, sent: MultiValueDict | None) -> str:
    """The secret of a form that was sent, whose receipt got lost: the browser still carries both halves."""
    return joined((sent or {}).get(SECRET, ""), request.COOKIES.get(HALF, ""))


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
        found = services.standing_of(None, kwargs["name"], token_in(request.POST), secret=secret)
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


def standing_for(who: User | Pass, name: str, *, described: bool = False) -> Standing | None:
    return services.standing_of(who, name, described=described, to_show=True)


def vote(view: View, lost: LostSession | None = None, load: Callable[..., Standing | None] = standing_for) -> View:
    """A page for voters, signed in or by link."""
    return requires(Permission.VOTE, load_for=load, lost=lost, guests=passes.pass_for_election)(view)


@partial(vote, lost=resume_after_sign_in, load=partial(standing_for, described=True))
@form_page
def ballot(request: HttpRequest, standing: Standing) -> HttpResponse:
    """Ranking. With scripts the review is a dialog of this page, which casts the ballot; sent without, it is answered
    with the review."""
    try:
        services.check_voter(standing, now_text())
    except rules.HasVoted:
        return _lost_receipt(request, standing) or _show_counted(request, standing)
    except Refusal as refusal:
        return show_refusal(request, standing.election, refusal)
    if request.method == "POST":
        return to_review(request, standing)
    if (sent := carried_ranking(request, standing)) is not None:
        return show_ballot(request, standing, typed_marks(standing, sent), found="lost" in sent)
    return show_ballot(request, standing, marks_of(repository.ballots_of(standing)))


def typed_marks(standing: Standing, sent: MultiValueDict) -> Marks:
    """As typed, valid or not."""
    return {each.number: typed_ranks(sent, each.number) for each in standing.questions}


def marks_of(ballots: rules.Ballots) -> Marks:
    return {number: ranks_of(ballot.rankings) for number, ballot in ballots.items()}


def to_review(request: HttpRequest, standing: Standing) -> HttpResponse:
    """The form of the review has all that was sent. Where drafts may stay on the device, the browser carries it, too:
    then going back finds the ranking, and a receipt that got lost is shown again."""
    if "back" in request.POST:
        return show_typed(request, standing)
    fields = carried_fields(request.POST)
    fields["at"] = str(standing.acts)
    if standing.election.secret_ballot:
        fields[SECRET] = secret_for_form(standing)
    answer = show_for_review(request, standing, fields)
    if NO_DRAFTS not in standing.election.safeguards:
        ranking_cookie.save(answer, _cookie_path(standing), ranking_owner(standing), fields)
    return answer


def secret_for_form(standing: Standing) -> str:
    """A new half for each form, which the server forgets; or the secret by which the ballot was opened."""
    return standing.secret if standing.is_unknown else new_secret()


def open_by_secret(request: HttpRequest, standing: Standing) -> HttpResponse:
    """Leads to the ballot that was found by its secret; the browser carries that, if it may."""
    if NO_DRAFTS in standing.election.safeguards:
        return redirect("change", name=standing.election.name)
    standing = replace(standing, voter=None, entry=None)
    answer = redirect(_path(standing, "ballot"))
    fields = MultiValueDict({SECRET: [standing.secret], "at": [str(standing.acts)]})
    ranking_cookie.save(answer, _cookie_path(standing), ranking_owner(standing), fields)
    return answer


def _path(standing: Standing, route: str) -> str:
    """A page of the voter; somebody who is known only by a secret has pages of their own."""
    return path_of(f"change_{route}" if standing.is_unknown else route, standing.election.name)


def _cookie_path(standing: Standing) -> str:
    return path_of("change" if standing.is_unknown else "ballot", standing.election.name)


def ranking_owner(standing: Standing) -> str:
    """The mark of a voter's rankings in this election."""
    election = standing.election
    if standing.is_unknown:
        return unknown_owner(election.name)
    about = (standing.account or "", "link" if standing.link else "", "ballot", election.name, election.created_at)
    return drafts.person_mark(standing.voter or "", *about)


def unknown_owner(election_name: str) -> str:
    return drafts.person_mark("", "change", fold(election_name))


def carried_ranking(request: HttpRequest, standing: Standing) -> MultiValueDict | None:
    """The ranking in progress, unless its voter has voted since."""
    if ranking_cookie.COOKIE not in request.COOKIES:
        return None
    sent, now = ranking_cookie.load(request, ranking_owner(standing)), str(standing.acts)
    return sent if sent is not None and sent.get("at", now) == now else None


def _lost_receipt(request: HttpRequest, standing: Standing) -> HttpResponse | None:
    """The answer to a cast again, if it got lost: then the browser still carries the ballot's secret."""
    secret = carried_secret(request, ranking_cookie.load(request, ranking_owner(standing)))
    if not standing.voted or standing.link_is_secret or not secret:
        return None
    found = services.standing_of(current_person(request), standing.election.name, secret=secret)
    return show_thanks(request, found, found.ballots) if found and found.ballots else None


def show_refusal(request: HttpRequest, election: Election, refusal: Refusal) -> HttpResponse:
    is_listed = not isinstance(refusal, rules.NotOnTheRoll)
    context = election_context(request, election, problem=str(refusal), is_listed=is_listed)
    return render(request, "ballots/refused.html", context, status=403)


def show_ballot(request: HttpRequest, standing: Standing, marks: Marks, **more: Any) -> HttpResponse:
    election = standing.election
    is_shuffled = not more.get("paper_for")
    context = {
        "about": standing.about or elections.description_of(election.name),
        "questions": standing.questions,
        "forms": _forms(request, standing.questions, marks, is_shuffled),
        "is_ranked": all(each.kind == "ranked" for each in standing.questions),
        "draft_key": "" if standing.is_unknown else draft_key(request, standing),
        "whose": "" if NO_DRAFTS in election.safeguards else ranking_owner(standing),
        "token": new_token(),
        "secret": secret_for_form(standing) if election.secret_ballot else "",
        "acts": standing.acts,
        "replaces": standing.may_change,
        "is_hidden": standing.link is not None,
        "weight": standing.weight,
        "has_words": has_words(standing) and not standing.is_unknown,
        "sample_ballot": sample_ballot,
        "action": _path(standing, "ballot"),
        "cast_action": _path(standing, "cast"),
        "paper_for": None,
    }
    status = 422 if more.get("problem") else 200
    page_context = election_context(request, election, **context | more)
    return listing.remember(request, render(request, "ballots/ballot.html", page_context, status=status))


def _forms(
    request: HttpRequest, questions: Sequence[Election], marks: Marks, is_shuffled: bool
) -> list[dict[str, Any]]:
    """Of each question. What scripts build a list with comes with the first list that needs it: `tools`, by number."""
    forms: list[dict[str, Any]] = []
    tools: dict[str, int] = {}
    for each in questions:
        candidates = elections.candidates_of(each)
        order = "\n".join(map(str, each.address))
        shown = listing.shuffled(request, order, candidates) if is_shuffled else candidates
        form = form_context(each, shown, marks.get(each.number, {}), skips=len(questions) > 1)
        form["listed"] = " ".join(str(one.number) for one in candidates)
        form["tools"] = tools.setdefault(each.unranked if each.kind == "ranked" else "", each.number)
        forms.append(form)
    return forms


def draft_key(request: HttpRequest, standing: Standing) -> str:
    """A voter by link who is also signed in has two ballots, and two drafts; there may have to be none."""
    election = standing.election
    if NO_DRAFTS in election.safeguards:
        return ""
    by = [standing.link.voter] if standing.link else []
    return drafts.key(request, "ballot", election.name, election.created_at, *by)


def show_typed(request: HttpRequest, standing: Standing, **more: Any) -> HttpResponse:
    """The ballot as typed, valid or not, so that nothing is lost."""
    return show_ballot(request, standing, typed_marks(standing, request.POST), **more)


def show_for_review(request: HttpRequest, standing: Standing, sent: MultiValueDict, **more: Any) -> HttpResponse:
    try:
        rankings = services.answers(standing, submitted_ranks(sent))
    except Refusal as refusal:
        return show_ballot(request, standing, typed_marks(standing, sent), problem=str(refusal), **more)
    fields = carried_fields(sent)
    fields["token"] = new_token()
    context = {
        "questions": standing.questions,
        "answers": [(each, shown_answer(each, rankings[each.number])) for each in standing.questions],
        "fields": [(field, value) for field, values in fields.lists() for value in values],
        "replaces": standing.may_change,
        "weight": standing.weight,
        "has_words": has_words(standing) and not standing.is_unknown,
        "cast_action": _path(standing, "cast"),
        "back_action": _path(standing, "ballot"),
        "paper_for": None,
    }
    page_context = election_context(request, standing.election, **context | more)
    return render(request, "ballots/review.html", page_context, status=422 if more.get("problem") else 200)


def shown_answer(question: Election, rankings: str) -> ShownBallot:
    return shown_ballot(rankings, elections.candidates_of(question), question)


def has_words(standing: Standing) -> bool:
    """Whether the ballot they cast is found again only by words that the receipt shows."""
    return standing.election.secret_ballot and standing.election.changeable and not standing.link_is_secret


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
        if (standing := services.standing_of(who, name, secret=secret)) is None:
            raise Http404 from None
        if isinstance(refusal, rules.HasVoted):
            return _show_counted(request, standing)
        if isinstance(refusal, rules.NotConfirmed):
            return show_for_review(request, standing, request.POST, problem=str(refusal))
        return show_typed(request, standing, problem=str(refusal))
    if (standing := outcome.standing) is None:
        raise Http404
    ballots = outcome.ballots
    if outcome.repeated and standing.found and not standing.ballots:
        return open_by_secret(request, standing)  # it was withdrawn since
    if outcome.repeated and not standing.election.secret_ballot:
        if not standing.voted:
            return redirect_to("receipt", name)  # withdrawn since, too
        ballots = repository.ballots_of(standing)
    acts, notes = standing.acts + (not outcome.repeated), _notes(request, outcome)
    is_change = is_change or outcome.replaced
    answer = show_thanks(request, standing, ballots, acts=acts, is_change=is_change, notes=notes)
    forget_secret(answer, _cookie_path(standing))
    return answer


def _notes(request: HttpRequest, outcome: services.Outcome) -> list[str]:
    """What else happened to a public ballot."""
    if outcome.standing is None or outcome.standing.election.secret_ballot:
        return []
    if outcome.repeated:
        return [_("This form was already submitted. This is your current ballot.")]
    notes = [_("The earlier code is no longer valid; this is the new one.")] if outcome.replaced else []
    if outcome.replaced and str(outcome.acts) != request.POST.get("acts"):
        notes.append(_("It replaced a ballot you had cast in another window in the meantime."))
    return notes


def show_thanks(request: HttpRequest, standing: Standing, cast: rules.Ballots, **more: Any) -> HttpResponse:
    """The answer to a cast, small: words and pictures are drawn for those who ask for the receipt, by a form that sends
    the secret back. The browser that voted remembers the secret, if it may."""
    election, is_secret = standing.election, standing.election.secret_ballot
    if LEAVE in election.safeguards:
        return _show_left(request, standing, cast)
    may_change = election.changeable and election.takes_votes(now_text())
    by_words = has_words(standing)
    context = {
        "codes": codes_of(election, cast) if election.changeable or not is_secret else [],
        "secret": standing.secret if by_words and may_change else "",
        "has_words": by_words,
        "may_change": may_change,
        "has_receipt": not is_secret and standing.link is None,
        "is_by_link": standing.link_is_secret,
        "state_url": "" if is_secret else path_of("ballot_state", election.name),
        "draft_key": "" if standing.is_unknown else draft_key(request, standing),
        "page_path": _path(standing, "receipt"),
        "acts": standing.acts,
        "is_change": False,
        "notes": [],
    }
    return render(request, "ballots/thanks.html", election_context(request, election, **context | more))


def codes_of(election: Election, cast: rules.Ballots) -> list[tuple[str, str]]:
    """With the titles of their questions where each has its own: in secret elections with several."""
    if not (election.more and election.secret_ballot):
        return [("", ballot.confirmation) for ballot in cast.values()][:1]
    return [(each.title, cast[each.number].confirmation) for each in election.questions if each.number in cast]


def _show_left(request: HttpRequest, standing: Standing, cast: rules.Ballots) -> HttpResponse:
    """Says that the vote counts, with what is to be kept of secret ballots, and ends the voter's session or pass."""
    election = standing.election
    context = {
        "codes": codes_of(election, cast) if election.secret_ballot and election.changeable else [],
        "secret": standing.secret if has_words(standing) else "",
        "receipt_path": path_of("change_receipt", election.name),
        "is_by_link": standing.link_is_secret,
        "was_signed_in": request.user.is_authenticated,
        **end_session(request),
    }
    request.guest = None
    answer = render(request, "ballots/left.html", election_context(request, election, **context))
    clear_browser(request, answer)
    return answer


@vote
@require_safe
def receipt(request: HttpRequest, standing: Standing) -> HttpResponse:
    """Of a public ballot. That of a secret one is shown to who sends its secret (`change_views.change_receipt`)."""
    if not standing.voted:
        return redirect("ballot", name=standing.election.name)
    if standing.election.secret_ballot or standing.link or not (cast := repository.ballots_of(standing)):
        return _lost_receipt(request, standing) or _show_counted(request, standing)
    return show_receipt(request, standing, cast)


def _show_counted(request: HttpRequest, standing: Standing) -> HttpResponse:
    """Says that they have voted, and what they can do now, without the ballot."""
    context = {
        "is_by_link": standing.link is not None,
        "is_by_letter": standing.link is not None and not standing.link_is_secret,
        "may_change": standing.may_change and standing.election.changeable,
        "has_words": has_words(standing),
        "is_open": standing.election.takes_votes(now_text()),
        "draft_key": draft_key(request, standing),
    }
    return render(request, "ballots/counted.html", election_context(request, standing.election, **context))


def show_receipt(
    request: HttpRequest, standing: Standing, cast: rules.Ballots, *, paper_for: str | None = None
) -> HttpResponse:
    """Where the ballot is to disappear once cast, without it."""
    asked = [each for each in standing.election.questions if each.number in cast]
    election = standing.election
    secret = standing.secret if has_words(standing) and not paper_for else ""
    is_hidden = LEAVE in election.safeguards and not paper_for
    codes = codes_of(election, cast)
    context = {
        "codes": codes,
        **words_context(secret, path_of("change", election.name)),
        "pictures": [qr_svg(follow_link(each, cast)) for each in asked[: len(codes)]] if paper_for else [],
        "image": "" if paper_for or election.secret_ballot else receipt_image(standing, cast),
        "answers": [] if is_hidden else [(each, shown_answer(each, cast[each.number].rankings)) for each in asked],
        "acts": standing.acts,
        "state_url": "" if election.secret_ballot else path_of("ballot_state", election.name),
        "draft_key": "" if paper_for or standing.is_unknown else draft_key(request, standing),
        "may_change": not paper_for and election.changeable and election.takes_votes(now_text()),
        "paper_for": paper_for,
    }
    return render(request, "ballots/receipt.html", election_context(request, election, **context))


def words_context(secret: str, change_path: str) -> dict[str, Any]:
    """The secret in three forms: words, a link and its QR code. What follows the # stays in the browser."""
    if not secret:
        return {"words": []}
    link = f"{absolute_url(change_path)}#{secret}"
    return {"words": as_words(secret), "change_link": link, "change_qr": qr_svg(link)}


def follow_link(question: Election, cast: rules.Ballots) -> str:
    """Leads to the ballot among all that are published. What follows the # stays in the browser."""
    return f"{absolute_url(path_of('follow', *question.address))}#{cast[question.number].confirmation}"


def receipt_image(standing: Standing, cast: rules.Ballots) -> SafeString:
    """The code of a public ballot: drawn when the browser asks for it, which it does when it is to be seen."""
    address = f"{path_of('receipt_qr', standing.election.name)}?acts={standing.acts}"
    return qr_image(follow_link(standing.questions[0], cast), address)


@vote
@require_safe
def receipt_qr(request: HttpRequest, standing: Standing) -> HttpResponse:
    """The QR code of the voter's own public ballot. The number of acts ties the image to the page that shows it."""
    cast = {} if standing.election.secret_ballot else repository.ballots_of(standing)
    if request.GET.get("acts") != str(standing.acts) or not cast:
        raise Http404
    if not (svg := qr_svg(follow_link(standing.questions[0], cast))):
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
    return withdraw_as(request, current_person(request), standing)


def withdraw_as(request: HttpRequest, who: User | Pass | None, standing: Standing) -> HttpResponse:
    election = standing.election
    is_sent = request.method == "POST" and "ask" not in request.POST
    try:
        services.check_voter(standing, now_text())
        if is_sent:
            services.withdraw(who, election.name, token_in(request.POST), secret=standing.secret)
    except Refusal as refusal:
        return show_refusal(request, election, refusal)
    if is_sent:
        messages.success(request, _("Your ballot has been withdrawn. Its code is no longer valid."))
        stays = standing.link is not None or standing.is_unknown
        return redirect(_path(standing, "ballot") if stays else path_of("election", election.name))
    lead = _(
        "Your ballot will be removed and its code will no longer be valid. You can vote again until the "
        "election closes."
    )
    if election.secret_ballot:
        lead = f"{lead} {_(NO_LATER_EMAIL)}"
    fields = [(SECRET, standing.secret)] if "ask" in request.POST else []
    context = {"lead": lead, "danger": True, "token": secrets.token_urlsafe(16), "fields": fields}
    titles = _("Withdraw my ballot"), _("Withdraw ballot")
    return confirm_page(request, *titles, **election_context(request, election, **context))


# --- help ---


@public
@require_safe
def help_secrecy(request: HttpRequest) -> HttpResponse:
    return shared_page(request, "ballots/help_secrecy.html", "ballots/parts/help_secrecy.html")


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
