"""A mail server of our own, and a site that sends its mail there."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from foundation.mail import outbox as mail
from tests.mail.servers import MailServer


@pytest.fixture
def serves(site, settings):
    """Starts a mail server that answers so."""
    servers = []

    def serve(**answers) -> MailServer:
        server = MailServer(**answers)
        servers.append(server)
        settings.EMAIL_BACKEND, settings.EMAIL_TIMEOUT = "foundation.mail.smtp.EmailBackend", 20
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


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """For 127.0.0.1, vouched for by nobody but itself."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = made.add_extension(here, critical=False).sign(key, hashes.SHA256())
    path = tmp_path_factory.mktemp("ca") / "mail.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(secret + signed.public_bytes(serialization.Encoding.PEM))
    return path
