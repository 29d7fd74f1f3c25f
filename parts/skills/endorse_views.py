"""Pages about endorsements: who endorses a skill, endorsing, and the endorsements one gave."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from accounts.services import name_and_role
from foundation.acts.storage import now_text, table
from foundation.pages.forms import form_data, form_page, refusals_as_errors, token_in
from foundation.pages.messages import run_action
from foundation.pages.names import natural_sort_key
from foundation.pages.paging import list_context
from foundation.store import keys

from . import endorsements as items
from . import merging, repository, services
from .access import Entry, endorsable_for, endorsement_by, endorsement_of, entry_for
from .endorsements import Endorsement
from .forms import EndorseForm
from .repository import Profile
from .rules import OwnSkills, Visibility

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
    rows = _rows(user, entry, items.visible_to(name_and_role(user), context["rows"]))
    context |= {"holders": [row for row in rows if row["holds"]], "others": [row for row in rows if not row["holds"]]}
    context |= {"is_mine": keys.fold(person.name) == keys.fold(user.name)}
    context |= {"person": person, "skill": entry.skill, "held": entry.held}
    return render(request, "skills/endorsements.html", context)


def _rows(viewer: User, entry: Entry, visible: list[Endorsement]) -> list[dict[str, Any]]:
    peers = items.by_peers(visible)
    mutual = _endorsed_by(viewer, entry.profile.person) if visible else set()
    return [{"endorsement": each, "holds": each in peers, "mutual": keys.fold(each.by) in mutual,
             "is_mine": keys.fold(each.by) == keys.fold(viewer.name)} for each in visible]  # fmt: skip


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
