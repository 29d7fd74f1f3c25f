"""Pages and forms of polling stations: the list, the officer's desk, and the screen in the booth."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public
from accounts.authentication import clear_browser, end_session
from ballots import passes
from elections import repository as elections
from elections import rolls
from elections.access import election_context, organiser_page, organiser_page_with
from elections.invitations.voting_link import STATION
from elections.rules import Action, Election
from elections.turnout.counts import tells_who, turnout
from foundation.acts import features
from foundation.acts.links import absolute_url
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text
from foundation.pages.forms import form_data, form_page, new_token, refusals_as_errors, run_form, token_in
from foundation.pages.messages import refusals_as_messages, run_action
from foundation.pages.names import MAX_NAME_CHARS
from foundation.pages.paths import path_of
from foundation.pages.qr import qr_svg

from . import browser, repository, rules, services
from .rules import MAX_STATION_NAME_CHARS, Booth, Device, Occupied, Station


class StationForm(forms.Form):
    name = forms.CharField(
        label=_("Name of the booth"),
        max_length=MAX_STATION_NAME_CHARS,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=_("Voters see it at the top of the screen, such as “Booth 1”."),
    )


class PairForm(forms.Form):
    code = forms.CharField(
        label=_("Code of the booth"),
        max_length=40,
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters", "dir": "ltr"}),
        help_text=_("The desk of the polling station shows it: three groups of four."),
    )


class LeaveForm(PairForm):
    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["code"].help_text = _("The one with which this browser became a booth: three groups of four.")


class LetterForm(forms.Form):
    code = forms.CharField(
        label=_("Code on their letter"),
        max_length=40,
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters", "dir": "ltr"}),
    )


class VoterSearchForm(forms.Form):
    q = forms.CharField(
        label=_("Name, address or member number"),
        required=False,
        max_length=MAX_NAME_CHARS,
        widget=forms.TextInput({"dir": "auto", "autocomplete": "off", "spellcheck": "false", "data-takes-focus": True}),
    )


# --- for organisers ---


@organiser_page(Action.RUN_STATION)
@form_page
def stations(request: HttpRequest, election: Election) -> HttpResponse:
    every = repository.every(election.name)
    initial = {"name": _("Booth %(number)d") % {"number": len(every) + 1}}
    form = StationForm(form_data(request), initial=initial)
    open_ = partial(services.open_, request.user, election, form=token_in(request.POST))
    done = _("The polling station is open. Now pair the browser in the booth with it.")
    if run_form(request, form, lambda: open_(form.cleaned_data["name"]), done):
        return redirect("stations", name=election.name)
    more = {"stations": every, "form": form, "token": new_token(), "is_listed": election.electorate == "listed"}
    context = election_context(request, election, **more)
    return render(request, "stations/stations.html", context, status=422 if form.errors else 200)


desk_page = organiser_page_with(Action.RUN_STATION, repository.find)


@desk_page
@require_safe
def station_desk(request: HttpRequest, found: tuple[Election, Station]) -> HttpResponse:
    """The state of the booth, and a search for whoever is next."""
    election, station = found
    search = VoterSearchForm(request.GET)
    typed = search.cleaned_data["q"].strip() if search.is_valid() else ""
    if request.htmx and request.GET.get("seen") == _look_of(station):
        return HttpResponse(status=204)
    return _show_desk(request, election, station, search=search, typed=typed)


def _look_of(station: Station) -> str:
    """Of the part of the desk that looks for news of the booth by itself."""
    visit = station.visit
    return f"{station.booth.value} {visit.since if visit else ''} {station.turn if station.has_code else ''}".strip()


def _show_desk(
    request: HttpRequest, election: Election, station: Station, status: int = 200, **shown: Any
) -> HttpResponse:
    typed = shown.setdefault("typed", "")
    voters, more = rolls.find_voters(election, typed, limit=services.MAX_FOUND) if typed else ([], False)
    shown = {"search": VoterSearchForm(), "letter": LetterForm(), "next_voter": "", **shown}
    shown |= {"station": station, "look": _look_of(station), "voters": voters, "more": more}
    shown["takes_letters"] = election.by_letter and features.is_on("letters")
    shown |= {"tells_who": tells_who(election, turnout(election).voted), "code": ""}
    if station.has_code:  # to type in the booth
        page = absolute_url(reverse("pair_booth"))
        code = repository.code_for(station)
        shown |= {"code": code, "pair_page": page, "pair_qr": qr_svg(f"{page}?code={code}")}
    return render(request, "stations/desk.html", election_context(request, election, **shown), status=status)


@desk_page
@require_POST
def let_in(request: HttpRequest, found: tuple[Election, Station]) -> HttpResponse:
    with refusals_as_messages(request):
        return _let_in(request, *found, request.POST.get("voter", ""))
    return _to_desk(*found)


def _let_in(request: HttpRequest, election: Election, station: Station, voter: str) -> HttpResponse:
    """The desk says what the booth does now. If somebody has begun to vote there, the officer is asked first."""
    try:
        services.let_in(request.user, election, station.id, voter, instead="instead" in request.POST)
    except Occupied as refusal:
        return _show_desk(request, election, station, 409, next_voter=voter, problem=str(refusal))
    return _to_desk(election, station)


def _to_desk(election: Election, station: Station) -> HttpResponse:
    return redirect("station_desk", name=election.name, station_id=station.id)


@desk_page
@require_POST
def let_in_by_letter(request: HttpRequest, found: tuple[Election, Station]) -> HttpResponse:
    """By the code on a letter, which is sent in the form and never in an address."""
    election, station = found
    if not features.is_on("letters"):
        raise Http404
    form = LetterForm(request.POST)
    if form.is_valid():
        with refusals_as_errors(form, "code"):
            return _let_in(request, *found, services.find_by_letter(election, form.cleaned_data["code"]))
    return _show_desk(request, election, station, 422, letter=form)


@desk_page
@require_POST
def take_back(request: HttpRequest, found: tuple[Election, Station]) -> HttpResponse:
    election, station = found
    done = _("The booth is locked again. A vote that was cast before stays cast.")
    run_action(request, lambda: services.take_back(request.user, election, station.id), done)
    return _to_desk(election, station)


@desk_page
@require_POST
def renew_code(request: HttpRequest, found: tuple[Election, Station]) -> HttpResponse:
    election, station = found
    done = _("This is a new code. As soon as it is used, the browser paired before stops being the booth.")
    run_action(request, lambda: services.renew_code(request.user, election, station.id), done)
    return _to_desk(election, station)


@desk_page
@require_POST
def close_station(request: HttpRequest, found: tuple[Election, Station]) -> HttpResponse:
    election, station = found
    done = _("The polling station is closed, and its browser has forgotten it.")
    run_action(request, lambda: services.close(request.user, election, station.id), done)
    return redirect("stations", name=election.name)


# --- in the booth ---


@public
@form_page
def pair_booth(request: HttpRequest) -> HttpResponse:
    """Makes this browser a booth. Whoever is signed in is signed out: nobody is at home in a booth. They type the code
    that a link has, so that one press on a link of somebody else's does not take their browser away."""
    code = request.GET.get("code", "")[:40]
    is_at_home = request.user.is_authenticated
    form = PairForm(form_data(request), initial={"code": "" if is_at_home else code})
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form, "code"):
            device = services.pair(form.cleaned_data["code"])
            end_session(request)
            answer = redirect("station_booth")
            clear_browser(request, answer)
            browser.forget_voter(request, answer, elections.find(device.election_name))
            browser.remember(answer, device)
            return answer
    context = {"form": form, "plain": True, "code": code if is_at_home else ""}
    return render(request, "stations/pair.html", context, status=422 if form.errors else 200)


