"""Authenticator apps (RFC 4226, RFC 6238): six digits that change every 30 seconds, and the secret they come from."""

from __future__ import annotations

import base64
import secrets
from urllib.parse import quote, urlencode

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.hotp import HOTP
from django.utils.crypto import constant_time_compare

from foundation.acts.branding import site_name
from foundation.acts.tokens import decrypt, encrypt
from foundation.store import keys

STEP_SECONDS = 30
MAX_DRIFT_STEPS = 1  # steps that a phone's clock may be off, either way
SECRET_BYTES = 20


def code_at(secret: bytes, step: int, digits: int = 6) -> str:
    return HOTP(secret, digits, SHA1()).generate(step).decode()  # noqa: S303 - what all apps use


def step_at(now: float) -> int:
    return int(now) // STEP_SECONDS


def step_of(secret: bytes, code: str, now: float) -> int | None:
    """The time step the code belongs to, if it is one of those around now."""
    about = range(step_at(now) - MAX_DRIFT_STEPS, step_at(now) + MAX_DRIFT_STEPS + 1)
    return next((step for step in about if constant_time_compare(code_at(secret, step), code)), None)


def new_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def readable_secret(secret: bytes) -> str:
    """The secret in the form a person types into an app."""
    text = base64.b32encode(secret).decode()
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def app_address(secret: bytes, name: str, site: str) -> str:
    """The text of the QR code. A long name is cut, so that the code stays coarse enough for any camera."""
    issuer = site_name().replace(":", " ")  # separates it from the name
    label = quote(f"{issuer}:{name[:40]} ({site})", safe=":")
    parameters = {"secret": base64.b32encode(secret).decode(), "issuer": issuer, "period": STEP_SECONDS}
    return f"otpauth://totp/{label}?{urlencode(parameters)}"


# --- the secret at rest ---


def seal(secret: bytes, name: str) -> str:
    return encrypt(secret, _purpose(name))


def unseal(sealed: str, name: str) -> bytes | None:
    """The secret, or `None` if the site's secret key was replaced or the ciphertext belongs to another person."""
    return decrypt(sealed, _purpose(name))


def _purpose(name: str) -> str:
    """The key is per person, so that write access to the table is not enough to plant another person's secret."""
    return f"plenum second factor {keys.fold(name)}"
