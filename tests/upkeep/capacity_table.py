"""The table of docs/scale.md that says what elections of three sizes take: written anew by `make capacity-table`."""

from __future__ import annotations

import os
from pathlib import Path

import django

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "scale.md"
BEGIN, END = "<!-- what it takes: make capacity-table -->\n", "<!-- end of what it takes -->\n"
SIZES = (10_000, 1_000_000, 100_000_000)
OPEN_HOURS, PEAK_FACTOR = 10, 5


def written(text: str, rows: str) -> str:
    """The document with these rows in place of those that are there."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{rows}{END}{rest.partition(END)[2]}"


def in_document(text: str) -> str:
    return text.partition(BEGIN)[2].partition(END)[0]


def rows() -> str:
    """The table as it should be."""
    from upkeep.capacity.model import rehearsed
    from upkeep.capacity.rehearsal import Size
    from upkeep.capacity.saying import ROW_HEAD, as_row

    return ROW_HEAD + "".join(as_row(rehearsed(Size(voters), OPEN_HOURS, PEAK_FACTOR)) for voters in SIZES)


def main() -> None:
    from tests import environment  # noqa: F401 - first: where all this happens is not the site in use

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    DOCUMENT.write_text(written(DOCUMENT.read_text(), rows()))


if __name__ == "__main__":
    main()
