"""From the page of one question to where the same is done for all of them."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse

from elections.rules import Action, Election, State

from . import repository, rules

WHERE = {Action.OPEN: "open_book", Action.EXTEND: "extend_book", Action.CLOSE: "close_book"}


def elsewhere(request: HttpRequest, election: Election, action: Action) -> str | None:
    """The address at which this is done for all questions on the ballot; nothing, if it is done here."""
    book = repository.find(election.book) if election.book else None
    if book is None:
        return None
    if action in rules.TOGETHER:
        return reverse(WHERE.get(action, "book_dashboard"), args=[book.id])
    if book.is_led_by(election.name):
        return None
    if action == Action.SET_UP:
        return reverse("question_settings", args=[book.id, election.name])
    if action in rules.BY_THE_LEADER or (action == Action.SEE_ROLL and election.stored_state == State.DRAFT):
        match = request.resolver_match
        route = match.url_name if match and set(match.kwargs) == {"name"} else "roll"
        return reverse(route or "roll", args=[book.leader])
    return None