@public
@form_page
def leave_booth(request: HttpRequest) -> HttpResponse:
    """For whoever made this browser a booth, also by mistake."""
    if request.booth is None:
        return redirect("home")
    form = LeaveForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form, "code"):
            services.leave(request.booth_device, form.cleaned_data["code"])
            answer = redirect("home")
            browser.forget_voter(request, answer, elections.find(request.booth.election_name))
            browser.forget(answer)
            return answer
    context = {"form": form, "station": request.booth, "plain": True}
    return render(request, "stations/leave.html", context, status=422 if form.errors else 200)


@public
@require_safe
def station_booth(request: HttpRequest) -> HttpResponse:
    """The screen between two voters. It looks for the next one by itself, and ends a visit that nobody goes on with."""
    station, device = request.booth, request.booth_device
    if station is None:
        return redirect("pair_booth")
    election, now = elections.find(station.election_name), now_text()
    is_over = election is None or not election.takes_votes(now)
    is_left = rules.is_abandoned(station, device, now) or (is_over and station.visit is not None)
    if is_left:
        services.end_visit(station.election_name, station.id)
        station = replace(station, visit=None)
    here = "over" if is_over else _screen(station, rules.is_voting(station, device, now))
    if request.htmx and request.GET.get("seen") == here:
        return HttpResponse(status=204)
    context = {"station": station, "screen": here, "plain": True, "voter": "", "ballot_url": ""}
    if station.visit and here == "start":  # so that nobody votes in another person's name by mistake
        context["voter"] = repository.visitor_of(station.visit)[3]
    if election and here == "continue":
        context["ballot_url"] = path_of("ballot", election.name)
    answer = render(request, "stations/booth.html", context)
    if is_left or (device.visit and here != "continue"):
        browser.forget_voter(request, answer, election)
        browser.remember(answer, replace(device, visit="", active_at=""))
    return answer


