"""Pages of the skill catalogue: browsing, proposing, and managing it."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from foundation.acts.rate_limits import SECONDS_PER_DAY, Limit, count
from foundation.pages.forms import form_data, form_page, refusals_as_errors, run_form, show_form
from foundation.pages.fragments import shared_page
from foundation.pages.messages import run_action
from foundation.pages.paging import list_context

from . import merging, repository, services
from .access import listed_for, of_admins
from .finding import SkillSearch
from .forms import AliasForm, DescribeForm, FindSkillForm, MergeForm, RenameForm, SkillForm
from .merging import Preview
from .people_views import found_people, search_results
from .repository import Match
from .rules import Skill, State

PROPOSALS = Limit("skill-proposals", 20, SECONDS_PER_DAY)


# --- viewing ---


@requires(Permission.VIEW_APPLICATION)
@require_safe
def skills(request: HttpRequest) -> HttpResponse:
    """The catalogue by category, or search results."""
    form, category = FindSkillForm(request.GET), request.GET.get("category", "")[:400]
    context = search_results(request, form)
    if not context:
        context = list_context(request, partial(repository.catalogue, category=category), category=category)
        context["rows"] = [Match(skill, skill.name) for skill in context["rows"]]
        context["categories"] = repository.categories()
    return render(request, "skills/skills.html", {"form": form, "category": category, **context})


@requires(Permission.VIEW_APPLICATION, load_for=listed_for)
@require_safe
def skill(request: HttpRequest, skill: Skill) -> HttpResponse:
    if skill.id != request.resolver_match.kwargs["skill_id"]:
        return redirect("skill", skill.id, permanent=True)
    context = {"skill": skill, "is_proposed": skill.state == State.PROPOSED}
    if skill.state == State.LISTED:
        context |= found_people(request, SkillSearch((skill,)))
    return render(request, "skills/skill.html", context)


@public
@require_safe
def help_skills(request: HttpRequest) -> HttpResponse:
    return shared_page(request, "skills/help_skills.html", "skills/parts/help_skills.html")


# --- proposing ---


@requires(Permission.VOTE)
@form_page
def propose(request: HttpRequest) -> HttpResponse:
    form = _skill_form(request)
    done = _("Thank you. An admin will look at your proposal.")

    def act() -> None:
        count(PROPOSALS, request.user.name)
        services.propose(request.user, **form.cleaned_data)

    if run_form(request, form, act, done, "name"):
        return redirect("skills")
    lead = _("Tell us what is missing. An admin decides whether to add it to the catalogue.")
    return show_form(request, form, _("Propose a skill"), _("Propose"), lead=lead)


def _skill_form(request: HttpRequest) -> SkillForm:
    initial = {"name": request.GET.get("name", "")[:200], "category": request.GET.get("category", "")[:200]}
    return SkillForm(form_data(request), categories=category_names(), initial=initial)


def category_names() -> list[str]:
    """Names of existing categories."""
    return [each.name for each in repository.categories()]


@requires(Permission.MANAGE_USERS)
@require_safe
def proposals(request: HttpRequest) -> HttpResponse:
    return render(request, "skills/proposals.html", list_context(request, repository.proposals))


@of_admins(require_POST)
def approve(request: HttpRequest, skill: Skill) -> HttpResponse:
    done = _("%(name)s is now in the catalogue.") % {"name": skill.name}
    run_action(request, lambda: services.approve(request.user, skill), done)
    return redirect("skill_proposals")


@of_admins(require_POST)
def refuse(request: HttpRequest, skill: Skill) -> HttpResponse:
    done = _("%(name)s is rejected.") % {"name": skill.name}
    run_action(request, lambda: services.refuse(request.user, skill), done)
    return redirect("skill_proposals")


# --- managing ---


@requires(Permission.MANAGE_USERS)
@form_page
def add(request: HttpRequest) -> HttpResponse:
    form = _skill_form(request)
    added = lambda skill: _("%(name)s is now in the catalogue.") % {"name": skill.name}  # noqa: E731
    if run_form(request, form, lambda: services.add(request.user, **form.cleaned_data), added, "name"):
        return redirect("skills")
    return show_form(request, form, _("New skill"), _("Add"))


@of_admins(form_page)
def edit(request: HttpRequest, skill: Skill) -> HttpResponse:
    initial = {"category": skill.category, "description": skill.description}
    form = DescribeForm(form_data(request), categories=category_names(), initial=initial)
    if run_form(request, form, lambda: services.edit(request.user, skill, **form.cleaned_data), _("Saved.")):
        return redirect("skill", skill.id)
    return show_form(request, form, _("Edit %(name)s") % {"name": skill.name}, _("Save"))


@of_admins(form_page)
def rename(request: HttpRequest, skill: Skill) -> HttpResponse:
    form = RenameForm(form_data(request), initial={"name": skill.name})
    act = lambda: services.rename(request.user, skill, form.cleaned_data["name"])  # noqa: E731
    if run_form(request, form, act, _("Renamed."), "name"):
        return redirect("skill", skill.id)
    lead = _("Its address stays the same, and the old name still leads to it.")
    return show_form(request, form, _("Rename %(name)s") % {"name": skill.name}, _("Rename"), lead=lead)


@of_admins(form_page)
def add_alias(request: HttpRequest, skill: Skill) -> HttpResponse:
    form = AliasForm(form_data(request))
    act = lambda: services.add_alias(request.user, skill, form.cleaned_data["alias"])  # noqa: E731
    if run_form(request, form, act, _("People who search for this name now find this skill."), "alias"):
        return redirect("skill", skill.id)
    return show_form(request, form, _("Another name for %(name)s") % {"name": skill.name}, _("Add"))


@of_admins(require_POST)
def remove_alias(request: HttpRequest, skill: Skill) -> HttpResponse:
    alias = request.POST.get("alias", "")
    run_action(request, lambda: services.remove_alias(request.user, skill, alias), _("The other name is removed."))
    return redirect("skill", skill.id)


# --- merging ---


@of_admins(form_page)
def merge(request: HttpRequest, skill: Skill) -> HttpResponse:
    """First the target, then a preview, then a confirmation."""
    form = MergeForm(request.POST if request.method == "POST" else request.GET if "into" in request.GET else None)
    context: dict[str, Any] = {"skill": skill, "form": form}
    if form.is_bound and form.is_valid():
        target = form.cleaned_data["into"]
        with refusals_as_errors(form, "into"):
            if request.method == "POST":
                merging.merge(request.user, skill, target)
                done = _("%(old)s is now part of %(new)s. People's profiles follow in a moment.")
                messages.success(request, done % {"old": skill.name, "new": target.name})
                return redirect("skill", target.id)
            context |= {"target": target, "effects": merge_effects(merging.preview(skill, target))}
    return render(request, "skills/merge.html", context, status=422 if form.errors else 200)


def merge_effects(preview: Preview) -> list[str]:
    """Describes the effects of a merge in sentences."""
    holders = ngettext(
        "%(count)d person has it in their profile.", "%(count)d people have it in their profiles.", preview.holders
    )
    both = ngettext(
        "%(count)d of them has both: the newer entry stays.", "%(count)d of them have both: the newer entry stays.",
        preview.both,
    )  # fmt: skip
    effects = [holders % {"count": preview.holders}, both % {"count": preview.both}]
    if not preview.is_complete:
        limit = {"count": merging.MAX_PREVIEWED_HOLDERS}
        effects.append(_("The second number covers only the first %(count)d.") % limit)
    return [*effects, _("Hidden entries are merged too, but not counted here.")]
