"""Pages for multi-question ballots, for voters and organisers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.rules import Permission
from elections import kinds, opening_rules, setup_steps
from elections import repository as elections
from elections.access import check_visible, election_context, may
from elections.dashboard.checklist import Question
from elections.dashboard.views import dashboard_context
from elections.drafts.forms import (
    SCORING_CARDS,
    NameForm,
    SettingsForm,
    UsualField,
    chosen_methods,
    counted_settings,
    for_groups_field,
)
from elections.drafts.setup_forms import BallotForm, NewElectionForm, QuestionsForm
from elections.drafts.setup_views import creation_page, over_page, saved, step_page
from elections.drafts.templates import SEVERAL
from elections.lifecycle.consequences import closing
from elections.lifecycle.forms import EXTENDING, EndForm
from elections.lifecycle.views import opening_page
from elections.multi_ballots import repository, rules
from elections.multi_ballots.rules import MultiBallot
from elections.rules import KINDS, MAX_SEATS, RANKED_METHODS, UNRANKED, Action, Election, State, check_settings
from elections.turnout.counts import turnouts
from foundation.acts.retry import run_once
from foundation.acts.storage import now_text, table
from foundation.pages.forms import form_data, form_page, refusals_as_errors, run_form, show_form, token_in
from foundation.pages.messages import run_action, show_time_notes
from foundation.ranking.candidates import Candidate
from foundation.store.parallel import run_parallel

from . import services


class MoreQuestionsForm(QuestionsForm):
    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["questions"].label = gettext_lazy("Add questions, one per line")
        self.fields["questions"].required = False
        self.fields["questions"].widget.attrs["rows"] = 3


class QuestionForm(BallotForm):
    """What each question has for itself: candidates, the kind of ballot, and how it is counted."""

    kind = UsualField(label=gettext_lazy("Kind of ballot"), choices=list(KINDS.items()), initial="ranked")
    method = forms.ChoiceField(label=gettext_lazy("Method"), choices=list(RANKED_METHODS.items()))
    scoring = UsualField(label=gettext_lazy("Method"), choices=list(SCORING_CARDS.items()), initial="star")
    majority = SettingsForm.base_fields["majority"]
    seats = forms.IntegerField(label=gettext_lazy("Seats"), min_value=1, max_value=MAX_SEATS)
    fewest = SettingsForm.base_fields["fewest"]
    most = SettingsForm.base_fields["most"]
    unranked = forms.ChoiceField(
        label=gettext_lazy("A candidate left out of a ranking counts as"), choices=list(UNRANKED.items())
    )

    def __init__(self, *arguments: Any, election: Election, there: Sequence[Candidate], label: str, leader: Election):
        self.election, self.there, self.question = election, there, label
        settings = {name: getattr(election, name) for name in kinds.SETTINGS} | chosen_methods(election)
        settings["for_groups"] = election.for_groups
        super().__init__(*arguments, there=1, prefix=rules.question_key(election.name), initial=settings)
        self.fields["names"].help_text, self.fields["names"].widget.attrs["rows"] = "", 4
        self.fields["majority"].follow(leader.electorate)
        if leader.voter_groups:
            self.fields["for_groups"] = for_groups_field(leader.voter_groups)

    def clean_for_groups(self) -> tuple[str, ...]:
        return tuple(self.cleaned_data["for_groups"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            cleaned = counted_settings(cleaned)
            check_settings(cleaned["method"], cleaned["seats"], secret_ballot=False, results_visible="closed")
        return cleaned


@dataclass(frozen=True, slots=True)
class Found:
    """A multi-question ballot with its leading election, which decides who may do what."""

    multi_ballot: MultiBallot
    leader: Election


def load(multi_ballot_id: str) -> Found | None:
    multi_ballot = repository.find(multi_ballot_id)
    leader = elections.find(multi_ballot.leader) if multi_ballot else None
    return Found(multi_ballot, leader) if multi_ballot and leader else None


def organiser_page(action: Action) -> Any:
    """A page for organisers of the ballot."""
    rule = lambda user, found: may(action)(user, found.leader)  # noqa: E731
    return requires(Permission.USE_APPLICATION, load=load, rule=rule, organises=True)


def multi_ballot_context(request: HttpRequest, found: Found, **more: Any) -> dict[str, Any]:
    return election_context(request, found.leader, multi_ballot=found.multi_ballot, **more)


@requires(Permission.VIEW_APPLICATION, load=load, rule=lambda user, found: check_visible(user, found.leader))
@require_safe
def multi_ballot(request: HttpRequest, found: Found) -> HttpResponse:
    """What the ballot asks, and the way to one's own."""
    questions, listed = services.questions_shown_to(request.user, found.multi_ballot, found.leader)
    has_vote = bool(listed) or found.leader.is_open_to(request.user.votes_since)
    context = {
        "questions": [(found.multi_ballot.short(each.name), each) for each in questions],
        "voted": sum(entry.voted for entry in listed),
        "has_vote": has_vote,
        "may_vote": has_vote and found.leader.takes_votes(now_text()),
    }
    return render(request, "elections/multi_ballots/multi_ballot.html", multi_ballot_context(request, found, **context))


