"""Parts: what a site may have besides elections.

A part is a Django app below parts/. Its configuration, in apps.py, is a `Part` that says all it adds; its addresses are
in urls.py, and the types of what it stores in items.py, as in any app. The core imports no part: whoever gathers
something of the whole site asks `parts()`, or `parts_on()` for those that its owner has not switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from django.apps import AppConfig, apps
from django.core.exceptions import ImproperlyConfigured

from foundation.acts import features
from foundation.acts.hooks import steps_of

if TYPE_CHECKING:
    from foundation.acts.background import Job
    from foundation.acts.queues import Progress


class TemplateWords(NamedTuple):
    """What a part's templates know besides what all do."""

    values: Mapping[str, Any] = {}
    filters: Mapping[str, Callable[..., Any]] = {}


class Panel(NamedTuple):
    """What a part shows on a page of others."""

    template: str
    context: Mapping[str, Any]  # `panel` in the template
    asks: bool = False  # something of the reader, so it comes before what is only to be read


class Part(AppConfig):
    """What a part adds. Methods import what they need themselves: Django loads this before anything else."""

    title: ClassVar[Any] = ""  # on the page Features; without one, it is on whenever the part that it is within is on
    about: ClassVar[Any] = ""  # what it is for, in a sentence
    once_off: ClassVar[Any] = ""  # what then happens to what exists
    within: ClassVar[str] = ""  # the part that it is one of: off whenever that is
    is_on_at_first: ClassVar[bool] = False  # on a new site, before its owner has said what it is for
    fits: ClassVar[tuple[str, ...]] = ()  # the purposes of a site for which it is switched on
    uses: ClassVar[tuple[str, ...]] = ()  # other parts, by name, that it imports
    prefix: ClassVar[str] = ""  # of the addresses in its page_urls.py, which many open at once: tried before all others
    sections: ClassVar[Mapping[str, str]] = {}  # of the navigation, by the package or module of its views
    places: ClassVar[tuple[str, ...]] = ()  # on pages of others, where its places.html is included
    lists: ClassVar[Mapping[str, tuple[str, Any]]] = {}  # a page and its label, beside the core's lists of a section
    help: ClassVar[Mapping[str, Any]] = {}  # pages at help/TOPIC/, and what they are about
    demo_comes_first: ClassVar[bool] = False  # before that of elections, which uses it

    def ready(self) -> None:
        if missing := [name for name in (*self.uses, self.within) if name and not apps.is_installed(f"parts.{name}")]:
            raise ImproperlyConfigured(f"PARTS holds {self.label}, which needs {' and '.join(missing)} as well.")
        with steps_of(self.label):
            self.install()

    @property
    def is_on(self) -> bool:
        return features.is_on(self.label)

    @property
    def places_template(self) -> str:
        """What pages of others show of it: each includes it with its `place`, the page Features with "picture"."""
        return f"{self.label}/places.html"

    def install(self) -> None:
        """Add steps to hooks, types of background work and templates of mails."""

    def jobs(self) -> Iterable[Job]:
        """What the worker does for it periodically."""
        return ()

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        """What the demo shows of it, by a word for it. Each loads it and returns how much that was."""
        return {}

    def template_words(self) -> TemplateWords:
        return TemplateWords()

    def running(self) -> Iterable[str]:
        """What goes on now that switching it off would interrupt, each in a sentence."""
        return ()

    def check(self) -> tuple[str, int, list[str]] | None:
        """What `verify` checks of it: a word for that, how many were right, and what is wrong with the others."""
        return None


@cache
def parts() -> list[Part]:
    """Those that the site has, lower ones first."""
    return [config for config in apps.get_app_configs() if isinstance(config, Part)]


def parts_on() -> list[Part]:
    return _parts_of(features.current().on)


@lru_cache(16)
def _parts_of(on: frozenset[str] | None) -> list[Part]:
    return [part for part in parts() if on is None or part.label in on]


def on_if(wanted: Collection[str]) -> list[str]:
    """The parts that are on if these are wanted."""
    of = {part.label: part for part in parts()}

    def is_on(part: Part) -> bool:
        return (part.label in wanted or not part.title) and (not part.within or is_on(of[part.within]))

    return [label for label, part in of.items() if is_on(part)]


def shown_at(place: str) -> tuple[tuple[str, str], ...]:
    """The templates that parts show at this place, such as the navigation or the front page, each with the place."""
    return _shown_at(place, features.current().on)


@lru_cache(256)
def _shown_at(place: str, on: frozenset[str] | None) -> tuple[tuple[str, str], ...]:
    return tuple((place, part.places_template) for part in _parts_of(on) if place in part.places)


def lists_of(section: str) -> tuple[tuple[str, Any], ...]:
    return tuple(part.lists[section] for part in parts_on() if section in part.lists)


@cache
def part_of(module: str) -> str:
    """The name of the part that a module belongs to; empty for the core."""
    return next((part.label for part in parts() if f"{module}.".startswith(f"{part.name}.")), "")
