"""People to test with, for every test of pages."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core import mail as sent
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.test import Client, RequestFactory

from accounts import repository, services
from accounts.models import User
from accounts.rules import Role
from accounts.sessions import SessionStore
from accounts.visitors import remember_browser, start_session
from elections import repository as elections
from elections import rolls
from elections.rules import Election
from foundation.acts.storage import log
from foundation.mail.emails import compose, mail_number
from foundation.mail.outbox import find
from foundation.mail.sending import send_waiting
from foundation.store.log import Event, as_text

PASSWORD = "correct horse battery"


def enrol(*names: str) -> None:
    """Accounts for whoever of the names has none: a roll lists nobody else by name."""
    for name in names:
        if "@" not in name and repository.find(name) is None:
            services.create_account(somebody(name))


def list_as_before(election: Election, *names: str) -> None:
    """Names on the roll as earlier versions put them there: without an account, and for no account in particular."""
    for name in names:
        entry, one_more = rolls.new_voter(election, name), elections.touched(election, 1)
        said = {"election_name": election.name, "voters": [name], "accounts": [""]}
        log().record(Event(election.owner_name, "VotersAdded", said), entry, one_more)


def somebody(name: str, role: Role = Role.USER, email: str | None = None) -> User:
    return User(
        name=name,
        email=email or f"{re.sub(r'[^0-9a-z]+', '.', name, flags=re.IGNORECASE)}@example.org",
        password=make_password(PASSWORD),
        role_name=role.name,
        created_at=as_text(datetime.now(UTC)),
        session_salt=secrets.token_hex(16),
        lineage=secrets.token_hex(16),
    )


@pytest.fixture
def person(site) -> Callable[..., User]:
    """Make somebody with a role, as if they had registered; somebody who was enrolled is made into that."""
    return make_person


def make_person(name: str, role: Role = Role.USER, email: str | None = None) -> User:
    user, there = somebody(name, role, email), repository.find(name)
    if there is not None:
        return _made_into(there, user)
    services.create_account(user, *([repository.first_owner(user)] if role == Role.OWNER else []))
    return user


def make_owner(name: str = "owner", email: str = "owner@example.org") -> User:
    """The first owner, as the command and the printed link make one."""
    return services.make_owner(name, email, PASSWORD)


def confirm(user: User) -> User:
    """An organiser whom somebody has confirmed: who may write to all voters."""
    log().record(Event("plenum", "OrganiserConfirmed", {"name": user.name}), repository.confirmation(user, True))
    user.confirmed = True
    return user


def _made_into(there: User, user: User) -> User:
    """With events, so that the log can be replayed."""
    if there.email != user.email:
        told = Event(there.name, "UserEmailChanged", {"name": there.name, "email": user.email})
        log().record(told, *repository.email_change(there, user.email))
    if there.role != user.role:
        roles = {"old_role": there.role_name, "new_role": user.role_name}
        told = Event("plenum", "UserRoleChanged", {"name": there.name, **roles})
        log().record(told, *repository.role_change(there, user.role))
    return repository.find(there.name) or there


@pytest.fixture
def signed_in(person) -> Callable[..., Client]:
    """A browser in which somebody is signed in; whoever it is need not exist yet."""
    return sign_in


def sign_in(user: User | str, role: Role = Role.USER) -> Client:
    """What the page for it does in the end, when the password was right; that page has tests of its own."""
    user = make_person(user, role) if isinstance(user, str) else repository.find(user.name)
    assert user.check_password(PASSWORD)
    assert not user.factors, "who has a second step signs in by the page"
    client, request, answer = Client(), RequestFactory().get("/sign-in/"), HttpResponse()
    request.session = SessionStore()
    start_session(request, user)
    request.session.save()
    remember_browser(request, answer, user)
    client.cookies.update(answer.cookies)
    client.cookies[settings.SESSION_COOKIE_NAME] = request.session.session_key
    return client


@pytest.fixture
def outbox(site) -> Callable[[], list[tuple[str, str, str]]]:
    """Send what waits; answers all mails so far as (to, subject, text), in the order in which they were queued."""

    def queued_at(message: EmailMessage) -> str:
        return find(mail_number(message.extra_headers["Message-ID"])).queued_at

    def send() -> list[tuple[str, str, str]]:
        now = time.time()
        send_waiting(compose, lambda: now)  # in which no time passes, so that none waits for another turn
        return [(each.to[0], each.subject, each.body) for each in sorted(sent.outbox, key=queued_at)]

    return send


@pytest.fixture
def link(outbox) -> Callable[[str], str]:
    """The path of the link in the newest mail to somebody."""

    def find(to: str) -> str:
        texts = [text for address, _, text in outbox() if address == to]
        return re.findall(r"http://[^/\s]+(/\S+)", texts[-1])[0]

    return find
