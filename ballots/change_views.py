"""Pages for somebody who has the words of a secret ballot, and nothing else: open it, change it, withdraw it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.views.decorators.http import require_POST

from accounts.access import View, public
from elections.rules import NO_DRAFTS
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text
from foundation.pages.forms import form_page
from foundation.pages.paths import redirect_to
from foundation.ranking import ranking_cookie
from foundation.ranking.marks import RANK_PREFIX

from . import rules, services
from .repository import VoterContext
from .secret import WrongWords, from_words, whole
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
    return _show_by_secret(request, name, _show_receipt)


def _show_by_secret(request: HttpRequest, name: str, show: Show) -> HttpResponse:
    """Asks for the words on the receipt, unless the form brings the secret. To those without it, says nothing of the
    election, not even whether it exists."""
    typed, problem = request.POST.get("words", ""), ""
    if brings_secret(request.POST):
        try:
            secret = opened_secret(request.POST)
            if (voter_context := services.voter_context(None, name, secret=secret)) is None:
                raise WrongWords(rules.NO_SUCH_BALLOT)
            return show(request, voter_context)
        except WrongWords as refusal:
            problem = str(refusal)
    return show_words_form(request, typed, problem)


def brings_secret(post: MultiValueDict) -> bool:
    """A form with an empty secret is that of a browser which does not remember it; then the words are asked for."""
    return "words" in post or bool(post.get(SECRET))


def opened_secret(post: MultiValueDict) -> str:
    """As the browser remembers it, or as words."""
    return whole(post.get(SECRET, "")) or from_words(post.get("words", "")[:MAX_WORDS_CHARS])


def _open(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    show = _show_opened if NO_DRAFTS in voter_context.election.safeguards else open_by_secret
    return show(request, voter_context)


def _show_receipt(request: HttpRequest, voter_context: VoterContext) -> HttpResponse:
    """There is none after a withdrawal, and none after the close: then the ballot's page says so."""
    if not voter_context.ballots or not voter_context.election.takes_votes(now_text()):
        return _open(request, voter_context)
    return show_receipt(request, voter_context, voter_context.ballots)


def show_words_form(request: HttpRequest, typed: str, problem: str) -> HttpResponse:
    context = {"typed": typed[:MAX_WORDS_CHARS], "problem": problem}
    return render(request, "ballots/change.html", context, status=422 if problem else 200)


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
