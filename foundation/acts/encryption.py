"""Secrets at rest: encrypted under a key of their own, derived from SECRET_KEY and what they are for."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def encrypt(secret: bytes, purpose: str) -> str:
    return _fernet(purpose).encrypt(secret).decode()


def decrypt(encrypted: str, purpose: str) -> bytes | None:
    """The secret, or `None` if SECRET_KEY was replaced or it was encrypted for something else."""
    try:
        return _fernet(purpose).decrypt(encrypted)
    except InvalidToken:
        return None


def _fernet(purpose: str) -> MultiFernet:
    known = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    derived = [HKDF(SHA256(), 32, salt=None, info=purpose.encode()).derive(key.encode()) for key in known]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in derived])
