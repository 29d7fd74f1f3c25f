"""Digests of the scripts and stylesheets that pages load, so that browsers and outsiders can check what they get.

Every tag has the digest of its file (subresource integrity), and the list of all files and digests is public. The list
is the same on every site that runs the same release, as are its bytes: one digest over it stands for all files.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256, sha384

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

KINDS = (".css", ".js")


def digest_of(content: bytes) -> str:
    """As in an `integrity` attribute."""
    return f"sha384-{b64encode(sha384(content).digest()).decode()}"


def digests() -> dict[str, str]:
    """Of every script and stylesheet, by the name it is served under; none if files are served as they are edited."""
    manifest = getattr(staticfiles_storage, "manifest_hash", "")
    return _digests(str(settings.STATIC_ROOT), manifest) if manifest and not settings.DEBUG else {}


@lru_cache(2)
def _digests(folder: str, manifest: str) -> dict[str, str]:
    names = sorted(name for name in staticfiles_storage.hashed_files.values() if name.endswith(KINDS))
    found = {}
    for name in names:
        with staticfiles_storage.open(name) as file:
            found[name] = digest_of(file.read())
    return found


def listing() -> bytes:
    """The digests as JSON."""
    return json.dumps(digests(), indent=1).encode() + b"\n"


def edition() -> str:
    """The digest over all digests: the SHA-256 of the list."""
    return sha256(listing()).hexdigest()


# --- in templates ---


def integrity(name: str) -> str:
    """The digest of a static file, or nothing."""
    found = digests()
    return found[staticfiles_storage.stored_name(name)] if found else ""


def script(name: str) -> SafeString:
    """Runs once the page is there."""
    return format_html('<script src="{}"{} defer></script>', static(name), _attribute(integrity(name)))


def blocking_script(name: str) -> SafeString:
    """Runs before anything is painted."""
    return format_html('<script src="{}"{}></script>', static(name), _attribute(integrity(name)))


def stylesheet(name: str) -> SafeString:
    return stylesheet_at(static(name), integrity(name))


def stylesheet_at(address: str, digest: str) -> SafeString:
    return format_html('<link rel="stylesheet" href="{}"{}>', address, _attribute(digest))


def _attribute(digest: str) -> SafeString | str:
    return format_html(' integrity="{}"', digest) if digest else ""
