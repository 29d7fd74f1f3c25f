"""Pages of polls: lists, creating one, voting."""

from __future__ import annotations

import secrets
from functools import partial, wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import View, access_response, public, requires
from accounts.rules import Permission
from accounts.visitors import throttle_key
from foundation.acts.links import absolute_url
from foundation.acts.rate_limits import TEN_MINUTES_IN_SECONDS, Limit, TooOften, count
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text
from foundation.pages.client_address import client_network
from foundation.pages.forms import form_data, form_page, refusals_as_errors, token_in
from foundation.pages.messages import message_page, show_time_notes
from foundation.pages.paging import read_page
from foundation.pages.qr import shared_qr_svg
from foundation.ranking import drafts
from foundation.ranking.candidates import shuffled
from foundation.ranking.marks import ranks_of, submitted_ranks, typed_ranks
from foundation.store import keys
from foundation.store.table import Item

from . import repository, services, voters
from .counting import MethodComparison
from .forms import PollForm
from .presentation import address_of, form_context, frame, preview, shown_vote
from .rules import HIDDEN, Poll, PollRelation

KEY_COOKIE = "plenum_poll_key"  # lets a maker without an account run their polls
ACCOUNT_VOTES = Limit("poll-votes-account", 30, TEN_MINUTES_IN_SECONDS)  # of one person in one poll
WRONG_CODES = Limit("poll-code-address", 60, TEN_MINUTES_IN_SECONDS)  # guessing would find polls of others


def found_or_404(poll_id: UUID) -> Poll:
    poll = repository.find(str(poll_id))
    if poll is None:
        raise Http404
    return poll


def hidden_page(request: HttpRequest, poll: Poll) -> HttpResponse | None:
    """For a hidden poll, to everyone but its maker and moderators."""
    key = request.COOKIES.get(KEY_COOKIE, "")
    if not poll.hidden_at or services.relation(poll, request.user, key) != PollRelation.NOBODY:
        return None
    return message_page(request, _("Hidden"), str(HIDDEN), status=410)


def poll_context(poll: Poll, **more: Any) -> dict[str, Any]:
    return {"poll": poll, "is_open": poll.is_open(now_text()), **more}


def sharing_context(poll: Poll) -> dict[str, Any]:
    """Its link, its code and a QR code."""
    by_code = absolute_url(reverse("poll_by_code", args=[poll.code]))
    return {"address": address_of(poll), "code_address": by_code, "qr": shared_qr_svg(by_code), "frame": frame(poll)}


# --- lists ---


@public
@require_safe
def polls(request: HttpRequest) -> HttpResponse:
    """The user's own polls and public ones, newest first."""
    mine = request.user.is_authenticated and request.GET.get("show", "mine") == "mine"
    span = keys.made_by(request.user.name) if mine else keys.PUBLIC_POLLS
    tab, now = "mine" if mine else "public", now_text()
    found, older = read_page(request, partial(repository.list_page, span), show=tab)
    rows = [(each, each.is_open(now)) for each in found]
    rows.sort(key=lambda row: (not row[1], (row[0].expires_at or "~") * row[1]))  # open ones first, by their end
    context = {"rows": rows, "older": older, "tab": tab}
    return render(request, "polls/polls.html", context | {"may_make": services.may_make(request.user)})


# --- making ---


def of_makers(view: View) -> View:
    """For people who may create polls: all users, and anyone if the site allows it."""
    for_users = requires(Permission.USE_APPLICATION)(view)

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        instead = None if settings.POLLS_BY_ANYBODY else access_response(request, for_users)
        return instead or view(request)

    return public(answer)


@of_makers
@form_page
def make(request: HttpRequest) -> HttpResponse:
    form = PollForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            services.count_making(request.user, client_network(request))
            poll, key = services.make(request.user, **form.values())
            messages.success(request, _("Your poll is open. Share the link."))
            show_time_notes(request, form)
            return redirect("poll_key", poll.id, key) if key else redirect("manage_poll", poll.id)
    return render(request, "polls/make.html", {"form": form}, status=422 if form.errors else 200)


# --- the short code ---


@public
@require_safe
def by_code(request: HttpRequest, code: str) -> HttpResponse:
    code = services.normalised_code(code) if len(code) < 20 else ""
    for find in services.OTHER_CODES:
        if (address := find(code)) is not None:
            return redirect(address)
    poll_id = repository.id_of_code(code) if code else None
    if poll_id is not None:
        return redirect("poll", poll_id)
    try:
        count(WRONG_CODES, client_network(request))
    except TooOften as refusal:
        return message_page(request, _("Short code"), str(refusal), status=429)
    raise Http404


# --- voting ---


