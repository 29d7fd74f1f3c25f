"""People to test with, for every test of pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.contrib.auth.hashers import make_password
from django.core import mail as sent
from django.test import Client

from accounts import mail, repository, services
from accounts.letters import compose
from accounts.models import User
from accounts.rules import Role
from store.log import as_text

PASSWORD = "correct horse battery"


@pytest.fixture
def person(site) -> Callable[..., User]:
    """Make somebody with a role, as if they had registered."""

    def make(name: str, role: Role = Role.USER, email: str | None = None) -> User:
        user = User(
            name=name,
            email=email or f"{name.replace(' ', '.')}@example.org",
            password=make_password(PASSWORD),
            role_name=role.name,
            created_at=as_text(datetime.now(UTC)),
            session_salt=repository.new_session_salt(),
            lineage=repository.new_lineage(),
        )
        services.create_account(user, *([repository.first_owner(user)] if role == Role.OWNER else []))
        return user

    return make


@pytest.fixture
def signed_in(person) -> Callable[..., Client]:
    """A browser in which somebody is signed in; whoever it is need not exist yet."""

    def sign_in(user: User | str, role: Role = Role.USER) -> Client:
        user = person(user, role) if isinstance(user, str) else user
        client = Client()
        answer = client.post("/sign-in/", {"name_or_email": user.name, "password": PASSWORD})
        assert answer.status_code == 302, answer.content.decode()
        return client

    return sign_in


@pytest.fixture
def outbox(site) -> Callable[[], list[tuple[str, str, str]]]:
    """Send what waits; answers all mails so far as (to, subject, text)."""

    def send() -> list[tuple[str, str, str]]:
        mail.send_waiting(compose)
        return [(message.to[0], message.subject, message.body) for message in sent.outbox]

    return send


@pytest.fixture
def link(outbox) -> Callable[[str], str]:
    """The path of the link in the newest mail to somebody."""

    def find(to: str) -> str:
        texts = [text for address, _, text in outbox() if address == to]
        return re.findall(r"http://[^/\s]+(/\S+)", texts[-1])[0]

    return find
