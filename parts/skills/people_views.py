"""Pages about people's skills: finding people by skill, profiles, one's own skills, and endorsements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from accounts.services import name_and_role
from foundation.acts.storage import now_text, table
from foundation.pages import markdown
from foundation.pages.forms import form_data, form_page, refusals_as_errors, token_in
from foundation.pages.messages import run_action
from foundation.pages.names import natural_sort_key
from foundation.pages.paging import list_context, read_page
from foundation.store import keys
from foundation.store.parallel import run_parallel

from . import endorsements as items
from . import finding, merging, repository, services
from .access import Entry, endorsable_for, endorsement_by, endorsement_of, entry_for, of_owners, profile_for
from .endorsements import Endorsement
from .finding import MAX_HOLDERS, SkillSearch, as_csv, skill_matrix
from .forms import EndorseForm, FindPeopleForm, FindSkillForm, HeldForm, VisibilityForm
from .repository import Profile
from .rules import OwnSkills, Skill, Visibility

# --- rows of a profile ---


def rows_of(own: OwnSkills) -> list[dict[str, Any]]:
    """Skills with their names, highest level first."""
    named, now = repository.find_many(own.held), now_text()
    rows = [{"skill": named[each.skill], "held": each, "stale": each.is_stale(now)}
            for each in own.held.values() if each.skill in named]  # fmt: skip
    return sorted(rows, key=lambda row: (-row["held"].level, natural_sort_key(row["skill"].name)))


def endorsed_rows(viewer: User, profile: Profile, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adds to each skill the number of endorsements visible to the viewer; keeps the order."""
    counts = items.counts(name_and_role(viewer), profile.endorsements)
    own = {each.skill for each in profile.endorsements if keys.fold(each.by) == keys.fold(viewer.name)}
    own |= items.given_to(profile.person.name, profile.uncounted, viewer.name)
    is_open = profile.own.visibility == Visibility.MEMBERS and viewer.can_vote
    may = is_open and keys.fold(profile.person.name) != keys.fold(viewer.name)
    return [row | counts.get((profile.person.name, row["held"].skill), items.NONE_COUNTED)
            | {"has_more": row["held"].skill in profile.uncounted,
               "may_endorse": may and row["held"].skill not in own} for row in rows]  # fmt: skip


# --- viewing ---


@requires(Permission.VIEW_APPLICATION, load_for=entry_for)
@require_safe
def endorsements(request: HttpRequest, entry: Entry) -> HttpResponse:
    """First those who have the skill themselves, then the others, each by name."""
    person, user = entry.profile.person, request.user
    context = list_context(request, partial(items.received, person.name, entry.held.skill))
    visible = items.visible_to(name_and_role(user), context["rows"])
    peers = items.by_peers(visible)
    mutual = _endorsed_by(user, entry.profile.person) if visible else set()
    rows = [
        {
            "endorsement": each,
            "holds": each in peers,
            "mutual": keys.fold(each.by) in mutual,
            "is_mine": keys.fold(each.by) == keys.fold(user.name),
        }
        for each in visible
    ]
    context |= {"holders": [row for row in rows if row["holds"]], "others": [row for row in rows if not row["holds"]]}
    context |= {"is_mine": keys.fold(person.name) == keys.fold(user.name)}
    context |= {"person": person, "skill": entry.skill, "held": entry.held}
    return render(request, "skills/endorsements.html", context)


def _endorsed_by(viewer: User, person: User) -> set[str]:
    """Folded names of the people this person endorses, as far as the viewer may see."""
    theirs = map(items.endorsement_of, table().each(keys.endorses(person.name)))
    is_own = keys.fold(viewer.name) == keys.fold(person.name)
    return {keys.fold(each.name) for each in theirs if is_own or not each.hidden}


# --- endorsing ---


@requires(Permission.VOTE, load_for=endorsable_for)
@form_page
def endorse(request: HttpRequest, entry: Entry) -> HttpResponse:
    form, person = EndorseForm(form_data(request)), entry.profile.person
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            grounds = form.cleaned_data["grounds"]
            services.endorse(request.user, person, entry.skill.id, grounds, token_in(request.POST))
            messages.success(request, _("You have endorsed %(name)s.") % {"name": person.name})
            return redirect("profile", person.name)
    is_hidden = repository.own_skills(request.user.name).visibility != Visibility.MEMBERS
    context = {"person": person, "skill": entry.skill, "held": entry.held, "is_hidden": is_hidden}
    context |= {"form": form, "token": token_in(request.POST)}
    return render(request, "skills/endorse.html", context, status=422 if form.errors else 200)


@requires(Permission.VOTE, load_for=endorsement_by)
@require_POST
def withdraw(request: HttpRequest, own: Endorsement) -> HttpResponse:
    done = _("Your endorsement of %(name)s is withdrawn.") % {"name": own.name}
    run_action(request, lambda: services.withdraw(request.user, own.name, own.skill), done)
    return redirect("own_endorsements")


