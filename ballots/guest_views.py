"""Pages for somebody who votes without signing in: behind a voting link, and with the words of a secret ballot."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts import policy
from accounts.access import View, public
from accounts.models import User
from elections import repository as elections
from elections.access import election_context
from elections.invitations import wording
from elections.invitations.mailing import INVITED
from elections.invitations.voting_link import Link, LinkRefused, read_link
from elections.panels import asking_hint, where_to_ask
from elections.rules import NO_DRAFTS, Election, State
from foundation.acts.hooks import Hooks
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text
from foundation.pages.forms import form_page
from foundation.pages.messages import message_page
from foundation.pages.paths import path_of, redirect_to
from foundation.ranking import ranking_cookie
from foundation.ranking.marks import RANK_PREFIX

from . import passes, rules, services
from .repository import VoterContext
from .secret import WrongWords, from_words, whole
from .services import LinkTarget
from .views import (
    SECRET,
    carried_ranking,
    cast_as,
    marks_of,
    open_by_secret,
    secret_in,
    show_ballot,
    show_receipt,
    show_refusal,
    to_review,
    typed_marks,
    unknown_owner,
    withdraw_as,
)

# What to tell them, and the page where they come in again; by how they came, if by no mail.
WAYS_BACK = Hooks[[str], tuple[Any, str] | None]("when somebody who votes without an account leaves")
BY_LINK, AS_MYSELF = "link", "self"  # whose vote to cast when signed in as another person


class Meanwhile(NamedTuple):
    """What the holder of a voting link can do until voting begins."""

    sentence: str
    address: str
    button: str


BEFORE_VOTING = Hooks[[Election, str], Meanwhile | None]("when a voting link is opened before voting begins")


@public
@form_page
def vote_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Says what the link is for. A button leads on to the ballot, because mail scanners follow links; after the close,
    to the result; before voting begins, to what a part has to offer until then, if anything."""
    link = None
    try:
        link = read_link(token)
        found = services.resolve_link(link)
    except LinkRefused as refusal:
        more: dict[str, Any] = {"onward": (reverse("my_link"), _("Send me a new link"))}
        if link and (election := elections.find(link.election_name)) and election.created_at == link.created_at:
            more["help_url"] = where_to_ask(election.name, election)  # if it takes requests
        sentence = str(refusal) if link else f"{refusal} {asking_hint()}".strip()
        return message_page(request, _("This link does not work"), sentence, status=410, **more)
    person = found.person
    if (answer := refused(request, link, found)) is not None:
        return answer
    if _is_signed_in(request, person):
        return let_in(request, link, found, AS_MYSELF)
    other = request.user if request.user.is_authenticated else None
    whose = request.POST.get("whose") if other else BY_LINK
    if request.method == "POST" and whose in (BY_LINK, AS_MYSELF):
        return let_in(request, link, found, whose)
    return _door(request, link, found, other=other)


def refused(request: HttpRequest, link: Link, found: LinkTarget) -> HttpResponse | None:
    """The page without its button: it is too early, or this account needs more than a link."""
    status = 403 if request.method == "POST" else 200
    is_over = _is_over(found.election)
    try:
        if not is_over and _meanwhile(found.election) is None:
            rules.check_voting(found.election, now_text())
        if not _is_signed_in(request, found.person):
            (services.check_reader if is_over else services.check_holder)(found.person)
    except services.SignInInstead as refusal:
        return _door(request, link, found, status, problem=str(refusal), signs_in=True)
    except Refusal as refusal:
        return _door(request, link, found, status, problem=str(refusal))
    return None


def _is_over(election: Election) -> bool:
    return election.state(now_text()) == State.CLOSED


def _meanwhile(election: Election) -> Meanwhile | None:
    now = now_text()
    if _is_over(election) or election.takes_votes(now):
        return None
    return next((found for find in BEFORE_VOTING if (found := find(election, now)) is not None), None)


def _is_signed_in(request: HttpRequest, person: User | None) -> bool:
    """Whether the person the link was sent to is signed in."""
    user = request.user
    return person is not None and user.is_authenticated and user.name == person.name


def let_in(
    request: HttpRequest, link: Link, found: LinkTarget, whose: str = BY_LINK, channel: str = ""
) -> HttpResponse:
    election = found.election
    answer = redirect(_target_path(election))
    if whose == BY_LINK:
        passes.issue_pass(request, answer, link, election, channel, found.label)
    else:
        passes.drop_pass(request, answer, election.name)
    return answer


def _target_path(election: Election) -> str:
    """Where a link leads: to the ballot, and after the close to the result; or where it does until voting begins."""
    if (meanwhile := _meanwhile(election)) is not None:
        return meanwhile.address
    return path_of("results" if _is_over(election) else "ballot", election.name)


