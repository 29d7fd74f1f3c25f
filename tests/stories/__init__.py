"""Stories in which everything happens that can happen: each module's `tell…` leaves every kind of event behind."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
MAKING = ("Event", "record", "_record")


@cache
def kinds_in(*packages: str) -> set[str]:
    """The words in the shape of an event's kind, in every module that makes events, or has them made."""
    texts = [path.read_text() for name in packages for path in (ROOT / name).rglob("*.py")]
    trees = [ast.parse(text) for text in texts if any(f"{name}(" in text for name in MAKING)]  # others take long
    own_text = [
        node.value
        for tree in trees
        if any(isinstance(node, ast.Call) and getattr(node.func, "id", "") in MAKING for node in ast.walk(tree))
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return {word for word in own_text if re.fullmatch(r"(?:[A-Z][a-z]+){2,}", word)}