@requires(Permission.VOTE)
@require_safe
def given(request: HttpRequest) -> HttpResponse:
    """Endorsements the user gave, which they can withdraw."""
    context = list_context(request, partial(items.given, request.user.name))
    named = {each.skill: merging.follow_merges(each.skill) for each in context["rows"]}
    rows = [{"endorsement": each, "skill": named[each.skill]} for each in context["rows"] if named[each.skill]]
    return render(request, "skills/own_endorsements.html", {**context, "rows": rows})


# --- endorsements received ---


@requires(Permission.VOTE, load_for=endorsement_of)
@require_POST
def hide(request: HttpRequest, received: Endorsement) -> HttpResponse:
    return _hide(request, received, True, _("Others no longer see the endorsement by %(name)s."))


@requires(Permission.VOTE, load_for=endorsement_of)
@require_POST
def show(request: HttpRequest, received: Endorsement) -> HttpResponse:
    return _hide(request, received, False, _("Others see the endorsement by %(name)s again."))


def _hide(request: HttpRequest, received: Endorsement, hidden: bool, done: str) -> HttpResponse:
    by, skill_id = received.by, received.skill
    run_action(request, lambda: services.hide(request.user, skill_id, by, hidden), done % {"name": by})
    return redirect("endorsements", request.user.name, skill_id)


PAGE_CARDS = 12
MAX_OTHER_SKILLS = 4  # on a card, besides those searched for
PAGE_COLUMNS = 12  # skills on a page of the matrix


def _search_form(request: HttpRequest) -> FindPeopleForm:
    """Looks up the skills while the user is still being authenticated."""
    is_submitted = any(name in request.GET for name in FindPeopleForm.base_fields)
    form = FindPeopleForm(request.GET if is_submitted else None)
    run_parallel(table(), form.is_valid, lambda: form.skills_by_name)
    return form


@requires(Permission.VIEW_APPLICATION, ahead=_search_form)
@require_safe
def find_people(request: HttpRequest, form: FindPeopleForm) -> HttpResponse:
    """Criteria are in the URL, so that a search can be shared."""
    criteria = form.cleaned_data["criteria"] if form.is_valid() else None
    context = found_people(request, criteria, **form.parameters) if criteria else {}
    return render(request, "skills/find_people.html", {"form": form, **context}, status=422 if form.errors else 200)


def found_people(request: HttpRequest, criteria: SkillSearch, **parameters: str) -> dict[str, Any]:
    """A page of cards."""
    names, older = read_page(request, partial(finding.search, criteria), PAGE_CARDS, **parameters)
    cards = run_parallel(table(), *(partial(_card, request.user, name, criteria.skills) for name in names))
    return {"criteria": criteria, "older": older, "cards": list(filter(None, cards))}


def _card(viewer: User, name: str, wanted: Sequence[Skill]) -> dict[str, Any] | None:
    """The skills searched for, and the best of the others; None for somebody who has just hidden them, or left."""
    profile = profile_for(viewer, name)
    if profile is None:
        return None
    rows = {row["skill"].id: row for row in endorsed_rows(viewer, profile, rows_of(profile.own))}
    first = [rows.pop(each.id) for each in wanted if each.id in rows]
    return {"person": profile.person, "wanted": first, "others": list(rows.values())[:MAX_OTHER_SKILLS]}


# --- the matrix ---


@requires(Permission.MANAGE_USERS)
@require_safe
def matrix(request: HttpRequest) -> HttpResponse:
    """A page of skills, optionally of one category, and everybody who shows one of them."""
    category = request.GET.get("category", "")
    parameters = {"category": category} if category else {}

    def read_columns(*, limit: int, cursor: str | None) -> tuple[list[Skill], str | None]:
        return repository.catalogue(category=category, limit=min(limit, PAGE_COLUMNS), cursor=cursor)

    (skills, older), categories = run_parallel(
        table(), lambda: read_page(request, read_columns, **parameters), repository.categories
    )
    context = {"matrix": skill_matrix(skills, MAX_HOLDERS), "older": older, "category": category}
    return render(request, "skills/matrix.html", {**context, "categories": categories})


@requires(Permission.MANAGE_USERS)
@require_safe
def matrix_csv(request: HttpRequest) -> StreamingHttpResponse:
    response = StreamingHttpResponse(as_csv(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="skills.csv"'
    return response


def search_results(request: HttpRequest, form: FindSkillForm) -> dict[str, Any]:
    """Empty unless there is something to search for."""
    query = form.cleaned_data["q"] if form.is_valid() else ""
    return {"searched": query, **list_context(request, partial(repository.search, query), q=query)} if query else {}


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
def remove(request: HttpRequest, skill: Skill) -> HttpResponse:
    done = _("%(name)s is no longer in your profile.") % {"name": skill.name}
    run_action(request, lambda: services.remove_from_profile(request.user, skill.id), done)
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
