"""Inviting and reminding voters: a step of its own that never mails anybody twice by accident.

Asking for a mailing writes one item. Workers then take the roll page by page; each handful of mails, the marks on the
voters and the mailing's place in the roll change in one transaction. So a worker that dies loses nothing, and of two
workers at the same place one is refused.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from accounts import mail, tokens
from accounts import repository as people
from accounts.models import User
from accounts.services import log
from store import keys
from store.log import Event
from store.table import Delete, Equals, Item, Key, Missing, Put, Refused, Update, Write

from . import repository, services
from .rules import Action, Election, State, WrongState

A_HANDFUL = 30  # voters of one transaction: three items each
INVITED, REMINDED = "invited", "reminded"
LETTERS = {INVITED: "vote_invitation", REMINDED: "vote_reminder"}


# --- asking for a mailing ---


def invite(actor: User, election: Election) -> None:
    """Mail everybody on the roll who was not invited yet."""
    services.check(actor, election, Action.INVITE)
    _ask(actor, election, INVITED, "VotersInvited")


def remind(actor: User, election: Election) -> None:
    """Mail those who were invited, have not voted, were not reminded yet and did not ask to be left alone."""
    services.check(actor, election, Action.INVITE)
    _ask(actor, election, REMINDED, "VotersReminded")


def _ask(actor: User, election: Election, kind: str, event_type: str) -> None:
    place = keys.mailing(election.name, kind)
    index = {"GSI1PK": keys.MAILINGS.pk, "GSI1SK": f"{repository.now_text()}#{uuid.uuid4().hex}"}
    item = {
        "PK": place.pk,
        "SK": place.sk,
        **index,
        "election_name": election.name,
        "kind": kind,
        "asked_by": actor.name,
    }
    try:
        log().record(
            Event(actor.name, event_type, {"election_name": election.name}),
            Put({**item, "after": None}, when=Missing()),
        )
    except Refused:
        raise WrongState(_("These mails are being sent already.")) from None


def send_again(actor: User, election: Election, voter: str) -> None:
    """Invite one voter once more, whatever became of the first mail."""
    services.check(actor, election, Action.INVITE)
    item = people.table().get(keys.voter(election.name, voter))
    if item is None:
        raise WrongState(_("%(name)s is not on the roll.") % {"name": voter})
    event = Event(actor.name, "VoterInvitedAgain", {"election_name": election.name, "voter": item["voter_name"]})
    log().record(event, *_mails_for([item], election.name, INVITED, actor.name, first=False))


# --- what workers do ---


def take_mailings_on() -> int:
    """Take every mailing that was asked for to its end; answers how many mails were queued."""
    return sum(_take_on(Key(item["PK"], item["SK"])) for item in people.table().each(keys.MAILINGS))


def _take_on(place: Key) -> int:
    queued = 0
    while (mailing := people.table().get(place)) is not None:
        try:
            queued += _handful(place, mailing)
        except Refused:
            continue  # another worker was faster, or a voter changed at this moment: look again
    return queued


def _handful(place: Key, mailing: Item) -> int:
    """Queue mails for the next voters of the roll, and move on in it; or end the mailing with the roll."""
    election = repository.find(mailing["election_name"])
    if election is None or election.state(repository.now_text()) not in (State.EDITABLE, State.OPEN):
        people.table().write(Delete(place))
        return 0
    here = Equals("after", mailing["after"])
    page = people.table().page(keys.voters(election.name), limit=A_HANDFUL, cursor=mailing["after"])
    due = [item for item in page.items if is_due(item, mailing["kind"])]
    on = Update(place, set={"after": page.cursor}, when=here) if page.cursor else Delete(place, when=here)
    people.table().write(on, *_mails_for(due, election.name, mailing["kind"], mailing["asked_by"]))
    return len(due)


def is_due(voter: Item, kind: str) -> bool:
    if kind == INVITED:
        return INVITED not in voter
    left_alone = voter.get("left_alone") or voter["voted"] or REMINDED in voter
    return INVITED in voter and not left_alone


def _mails_for(voters: list[Item], election_name: str, kind: str, asked_by: str, *, first: bool = True) -> list[Write]:
    """For each voter a mail, the mark that it was queued, and an invitation here where there is no account yet."""
    named = {item["voter_name"]: keys.user(item["voter_name"]) for item in voters if "@" not in item["voter_name"]}
    found = people.table().get_many(named.values()) if named else {}
    writes: list[Write] = []
    for item in voters:
        name = item["voter_name"]
        address = name if "@" in name else found.get(named[name], {}).get("email", "")
        letter = mail.queued(LETTERS[kind], address, election_name=election_name, voter=name, invited_by=asked_by)
        mark = Missing(kind) if first else None
        writes.append(Update(Key(item["PK"], item["SK"]), set={kind: letter.item["number"]}, when=mark))
        writes += [letter] if address else []
        writes += [_invitation(name, asked_by)] if "@" in name else []
    return writes


def _invitation(email: str, asked_by: str) -> Write:
    """Lets an address make its account by the link in the mail."""
    place = keys.invitation(email)
    return Update(place, set={"email": email, "invited_by": asked_by, "invited_at": repository.now_text()})


# --- what became of them ---


@dataclass(frozen=True, slots=True)
class Invited:
    """A voter as the roll shows one: whether and with what success mail went out."""

    name: str
    voted: bool
    paper: bool
    mail: mail.Mail | None
    without_address: bool


def with_mails(voters: list[Item]) -> list[Invited]:
    places = {item[INVITED]: keys.mail(item[INVITED]) for item in voters if INVITED in item}
    found = people.table().get_many(places.values()) if places else {}
    mails = {number: found.get(place) for number, place in places.items()}
    return [
        Invited(
            item["voter_name"],
            item["voted"],
            item.get("paper", False),
            mail.mail_of(letter) if (letter := mails.get(item.get(INVITED, ""))) else None,
            INVITED in item and mails.get(item[INVITED]) is None,
        )
        for item in voters
    ]


# --- being left alone ---


def silence_token(election_name: str, voter: str) -> str:
    return tokens.sign("silence", election_name, voter)


def leave_alone(token: str) -> str | None:
    """No more reminders to this voter about this election; answers the election's name."""
    words = tokens.read("silence", token, 400 * tokens.DAY)
    if words is None:
        return None
    try:
        people.table().write(
            Update(keys.voter(words[0], words[1]), set={"left_alone": True}, when=Equals("voter_name", words[1]))
        )
    except Refused:
        return None
    return words[0]