# --- making and changing ---


@requires(Permission.USE_APPLICATION)
@form_page
def make_multi_ballot(request: HttpRequest) -> HttpResponse:
    """The first step of the guided setup, for several questions. Idempotent, as that of one election is."""
    if request.POST.get("beginning", SEVERAL) != SEVERAL:
        return redirect("create_election", preserve_request=True)
    form = NewElectionForm(form_data(request), initial={"beginning": SEVERAL})
    mark = f"{request.user.name} {token_in(request.POST)}"

    def make() -> None:
        run_once(mark, lambda: services.make(request.user, mark=mark, **form.values()), None)

    if saved(request, form, make, "questions"):
        return redirect("multi_ballot_questions", multi_ballot_id=services.ballot_id(mark))
    return creation_page(request, form, setup_steps.WHAT_SEVERAL)


@organiser_page(Action.SET_UP)
@form_page
def rename_multi_ballot(request: HttpRequest, found: Found) -> HttpResponse:
    step, multi_ballot, leader = setup_steps.WHAT_SEVERAL, found.multi_ballot, found.leader
    form = NameForm(form_data(request), initial={"name": multi_ballot.name})
    if (over := over_page(request, leader, step)) is not None:
        return over
    if saved(request, form, lambda: services.rename(request.user, multi_ballot, form.cleaned_data["name"])):
        return redirect(setup_steps.next_url(step, leader))
    return step_page(request, leader, step, form, multi_ballot=multi_ballot)


@organiser_page(Action.SET_UP)
@form_page
def multi_ballot_questions(request: HttpRequest, found: Found) -> HttpResponse:
    """Every question with its candidates, in one form: whichever button is pressed, all of it is saved."""
    step, multi_ballot, leader = setup_steps.QUESTIONS, found.multi_ballot, found.leader
    if (over := over_page(request, leader, step)) is not None:
        return over
    more = MoreQuestionsForm(form_data(request))
    asked = [
        QuestionForm(form_data(request), label=label, election=each, there=there, leader=leader)
        for label, each, there in questions_of(multi_ballot)
    ]
    every: list[forms.Form] = [*asked, more]
    if request.method == "POST" and all(form.is_valid() for form in every):
        for form in asked:
            with refusals_as_errors(form, "names"):
                services.prepare(request.user, form.election, **form.cleaned_data)
        with refusals_as_errors(more, "questions"):
            services.add(request.user, multi_ballot, more.cleaned_data["questions"])
        if not any(form.errors for form in every):
            return _after_questions(request, found, is_longer=bool(more.cleaned_data["questions"]))
    context = {"asked": asked, "wrong": [form for form in every if form.errors], "multi_ballot": multi_ballot}
    return step_page(request, leader, step, more, may_grow=len(asked) < rules.MAX_QUESTIONS, **context)


def _after_questions(request: HttpRequest, found: Found, *, is_longer: bool) -> HttpResponse:
    if {"up", "down", "remove"} & request.POST.keys():
        return _order_questions(request, load(found.multi_ballot.id) or found)
    url = setup_steps.step_url if is_longer or "stay" in request.POST else setup_steps.next_url
    return redirect(url(setup_steps.QUESTIONS, found.leader))


def questions_of(multi_ballot: MultiBallot) -> list[Question]:
    questions = repository.questions(multi_ballot)
    found = run_parallel(table(), *(partial(elections.candidates_by_name, each.name) for each in questions))
    return [(multi_ballot.short(each.name), each, there) for each, there in zip(questions, found, strict=True)]


