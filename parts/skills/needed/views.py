"""Skills in an election: what it needs, who agrees to show theirs, voters by skill, and what the winners can do."""

from __future__ import annotations

from itertools import islice

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from elections import repository, voter_lists
from elections.access import check_visible, election_context, organiser_page, organiser_page_with
from elections.roll.views import preview_page
from elections.rules import MAX_SEATS, Action, Election, State
from foundation.acts.links import absolute_url
from foundation.pages import lists
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.lists import Verdict
from foundation.pages.messages import run_action
from foundation.pages.names import natural_sort_key
from foundation.ranking.candidates import Candidate
from parts.skills import repository as skills
from parts.skills.forms import SkillField
from parts.skills.rules import LEVELS, level_of
from results.repository import Found, Sealed
from results.views import not_yet, of_results

from . import coverage, needs, services
from .coverage import level_label
from .needs import Need, Snapshot
from .services import ask_candidates, drop_need, set_need


class SkilledForm(forms.Form):
    """A skill, by any of its names, and a least level."""

    skill = SkillField(
        label=gettext_lazy("Skill"), help_text=gettext_lazy("Its name in the catalogue, or another name for it.")
    )
    level = forms.TypedChoiceField(
        label=gettext_lazy("At least"),
        coerce=int,
        choices=lambda: [(each.number, f"{each.label}: {each.sentence}") for each in LEVELS],
        initial=3,
    )


class SkilledVotersForm(SkilledForm):
    as_group = forms.BooleanField(
        label=gettext_lazy("Make them a voter group"),
        required=False,
        help_text=gettext_lazy("With the name of the skill. A question can be for some groups only."),
    )


class NeedForm(SkilledForm):
    count = forms.IntegerField(
        label=gettext_lazy("How many of those elected"), min_value=1, max_value=MAX_SEATS, initial=1
    )


@organiser_page(Action.LOOK)
@form_page
def needs_page(request: HttpRequest, election: Election) -> HttpResponse:
    """The needs, a form to add more, and which candidates agreed to show their skills."""
    form = NeedForm(form_data(request))

    def act() -> None:
        data = form.cleaned_data
        set_need(request.user, election, Need(data["skill"].id, data["level"], data["count"]))

    if run_form(request, form, act, _("Saved."), "skill"):
        return redirect("needs", name=election.name)
    context = election_context(request, election, form=form, needs=needs.named(needs.find_needs(election.name)))
    address = absolute_url(reverse("agree", args=[election.name]))
    answers = needs.agreements(election)
    is_offered = Action.SET_NEEDS.name in context["offered"]
    to_ask = needs.unasked_candidates(election, context["needs"], answers) if is_offered else []
    context |= {"agreed": [each for each in answers if each.skills], "address": address, "to_ask": len(to_ask)}
    return render(request, "skills/needed/needs.html", context, status=422 if form.errors else 200)


@organiser_page_with(Action.SET_NEEDS, lambda name, skill_id: skill_id)
@require_POST
def drop(request: HttpRequest, found: tuple[Election, str]) -> HttpResponse:
    election, skill_id = found
    run_action(request, lambda: drop_need(request.user, election, skill_id), _("The skill is removed."))
    return redirect("needs", name=election.name)


@organiser_page(Action.SET_NEEDS)
@require_POST
def ask(request: HttpRequest, election: Election) -> HttpResponse:
    """Mail the candidates who were not asked yet."""
    run_action(request, lambda: ask_candidates(request.user, election), _("Mails to the candidates are on their way."))
    return redirect("needs", name=election.name)


# --- candidates ---


def load_own_candidacy(user: User, name: str) -> tuple[Election, Candidate] | None:
    """An election, at a question in which this person is a candidate, even a draft; 404 for everyone else."""
    election = repository.find_settled(name)
    return needs.candidacy_of(election, user.name) if election else None


