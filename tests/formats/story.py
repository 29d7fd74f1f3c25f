"""What has happened in the stores that are kept: something of everything, and nothing that ends before the year 2100.

People of every role, elections in every state, ballots public and secret, mails in every state, polls, a rename,
managers, a removed person, a deleted election, a log sealed in several steps, and events after the last seal.
"""

from __future__ import annotations

import smtplib
from contextlib import suppress
from io import StringIO
from typing import Any

from tests.formats import PASSWORD

END = "2100-01-01T00:00:00.000Z"
DAYS = 365 * 70  # a poll is kept
PEOPLE = {
    **{"Olga": "OWNER", "Ada": "ADMIN", "Aki": "AUDITOR", "Otto": "USER", "Obi": "OBSERVER", "Nico": "NO_ACCESS"},
    **{"Ann": "VOTER", "Ben": "VOTER", "Cleo": "VOTER", "Dan": "VOTER", "Gus": "VOTER"},
}
VOTERS = ("Ann", "Ben", "Cleo", "Dan", "Gus", "by.post@example.org")
SENT, REFUSED, KILLED = (f"tests.formats.story.{name}" for name in ("Taking", "Refusing", "Dying"))


class Killed(BaseException):
    """The process is gone in the middle of sending."""


class Taking:
    """A mail server that takes every mail."""

    def __init__(self, *arguments: Any, **options: Any):
        self.taken = 0

    def open(self) -> bool:
        return True

    def close(self) -> None:
        pass

    def send_messages(self, messages: list[Any]) -> int:
        for message in messages:
            self.take(message.to[0])
        return len(messages)

    def take(self, address: str) -> None:
        pass


class Refusing(Taking):
    """One that knows nobody."""

    def take(self, address: str) -> None:
        raise smtplib.SMTPRecipientsRefused({address: (550, b"nobody here")})


class Dying(Taking):
    """One in whose middle the sender dies."""

    def take(self, address: str) -> None:
        raise Killed


# --- the story ---


def tell() -> None:
    """On the empty tables of `settings.STORE_URL`."""
    people()
    a_draft()
    the_past()
    seal()
    what_is_open()
    seal()
    mails()
    quick_polls()
    leaving()
    seal()
    after_the_seal()


def someone(name: str) -> Any:
    from accounts import repository

    return repository.find(name)


def election(name: str) -> Any:
    from elections import repository

    return repository.find(name)


def seal() -> None:
    from django.core.management import call_command

    call_command("seal", stdout=StringIO())


def people() -> None:
    from accounts import services
    from accounts.rules import Role

    for name, role in PEOPLE.items():
        services.make_demo_person(name, Role[role], "I *count*." if name == "Otto" else "", PASSWORD)
    services.change_role(someone("Olga"), someone("Gus"), Role.USER)
    services.change_profile(someone("Ann"), "Ann A.", "")


def set_up(name: str, **chosen: Any) -> None:
    from elections import services
    from ranking.candidates import Candidate

    otto = someone("Otto")
    made = services.create(otto, name, description="Who, *then*?", no_voting_after=END, **chosen)
    services.add_candidates(otto, made, [Candidate("Ada", "I can **count**."), Candidate("Bo"), Candidate("Cy")])
    services.add_voters(otto, election(name), VOTERS)
    services.add_manager(otto, election(name), "Ada")


def a_draft() -> None:
    from elections import services

    otto = someone("Otto")
    set_up("Drfat")
    services.rename(otto, election("Drfat"), "Draft")
    services.remove_candidate(otto, election("Draft"), "Cy")
    set_up("Short-lived", secret_ballot=False)
    open_("Short-lived")
    services.delete(otto, election("Short-lived"))


def open_(name: str) -> None:
    from elections import services

    services.open_(someone("Otto"), election(name), editable=False)


def vote(name: str, voter: str, *order: int) -> None:
    from ballots import services

    said = {str(candidate): [str(place)] for place, candidate in enumerate(order, 1)}
    services.cast(someone(voter), name, said, form=f"{name} {voter} {order}")


def votes(name: str) -> None:
    from ballots import services

    for voter, order in (("Ann", (0, 1, 2)), ("Ben", (2, 1)), ("Gus", (0,)), ("Ann", (1, 0))):
        vote(name, voter, *order)
    services.enter_paper(someone("Otto"), name, "by.post@example.org", {"1": ["1"]}, form=f"{name} by post")


def the_past() -> None:
    from ballots import services as ballots
    from elections import services

    for name, is_secret in (("Past board", True), ("Past prize", False)):
        set_up(name, secret_ballot=is_secret, paper_ballots=True, method="irv" if is_secret else "schulze")
        open_(name)
        votes(name)
        ballots.withdraw(someone("Ben"), name, f"{name} Ben withdraws")
        services.close(someone("Otto"), election(name))
    ballots.seal_what_is_closed()


def what_is_open() -> None:
    set_up("Board", secret_ballot=True, paper_ballots=True)
    set_up("Prize", secret_ballot=False, paper_ballots=True, results_visible="live")
    for name in ("Board", "Prize"):
        open_(name)
        votes(name)


def mails() -> None:
    from django.core.management import call_command
    from django.test import override_settings

    from accounts import services as accounts
    from elections import invitations, messages, reminders

    otto, board = someone("Otto"), election("Board")
    reminders.choose(otto, board, [24])
    for act, server in (
        (lambda: invitations.invite(otto, election("Board")), SENT),
        (lambda: messages.send(otto, election("Board"), "A room", "It is **upstairs**."), REFUSED),
        (lambda: accounts.invite(someone("Olga"), "yan@example.org"), KILLED),
    ):
        act()
        invitations.take_mailings_on()
        with override_settings(EMAIL_BACKEND=server), suppress(Killed):
            call_command("send_mail", stdout=StringIO())
    accounts.invite(someone("Olga"), "zoe@example.org")


def quick_polls() -> None:
    from polls import sealing, services, voters

    otto = someone("Otto")
    for title in ("Lunch", "Dinner"):
        chosen = {"description": "", "time_zone": "UTC", "expires_at": None}
        poll, _key = services.make(otto, ("Pizza", "Sushi"), DAYS, title=title, **chosen)
        for voter in VOTERS:
            services.cast(poll.id, voters.id_of(poll.id, voter), {"0": ["1"], "1": ["2"]}, f"{title} {voter}")
        services.list_publicly(services.find_runner(poll.id, otto, ""), listed=True)
    services.close(services.find_runner(poll.id, otto, ""))
    sealing.seal(poll.id)


def leaving() -> None:
    from accounts import services

    services.remove(someone("Olga"), someone("Gus"))
    services.see_off_all()


def after_the_seal() -> None:
    from accounts import services

    vote("Prize", "Ben", 0, 1)
    services.change_profile(someone("Dan"), "Daniel", "")
