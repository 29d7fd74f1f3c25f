"""An electorate from skills: everybody who shows members that they can do this, looked at before anybody is added."""

from __future__ import annotations

from itertools import islice

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from elections.access import context_of, run
from elections.rules import Action, Election
from elections.skills_needed.forms import SkilledForm
from pages import lists
from pages.forms import form_page, posted, show_form
from pages.lists import Verdict
from pages.sorting import as_people_sort
from skills import repository as skills
from skills.rules import Skill, level_of

from .views import previewed


@run(Action.ADD_VOTERS)
@form_page
def skilled(request: HttpRequest, election: Election) -> HttpResponse:
    """First which skill, then a preview as of an import, and the same button."""
    form = SkilledForm(posted(request))
    if request.method == "POST" and form.is_valid():
        skill, least = form.cleaned_data["skill"], form.cleaned_data["level"]
        return previewed(request, election, _rows(skill, least), skilled=_sentence(skill, least))
    context = context_of(request, election, lead=_("Everybody who shows members that they have it."))
    return show_form(request, form, _("Voters by skill"), _("Look at the list"), **context)


def _rows(skill: Skill, least: int) -> list[lists.Row]:
    """By name, and no more than a list may have."""
    found = sorted((name for name, _level in islice(skills.holders(skill, least), lists.MAX_ROWS)), key=as_people_sort)
    return [lists.Row(line, name, name, Verdict.NEW) for line, name in enumerate(found, 1)]


def _sentence(skill: Skill, least: int) -> str:
    words = {"skill": skill.name, "level": level_of(least).label}
    return _("Everybody with %(skill)s at %(level)s or above.") % words
