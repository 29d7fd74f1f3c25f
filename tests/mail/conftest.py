"""A mail server of our own, and a site that sends its mail there."""

from __future__ import annotations

import pytest

from mail import outbox as mail
from tests.mail.servers import MailServer


@pytest.fixture
def serves(site, settings):
    """Starts a mail server that answers so."""
    servers = []

    def serve(**answers) -> MailServer:
        server = MailServer(**answers)
        servers.append(server)
        settings.EMAIL_BACKEND, settings.EMAIL_TIMEOUT = "mail.smtp.EmailBackend", 20
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        return server

    yield serve
    for server in servers:
        server.__exit__()


@pytest.fixture
def queue(site):
    """Puts mails into the outbox; answers their numbers."""

    def put(*names: str, kind: str = "checkpoint", ledger=None) -> list[str]:
        about = {"event_id": "7", "hash": "0f", "name": "Ada"}
        writes = [mail.queued(kind, f"{name}@example.org", ledger, **about) for name in names]
        site.write(*writes)
        return [write.item["number"] for write in writes]

    return put
