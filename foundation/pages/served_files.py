"""What pages load and draw of ours: scripts and stylesheets with their digests, so that browsers and outsiders can
check what they get, and icons.

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


# --- small icons beside words, never instead of them ---

# The line ends outside the icon: white space separates it from the words after it.
SVG = '<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"/></svg>\n'
INFO = "M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM12 11v5.5M12 7.7v.1"
PATHS = {
    "check": "M4 12.5l5.5 5.5L20 6.5",
    "close": "M6 6l12 12M18 6L6 18",
    "menu": "M4 7h16M4 12h16M4 17h16",
    "person": "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.8-4 3.6-6 7.5-6s6.7 2 7.5 6",
    "down": "M6 9.5l6 6 6-6",
    "copy": "M9 9h11v11H9zM15 9V4H4v11h5",
    "lock": "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11",
    "warning": "M12 4L2.5 20h19zM12 10v4.5M12 17.2v.1",
    "heart": "M12 20.5C6 16 3 12.6 3 8.9A4.9 4.9 0 0 1 12 6a4.9 4.9 0 0 1 9 2.9c0 3.7-3 7.1-9 11.6z",
    "error": "M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3zM12 7.5v5.5M12 16.2v.1",
}


def icon(name: str) -> SafeString:
    """The icon of that name; any other name, such as a message level, gives the information icon."""
    return format_html(SVG, PATHS.get(name, INFO))
