"""`python -m bench.stage.prepare FOLDER`: a site in this folder, as the JSON in its input says; or what became of one.

Who is signed in, and what their browsers hold, is printed as JSON. Where casts were acknowledged, it says whether they
are there.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.ballots import day as days
from bench.people import start_django

OPEN, SEALED = days.NAME, "Last year"
DESCRIPTION = """\
The board leads the association for **two years**. It has five seats.

- Whoever is a member of the association may vote.
- The ballot is secret, and can be changed until the election closes.

Ask the [office](https://example.org/) if anything is unclear.
"""


def make(path: Path, voters: int, candidates: int, elections: int, cast: int, sealed: int, signed_in: int) -> Any:
    """An open election with so many voters and so many ballots, one that is sealed, and others of the same voters."""
    days.CANDIDATES = candidates
    day = days.prepare(path, voters, cast=cast)
    with days.on(day):
        _describe()
        if sealed:
            _open_another(day, SEALED, sealed)
            _seal(day)
        for number in range(2, elections):
            _open_another(day, f"Question {number}", 0)
        owner, *people = days.browsers([day.owner, *day.voters[:signed_in]])
        return {"owner": _held(owner), "voters": [_held(each) for each in people]}


def _describe() -> None:
    from acts.site import table
    from elections import descriptions

    table().write(descriptions.described(OPEN, DESCRIPTION))


def _open_another(day: days.Day, name: str, cast: int) -> None:
    """As the first one is, with the same people."""
    days.NAME = name
    days._open(day.owner, [each.name for each in day.voters])
    days._leave_as_cast(cast)
    days.NAME = OPEN


def _seal(day: days.Day) -> None:
    from ballots import services
    from elections import repository
    from elections import services as organising

    election = repository.find(SEALED)
    assert election is not None
    organising.close(day.owner, election)
    services.seal_what_is_closed()


def _held(browser: days.Browser) -> dict[str, Any]:
    """A browser, and what its voter will have typed."""
    form = browser.form(random.Random(browser.user.name))
    return {
        "name": browser.user.name,
        "session": browser.session,
        "cookie": browser.cookie,
        "field": browser.field,
        "form": form,
    }


def check(path: Path, voted: list[str], acknowledged: int, unknown: int) -> Any:
    """Whether what was acknowledged is what is there."""
    from bench.ballots import sustained

    told = sustained.Voters([], 0)
    told.voted, told.acknowledged, told.unknown = set(voted), acknowledged, unknown
    sustained.check(days.Day(f"sqlite://{path}", None, []), told)  # type: ignore[arg-type]
    return {"ballots": len(told.voted)}


def main(folder: str) -> None:
    asked = json.load(sys.stdin)
    start_django(folder)
    path = Path(folder).absolute() / "plenum.sqlite3"
    acts: dict[str, Callable[..., Any]] = {"make": make, "check": check}
    print(json.dumps(acts[asked.pop("act")](path, **asked)))


if __name__ == "__main__":
    main(*sys.argv[1:])
