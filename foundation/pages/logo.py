"""The operator's logo: a PNG, or an SVG that only draws."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

MAX_LOGO_BYTES = 200_000  # bytes: every visitor fetches it
PNG = b"\x89PNG\r\n\x1a\n"
ACTIVE = {"script", "foreignobject", "iframe", "object", "embed", "audio", "video", "handler", "set", "animate"}
FETCHES = re.compile(r"@import|url\s*\(\s*['\"]?\s*(?!#|['\")])|javascript:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Logo:
    content: bytes
    kind: str

    @property
    def edition(self) -> str:
        """Identifies this logo, so that browsers may cache it for good."""
        return sha256(self.content).hexdigest()[:16]


class NoLogo(ValueError):
    """Why this file cannot be a logo, as a sentence."""


@cache
def read(path: str) -> Logo:
    """The file as first read: a new one needs a restart."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise NoLogo(f"SITE_LOGO {path} cannot be read: {error.strerror}.") from None
    if len(content) > MAX_LOGO_BYTES:
        raise NoLogo(f"SITE_LOGO {path} has {len(content):,} bytes; {MAX_LOGO_BYTES:,} are the most.")
    if content.startswith(PNG):
        return Logo(content, "image/png")
    _check_drawing(path, content)
    return Logo(content, "image/svg+xml")


def find_error(path: str) -> str | None:
    """A sentence if this file cannot be a site's logo."""
    try:
        read(path)
    except NoLogo as reason:
        return str(reason)
    return None


def _check_drawing(path: str, content: bytes) -> None:
    """As an image nothing in it would run; opened on its own it might, so it is refused."""
    if b"<!ENTITY" in content:
        raise NoLogo(f"SITE_LOGO {path} declares entities, which no drawing needs.")
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - without entities it cannot expand
    except ElementTree.ParseError:
        root = None
    if root is None or _plain(root.tag) != "svg":
        raise NoLogo(f"SITE_LOGO {path} is neither a PNG nor an SVG.")
    if any(_does_more(each) for each in root.iter()):
        raise NoLogo(f"SITE_LOGO {path} holds scripts or fetches something from elsewhere; a logo only draws.")


def _does_more(element: ElementTree.Element) -> bool:
    """Whether it does more than draw: runs or fetches something."""
    texts = [element.text or "" if _plain(element.tag) == "style" else "", *element.attrib.values()]
    links = (value for name, value in element.attrib.items() if _plain(name) in ("href", "src"))
    return (
        _plain(element.tag) in ACTIVE
        or any(_plain(name).startswith("on") for name in element.attrib)
        or any(not value.strip().startswith(("#", "data:image/")) for value in links)
        or any(FETCHES.search(text) for text in texts)
    )


def _plain(name: object) -> str:
    """The name without its namespace; comments have no name."""
    return name.rpartition("}")[2].lower() if isinstance(name, str) else ""
