"""Categories as Moodle writes them into its files: `$course$/top/Towns/In the south`; a slash in a name is doubled."""

from __future__ import annotations

import re

from .foreign import category_of

PARTING = re.compile("(?<!/)/(?!/)")
CONTEXT = re.compile(r"\$[a-z]+[0-9]*\$")
BEGINNING = "$course$/top"


def category_at(path: str) -> str:
    """What the category is called here: where it lies in Moodle says nothing."""
    parts = [part.strip().replace("//", "/") for part in PARTING.split(path.strip())]
    if CONTEXT.fullmatch(parts[0]):
        parts = parts[1:]
    if parts and parts[0] == "top":
        parts = parts[1:]
    return category_of(parts) if parts else ""


def path_of(category: str) -> str:
    """From which `category_at` reads it again. The space keeps a name's own slash from the one before it."""
    name = category.replace("/", "//")
    return f"{BEGINNING}/{' ' if name.startswith('/') else ''}{name}" if name else BEGINNING
