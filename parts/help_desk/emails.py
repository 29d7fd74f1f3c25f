"""The mails of the help desk: to organisers, that requests wait; to whoever asked, the answer."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from elections import repository
from elections.invitations import wording
from elections.rules import Election
from foundation.mail.emails import EmailTemplate, Mail, Message, NothingToSay
from foundation.mail.names import isolated
from foundation.pages import markdown

from . import repository as requests
from .rules import Reply
from .services import waiting_text


def _election(mail: Mail) -> Election:
    if (election := repository.find(mail.about["election_name"])) is None:
        raise NothingToSay
    return election


def _reply(mail: Mail) -> Reply:
    """As it is stored; gone, if the request was deleted."""
    request = requests.find(mail.about["election_name"], mail.about["request"])
    if request is None or len(request.replies) <= int(mail.about["reply"]):
        raise NothingToSay
    return request.replies[int(mail.about["reply"])]


def _reply_values(mail: Mail) -> dict[str, str]:
    answer, election = _reply(mail), _election(mail).name
    names = {"who": isolated(wording.person_label(answer.by)), "election": isolated(election)}
    answers = _("%(who)s, who runs the election “%(election)s”, has answered your request.") % names
    return {"election": election, "sentences": " ".join(filter(None, (answers, str(answer.sentence))))}


def _reply_message(mail: Mail) -> Message | None:
    text = _reply(mail).text
    return Message("", text, markdown.preview(text)) if text else None


EMAIL_TEMPLATES = {
    "requests_waiting": EmailTemplate(
        gettext_noop("Requests are waiting: %(election)s"),
        (
            gettext_noop("In the election “%(election)s”: %(waiting)s"),
            gettext_noop("You get at most one such email an hour, however many requests come in."),
        ),
        lambda mail: reverse("requests", args=[mail.about["election_name"]]),
        gettext_noop("Open the inbox"),
        is_over=lambda mail: not requests.waiting(mail.about["election_name"]),
        values=lambda mail: {
            "election": _election(mail).name,
            "waiting": waiting_text(requests.waiting(mail.about["election_name"])),
        },
        title=gettext_noop("Requests to organisers"),
        urgent=True,
    ),
    "request_answered": EmailTemplate(
        gettext_noop("Answer to your request: %(election)s"),
        ("%(sentences)s",),
        lambda mail: reverse("ask_for_help", args=[mail.about["election_name"]]),
        gettext_noop("Ask again"),
        message=_reply_message,
        values=_reply_values,
        title=gettext_noop("Answer to a request"),
        reply_to=wording.reply_address,
        urgent=True,
    ),
}