@requires(Permission.VOTE, load_for=load_own_candidacy)
@form_page
def agree(request: HttpRequest, found: tuple[Election, Candidate]) -> HttpResponse:
    """What would be shown, to whom and when; with a button to agree and one to decline."""
    election, candidate = found
    if request.method == "POST":
        act, done = (services.disagree, _("Your skills will not be shown.")) if "withdraw" in request.POST else (
            services.agree, _("You agreed. You can withdraw until the election opens."))  # fmt: skip
        run_action(request, lambda: act(request.user, election, candidate), done)
        return redirect("agree", name=election.name)
    agreement = needs.agreement_of(election, candidate.name)
    context = {"candidate": candidate, "is_draft": election.stored_state == State.DRAFT, "agreement": agreement}
    # each need, one's own level, and whether one agreed to show it; or the snapshot taken at the opening
    if context["is_draft"]:
        own, agreed = skills.own_skills(request.user.name).held, agreement.skills if agreement else ()
        wanted = needs.named(needs.find_needs(election.name))
        levels = [own[each.skill].level if each.skill in own else 0 for each in wanted]
        rows = zip(wanted, levels, strict=True)
        context["rows"] = [(each, level_label(level), each.skill in agreed) for each, level in rows]
    else:
        snapshot = needs.snapshot_of(election.name)
        shown = labelled_levels(snapshot, request.user.name) if snapshot else []
        context["rows"] = [(need, level, bool(level)) for need, level in shown]
    return render(request, "skills/needed/agree.html", election_context(request, election, **context))


def labelled_levels(snapshot: Snapshot, candidate: str) -> list[tuple[Need, str]]:
    return [(need, level_label(level)) for need, level in snapshot.levels_of(candidate)]


# --- before the vote ---


def load_snapshot(user: User, name: str) -> tuple[Election, Snapshot] | None:
    """Only where the organiser chose so when it opened."""
    election = repository.find(name)
    if election is None or not election.shows_skills:
        return None
    check_visible(user, election)
    snapshot = needs.snapshot_of(name)
    return (election, snapshot) if snapshot else None


@requires(Permission.VIEW_APPLICATION, load_for=load_snapshot)
@require_safe
def candidate_skills(request: HttpRequest, found: tuple[Election, Snapshot]) -> HttpResponse:
    """What candidates state about themselves, in the election's order and without a total."""
    election, snapshot = found
    asked = [
        (
            question,
            [(each, labelled_levels(snapshot, each.name)) for each in repository.candidates_by_name(*question.address)],
        )
        for question in election.questions
        if question.kind != "yes-no"
    ]
    context = election_context(request, election, asked=asked, needs=snapshot.needs)
    return render(request, "skills/needed/candidates.html", context)


# --- voters by skill, previewed before they are added ---


@organiser_page(Action.ADD_VOTERS)
@form_page
def voters(request: HttpRequest, election: Election) -> HttpResponse:
    """First which skill, then a preview as of an import, and the same button."""
    form = SkilledVotersForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        skill, least = form.cleaned_data["skill"], form.cleaned_data["level"]
        holders = islice(skills.holders(skill, least), lists.MAX_ROWS)  # as many as a list may have
        names = sorted((name for name, _level in holders), key=natural_sort_key)
        rows = [voter_lists.VoterRow(line, name, name, Verdict.NEW) for line, name in enumerate(names, 1)]
        values = {"skill": skill.name, "level": level_of(least).label}
        sentence = _("Everybody with %(skill)s at %(level)s or above.") % values
        groups = (voter_lists.group_named(skill.name),) if form.cleaned_data["as_group"] else ()
        again = reverse("skilled_voters", args=[election.name])
        return preview_page(request, election, rows, groups, skilled=sentence, another_skill=again)
    context = election_context(request, election, lead=_("Everybody who lets members see that they have this skill."))
    return show_form(request, form, _("Voters by skill"), _("Check the list"), **context)


# --- the result ---


@of_results
@require_safe
def coverage_csv(request: HttpRequest, found: Found) -> HttpResponseBase:
    if not isinstance(found, Sealed):
        return not_yet(request, found)
    if (covered := coverage.coverage_of(found)) is None:
        raise Http404
    answer = StreamingHttpResponse(coverage.as_csv(covered), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="skills.csv"'
    return answer
