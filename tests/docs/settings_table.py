"""The table of docs/reference/settings.md, from `config/variables.py`. Written by `make reference`."""

from __future__ import annotations

from pathlib import Path

from config.variables import VARIABLES
from tests.docs.types_table import written

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"
HEAD = "| variable | local default | in production | what it is |\n|---|---|---|---|\n"


def table() -> str:
    return HEAD + "".join(f"{variable.row}\n" for variable in VARIABLES)


def main() -> None:
    DOCUMENT.write_text(written(DOCUMENT.read_text(), table()))


if __name__ == "__main__":
    main()
