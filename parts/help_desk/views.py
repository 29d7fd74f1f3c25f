"""Pages and forms of the help desk: asking the organisers, their inbox, and one request with all ways to answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from accounts.access import public
from accounts.models import User
from accounts.visitors import visitor
from elections import repository as elections
from elections import rolls
from elections.access import election_context, organiser_page, organiser_page_with
from elections.invitations.voting_link import REPLACING
from elections.rules import Action, Election, State
from elections.turnout.counts import tells_names, turnout
from foundation.acts.storage import now_text
from foundation.pages.fields import AddressField, LinesField, TitleField
from foundation.pages.forms import form_data, form_page, new_token, run_form, token_in
from foundation.pages.names import MAX_EMAIL_CHARS, MAX_NAME_CHARS, clean_email, clean_name
from foundation.pages.paging import read_page
from foundation.store.keys import fold
from foundation.store.table import Item

from . import repository, rules, services
from .askers import Delivery, asker_of, delivery
from .rules import MAX_REASON_CHARS, MAX_TEXT_CHARS, Asker, HelpRequest, Overtaken

INBOX_ROWS = 25
MAX_FOUND = 8  # entries of the roll that a search offers


class AskForm(forms.Form):
    """A request. Those who are known need not say who they are."""

    name = TitleField(label=_("Your name"))
    address = AddressField(help_text=_("The answer is sent there."))
    text = LinesField(
        label=_("Your request"),
        rows=6,
        max_length=MAX_TEXT_CHARS,
        help_text=_("Up to 2,000 characters. Never write how you voted or want to vote, nor your voting link."),
    )

    def __init__(self, *arguments: Any, asker: Asker | None, **options: Any):
        super().__init__(*arguments, **options)
        self.asker = asker
        if asker and asker.address:
            del self.fields["name"], self.fields["address"]

    @property
    def sender(self) -> Asker:
        """Who asks, with what they typed if they are not known."""
        if self.asker and self.asker.address:
            return self.asker
        voter = self.asker.voter if self.asker else ""
        return Asker(self.cleaned_data["name"], self.cleaned_data["address"], voter=voter)


class AnswerForm(forms.Form):
    """What an organiser does with a request, as they saw it."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)

    def __init__(self, *arguments: Any, request: HelpRequest, election: Election, voter: str, **options: Any):
        asker = request.asker
        other = "" if fold(asker.address) == fold(voter) else asker.address  # who picks a voter often corrects to this
        values = {"version": request.version, "voter": voter, "address": other}
        super().__init__(*arguments, initial=values | {"listed_as": asker.account or asker.address}, **options)
        if "groups" in self.fields:
            self.fields["groups"].choices = [(each, each) for each in election.voter_groups]
            if not election.voter_groups:
                del self.fields["groups"]


class ReplyForm(AnswerForm):
    text = LinesField(
        label=_("Your answer"),
        rows=4,
        max_length=MAX_TEXT_CHARS,
        help_text=_("It is emailed as you write it. If the request is private, do not repeat it."),
    )


class VoterForm(AnswerForm):
    """Only the button: about a voter on the roll."""

    voter = forms.CharField(widget=forms.HiddenInput, max_length=MAX_EMAIL_CHARS)


class CorrectForm(VoterForm):
    address = AddressField(label=_("Correct address"))


class AddForm(AnswerForm):
    listed_as = forms.CharField(
        label=_("On the roll as"),
        max_length=MAX_EMAIL_CHARS,
        widget=forms.TextInput({"dir": "auto", "autocomplete": "off"}),
        help_text=_("The user name of somebody with an account here, or an email address."),
    )
    groups = forms.MultipleChoiceField(
        label=_("Voter groups"), required=False, widget=forms.CheckboxSelectMultiple, choices=()
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_CHARS,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=_("It stays in the election's log for good, so write nothing personal. Example: member since May."),
    )

    def clean_listed_as(self) -> str:
        typed = self.cleaned_data["listed_as"]
        return clean_email(typed) if "@" in typed else clean_name(typed)


class FindForm(forms.Form):
    q = forms.CharField(
        label=_("Find on the roll by name, address or member number"), required=False, max_length=MAX_NAME_CHARS
    )


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
    sent = _("Your request has been sent. The answer will be emailed to %(address)s.")
    if run_form(request, form, act, lambda _done: sent % {"address": form.sender.address}):
        return redirect("ask_for_help", name=election.name)
    user, own = request.user, list[HelpRequest]()
    if user.is_authenticated:  # a link may have been forwarded, and shows nothing that was written with it
        own = repository.own_requests(election.name, user.name, user.created_at)
    more: dict[str, Any] = {"form": form, "asker": asker, "own": own, "token": new_token()}
    more |= {"takes_requests": rules.takes_requests(election, now), "retention_days": rules.RETENTION_DAYS}
    status = 422 if form.errors else 200
    return render(request, "help_desk/ask.html", election_context(request, election, **more), status=status)


# --- the inbox ---


