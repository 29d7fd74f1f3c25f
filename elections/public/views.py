"""Pages of elections: lists, the public page, and what organisers do from draft to closed."""

from __future__ import annotations

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from acts.links import absolute_url
from acts.storage import now_text
from elections import repository
from elections.access import context_of, panels, visible
from elections.invitations import wording
from elections.repository import Description, Voter
from elections.roll.forms import SearchForm
from elections.rules import Election, State
from pages import markdown_cache
from pages.markdown import excerpt
from pages.page_cache import Fragment, cache_key, get_or_render, page_with
from pages.paging import read_page
from ranking.rank_inputs import choices_of
from store.keys import fold
from store.log import utc_now

from . import own_elections
from .calendar import NotInTheCalendar
from .calendar import calendar as as_calendar

SHOWN = "elections/parts/shown.html"
STATES = {"open": State.OPEN, "closed": State.CLOSED}  # by the tab that shows them


# --- lists ---


@requires(Permission.VIEW_APPLICATION)
@require_safe
def elections(request: HttpRequest) -> HttpResponse:
    """All, or those of one state; or one's own: those one may vote in, and those one runs."""
    tab = request.GET.get("show", "mine" if request.user.can(Permission.VOTE) else "open")
    form = SearchForm(request.GET)
    prefix = form.cleaned_data["q"] if form.is_valid() else ""
    if tab == "mine" and not prefix:
        return _mine(request)
    tab = tab if tab in STATES else "all"
    read = partial(repository.lists, prefix=prefix, state=STATES.get(tab))
    found, older = read_page(request, read, show=tab, q=prefix)
    now = now_text()
    shown = [(each, each.state(now)) for each in found if each.stored_state != State.DRAFT]
    return render(request, "elections/elections.html", {"rows": shown, "older": older, "tab": tab, "form": form})


def _mine(request: HttpRequest) -> HttpResponse:
    found, older = read_page(request, partial(own_elections.own, request.user), show="mine")
    now = now_text()
    rows = [(each.listed, each.listed.state(now), each, each.waits(now)) for each in found]
    context = {"rows": rows, "older": older, "tab": "mine", "form": SearchForm()}
    return render(request, "elections/elections.html", context)


def load_to_show(user: User, name: str) -> tuple[Election, Voter | None, Description] | None:
    found = repository.find_to_show(name, user)
    if found is not None:
        visible(user, found[0])
    return found


@requires(Permission.VIEW_APPLICATION, load_for=load_to_show)
@require_safe
def election(request: HttpRequest, found: tuple[Election, Voter | None, Description]) -> HttpResponse:
    """The election's public page: what it is about, who stands, and the way to one's own ballot."""
    election, entry, about = found
    has_vote, now = entry is not None or election.is_open_to(request.user.votes_since), now_text()
    more = {
        "about": about,
        "may_vote": has_vote and election.takes_votes(now),
        "voted": entry is not None and entry.voted,
        "asked": _asked(election, entry) if has_vote else (),
        "live": election.shows_live(now),
        "beside": panels(request.user, election),
    }
    context = context_of(request, election, **more)
    return page_with(request, _shown(election, context["state"]), "elections/election.html", context)


def _shown(election: Election, state: State) -> Fragment:
    """What it is like and who stands, which its version tells; and of whom the statement is not rendered yet."""
    candidates = repository.candidates_of(election)
    made_of = election, state, [each.html is None for each in candidates]
    said = lambda: {"election": election, "state": state, "choices": choices_of(candidates, {})}  # noqa: E731
    return get_or_render(cache_key(SHOWN, fold(election.name)), SHOWN, said, made_of)


def _asked(election: Election, entry: Voter | None) -> tuple[str, ...]:
    """What the invitation says, for whoever has not voted yet."""
    is_over = election.state(now_text()) not in (State.EDITABLE, State.OPEN)
    if is_over or (entry is not None and entry.voted):
        return ()
    return wording.invitation_sentences(election, entry.invited if entry else "")


def visible_with_words(user: User, found: tuple[Election, Description]) -> None:
    visible(user, found[0])


@requires(Permission.VIEW_APPLICATION, load=repository.find_described, rule=visible_with_words)
@require_safe
def calendar(request: HttpRequest, found: tuple[Election, Description]) -> HttpResponse:
    """The election for one's own calendar; one without times has nothing to put there."""
    election, about = found
    url = absolute_url(reverse("election", args=[election.name]))
    words = {"name": election.name, "url": url, "description": excerpt(markdown_cache.description_html(about), 500)}
    try:
        file = as_calendar(**words, opens=election.begins, closes=election.ended or election.ends, now=utc_now())
    except NotInTheCalendar:
        raise Http404 from None
    answer = HttpResponse(file, content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="election.ics"'
    return answer


# --- setting up ---


# --- candidates ---
