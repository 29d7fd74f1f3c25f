"""Access to pages about an election, and the context all of them share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Protocol

from django.http import Http404, HttpRequest

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.hooks import Hooks
from foundation.acts.storage import now_text

from . import actions, repository, rules
from .rules import Action, Election, Relation, State


class Guest(Protocol):
    """A voter without an account, whose browser was let in by a voting link."""

    @property
    def voter(self) -> str: ...


Reader = User | Guest
# Returns the guest that a valid voting link in this browser makes; ballots know, which are above elections.
GUESTS = Hooks[[HttpRequest, str], Guest | None]("when somebody without an account looks at an election")


def guest_of(request: HttpRequest, name: str) -> Guest | None:
    """None for members, who look at it as themselves."""
    if request.user.is_authenticated and request.user.can(Permission.VIEW_APPLICATION):
        return None
    return next((guest for find in GUESTS if (guest := find(request, name)) is not None), None)


# A page about an election for everybody who may see it.
for_readers = partial(requires, Permission.VIEW_APPLICATION, guests=guest_of)


def check_visible(who: Reader, election: Election) -> None:
    """A draft exists only for those who run it."""
    runs_it = isinstance(who, User) and actions.relation(who, election) != Relation.NOBODY
    if election.stored_state == State.DRAFT and not runs_it:
        raise Http404


def may(action: Action) -> Callable[[User, Election], None]:
    def rule(user: User, election: Election) -> None:
        check_visible(user, election)
        rules.check_who(actions.relation(user, election), action)

    return rule


def organiser_page(action: Action) -> Any:
    """A page for organisers."""
    return requires(Permission.USE_APPLICATION, load=load_question, rule=may(action), organises=True)


def load_question(name: str, question: int = 1) -> Election | None:
    """The election as it asks the question that an address names."""
    election = repository.find_settled(name)
    return election.at(question) if election and election.has_question(question) else None


def organiser_page_with(action: Action, find: Callable[..., Any]) -> Any:
    """A page for organisers about something within the election, found by its name and the other URL parts."""

    def load(name: str, question: int = 1, **more: str) -> tuple[Election, Any] | None:
        election = load_question(name, question)
        asked = {"question": question} if question > 1 else {}
        found = find(name, **asked, **more) if election else None
        return (election, found) if election and found else None

    return requires(Permission.USE_APPLICATION, load=load, rule=lambda user, found: may(action)(user, found[0]))


def election_context(request: HttpRequest, election: Election, **more: Any) -> dict[str, Any]:
    """The context every page about an election needs: the election, its state and what this person may do."""
    state = election.state(now_text())
    user = request.user
    who = actions.relation(user, election) if user.is_authenticated else Relation.NOBODY
    context = {"election": election, "state": state}
    context["offered"] = _offered(who, state, has_candidates=election.kind != "yes-no")
    return context | more


@cache  # of the few answers there are
def _offered(who: Relation, state: State, *, has_candidates: bool) -> frozenset[str]:
    without = frozenset() if has_candidates else rules.OF_CANDIDATES
    return frozenset(action.name for action in rules.offered(who, state) if action not in without)
