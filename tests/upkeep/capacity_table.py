"""The table in docs/explanation/scale.md: what elections of three sizes need. Written by `make capacity-table`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from upkeep.capacity.model import Model

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "explanation" / "scale.md"
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

    return ROW_HEAD + "".join(row(rehearsed(Size(voters), OPEN_HOURS, PEAK_FACTOR)) for voters in SIZES)


ROW_HEAD = (
    "| voters | at the peak, a second | shards, gates | it takes, a second | fullest key at the peak | "
    "units, million | dollars | before and after, at least | holds |\n|---|---|---|---|---|---|---|---|---|\n"
)


def row(model: Model) -> str:
    from store.capacity_units import READ, WRITE
    from upkeep.capacity import report

    load, steps = (
        model.hottest[0],
        ", ".join(f"{act.name} {report.duration(each)}" for act, _load, each in model.steps()),
    )
    cells = (
        f"{model.size.voters:,}",
        f"{report.rate(model.at_peak)} voters, {report.rate(model.requests)} requests",
        f"{model.layout.shards}, {model.layout.gates:,}",
        f"{report.rate(model.most_voters)} voters, {report.rate(model.most([model.act('casting')]))} casts",
        f"{load.charged.kind}s of `{report.named(load.charged)}`, {report.percent(load.full)}",
        f"{report.millions(model.total(WRITE))} writes, {report.millions(model.total(READ))} reads",
        f"{report.dollars(model.cost)}, and {report.dollars(model.cost_a_month)} a month",
        steps,
        "yes" if model.fullest <= 1 else "no",
    )
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    from tests import environment  # noqa: F401 - first: where all this happens is not the site in use

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    DOCUMENT.write_text(written(DOCUMENT.read_text(), rows()))


if __name__ == "__main__":
    main()
