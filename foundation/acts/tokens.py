"""What is encrypted under SECRET_KEY: tokens for links and cookies, each for one purpose and a limited time, and
secrets at rest.

Addresses are logged by proxies, browsers and mail programs; only this site can read what a token is about.
"""

from __future__ import annotations

import base64
import hmac
import json
import time
import zlib
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.http import HttpRequest

SECONDS_PER_DAY = 24 * 3600
PURPOSE = "plenum: tokens for "
PLAIN, PACKED = b"p", b"z"  # first byte of the payload: long ones are compressed
MAX_PAYLOAD_BYTES = 20_000  # after decompression


def create_token(purpose: str, *values: str) -> str:
    plain = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
    packed = zlib.compress(plain)
    content = PACKED + packed if len(packed) < len(plain) else PLAIN + plain
    return _cipher(settings.SECRET_KEY, purpose).encrypt_at_time(content, int(time.time())).decode().rstrip("=")


def read_token(purpose: str, token: str, seconds: int | None) -> list[str] | None:
    """The values encrypted for this purpose, if the token is no older than `seconds`."""
    padded = token + "=" * (-len(token) % 4)
    cipher = _cipher(settings.SECRET_KEY, purpose)
    try:
        if base64.urlsafe_b64encode(base64.urlsafe_b64decode(padded)).decode() != padded:
            return None  # else several spellings would be the same token
        if seconds is None:
            content = cipher.decrypt(padded)
        else:
            content = cipher.decrypt_at_time(padded, seconds, int(time.time()))
    except (InvalidToken, ValueError):
        return None
    kind, text = content[:1], content[1:]
    values: list[str] = json.loads(zlib.decompressobj().decompress(text, MAX_PAYLOAD_BYTES) if kind == PACKED else text)
    return values


@lru_cache(64)
def _cipher(secret: str, purpose: str) -> Fernet:
    key = hmac.digest(secret.encode(), f"{PURPOSE}{purpose}".encode(), "sha256")
    return Fernet(base64.urlsafe_b64encode(key))


def has_bearer_token(request: HttpRequest, token: str) -> bool:
    """Whether the request has this token; never, if none is configured."""
    given = request.headers.get("Authorization", "")
    return bool(token) and hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


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
