"""Links on request: somebody enters an address, and if it may vote in anything open, its links are mailed there.

A request counts for its network and stores a task, always at the same cost: it reads nothing of the address, so neither
the response nor its timing depends on who the address belongs to. Requests for one address are one task. A worker looks
the address up, and mails it once for all requests of some minutes. What has to wait until then is a task apart: the
task that requests store is gone soon, whether or not the address may vote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language, gettext_lazy, gettext_noop, override
from django.utils.translation import gettext as _

from accounts import mail_quota
from accounts import repository as people
from accounts.access import public
from accounts.models import User
from foundation.acts.background import OVERWRITE, Batch, Task, TaskType, due_in, finished, wait
from foundation.acts.rate_limits import (
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
    TEN_MINUTES_IN_SECONDS,
    Limit,
    TooOften,
    count_beyond,
    count_each,
)
from foundation.acts.storage import now_text, table, try_write
from foundation.mail import outbox
from foundation.mail.emails import RECIPIENT_NAME, EmailTemplate, LinkedItem, Mail, Withdrawn
from foundation.pages.client_address import client_network
from foundation.pages.fields import AddressField
from foundation.pages.forms import form_data, form_page, show_form
from foundation.pages.messages import inbox_page
from foundation.store import keys
from foundation.store.table import Condition, Equals, Item, Missing, Put, Write

from . import repository, rolls
from .invitations import wording
from .invitations.emails import voting_url
from .invitations.mailing import INVITED, invitation
from .invitations.voting_link import REQUESTED
from .panels import asking_hint, where_to_ask
from .rules import Election

# Every limit delays or merges mails; none refuses anybody.
# Requests of one network beyond these come later, one after another: sooner than `PER_NETWORK` lets their mails go.
PROMPT_PER_NETWORK = Limit("my-link-asked", 60, TEN_MINUTES_IN_SECONDS)
LATE_SECONDS = 0.25
# Between two mails to one address: short at first, for who has deleted one; long where somebody keeps asking.
PAUSES = (TEN_MINUTES_IN_SECONDS, SECONDS_PER_HOUR, 6 * SECONDS_PER_HOUR, SECONDS_PER_DAY)
# Only mails that are really sent count, so addresses that are made up delay nobody.
PER_NETWORK = Limit("my-link-network", 300, TEN_MINUTES_IN_SECONDS)
SITE_WIDE = Limit("my-link-site", 3000, TEN_MINUTES_IN_SECONDS)
NO_QUOTA_LEFT_SECONDS = 600  # before checking again whether the organiser's mails of the day have room

REQUESTED_LINKS = "requested_links"
MAX_LISTED_VOTES = 50
ANSWERING = TaskType("mail requested links", gettext_lazy("Mailing links on request"), keys.LINK_TASKS)


# --- everything open that the owner of an address may vote in ---


@dataclass(frozen=True, slots=True)
class OpenVote:
    """An election, and the entry on its roll."""

    election: Election
    voter: str  # as on the roll; where every member may vote, the account
    was_invited: bool


@dataclass(frozen=True, slots=True)
class OpenVotes:
    """What one address may vote in, the one that ends first on top."""

    to: str  # as it is stored, never as it was typed
    name: str  # to greet them by
    person: User | None
    votes: list[OpenVote]


def open_votes(address: str) -> OpenVotes:
    """By the address, by their account, or as a member."""
    person = people.find_by_email(address)
    if person is not None and not person.can_vote:
        return OpenVotes(person.email, "", person, [])
    entries = rolls.newest_entries(keys.elections_of_voter(address))
    if person is not None:
        entries = rolls.entries_of(person, [*entries, *rolls.newest_entries(keys.elections_of_voter(person.name))])
    everyone = rolls.newest_entries(keys.FOR_EVERYONE) if person else []
    names = {keys.fold(each["election_name"]): each["election_name"] for each in (*entries, *everyone)}
    open_ = repository.open_elections(names.values(), now_text())
    own = {keys.fold(each.name): vote for each in open_ if (vote := _vote(each, entries, person))}
    votes = sorted(own.values(), key=lambda each: each.election.no_voting_after or "~")
    if person is not None:
        return OpenVotes(person.email, person.display_name or person.name, person, votes)
    first = next(iter(entries), {})
    return OpenVotes(first.get("voter_name", ""), first.get("display_name", ""), None, votes)


def _vote(election: Election, entries: Iterable[Item], person: User | None) -> OpenVote | None:
    """By an entry on its roll, the one that voted if there are two; or as a member."""
    here = [each for each in entries if keys.fold(each["election_name"]) == keys.fold(election.name)]
    entitled = [each for each in here if election.questions_for(rolls.groups_of(each))]
    if entitled:
        entry = min(entitled, key=lambda each: not each["voted"])
        return OpenVote(election, entry["voter_name"], INVITED in entry)
    is_open = person is not None and not here and election.is_open_to(person.votes_since)
    return OpenVote(election, person.name, True) if person and is_open else None


# --- asking ---


def request_links(address: str, network: str, election_name: str = "") -> None:
    """Ask for the links of an address; the election is listed first in the mail.

    A network that floods is never refused, but comes later, and apart: it puts off nothing that others asked for. There
    the first request for an address keeps its turn.
    """
    about: Item = {"address": address, "network": _mark("network", network)}
    about |= {"first": election_name, "language": get_language() or "en"}
    if beyond := count_beyond(PROMPT_PER_NETWORK, network):
        late = _mark("late address", f"{network} {address}")
        try_write(ANSWERING.begin(late, due=due_in(LATE_SECONDS * beyond), **about))
    else:
        table().write(ANSWERING.begin(_mark("address", address), due=now_text(), when=OVERWRITE, **about))


def _mark(kind: str, text: str) -> str:
    return salted_hmac("elections.link_requests", f"{kind} {keys.fold(text)}", algorithm="sha256").hexdigest()


class MyLinkForm(forms.Form):
    email = AddressField(help_text=gettext_lazy("The address to which your invitation was sent."))


@public
@form_page
def my_link(request: HttpRequest, name: str = "") -> HttpResponse:
    """For the site, or from the page of an election, which need not exist. The answer is always the same: who is on a
    roll is told by mail only."""
    form, help_url = MyLinkForm(form_data(request)), where_to_ask(name) if name else ""
    if request.method == "POST" and form.is_valid():
        request_links(form.cleaned_data["email"], client_network(request), name)
        sentence = _("If this address may vote in anything that is open, an email with a link for each is on its way.")
        hints = [
            _("It usually arrives within a minute. Check your spam folder, too."),
            _(
                "If you have asked before, it can take longer: repeated requests are answered together. The links in "
                "the last email still work."
            ),
            _(
                "If no email comes, this address is not on the roll of anything open. You may be listed under another "
                "one."
            ),
            _("If that does not help, ask whoever runs the election.") if name else asking_hint(),
        ]
        return inbox_page(request, sentence, hints=list(filter(None, hints)), help_url=help_url)
    lead = _(
        "Enter your email address. If you can vote in anything open here, we will email you a link for each. "
        "This is also how you find out whether you are on the roll: by email only, never on this page."
    )
    context = {"lead": lead, "part": "my_link", "help_url": help_url}
    return show_form(request, form, _("Send me my link"), _("Send my link"), **context)


# --- answering ---


@dataclass(frozen=True, slots=True)
class Answered:
    """What one address was answered lately."""

    answers: int = 0  # one after another, without a long silence between them
    until: int = 0  # no further answer before then
    ttl: int = 0  # when it is forgotten
    turn: int = 0  # one more with each write
    listed: str = ""  # marks of what the last mail had links for

    def must_wait(self, now: int, open_: Collection[str]) -> bool:
        """Not for a link that no mail has had: nobody can keep it from somebody by asking for others before."""
        return now < self.until and set(open_) <= set(self.listed.split())

    def after_answer(self, now: int, open_: Collection[str]) -> Answered:
        """Pauses grow as long as the address is asked for, however rarely, and are forgotten after a day of silence."""
        answers = self.answers + 1 if now < self.ttl else 1
        pause = PAUSES[min(answers, len(PAUSES)) - 1]
        return Answered(answers, now + pause, now + pause + SECONDS_PER_DAY, self.turn + 1, " ".join(open_))


@ANSWERING.step
def answer(task: Task) -> Batch:
    """Mail the links, unless a mail went out just now.

    People nobody has mailed yet count for the organiser who listed them, as an invitation would: requests must not be
    a way around the daily quota.
    """
    found = open_votes(task.data["address"])
    if not found.votes:
        return finished()  # no mail, so no pause either
    open_ = [_mark("vote", f"{each.election.name} {each.election.created_at}")[:16] for each in found.votes]
    place = keys.link_request(_mark("address", task.data["address"]))
    stored, now = table().get(place) or {}, int(datetime.fromisoformat(now_text()).timestamp())
    before = Answered(**{name: stored[name] for name in Answered.__dataclass_fields__ if name in stored})
    if before.must_wait(now, open_):
        return _later(task, before.until - now)
    try:
        count_each((PER_NETWORK, task.data["network"]), (SITE_WIDE, ""))
    except TooOften as refusal:
        return _later(task, refusal.seconds)
    unchanged: Condition = Equals("turn", before.turn) if before.turn else Missing()  # none was answered meanwhile
    answered = Put({**place.item, **asdict(before.after_answer(now, open_))}, when=unchanged)
    about = {"first": task.data["first"]} | ({RECIPIENT_NAME: found.name} if found.name else {})
    with override(task.data["language"]):
        email = outbox.queued(REQUESTED_LINKS, found.to, None, **about)
    if found.person is not None or any(each.was_invited for each in found.votes):
        return finished(answered, email)
    owner = found.votes[0].election.owner_name
    quota = mail_quota.quota_today_of(owner)
    if not quota.holds(1):
        return _later(task, NO_QUOTA_LEFT_SECONDS)
    inviting: list[Write] = invitation(found.to, owner)
    return finished(answered, email, *inviting, *quota.reserving(1))


def _later(task: Task, seconds: float) -> Batch:
    """One request for the address waits for all others."""
    waiting = _mark("waiting", task.data["address"])
    if task.subject == waiting:
        return wait(seconds)
    if ANSWERING.find(waiting):
        return finished()
    return finished(ANSWERING.begin(waiting, due=due_in(seconds), **task.data))


def _links(mail: Mail) -> list[LinkedItem]:
    """Drawn at the moment of sending, the one it was asked for first."""
    votes = open_votes(mail.to).votes
    if not votes:
        raise Withdrawn
    first = keys.fold(mail.about.get("first", ""))
    votes.sort(key=lambda each: keys.fold(each.election.name) != first)
    return [
        LinkedItem(
            vote.election.name,
            wording.window(vote.election, now_text()),
            voting_url(vote.election, vote.voter, mail.to, f"{REQUESTED}{mail.number}"),
            _("Go to the ballot"),
        )
        for vote in votes[:MAX_LISTED_VOTES]
    ]


EMAIL_TEMPLATES = {
    REQUESTED_LINKS: EmailTemplate(
        gettext_noop("Your links to vote"),
        (
            gettext_noop("Someone, probably you, asked for the voting links for this address."),
            gettext_noop("This is everything you can vote in here:"),
        ),
        items=_links,
        after=(
            gettext_noop(
                "These links are yours alone. Anyone who has them can vote in your place, so please do not forward "
                "this email."
            ),
            gettext_noop("Links in earlier emails still work. If you have already voted, your vote counts."),
            gettext_noop("If you did not ask for this email, you need not do anything. It was sent only to you."),
        ),
        urgent=True,
        good_for=SECONDS_PER_DAY,
    )
}
