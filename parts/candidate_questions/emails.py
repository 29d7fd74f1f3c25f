"""Emails to candidates about new questions: one about several, to those whose address is known."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from accounts import repository as people
from accounts.models import User
from accounts.rules import Permission
from elections import repository
from elections.invitations.emails import unless
from elections.rules import Election, State
from foundation.acts import features
from foundation.acts.background import Batch, Task, TaskType, finished, wait
from foundation.acts.storage import now_text, table, try_write
from foundation.mail import outbox
from foundation.mail.emails import EmailTemplate
from foundation.store import keys
from foundation.store.keys import fold
from foundation.store.log import as_text, utc_now
from foundation.store.table import Check, Equals, Missing, Update

from . import repository as asked
from . import rules
from .rules import AskedCandidate

DELAY = timedelta(minutes=45)  # for further questions to come in
BATCH_MAILS = 50
TELLING = TaskType("tell candidates", _("Emailing candidates about new questions"))


def is_on() -> bool:
    return features.is_on("candidate_questions")


def schedule(election: Election) -> None:
    """Unless a mail is due anyway, which will be about this question as well."""
    due = as_text(utc_now() + DELAY)
    try_write(TELLING.begin(election.name, due=due, created_at=election.created_at))


@TELLING.step
def mail_candidates(task: Task) -> Batch:
    election = repository.find(task.subject)
    is_same = election is not None and election.created_at == task.data["created_at"]
    if election is None or not is_same or not rules.is_taking(election, now_text()):
        return finished()
    if not is_on():
        return wait(DELAY.total_seconds())
    begun = task.progress.get("begun") or asked.now_ms() - 1  # what is shown in this very millisecond is told next time
    done = task.progress.get("done", 0)
    candidates = asked.candidates_of(election)
    names = sorted({fold(each.name) for each in candidates})[done : done + BATCH_MAILS]
    if not names:
        return _finished_round(election, begun)
    mails = [
        outbox.queued("candidate_questions", each.email, election_name=election.name)
        for each in _recipients(election, [each for each in candidates if fold(each.name) in names])
    ]
    return Batch(mails, {"begun": begun, "done": done + len(names)})


def _finished_round(election: Election, begun: int) -> Batch:
    """A question that was shown while the mails were written has a mail of its own. If one is shown just now, this is
    refused and done again: a question counts itself when it is sent, or in the election when it is approved."""
    board = keys.candidate_qa(election.name)
    sent = (table().get(board) or {}).get("sent")
    mark = Update(board, set={"told": begun}, when=Equals("sent", sent) if sent is not None else Missing("sent"))
    counted = Equals("answers", election.answers)
    unchanged = Check(keys.election(election.name), counted if election.answers else counted | Missing("answers"))
    if any(each.is_seen and each.shown_at > begun for each in asked.read(election.name).questions):
        return Batch([mark, unchanged], {}, wait_seconds=DELAY.total_seconds())
    return finished(mark, unchanged)


def _recipients(election: Election, some: list[AskedCandidate]) -> list[User]:
    """Candidates with an account who have questions to answer that are newer than the last mail; once each, even if
    they stand in several questions of the election."""
    known, counts = asked.read(election.name), table().get(keys.candidate_qa(election.name)) or {}
    users = accounts_of(election, some)
    waiting = {each.number: rules.unanswered(known.questions, known.answers, each.number) for each in some}
    new = {number for number, own in waiting.items() if any(each.shown_at > counts.get("told", 0) for each in own)}
    return list({user.name: user for number, user in users.items() if number in new}.values())


def accounts_of(election: Election, some: Sequence[AskedCandidate]) -> dict[int, User]:
    """The candidates' accounts, by number."""
    places = {each.number: keys.user(each.name) for each in some}
    found = table().get_many({*places.values()}) if places else {}
    users = [(each, people.user_of(found[places[each.number]])) for each in some if places[each.number] in found]
    return {
        each.number: user
        for each, user in users
        if rules.is_account_of(election, user, each) and user.can(Permission.VIEW_APPLICATION)
    }


is_closed = unless(State.EDITABLE, State.OPEN)


EMAIL_TEMPLATES = {
    "candidate_questions": EmailTemplate(
        gettext_noop("New questions to you as a candidate: %(election)s"),
        (
            gettext_noop("There are new questions to you as a candidate in the election “%(election)s”."),
            gettext_noop(
                "Voters see your answers with your name and on the ballot. You can change them until voting ends."
            ),
        ),
        lambda mail: reverse("answer_questions", args=[mail.about["election_name"]]),
        gettext_noop("Answer the questions"),
        is_over=lambda mail: not is_on() or is_closed(mail),  # while it is off, the link would lead nowhere
        values=lambda mail: {"election": mail.about["election_name"]},
        title=gettext_noop("New questions to a candidate"),
    )
}