@organiser_page(Action.ANSWER)
@require_safe
def requests(request: HttpRequest, election: Election) -> HttpResponse:
    """What waits, the oldest first, or what was answered."""
    state = rules.ANSWERED if request.GET.get("show") == rules.ANSWERED else rules.WAITING
    found, older = read_page(request, partial(repository.list_requests, election.name, state), INBOX_ROWS, show=state)
    more = {"found": found, "older": older, "shown": state, "waiting": repository.waiting(election.name)}
    more |= {"retention_days": rules.RETENTION_DAYS}
    return render(request, "help_desk/inbox.html", election_context(request, election, **more))


# --- one request ---


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """How a request can be answered. Its service takes the fields of the form."""

    form: type[AnswerForm]
    service: Callable[..., None]
    button: Any
    done: Any  # a sentence
    title: Any = ""  # of a form that is more than its button


ANSWER_OPTIONS = {
    "reply": AnswerOption(
        ReplyForm,
        services.reply,
        _("Send the answer"),
        _("Your answer is on its way."),
        _("Write an answer"),
    ),
    "link": AnswerOption(
        VoterForm,
        services.send_link,
        _("Send a new link"),
        _("A new invitation is on its way, and the sender of the request is told. Earlier links no longer work."),
    ),
    "letter": AnswerOption(
        VoterForm,
        services.send_letter,
        _("Replace the letter"),
        _("The letter no longer works. Print the new one with the next batch of letters."),
    ),
    "correct": AnswerOption(
        CorrectForm,
        services.correct_address,
        _("Correct the address and invite"),
        _("The address is corrected, and an invitation is on its way to it. Earlier links no longer work."),
        _("Correct the address"),
    ),
    "add": AnswerOption(
        AddForm,
        services.add,
        _("Put on the roll and invite"),
        _("%(name)s is now on the roll. The invitation is on its way."),
        _("Put on the roll"),
    ),
    "dismiss": AnswerOption(
        AnswerForm,
        services.dismiss,
        _("Close without an answer"),
        _("The request is closed without an answer."),
    ),
}


@organiser_page_with(Action.ANSWER, repository.find)
@form_page
def request_page(request: HttpRequest, found: tuple[Election, HelpRequest]) -> HttpResponse:
    """What was asked, what is known about the voter it is about, and every way to answer it."""
    election, asked = found
    picked = request.GET.get("voter", "")
    voted = turnout(election).voted
    known = delivery(election, voted, [picked] if picked else asked.asker.names)
    act = request.POST.get("act", "") if request.method == "POST" else ""
    if (act and act not in ANSWER_OPTIONS) or (act == "letter" and not any(REPLACING)):
        raise Http404
    about: dict[str, Any] = {"request": asked, "election": election, "voter": known.name if known else picked}
    forms = {
        name: option.form(request.POST if name == act else None, auto_id=f"{name}-%s", **about)
        for name, option in ANSWER_OPTIONS.items()
    }
    if act and run_form(
        request, forms[act], lambda: _answer(request.user, found, ANSWER_OPTIONS[act], forms[act]), str
    ):
        return redirect("requests", name=election.name)  # with the one that waits longest on top
    here = reverse("request", args=[election.name, asked.id])
    here += f"?{urlencode({'voter': picked})}" if picked else ""
    options = _options(election, asked, known, request.user)
    doing = act or next((name for name in options if name == request.GET.get("do")), "")
    finder = FindForm(request.GET)
    prefix = finder.cleaned_data["q"] if finder.is_valid() else ""
    more: dict[str, Any] = {"asked": asked, "known": known, "forms": forms, "options": options, "here": here}
    more |= {"doing": doing if doing and ANSWER_OPTIONS[doing].title else "", "all_options": ANSWER_OPTIONS}
    hits, by_name = list[Item](), tells_names(election, voted)
    if prefix:
        hits, _more = rolls.find_voters(election, prefix, limit=MAX_FOUND, by_name=by_name)
    more |= {"finder": finder, "hits": hits, "prefix": prefix}
    more |= {"may_write": rules.may_write_to(request.user, asked.asker), "not_confirmed": rules.NOT_CONFIRMED}
    more["problem"] = " ".join(forms[act].non_field_errors()) if act and not ANSWER_OPTIONS[act].title else ""
    context = election_context(request, election, **more)
    return render(request, "help_desk/request.html", context, status=422 if act else 200)


def _options(election: Election, asked: HelpRequest, known: Delivery | None, user: User) -> dict[str, AnswerOption]:
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
    return {name: ANSWER_OPTIONS[name] for name, is_offered in offered.items() if is_offered}


def _answer(actor: User, found: tuple[Election, HelpRequest], option: AnswerOption, form: AnswerForm) -> str:
    """The request as the organiser saw it."""
    election, asked = found
    values = dict(form.cleaned_data)
    if values.pop("version") != asked.version:
        raise Overtaken(rules.OVERTAKEN)
    option.service(actor, election, asked, **values)
    return str(option.done) % {"name": values.get("listed_as", "")}
