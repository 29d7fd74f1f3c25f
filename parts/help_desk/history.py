"""What the history of an election says of requests."""

from __future__ import annotations

from django.utils.translation import gettext as _

from elections.history.entries import EventContext


def request_answered(context: EventContext) -> str:
    if context.data.get("outcome") == "refused":
        return context.text(_("%(who)s refused a request to be put on the roll."))
    if context.data.get("outcome") == "dismissed":
        return context.text(_("%(who)s closed a request without an answer."))
    return context.text(_("%(who)s answered a request."))
