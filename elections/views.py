"""Pages about elections for everybody: the lists, and an election."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import current_person, requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.storage import now_text, table
from foundation.pages.fragments import Fragment, cache_key, get_or_render, page_with
from foundation.pages.paging import PAGE_ROWS, read_page
from foundation.ranking.marks import choices_of
from foundation.store.keys import fold
from foundation.store.parallel import run_parallel

from . import own_elections, repository, rolls
from .access import Reader, check_visible, election_context, for_readers
from .invitations import wording
from .panels import answers_with_candidates, panels
from .repository import Description
from .roll.forms import SearchForm
from .rolls import Voter
from .rules import Election, State, urgency

PUBLIC_PART = "elections/parts/public_part.html"
STATES = {"open": State.OPEN, "closed": State.CLOSED}  # by the tab that shows them


# --- lists ---


@requires(Permission.VIEW_APPLICATION)
@require_safe
def elections(request: HttpRequest) -> HttpResponse:
    """All, or those of one state; or one's own: those one may vote in, and those one runs."""
    tab = request.GET.get("show", "mine" if request.user.can(Permission.VOTE) else "open")
    form, now = SearchForm(request.GET), now_text()
    prefix = form.cleaned_data["q"] if form.is_valid() else ""
    if tab == "mine" and not prefix:
        own, older = read_page(request, partial(own_elections.own_elections, request.user), show="mine")
        own = sorted(own, key=lambda each: (not each.waits(now), *urgency(each.listed, now)))
        rows = [(each.listed, each.listed.state(now), each, each.waits(now)) for each in own]
        context = {"rows": rows, "older": older, "tab": "mine", "form": SearchForm()}
        return render(request, "elections/elections.html", context)
    tab = tab if tab in STATES else "all"
    read = partial(repository.list_elections, prefix=prefix, state=STATES.get(tab))
    is_first = tab == "all" and not prefix and "after" not in request.GET
    (found, older), running = run_parallel(
        table(),
        lambda: read_page(request, read, show=tab, q=prefix),
        lambda: repository.list_elections(state=State.OPEN, limit=PAGE_ROWS)[0] if is_first else [],
    )
    found = list({each.name: each for each in (*found, *running)}.values())  # what is open comes first, however old
    found = found if prefix else sorted(found, key=lambda each: urgency(each, now))
    listed = [(each, each.state(now)) for each in found if each.stored_state != State.DRAFT]
    return render(request, "elections/elections.html", {"rows": listed, "older": older, "tab": tab, "form": form})


def load_for_page(who: Reader, name: str) -> tuple[Election, Voter | None, Description] | None:
    found = rolls.find_for_page(name, who) if isinstance(who, User) else rolls.find_for_guest(name, who.voter)
    if found is not None:
        check_visible(who, found[0])
    return found


@for_readers(load_for=load_for_page)
@require_safe
def election(request: HttpRequest, found: tuple[Election, Voter | None, Description]) -> HttpResponse:
    """The public page: description, candidates, and the way to one's ballot."""
    election, entry, about = found
    user = request.user if isinstance(current_person(request), User) else None
    has_vote = entry is not None or (user is not None and election.is_open_to(user.votes_since))
    has_voted, now = entry is not None and entry.voted, now_text()
    is_invited = has_vote and not has_voted and election.state(now) in (State.EDITABLE, State.OPEN)
    more = {
        "about": about,
        "may_vote": has_vote and election.takes_votes(now),
        "voted": has_voted,
        "invitation": wording.invitation_sentences(election, entry.invited if entry else "") if is_invited else (),
        "live": election.shows_live(now),
        "panels": panels(user, election) if user is not None else [],
    }
    context = election_context(request, election, **more)
    return page_with(request, _public_part(election, context["state"]), "elections/election.html", context)


def _public_part(election: Election, state: State) -> Fragment:
    """Facts and candidates, cached by version and by which statements are rendered."""
    questions = [(each, repository.candidates_of(each)) for each in election.questions]
    made_of = election, state, [each.html is None for _question, candidates in questions for each in candidates]

    def make_context() -> dict[str, Any]:
        asked = [(each, choices_of(there, {}), answers_with_candidates(each)) for each, there in questions]
        return {"election": election, "state": state, "asked": asked}

    return get_or_render(cache_key(PUBLIC_PART, fold(election.name)), PUBLIC_PART, make_context, made_of)
