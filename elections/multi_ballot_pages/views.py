"""Pages for multi-question ballots, for voters and organisers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.rules import Permission
from acts.storage import now_text, table
from elections import actions, rolls
from elections import repository as elections
from elections import rules as of_elections
from elections.access import check_visible, election_context, may
from elections.lifecycle.consequences import Figure, time_left
from elections.lifecycle.forms import EndForm
from elections.multi_ballots import repository, rules
from elections.multi_ballots.rules import MultiBallot
from elections.rules import MAX_SEATS, METHODS, UNRANKED, Action, Election, check_settings
from elections.turnout.counts import turnout
from pages import lists
from pages.fields import LinesField, TitleField, read_names
from pages.forms import form_data, form_page, run_form, show_form
from pages.messages import run_action, show_time_notes
from store.parallel import run_parallel

from . import services


class QuestionsForm(forms.Form):
    questions = LinesField(
        label=gettext_lazy("Questions, one per line"),
        max_length=200 * rules.MAX_QUESTIONS * 2,
        rows=5,
        help_text=gettext_lazy(
            "For example: Chair, Treasurer, Colour of the door. To include a draft of yours, enter its name. "
            "Up to 20 questions, with 1,000 candidates in total."
        ),
    )

    def clean_questions(self) -> list[str]:
        return read_names(lists.read_candidates, self.cleaned_data["questions"])


class MoreQuestionsForm(QuestionsForm):
    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["questions"].label = gettext_lazy("Add questions, one per line")
        self.fields["questions"].widget.attrs["rows"] = 3


class MultiBallotForm(QuestionsForm):
    """A new ballot with several questions."""

    name = TitleField(
        label=gettext_lazy("Name of the ballot"),
        help_text=gettext_lazy("Voters see it: “Annual meeting 2027”, for example."),
    )
    field_order = ("name",)


class MultiBallotNameForm(forms.Form):
    name = TitleField(label=gettext_lazy("Name of the ballot"))


class QuestionForm(forms.Form):
    """What each question has for itself."""

    method = forms.ChoiceField(label=gettext_lazy("Method"), choices=list(METHODS.items()))
    seats = forms.IntegerField(label=gettext_lazy("Seats"), min_value=1, max_value=MAX_SEATS)
    unranked = forms.ChoiceField(
        label=gettext_lazy("A candidate left out of a ranking counts as"), choices=list(UNRANKED.items())
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
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
    questions = repository.questions(found.multi_ballot)
    entries = run_parallel(table(), *(partial(rolls.find_with_entry, each.name, request.user) for each in questions))
    listed = [entry for _election, entry in filter(None, entries) if entry is not None]
    has_vote = bool(listed) or found.leader.is_open_to(request.user.votes_since)
    context = {
        "questions": [(found.multi_ballot.short(each.name), each) for each in questions],
        "voted": sum(entry.voted for entry in listed),
        "may_vote": has_vote and found.leader.takes_votes(now_text()),
    }
    return render(request, "elections/multi_ballots/multi_ballot.html", multi_ballot_context(request, found, **context))


# --- making and changing ---


@requires(Permission.USE_APPLICATION)
@form_page
def make_multi_ballot(request: HttpRequest) -> HttpResponse:
    form = MultiBallotForm(form_data(request))
    made: list[MultiBallot] = []
    done = _("Your questions are saved. Now add candidates to each, and voters to the first.")
    if run_form(request, form, lambda: made.append(services.make(request.user, **form.cleaned_data)), done):
        return redirect("multi_ballot_dashboard", multi_ballot_id=made[0].id)
    lead = _(
        "People vote on all of them in one go: one roll, one voting period, one invitation. Each "
        "question is an election of its own, with its own candidates, count and proof."
    )
    return show_form(request, form, _("Several questions on one ballot"), _("Create the ballot"), lead=lead)


@organiser_page(Action.LOOK)
@form_page
def multi_ballot_dashboard(request: HttpRequest, found: Found) -> HttpResponse:
    """All questions, what they lack before opening, and a form to add more."""
    multi_ballot, form = found.multi_ballot, MoreQuestionsForm(form_data(request))
    act = lambda: services.add(request.user, multi_ballot, form.cleaned_data["questions"])  # noqa: E731
    if run_form(request, form, act, _("The questions are on the ballot.")):
        return redirect("multi_ballot_dashboard", multi_ballot_id=multi_ballot.id)
    context = multi_ballot_context(request, found, form=form, **_overview(found))
    return render(request, "elections/multi_ballots/dashboard.html", context, status=422 if form.errors else 200)


def _overview(found: Found) -> dict[str, Any]:
    multi_ballot, leader = found.multi_ballot, found.leader
    questions = repository.questions(multi_ballot)
    is_draft = leader.stored_state == of_elections.State.DRAFT
    rows = [_row(multi_ballot, leader, each, is_draft=is_draft) for each in questions]
    _multi_ballot, work = repository.find_with_task(multi_ballot.id)
    return {
        "rows": rows,
        "is_busy": work is not None,
        "is_ready": not any(row["missing"] for row in rows),
        "may_grow": len(questions) < rules.MAX_QUESTIONS,
    }


def _row(multi_ballot: MultiBallot, leader: Election, election: Election, *, is_draft: bool) -> dict[str, Any]:
    candidates = len(elections.candidates(election.name))
    return {
        "question": multi_ballot.short(election.name),
        "election": election,
        "leads": multi_ballot.is_led_by(election.name),
        "candidates": candidates,
        "missing": rules.missing(election, leader, candidates, now_text()) if is_draft else "",
        "voted": None if is_draft else turnout(election).voted,
    }


@organiser_page(Action.SET_UP)
@require_POST
def order_multi_ballot(request: HttpRequest, found: Found) -> HttpResponse:
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
    return redirect("multi_ballot_dashboard", multi_ballot_id=multi_ballot.id) if is_left else redirect("elections")


@organiser_page(Action.SET_UP)
@form_page
def rename_multi_ballot(request: HttpRequest, found: Found) -> HttpResponse:
    form = MultiBallotNameForm(form_data(request), initial={"name": found.multi_ballot.name})
    act = lambda: services.rename(request.user, found.multi_ballot, form.cleaned_data["name"])  # noqa: E731
    if run_form(request, form, act, _("Saved."), "name"):
        return redirect("multi_ballot_dashboard", multi_ballot_id=found.multi_ballot.id)
    return _form(request, form, found, _("Rename the ballot"), _("Save"))


def load_question(multi_ballot_id: str, name: str) -> tuple[Found, Election] | None:
    found, election = load(multi_ballot_id), elections.find(name)
    return (found, election) if found and election and election.book == multi_ballot_id else None


@requires(
    Permission.USE_APPLICATION, load=load_question, rule=lambda user, both: may(Action.SET_UP)(user, both[0].leader)
)
@form_page
def question_settings(request: HttpRequest, both: tuple[Found, Election]) -> HttpResponse:
    """How this question is counted."""
    found, election = both
    initial = {name: getattr(election, name) for name in QuestionForm.base_fields}
    form = QuestionForm(form_data(request), initial=initial)
    act = lambda: actions.change(request.user, election, Action.SET_UP, **form.cleaned_data)  # noqa: E731
    if run_form(request, form, act, _("The settings are saved.")):
        return redirect("multi_ballot_dashboard", multi_ballot_id=found.multi_ballot.id)
    return _form(request, form, found, found.multi_ballot.short(election.name), _("Save settings"))


def _form(request: HttpRequest, form: Any, found: Found, title: str, button: str, **more: Any) -> HttpResponse:
    return show_form(request, form, title, button, **multi_ballot_context(request, found, **more))


# --- from draft to closed ---


@organiser_page(Action.OPEN)
@form_page
def open_multi_ballot(request: HttpRequest, found: Found) -> HttpResponse:
    if request.method == "POST":
        done = _("The ballot is open: %(count)d questions.") % {"count": len(found.multi_ballot.questions)}
        run_action(request, lambda: services.open_(request.user, found.multi_ballot), done)
        return redirect("multi_ballot_dashboard", multi_ballot_id=found.multi_ballot.id)
    values = {"count": len(found.multi_ballot.questions), "voters": found.leader.voter_count}
    lead = ngettext(
        "%(count)d question opens for %(voters)d voters on the roll.",
        "%(count)d questions open at once for %(voters)d voters on the roll.",
        values["count"],
    )
    lead = lead % values if found.leader.electorate == "listed" else _("All questions open at once for everybody here.")
    also = _("After that, candidates, settings and questions cannot be changed, and voters can only be added.")
    return _confirmation_page(request, found, _("Open the ballot"), _("Open all questions"), f"{lead} {also}")


def _confirmation_page(
    request: HttpRequest, found: Found, title: str, button: str, lead: str, **more: Any
) -> HttpResponse:
    """Numbers and questions first, and then the button."""
    context = {"title": title, "button": button, "lead": lead, "figures": _figures(found), **_overview(found), **more}
    return render(request, "elections/multi_ballots/act.html", multi_ballot_context(request, found, **context))


def _figures(found: Found) -> list[Figure]:
    figures = [Figure(_("Questions"), str(len(found.multi_ballot.questions)))]
    if found.leader.electorate == "listed":
        figures.append(Figure(_("On the roll"), str(found.leader.voter_count)))
    return figures + time_left(found.leader, now_text())


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
    return _form(request, form, found, _("Extend voting"), _("Extend voting"), lead=lead)


@organiser_page(Action.CLOSE)
@form_page
def close_multi_ballot(request: HttpRequest, found: Found) -> HttpResponse:
    if request.method == "POST":
        run_action(request, lambda: services.close(request.user, found.multi_ballot), _("The ballot is closed."))
        return redirect("multi_ballot_dashboard", multi_ballot_id=found.multi_ballot.id)
    values = {"count": len(found.multi_ballot.questions)}
    lead = _("All %(count)d questions close. After that nobody can vote, and nothing can be changed.") % values
    return _confirmation_page(
        request, found, _("Close the ballot"), _("Close all questions for good"), lead, danger=True
    )
