"""Pages about one's own skills, and a profile as others see it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.rules import Permission
from foundation.pages import markdown
from foundation.pages.forms import form_data, form_page, refusals_as_errors, token_in
from foundation.pages.messages import run_action

from . import repository, services
from .access import of_owners, profile_for
from .endorse_views import endorsed_rows, rows_of
from .forms import FindSkillForm, HeldForm, VisibilityForm
from .repository import Profile
from .rules import Skill
from .views import search_results

# --- own skills ---


@requires(Permission.VOTE)
@require_safe
def own_skills(request: HttpRequest) -> HttpResponse:
    own = repository.own_skills(request.user.name)
    form = VisibilityForm(initial={"visibility": own.visibility.value})
    return render(request, "skills/own_skills.html", {"rows": rows_of(own), "form": form, "own": own})


@requires(Permission.VOTE)
@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """Finds a skill to add by the beginning of its name; as you type, if scripts are enabled."""
    form = FindSkillForm(request.GET)
    return render(request, "skills/find.html", {"form": form, **search_results(request, form)})


@of_owners(form_page)
def hold(request: HttpRequest, skill: Skill) -> HttpResponse:
    """State one's level in a skill, or change it."""
    before = repository.own_skills(request.user.name).held.get(skill.id)
    form = HeldForm(form_data(request), initial=before.statement if before else None)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            services.hold(request.user, skill.id, token_in(request.POST), **form.cleaned_data)
            messages.success(request, _("%(name)s is now in your profile.") % {"name": skill.name})
            return redirect("own_skills")
    context = {"skill": skill, "form": form, "before": before, "token": token_in(request.POST)}
    return render(request, "skills/hold.html", context, status=422 if form.errors else 200)


@of_owners(require_POST)
def confirm(request: HttpRequest, skill: Skill) -> HttpResponse:
    done = _("%(name)s is confirmed.") % {"name": skill.name}
    seen = request.POST.get("seen", "")
    run_action(request, lambda: services.confirm(request.user, skill.id, seen), done)
    return redirect("own_skills")


@of_owners(require_POST)
def let_go(request: HttpRequest, skill: Skill) -> HttpResponse:
    done = _("%(name)s is no longer in your profile.") % {"name": skill.name}
    run_action(request, lambda: services.let_go(request.user, skill.id), done)
    return redirect("own_skills")


@requires(Permission.VOTE)
@require_POST
def show_to(request: HttpRequest) -> HttpResponse:
    form = VisibilityForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose who can see your profile."))
        return redirect("own_skills")
    chosen = form.cleaned_data["visibility"]
    run_action(request, lambda: services.show_to(request.user, chosen), chosen.label)
    return redirect("own_skills")


# --- profiles ---


@requires(Permission.VIEW_APPLICATION, load_for=profile_for)
@require_safe
def profile(request: HttpRequest, profile: Profile) -> HttpResponse:
    person, own = profile.person, profile.own
    context = {"person": person, "own": own, "is_mine": person.name == request.user.name}
    context |= {"about": markdown.preview(person.about)}
    context |= {"rows": endorsed_rows(request.user, profile, rows_of(own))}
    return render(request, "skills/profile.html", context)
