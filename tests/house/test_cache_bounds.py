"""Every cache of the product has a bound: what a stranger can ask in endless ways must not fill the memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from django.test.utils import override_script_prefix
from django.utils import translation

from parts.live.play import cached

ROOT = Path(__file__).parents[2]
NOT_OURS = {"tests", "static", "build", "docs", "deploy"}
# Without a number, because what they are asked by is one of few things that no request can add to.
OF_FEW = {
    "ballots/secret.py: _mnemonic": "one list of words",
    "elections/access.py: _offered": "the relations there are, by the states there are",
    "foundation/pages/logo.py: read": "the setting",
    "foundation/pages/paths.py: _section": "the routes and their views",
    "foundation/pages/times.py: _known_zones": "nothing",
    "foundation/pages/times.py: _selectable_names": "nothing",
    "foundation/pages/times.py: zone": "the zones there are: any other raises, which is not remembered",
    "foundation/parts.py: part_of": "the modules of views and operations",
    "foundation/parts.py: parts": "nothing",
    "foundation/store/connect.py: connect": "the setting",
    "foundation/store/dynamodb/wire.py: _loader": "nothing",
    "operations/upkeep/doctor/site_checks.py: _other_than_pinned": "nothing",
    "operations/upkeep/metrics.py: request_metrics": "the routes and classes of status",
    "operations/upkeep/metrics.py: _trip_metrics": "the operations of a store",
    "operations/upkeep/system.py: versions": "nothing",
}


def unbounded() -> Iterator[str]:
    paths = (path for path in ROOT.glob("*/**/*.py") if path.relative_to(ROOT).parts[0].lstrip(".") not in NOT_OURS)
    for path in paths:
        if ".venv" in path.parts or "cache" not in (text := path.read_text()):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and any(map(_has_no_bound, node.decorator_list)):
                yield f"{path.relative_to(ROOT)}: {node.name}"


def _has_no_bound(decorator: ast.expr) -> bool:
    words = ast.unparse(decorator).removeprefix("functools.")
    return words in ("cache", "cache()") or words in ("lru_cache(None)", "lru_cache(maxsize=None)")


def test_every_cache_has_a_bound_or_is_asked_by_few_things():
    assert set(unbounded()) == OF_FEW.keys()


class Room:
    def __init__(self) -> None:
        self.made: dict[object, object] = {}


def test_what_is_made_of_a_room_is_for_one_language_and_one_path():
    """Else what one phone is shown would lead all the others astray."""
    room, made = Room(), []
    for language in ("en", "de"):
        for prefix in ("/", "/votes/"):
            with translation.override(language), override_script_prefix(prefix):
                made += [cached(room, "x", make=object), cached(room, "x", make=object)]
    assert [made[at] is made[at + 1] for at in range(0, 8, 2)] == [True] * 4
    assert len(set(map(id, made))) == len(room.made) == 4