@public
@form_page
def poll(request: HttpRequest, poll_id: UUID) -> HttpResponse:
    """Vote or change a vote; once it is closed, see the results."""
    if request.method == "POST":
        return _vote_in(request, str(poll_id))
    found, vote = _with_own_vote(request, poll_id)
    if gone := hidden_page(request, found):
        return gone
    if found.hidden_at or not found.is_open(now_text()) or not voters.may_vote(found, request.user):
        # a preview of a closed poll shows how it ended
        sealed = None if found.is_open(now_text()) else repository.find_sealed(found.id)
        comparison = MethodComparison.from_bytes(sealed["report"]) if sealed else None
        context = {"may_vote": voters.may_vote(found, request.user), "preview": preview(found, comparison)}
        return render(request, "polls/closed.html", poll_context(found, **context))
    ranks = ranks_of(vote["rankings"]) if vote else {}
    return _show(request, found, ranks, acts=vote["acts"] if vote else 0, stamp=voters.stamp(request, found))


def _with_own_vote(request: HttpRequest, poll_id: UUID) -> tuple[Poll, Item | None]:
    """The poll and the visitor's vote. If voting needs an account, that is one more read."""
    found = repository.find_with_vote(str(poll_id), voters.browser_id(request, str(poll_id)))
    if found is None:
        raise Http404
    poll = found[0]
    own = voters.vote_id(request, poll)
    if poll.sign_in and own is not None:
        return repository.find_with_vote(poll.id, own) or found
    return poll, found[1] if own is not None else None


def _show(request: HttpRequest, poll: Poll, ranks: dict[int, Any], **more: Any) -> HttpResponse:
    listing = f"{poll.id} {voters.vote_id(request, poll)}".encode()
    context = {
        **form_context(poll, shuffled(poll.candidates, listing), ranks),
        "draft_key": drafts.key(request, "poll", poll.id),
        "token": secrets.token_urlsafe(16),
        "trap": voters.TRAP,
        "preview": preview(poll),
        **more,
    }
    status = 422 if more.get("problem") else 200
    answer = render(request, "polls/poll.html", poll_context(poll, **context), status=status)
    return answer if poll.sign_in else voters.set_voter_cookie(request, answer)


def _vote_in(request: HttpRequest, poll_id: str) -> HttpResponse:
    """Cast the vote, or show what was typed and why it was refused."""
    token, browser = token_in(request.POST), voters.browser_id(request, poll_id)
    voter_context = services.voter_context(poll_id, browser or "", token)
    if voter_context is None:
        raise Http404
    poll = voter_context.poll
    if gone := hidden_page(request, poll):
        return gone
    if poll.sign_in and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    try:
        vote_id = voters.required_vote_id(request, poll)
        voters.check_person(request, poll)
        count_voting(request, poll)
        latest = voter_context if vote_id == browser else None
        before = services.cast(poll.id, vote_id, submitted_ranks(request.POST), token, latest)
    except Refusal as refusal:
        sent = request.POST.get("acts", "")[:9]
        more = {"acts": int(sent) if sent.isdecimal() else 0, "stamp": voters.reused_stamp(request, poll)}
        return _show(request, poll, typed_ranks(request.POST), problem=str(refusal), **more)
    _show_outcome(request, before)
    return redirect("poll_voted", poll.id)


def count_voting(request: HttpRequest, poll: Poll) -> None:
    """A class or an office votes from one address, and so does a flood. With accounts, each voter has their own
    limit."""
    if poll.sign_in:
        count(ACCOUNT_VOTES, f"{poll.id} {throttle_key(request)}")
        return
    address, most = client_network(request), settings.POLL_VOTES_PER_ADDRESS
    count(Limit("poll-votes", most, TEN_MINUTES_IN_SECONDS), f"{poll.id} {address}")
    count(Limit("poll-votes-address", 5 * most, TEN_MINUTES_IN_SECONDS), address)


def _show_outcome(request: HttpRequest, before: int | None) -> None:
    """`before` is how often they had voted; `None` if they sent the form again."""
    if before is None:
        messages.info(request, _("You already sent this form. This is your current vote."))
    elif not before:
        messages.success(request, _("Your vote is counted."))
    else:
        messages.success(request, _("Your vote was changed. The new one replaces the earlier one."))
        if str(before) != request.POST.get("acts"):
            messages.info(request, _("It replaced a vote you cast in another window in the meantime."))


@public
@require_safe
def voted(request: HttpRequest, poll_id: UUID) -> HttpResponse:
    """The visitor's vote, and what to do next: change it, see the results, share the poll."""
    poll, vote = _with_own_vote(request, poll_id)
    if gone := hidden_page(request, poll):
        return gone
    if vote is None:
        return redirect("poll", poll.id)
    context = {
        "shown": shown_vote(poll, vote["rankings"]),
        "acts": vote["acts"],
        "draft_key": drafts.key(request, "poll", poll.id),
        "state_url": reverse("poll_state", args=[poll.id]),
        **sharing_context(poll),
    }
    return render(request, "polls/voted.html", poll_context(poll, **context))


@public
@require_safe
def state(request: HttpRequest, poll_id: UUID) -> HttpResponse:
    """Lets an open page notice that the vote was changed elsewhere."""
    poll, vote = _with_own_vote(request, poll_id)
    if gone := hidden_page(request, poll):
        return gone
    return JsonResponse({"acts": vote["acts"] if vote else 0})
