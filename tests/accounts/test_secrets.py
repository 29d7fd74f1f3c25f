"""After a day's work, nothing stored or logged holds a password, a token or a session key in clear."""

from __future__ import annotations

from pathlib import Path

from django.test import Client

from accounts import setup_link
from accounts.rules import Role
from config.logs import JsonLines
from tests.people import PASSWORD

SECOND, THIRD = "a second good password", "a third good password"


def raw_bytes(settings) -> bytes:
    """The store's files as they lie on the disk, journal included."""
    path = Path(settings.STORE_URL.removeprefix("sqlite://"))
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


def test_no_secret_is_at_rest_or_in_the_log(site, settings, person, link, caplog):
    caplog.set_level("DEBUG")
    secrets = [PASSWORD, SECOND, THIRD, setup_link.new_link().split("/")[-2]]
    owner = Client()
    owner.post(f"/setup/{secrets[-1]}/", {"name": "owner", "email": "owner@example.org", "password": PASSWORD})
    person("target", Role.USER)
    owner.post("/people/target/reset-link/")
    secrets.append(link("target@example.org"))

    visitor = Client()
    visitor.post("/register/", {"name": "Ada", "email": "ada@example.org", "password": PASSWORD})
    secrets.append(link("ada@example.org"))
    visitor.post(secrets[-1])
    visitor.post("/password/forgotten/", {"name_or_email": "Ada"})
    secrets.append(link("ada@example.org"))
    visitor.post(secrets[-1], {"password": SECOND})
    visitor.post("/sign-in/", {"name_or_email": "ada@example.org", "password": SECOND})
    visitor.post("/me/email/", {"email": "new@example.org", "present": SECOND})
    secrets.append(link("new@example.org"))
    visitor.post(secrets[-1])
    visitor.post("/me/password/", {"present": SECOND, "password": THIRD})
    owner.post("/invitations/new/", {"email": "guest@example.org", "role": "VOTER"})
    secrets.append(link("guest@example.org"))
    secrets += [client.cookies["plenum_session"].value.partition(".")[2] for client in (owner, visitor)]

    tokens = [secret.strip("/").rpartition("/")[2] for secret in secrets]
    assert all(len(token) > 12 for token in tokens)
    stored = raw_bytes(settings)
    logged = "\n".join(JsonLines().format(record) for record in caplog.records)
    assert b"ada@example.org" in stored
    for token in tokens:
        assert token.encode() not in stored
        assert token not in logged
    assert "@example.org" not in logged
