"""The modules that declare item and event types. A new one only has to be added here."""

from __future__ import annotations

from importlib import import_module

from store.schema import SCHEMA

ITEM_PACKAGES = "accounts mail elections ballots results polls skills news photos questions live assembly upkeep"
EVENT_PACKAGES = (
    "accounts elections elections.groups elections.multi_ballots ballots results polls skills news live assembly "
    "questions upkeep"
)


def declare() -> None:
    modules = [*(f"{app}.items" for app in ITEM_PACKAGES.split()), *(f"{app}.replay" for app in EVENT_PACKAGES.split())]
    SCHEMA.declare(*map(import_module, modules))