def _door(request: HttpRequest, link: Link, found: LinkTarget, status: int = 200, **more: Any) -> HttpResponse:
    """Who sent the invitation, as in the mail; on whose behalf one votes, until when, and how secret it is."""
    election, who = found.election, wording.inviter_of(found.election, found.entry.get(INVITED, ""))
    context = {"label": found.label, "who": who, "is_over": _is_over(election), "onward": _target_path(election)}
    context["meanwhile"] = _meanwhile(election)
    context |= {"may_register": policy.allows_registration(), **more}
    return render(request, "ballots/door.html", election_context(request, election, **context), status=status)


@public
@require_safe
def your_link(request: HttpRequest) -> HttpResponse:
    """Where mails lead that are about a vote by link but must not hold the link: it is in the invitation."""
    return render(request, "ballots/your_link.html")


@public
@require_POST
def leave(request: HttpRequest, name: str) -> HttpResponse:
    """Drop the pass, on a shared device."""
    held = passes.pass_for_election(request, name)
    known = (find(held.channel) for find in WAYS_BACK if held is not None)
    forgotten = _("This browser has forgotten your link. To vote again, open it from your email.")
    sentence, page = next(filter(None, known), (forgotten, "home"))
    messages.success(request, str(sentence))
    answer = redirect(page)
    passes.drop_pass(request, answer, name)
    answer["Clear-Site-Data"] = '"cache"'
    return answer


Show = Callable[[HttpRequest, VoterContext], HttpResponse]

MAX_WORDS_CHARS = 400  # of what is typed as twelve words


@public
@form_page
def change(request: HttpRequest, name: str) -> HttpResponse:
    return _show_by_secret(request, name, _open)


@public
@form_page
def change_receipt(request: HttpRequest, name: str) -> HttpResponse:
    """The words, the link and the QR code, as often as a form brings the secret."""

    def show(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
        if not voter_context.ballots or not voter_context.election.takes_votes(now_text()):
            return _open(request, voter_context)  # which says that it was withdrawn, or that voting has closed
        return show_receipt(request, voter_context, voter_context.ballots)

    return _show_by_secret(request, name, show)


def _show_by_secret(request: HttpRequest, name: str, show: Show) -> HttpResponse:
    """Asks for the words on the receipt, unless the form brings the secret. To those without it, says nothing of the
    election, not even whether it exists."""
    typed, kept, problem = request.POST.get("words", "")[:MAX_WORDS_CHARS], request.POST.get(SECRET, ""), ""
    if "words" in request.POST or kept:  # a browser that does not remember the secret sends an empty one
        try:
            secret = whole(kept) or from_words(typed)
            if (voter_context := services.voter_context(None, name, secret=secret)) is None:
                raise WrongWords(rules.NO_SUCH_BALLOT)
            return show(request, voter_context)
        except WrongWords as refusal:
            problem = str(refusal)
    context = {"typed": typed, "problem": problem}
    return render(request, "ballots/change.html", context, status=422 if problem else 200)


def _open(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    show = _show_opened if NO_DRAFTS in voter_context.election.safeguards else open_by_secret
    return show(request, voter_context)


def with_words(view: Show) -> View:
    """A page for somebody who has opened a ballot by its words; the browser carries them."""

    @public
    @wraps(view)
    def opened(request: HttpRequest, name: str) -> HttpResponse:
        carried = request.POST if SECRET in request.POST else ranking_cookie.load(request, unknown_owner(name))
        secret = whole((carried or {}).get(SECRET, ""))
        voter_context = services.voter_context(None, name, secret=secret, described=True) if secret else None
        return redirect("change", name=name) if voter_context is None else view(request, voter_context)

    return opened


@form_page
@with_words
def change_ballot(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    return _show_opened(request, voter_context, is_sent=request.method == "POST")


def _show_opened(request: HttpRequest, voter_context: VoterContext, *, is_sent: bool = False) -> HttpResponse:
    try:
        services.check_voter(voter_context, now_text())
    except Refusal as refusal:
        return show_refusal(request, voter_context.election, refusal)
    if is_sent:
        return to_review(request, voter_context)
    sent = carried_ranking(request, voter_context)
    is_ranked = any(name.startswith(RANK_PREFIX) for name in sent or ())
    marks = typed_marks(voter_context, sent) if sent and is_ranked else marks_of(voter_context.ballots)
    return show_ballot(request, voter_context, marks, was_withdrawn=not voter_context.ballots)


@public
@require_POST
def change_cast(request: HttpRequest, name: str) -> HttpResponse:
    is_opened = bool(secret_in(request.POST))
    return cast_as(request, None, name, is_change=True) if is_opened else redirect_to("change", name)


@form_page
@with_words
def change_withdraw(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    return withdraw_as(request, None, voter_context)
