"""Pages of a draft: the path from a new election to an open one, step by step; and its settings, questions and name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.access import requires
from accounts.rules import NOT_CONFIRMED, Permission
from accounts.services import ask_for_confirmation
from elections import actions, repository, setup_steps
from elections.access import election_context, load_question, may, organiser_page
from elections.candidates import add_candidates, added_message
from elections.dashboard.checklist import needs_accounts
from elections.roll.services import UnknownNames
from elections.roll.views import ON_PATH, add_voters_from
from elections.rules import MAX_QUESTIONS, Action, Election, State
from elections.setup_steps import SetupStep
from foundation.acts.refusals import NameTaken, Refusal
from foundation.acts.retry import retry_lost_race, run_once
from foundation.pages import markdown
from foundation.pages.forms import form_data, form_page, run_form, show_form, token_in
from foundation.pages.messages import run_action, show_time_notes
from foundation.pages.paths import path_of
from foundation.ranking.candidates import Candidate

from . import copying, services
from .forms import DescriptionForm, ElectionForm, NameForm, SettingsForm
from .setup_forms import (
    AskForm,
    BallotForm,
    HowForm,
    NewElectionForm,
    QuestionCard,
    QuestionForm,
    WhatForm,
    WhenForm,
    WhoForm,
)

# --- a new one ---


@requires(Permission.USE_APPLICATION)
@form_page
def create(request: HttpRequest) -> HttpResponse:
    """Kind and name; the rest has defaults. Idempotent: the same form again returns the same draft."""
    form = NewElectionForm(form_data(request))
    mark = f"{request.user.name} {token_in(request.POST)}"

    def make() -> None:
        run_once(mark, lambda: services.create(request.user, mark=mark, **form.values()), None)

    if saved(request, form, make, "name"):
        kind = form.values()["kind"]
        return redirect(
            "election_step", name=form.cleaned_data["name"], step="who" if kind == "yes-no" else "candidates"
        )
    steps = setup_steps.progress_steps(None, setup_steps.WHAT)
    context = {"form": form, "token": token_in(request.POST), "progress_steps": steps}
    return render(request, "elections/new.html", context, status=422 if form.errors else 200)


@requires(Permission.USE_APPLICATION)
@form_page
def create_with_all_settings(request: HttpRequest) -> HttpResponse:
    """All settings at once, for experienced organisers."""
    form = ElectionForm(form_data(request))
    done = _("Your draft is saved. Now add candidates and voters.")
    if run_form(request, form, lambda: services.create(request.user, **form.values()), done, "name"):
        show_time_notes(request, form)
        return redirect("dashboard", name=form.cleaned_data["name"])
    context = {"form": form, "title": _("New election"), "button": _("Create draft")}
    return render(request, "elections/settings.html", context, status=422 if form.errors else 200)


# --- the steps ---


def load_step(name: str, step: str) -> tuple[Election, SetupStep] | None:
    election = repository.find_settled(name)
    if election is None or step not in setup_steps.BY_NAME:
        return None
    own = (each for each in setup_steps.steps_of(election) if each.name == step)
    return election, next(own, setup_steps.BY_NAME[step])


@requires(Permission.USE_APPLICATION, load=load_step, rule=lambda user, found: may(found[1].action)(user, found[0]))
@form_page
def step(request: HttpRequest, found: tuple[Election, SetupStep]) -> HttpResponse:
    """Save one step and continue; if the election is no longer a draft, say so instead. A step that it no longer has,
    because of what was chosen in another tab, leads to the one before."""
    election, step = found
    if election.stored_state != State.DRAFT:
        context = election_context(request, election, title=step.title)
        return render(request, "elections/steps/over.html", context, status=409 if request.method == "POST" else 200)
    if step not in (steps := setup_steps.steps_of(election)):
        return redirect(setup_steps.step_url(steps[1], election))
    return PAGES[step.name](request, election, step)


def _what(request: HttpRequest, election: Election, step: SetupStep) -> HttpResponse:
    text = repository.description_of(election.name).description
    form = WhatForm(form_data(request), initial={"name": election.name, "description": text})

    def save() -> None:
        """The name first: if it is taken, nothing is changed."""
        renamed = services.rename(request.user, election, form.cleaned_data["name"])
        actions.change(request.user, renamed, Action.SET_UP, description=form.cleaned_data["description"])

    if saved(request, form, save):
        renamed = replace(election, name=form.cleaned_data["name"])
        return redirect(setup_steps.next_url(step, renamed))
    return step_page(request, election, step, form)


def _candidates(request: HttpRequest, election: Election, step: SetupStep) -> HttpResponse:
    if election.more:
        return _questions(request, election, step)
    there = repository.candidates_by_name(election.name)
    form = BallotForm(form_data(request), there=len(there) + ("ask" in request.POST))

    def add() -> None:
        if new := [Candidate(name) for name in form.cleaned_data["names"]]:
            messages.success(request, added_message(form, add_candidates(request.user, election, new)))

    if saved(request, form, add):
        for each in there:
            if str(each.number) == request.POST.get("picture"):
                return redirect(f"{reverse('candidate_picture', args=[election.name, each.name])}?{ON_PATH}=yes")
        return _after_candidates(request, election, step)
    return step_page(request, election, step, form, candidates=there)


def _after_candidates(request: HttpRequest, election: Election, step: SetupStep) -> HttpResponse:
    if "ask" in request.POST:
        return redirect("ask_question", name=election.name)
    url = setup_steps.step_url if "stay" in request.POST else setup_steps.next_url
    return redirect(url(step, election))


def _questions(request: HttpRequest, election: Election, step: SetupStep) -> HttpResponse:
    """Every question with its candidates, in one form: whichever button is pressed, all of it is saved. Then a question
    is moved, or asked whether to be taken out, if that is what the button says."""
    there = repository.candidates_by_question(election)
    asked = [QuestionCard(form_data(request), election=each, there=there[each.number]) for each in election.questions]

    def save(card: QuestionCard) -> None:
        _change(request, card.election, card)
        if new := [Candidate(name) for name in card.cleaned_data["names"]]:
            add_candidates(request.user, card.election, new)

    is_valid = request.method == "POST" and all(card.is_valid() for card in asked)
    if is_valid and all(saved(request, card, partial(save, card)) for card in asked):
        for button in ("up", "down", "remove"):
            number = request.POST.get(button, "")
            if number.isdecimal() and (now := load_question(election.name, int(number))) is not None:
                if button == "remove":
                    return redirect("remove_election_question", election.name, int(number))
                run_action(request, partial(services.move_question, request.user, now, up=button == "up"), _("Moved."))
                return redirect(questions_url(now))
        return _after_candidates(request, election, step)
    wrong = [card for card in asked if card.errors]
    may_ask = len(asked) < MAX_QUESTIONS
    return step_page(request, election, step, (wrong or asked)[0], asked=asked, wrong=wrong, may_ask=may_ask)


def questions_url(question: Election) -> str:
    """Of the step with all questions, at this one."""
    step = reverse("election_step", args=[question.name, "candidates"])
    return f"{step}#question-{question.number}" if question.more else step


def _who(request: HttpRequest, election: Election, step: SetupStep) -> HttpResponse:
    """Importing a list or adding a group saves this form first, and comes back."""
    form = WhoForm(form_data(request), election=election)

    def save() -> None:
        """Voters first: if one of the names is unknown, nothing is changed. Whether they may have weights depends on
        what is chosen with them."""
        if form.cleaned_data["voters"]:
            chosen = replace(election, secret_ballot=form.values()["secret_ballot"])
            messages.success(request, add_voters_from(form, request.user, chosen))
        _change(request, election, form)

    if saved(request, form, save):
        if request.POST.get("many") == "admin":
            ask_for_confirmation(request.user)
            return redirect(setup_steps.step_url(step, election))
        if many := BULK_ROUTES.get(request.POST.get("many", "")):
            return redirect(f"{reverse(many, args=[election.name])}?{ON_PATH}=yes")
        return redirect(setup_steps.next_url(step, election))
    more = {"needs_accounts": needs_accounts(election), "not_confirmed": NOT_CONFIRMED}
    return step_page(request, election, step, form, **more)


def _settings(request: HttpRequest, election: Election, step: SetupStep) -> HttpResponse:
    form: Any = {"when": WhenForm, "how": HowForm}[step.name](form_data(request), election=election)
    if saved(request, form, lambda: _change(request, election, form)):
        if isinstance(form, WhenForm):
            show_time_notes(request, form)
        if "ask" in request.POST:
            return redirect("ask_question", name=election.name)
        return redirect(setup_steps.next_url(step, election))
    return step_page(request, election, step, form)


# by the buttons of the step
BULK_ROUTES = {"import": "import_roll", "group": "add_group", "list": "roll", "open": "open_election"}
REFUSAL_FIELDS: dict[type[Refusal], str] = {UnknownNames: "voters", NameTaken: "name"}  # the field a refusal is about
PAGES: dict[str, Callable[[HttpRequest, Election, SetupStep], HttpResponse]] = {
    "what": _what,
    "candidates": _candidates,
    "who": _who,
    "when": _settings,
    "how": _settings,
}


def _change(request: HttpRequest, election: Election, form: Any) -> None:
    """As the draft is now: the roll may have grown meanwhile, in this very step."""

    def change() -> None:
        now = load_question(*election.address) or election
        actions.change(request.user, now, Action.SET_UP, **form.values())

    retry_lost_race(change)


def saved(request: HttpRequest, form: Any, act: Callable[[], None], field: str | None = None) -> bool:
    """Like `run_form`, but without a message: the next step is confirmation enough."""
    if request.method != "POST" or not form.is_valid():
        return False
    try:
        act()
    except Refusal as refusal:
        form.add_error(REFUSAL_FIELDS.get(type(refusal), field), str(refusal))
        return False
    return True


def step_page(request: HttpRequest, election: Election, step: SetupStep, form: Any, **more: Any) -> HttpResponse:
    context = {
        "form": form,
        "step": step,
        "progress_steps": setup_steps.progress_steps(election, step),
        "next_url": setup_steps.next_url(step, election),
    }
    name = "questions" if "asked" in more else {"what": "step"}.get(step.name, step.name)
    context = election_context(request, election, **context, **more)
    return render(
        request, f"elections/steps/{name}.html", context, status=422 if form.errors or more.get("wrong") else 200
    )


# --- its questions ---


@organiser_page(Action.SET_UP)
@form_page
def ask_question(request: HttpRequest, election: Election) -> HttpResponse:
    """Idempotent: the same form again asks the same question."""
    form = AskForm(form_data(request), election=election)
    mark = f"{request.user.name} {token_in(request.POST)}"

    def ask() -> None:
        now = repository.find(election.name) or election
        run_once(mark, lambda: services.add_question(request.user, now, mark=mark, **form.values()), None)

    if run_form(request, form, lambda: retry_lost_race(ask), _("The question is on the ballot."), "title"):
        return redirect(questions_url((repository.find(election.name) or election).questions[-1]))
    lead = _("It is on the same ballot: people vote on all questions at once, and each has its own result.")
    context = election_context(request, election, lead=lead)
    return show_form(request, form, _("Ask another question"), _("Ask it"), **context)


@organiser_page(Action.SET_UP)
@form_page
def remove_question(request: HttpRequest, question: Election) -> HttpResponse:
    form = forms.Form(form_data(request))

    def remove() -> Election:
        now = load_question(*question.address)
        return services.remove_question(request.user, now or question)

    done = _("“%(title)s” is no longer on the ballot.") % {"title": question.title}
    if run_form(request, form, lambda: retry_lost_race(remove), done):
        return redirect(questions_url(repository.find(question.name) or question))
    candidates = len(repository.candidates(*question.address)) if question.kind != "yes-no" else 0
    lead = ngettext(
        "Its %(count)d candidate goes with it, with statement and picture.",
        "Its %(count)d candidates go with it, with statements and pictures.",
        candidates,
    )
    context = election_context(request, question, lead=lead % {"count": candidates} if candidates else "", danger=True)
    title = _("Remove “%(title)s” from the ballot") % {"title": question.title}
    return show_form(request, form, title, _("Remove it"), **context)


# --- its settings and its name ---


@organiser_page(Action.SET_UP)
@form_page
def settings(request: HttpRequest, election: Election) -> HttpResponse:
    """Of the election and its first question, or of another question alone."""
    form: Any
    if election.number > 1:
        form = QuestionForm(form_data(request), election=election)
    else:
        initial = SettingsForm.initial_of(election, repository.description_of(election.name).description)
        groups = election.voter_groups or None
        form = SettingsForm(form_data(request), initial=initial, groups=groups, title=election.title)
    act = lambda: actions.change(request.user, election, Action.SET_UP, **form.values())  # noqa: E731
    if run_form(request, form, act, _("The settings are saved.")):
        if isinstance(form, SettingsForm):
            show_time_notes(request, form)
        return redirect(path_of("dashboard", election.name))
    context = election_context(request, election, form=form, title=_("Settings"), button=_("Save settings"))
    return render(request, "elections/settings.html", context, status=422 if form.errors else 200)


@organiser_page(Action.DESCRIBE)
@form_page
def describe(request: HttpRequest, election: Election) -> HttpResponse:
    text = repository.description_of(election.name).description
    form = DescriptionForm(form_data(request), initial={"description": text})
    act = lambda: actions.change(request.user, election, Action.DESCRIBE, **form.cleaned_data)  # noqa: E731
    context = election_context(request, election, previews=True)
    if "preview" in request.POST and form.is_valid():
        context["preview"] = markdown.preview(form.cleaned_data["description"])
    elif run_form(request, form, act, _("The description is saved.")):
        return redirect("dashboard", name=election.name)
    return show_form(request, form, _("Description"), _("Save"), **context)


@organiser_page(Action.RENAME)
@form_page
def rename(request: HttpRequest, election: Election) -> HttpResponse:
    return _name_page(request, election, services.rename, _("Rename"), election.name)


@organiser_page(Action.COPY)
@form_page
def copy(request: HttpRequest, election: Election) -> HttpResponse:
    suggestion = _("Copy of %(name)s") % {"name": election.name}

    def message(copied: Election) -> str:
        behind = {"count": election.voter_count - copied.voter_count}
        sentence = _("Done. Not copied to the roll, because their accounts no longer exist: %(count)d.") % behind
        return sentence if behind["count"] > 0 and not copied.filling else _("Done.")

    return _name_page(request, election, copying.copy, _("Copy"), suggestion[:200], message)


def _name_page(
    request: HttpRequest,
    election: Election,
    act: Callable[..., Election],
    title: str,
    suggestion: str,
    message: Callable[[Election], str] = lambda done: _("Done."),
) -> HttpResponse:
    form = NameForm(form_data(request), initial={"name": suggestion})
    if run_form(request, form, lambda: act(request.user, election, form.cleaned_data["name"]), message, "name"):
        return redirect("dashboard", name=form.cleaned_data["name"])
    return show_form(request, form, title, title, **election_context(request, election))