def _order_questions(request: HttpRequest, found: Found) -> HttpResponse:
    """Move a question up or down, or take it out."""
    multi_ballot, post = found.multi_ballot, request.POST
    move = partial(services.move, request.user, multi_ballot)
    if "up" in post:
        run_action(request, lambda: move(post["up"], up=True), _("Moved."))
    if "down" in post:
        run_action(request, lambda: move(post["down"], up=False), _("Moved."))
    if "remove" in post:
        done = _("It is off the ballot and a separate draft again.")
        run_action(request, lambda: services.take_out(request.user, multi_ballot, post["remove"]), done)
    is_left = repository.find(multi_ballot.id) is not None
    return redirect("multi_ballot_questions", multi_ballot_id=multi_ballot.id) if is_left else redirect("elections")


# --- from draft to closed ---


@organiser_page(Action.LOOK)
@require_safe
def multi_ballot_dashboard(request: HttpRequest, found: Found) -> HttpResponse:
    """Status, next step, turnout and mails of all questions, and each of them."""
    questions, work = run_parallel(
        table(), lambda: questions_of(found.multi_ballot), lambda: repository.ACTING.find(found.multi_ballot.id)
    )
    questions, unasked = services.as_opened(found.leader, questions)
    votes = [each.voted for each in turnouts(*(election for _label, election, _there in questions), to_show=True)]
    lacking = [each for each in questions if _is_lacking(*each)]
    _label, first, candidates = (lacking or questions)[0]
    whole = replace(found.leader, seats=first.seats)
    if lacking and whole.stored_state == State.DRAFT:
        whole = replace(whole, for_groups=first.for_groups, excluded=first.excluded, extra_votes=first.extra_votes)
    named = [(label, each) for label, each, _there in questions]
    context = dashboard_context(request, whole, lambda: candidates, named, unasked, for_all=True)
    context["offered"] -= {"REHEARSE", "ENTER_PAPER", "FIX"}  # for one question at a time
    context |= {"rows": list(zip(questions, votes, strict=True)), "lacking": lacking, "is_busy": work is not None}
    context["multi_ballot"] = found.multi_ballot
    return render(request, "elections/multi_ballots/dashboard.html", context)


def _is_lacking(_label: str, election: Election, candidates: Sequence[Candidate]) -> bool:
    lacks = opening_rules.lacks_candidates(election, len(candidates)) or opening_rules.lacks_group(election)
    return lacks or election.has_secret_weights


@organiser_page(Action.OPEN)
@form_page
def open_multi_ballot(request: HttpRequest, found: Found) -> HttpResponse:
    if request.method == "POST":
        done = _("The ballot is open: %(count)d questions.") % {"count": len(found.multi_ballot.questions)}
        run_action(request, lambda: services.open_(request.user, found.multi_ballot), done)
        return redirect("multi_ballot_dashboard", multi_ballot_id=found.multi_ballot.id)
    read = lambda: services.as_opened(found.leader, questions_of(found.multi_ballot))  # noqa: E731
    return opening_page(request, found.leader, forms.Form(), read, multi_ballot=found.multi_ballot)


@organiser_page(Action.EXTEND)
@form_page
def extend_multi_ballot(request: HttpRequest, found: Found) -> HttpResponse:
    form = EndForm(form_data(request), zone=found.leader.time_zone)
    if run_form(
        request,
        form,
        lambda: services.extend(request.user, found.multi_ballot, form.stored("ends")),
        _("The new end is saved."),
    ):
        show_time_notes(request, form)
        return redirect("multi_ballot_dashboard", multi_ballot_id=found.multi_ballot.id)
    lead = _("For all questions on the ballot.")
    context = multi_ballot_context(request, found, lead=f"{lead} {EXTENDING}")
    return show_form(request, form, _("Extend voting"), _("Extend voting"), **context)


@organiser_page(Action.CLOSE)
@form_page
def close_multi_ballot(request: HttpRequest, found: Found) -> HttpResponse:
    if request.method == "POST":
        run_action(request, lambda: services.close(request.user, found.multi_ballot), _("The ballot is closed."))
        return redirect("multi_ballot_dashboard", multi_ballot_id=found.multi_ballot.id)
    questions = repository.questions(found.multi_ballot)
    voted = max((each.voted for each in turnouts(*questions)), default=0)
    context = {"title": _("Close the ballot"), "button": _("Close all questions for good")}
    context["consequences"] = closing(found.leader, voted, now_text())
    return render(request, "elections/numbers_first.html", multi_ballot_context(request, found, **context))
