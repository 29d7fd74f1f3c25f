"""Pages of the help desk: asking the organisers, their inbox, and one request with all ways to answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.access import public
from accounts.models import User
from accounts.visitors import visitor
from elections import repository as elections
from elections.access import election_context, organiser_page, organiser_page_with
from elections.invitations.voting_link import REPLACING
from elections.rules import Action, Election, State
from elections.turnout.counts import turnout
from foundation.acts.storage import now_text
from foundation.pages.forms import form_data, form_page, new_token, run_form, token_in
from foundation.pages.paging import read_page

from . import repository, rules, services
from .askers import asker_of
from .delivery import Delivery, delivery, names_of, search
from .forms import (
    AddForm,
    AnswerForm,
    AskForm,
    CorrectForm,
    FindForm,
    ReplyForm,
    VoterForm,
)
from .rules import Asker, HelpRequest, Overtaken

INBOX_ROWS = 25


# --- asking ---


@public
@form_page
def ask_for_help(request: HttpRequest, name: str) -> HttpResponse:
    """The same for everybody: it does not read the roll, so it cannot tell who is on it."""
    election = elections.find(name)
    if election is None or election.stored_state == State.DRAFT:
        raise Http404
    now, asker = now_text(), asker_of(request, election)
    form = AskForm(form_data(request), asker=asker)
    network, mark = visitor(request).address, token_in(request.POST)
    act = lambda: services.ask(election, form.sender, form.cleaned_data["text"], network=network, mark=mark)  # noqa: E731
    if run_form(request, form, act, lambda _done: _sent(form.sender)):
        return redirect("ask_for_help", name=election.name)
    own = _own_requests(request, election)
    more: dict[str, Any] = {"form": form, "asker": asker, "own": own, "token": new_token()}
    more |= {"takes_requests": rules.takes_requests(election, now), "retention_days": rules.RETENTION_DAYS}
    status = 422 if form.errors else 200
    return render(request, "help_desk/ask.html", election_context(request, election, **more), status=status)


def _sent(asker: Asker) -> str:
    return _("Your request has been sent. The answer will be emailed to %(address)s.") % {"address": asker.address}


def _own_requests(request: HttpRequest, election: Election) -> list[HelpRequest]:
    """Of an account only: a link may have been forwarded, and shows nothing that was written with it."""
    user = request.user
    return repository.own_requests(election.name, user.name, user.created_at) if user.is_authenticated else []


# --- the inbox ---


@organiser_page(Action.ANSWER)
@require_safe
def requests(request: HttpRequest, election: Election) -> HttpResponse:
    """What waits, the oldest first, or what was answered."""
    state = rules.ANSWERED if request.GET.get("show") == rules.ANSWERED else rules.WAITING
    found, older = read_page(request, partial(repository.list_requests, election.name, state), INBOX_ROWS, show=state)
    more: dict[str, Any] = {
        "found": found,
        "older": older,
        "shown": state,
        "waiting": repository.waiting(election.name),
    }
    more |= {"retention_days": rules.RETENTION_DAYS}
    return render(request, "help_desk/inbox.html", election_context(request, election, **more))


# --- one request ---


@dataclass(frozen=True, slots=True)
class Way:
    """How a request can be answered. Its service takes the fields of the form."""

    form: type[AnswerForm]
    service: Callable[..., None]
    button: Any
    done: Any  # a sentence
    title: Any = ""  # of a form that is more than its button


WAYS = {
    "reply": Way(
        ReplyForm,
        services.reply,
        gettext_lazy("Send the answer"),
        gettext_lazy("Your answer is on its way."),
        gettext_lazy("Write an answer"),
    ),
    "link": Way(
        VoterForm,
        services.send_link,
        gettext_lazy("Send a new link"),
        gettext_lazy(
            "A new invitation is on its way, and the sender of the request is told. Earlier links no longer work."
        ),
    ),
    "letter": Way(
        VoterForm,
        services.send_letter,
        gettext_lazy("Replace the letter"),
        gettext_lazy("The letter no longer works. Print the new one with the next batch of letters."),
    ),
    "correct": Way(
        CorrectForm,
        services.correct_address,
        gettext_lazy("Correct the address and invite"),
        gettext_lazy("The address is corrected, and an invitation is on its way to it. Earlier links no longer work."),
        gettext_lazy("Correct the address"),
    ),
    "add": Way(
        AddForm,
        services.add,
        gettext_lazy("Put on the roll and invite"),
        gettext_lazy("%(name)s is now on the roll. The invitation is on its way."),
        gettext_lazy("Put on the roll"),
    ),
    "dismiss": Way(
        AnswerForm,
        services.dismiss,
        gettext_lazy("Close without an answer"),
        gettext_lazy("The request is closed without an answer."),
    ),
}


@organiser_page_with(Action.ANSWER, repository.find)
@form_page
def request_page(request: HttpRequest, found: tuple[Election, HelpRequest]) -> HttpResponse:
    """What was asked, what is known about the voter it is about, and every way to answer it."""
    election, asked = found
    picked = request.GET.get("voter", "")
    voted = turnout(election).voted
    known = delivery(election, voted, [picked] if picked else names_of(asked.asker))
    act = request.POST.get("act", "") if request.method == "POST" else ""
    if (act and act not in WAYS) or (act == "letter" and not any(REPLACING)):
        raise Http404
    about: dict[str, Any] = {"request": asked, "election": election, "voter": known.name if known else picked}
    forms = {
        name: way.form(request.POST if name == act else None, auto_id=f"{name}-%s", **about)
        for name, way in WAYS.items()
    }
    if act and run_form(request, forms[act], lambda: _answer(request.user, found, WAYS[act], forms[act]), str):
        return redirect("requests", name=election.name)  # with the one that waits longest on top
    here = reverse("request", args=[election.name, asked.id])
    here += f"?{urlencode({'voter': picked})}" if picked else ""
    ways = _ways(election, asked, known, request.user)
    doing = act or next((name for name in ways if name == request.GET.get("do")), "")
    finder = FindForm(request.GET)
    prefix = finder.cleaned_data["q"] if finder.is_valid() else ""
    more: dict[str, Any] = {"asked": asked, "known": known, "forms": forms, "ways": ways, "here": here}
    more |= {"doing": doing if doing and WAYS[doing].title else "", "all_ways": WAYS}
    more |= {"finder": finder, "hits": search(election, voted, prefix), "prefix": prefix}
    more |= {"may_write": rules.may_write_to(request.user, asked.asker), "not_confirmed": rules.NOT_CONFIRMED}
    more["problem"] = " ".join(forms[act].non_field_errors()) if act and not WAYS[act].title else ""
    context = election_context(request, election, **more)
    return render(request, "help_desk/request.html", context, status=422 if act else 200)


def _ways(election: Election, asked: HelpRequest, known: Delivery | None, user: User) -> dict[str, Way]:
    """How it can be answered now, the most likely first."""
    is_open = election.state(now_text()) in (State.EDITABLE, State.OPEN)
    by_mail = is_open and known is not None and not known.is_by_number
    offered = {
        "reply": rules.may_write_to(user, asked.asker),
        "link": by_mail,
        "letter": is_open and known is not None and known.has_letter and any(REPLACING),
        "correct": by_mail and known is not None and known.is_by_address and not known.voted,
        "add": is_open and known is None,
        "dismiss": asked.state == rules.WAITING,
    }
    return {name: WAYS[name] for name, is_offered in offered.items() if is_offered}


def _answer(actor: User, found: tuple[Election, HelpRequest], way: Way, form: AnswerForm) -> str:
    """The request as the organiser saw it."""
    election, asked = found
    values = dict(form.cleaned_data)
    if values.pop("version") != asked.version:
        raise Overtaken(rules.OVERTAKEN)
    way.service(actor, election, asked, **values)
    return str(way.done) % {"name": values.get("listed_as", "")}