def _screen(station: Station, is_voting: bool) -> str:
    if is_voting:
        return "continue"
    return "start" if station.booth == Booth.WAITING else "locked"


@public
@require_POST
def start_voting(request: HttpRequest) -> HttpResponse:
    """Whoever was let in begins. The link is picked up once; a second window finds nothing."""
    if request.booth is None:
        return redirect("pair_booth")
    try:
        link, label, device = services.pick_up(request.booth_device, now_text())
    except Refusal:
        return redirect("station_booth")
    election = elections.find(link.election_name)
    assert election is not None  # its station was found
    answer = redirect(path_of("ballot", election.name))
    browser.forget_voter(request, answer, election)
    passes.issue_pass(request, answer, link, election, STATION, label)
    browser.remember(answer, device)
    return answer


@public
@require_POST
def finish_voting(request: HttpRequest) -> HttpResponse:
    """Ends the visit, whether they have voted or not."""
    if request.booth is None:
        return redirect("pair_booth")
    station, device = request.booth, request.booth_device
    if device.visit:
        services.end_visit(station.election_name, station.id, device.visit)
    answer = redirect("station_booth")
    browser.forget_voter(request, answer, elections.find(station.election_name))
    browser.remember(answer, replace(device, visit="", active_at=""))
    return answer


def _is_cut_short(station: Station, device: Device, now: str) -> bool:
    """Whether the visit has ended because the election has closed, and somebody may still be reading."""
    if station.visit is not None or not rules.is_active(device, now):
        return False
    election = elections.find(station.election_name)
    return election is None or not election.takes_votes(now)


@public
@require_safe
def booth_state(request: HttpRequest) -> HttpResponse:
    """Lets an open page notice that its visit is over; with `active`, somebody has touched it since. A receipt stays
    when the election closes: nobody would show its code again, and nobody else is let in."""
    station, device, now = request.booth, request.booth_device, now_text()
    if station is None or not (rules.is_voting(station, device, now) or _is_cut_short(station, device, now)):
        return redirect("station_booth")
    answer = HttpResponse(status=204)
    if "active" in request.GET:
        browser.remember(answer, replace(device, active_at=now))
    return answer
