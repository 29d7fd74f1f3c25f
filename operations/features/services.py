"""Acts of the owner: switching parts on and off, and saying what a new site is for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum

from accounts.models import User
from accounts.services import role_unchanged
from foundation.acts import features
from foundation.acts.features import Features
from foundation.acts.retry import retried
from foundation.acts.storage import record, table
from foundation.parts import Part, on_if, parts
from foundation.store.log import Event


class Purpose(StrEnum):
    """What a site is for; each part says for which it is made."""

    CLUB = "club"
    TEAM = "team"
    EVENTS = "events"
    EVERYTHING = "everything"


def wanted(site: Features) -> set[str]:
    """The parts that are on, and those that wait for the part that they are within."""
    return {part.label for part in parts()} if site.on is None else set(site.wanted)


def switchable() -> list[Part]:
    """Those that most sites use first, each followed by what is within it."""
    titled = [part for part in parts() if part.title]
    return sorted(titled, key=lambda part: -len((above(part) or part).fits))


def find(name: str) -> Part | None:
    """One that can be switched."""
    return next((part for part in parts() if part.label == name and part.title), None)


def around(part: Part) -> Iterator[Part]:
    """The part itself, and those that it is within."""
    yield part
    if part.within:
        yield from around(next(each for each in parts() if each.label == part.within))


def above(part: Part) -> Part | None:
    """The one that it is within, if that can be switched on its own."""
    return find(part.within)


def within(part: Part) -> list[Part]:
    """Those that go off with it, as far as they are on and have a name of their own."""
    return [each for each in parts() if each.title and each is not part and part in around(each) and each.is_on]


@retried
def switch_on(owner: User, part: Part) -> None:
    site = features.read_features(table())
    _switch(owner, site, wanted(site) | {each.label for each in around(part)})


@retried
def switch_off(owner: User, part: Part) -> None:
    """Everything of it stays in the store, as it is."""
    site = features.read_features(table())
    _switch(owner, site, wanted(site) - {part.label})


@retried
def choose(owner: User, purpose: Purpose) -> None:
    fitting = [part for part in parts() if purpose in (*part.fits, Purpose.EVERYTHING)]
    _switch(owner, features.read_features(table()), {each.label for part in fitting for each in around(part)})


def _switch(owner: User, site: Features, names: Collection[str]) -> None:
    before = {part.label for part in parts() if site.has(part.label)}
    after = set(on_if(names))
    if after == before and site.is_answered:
        return
    switched = {"on": sorted(after - before), "off": sorted(before - after)}
    try:
        writing = features.writing(site, after, names)
        record(Event(owner.name, "FeaturesSwitched", switched), writing, role_unchanged(owner))
    finally:
        features.cache.forget()
