"""Player names: validation, which are free, and alternatives for taken ones."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from foundation.acts.storage import table
from foundation.pages.names import JOINERS, MAX_STACKED_ACCENTS, clean_title, is_combining, is_too_tall
from foundation.store import keys

from .generated_names import generate_name

MAX_VISIBLE_CHARS = 40  # as people count them
MAX_CODE_POINTS = 160  # one visible character may take many: a family emoji
NAME_ATTEMPTS = 8  # candidates tried to find a free name

HIDDEN = _("Use visible characters only.")
TOO_LONG = _("Use at most %(most)d characters.")
TOO_TALL = _("Use at most %(most)d accents on one letter.")
_SYSTEM = random.SystemRandom()


def clean(typed: str) -> str:
    """Validate a name: like any title, but short and only with characters that every phone can show."""
    name = clean_title(typed)
    if any(unicodedata.category(character) in ("Co", "Cn") for character in name):
        raise ValidationError(HIDDEN, code="hidden")
    visible = sum(not is_combining(character) for character in name)
    if visible > MAX_VISIBLE_CHARS or len(name) > MAX_CODE_POINTS:
        raise ValidationError(TOO_LONG, code="long", params={"most": MAX_VISIBLE_CHARS})
    if is_too_tall(name):
        raise ValidationError(TOO_TALL, code="tall", params={"most": MAX_STACKED_ACCENTS})
    return name


# --- which are free ---


def free_names(game_id: str, names: Iterable[str]) -> list[str]:
    """The names not taken in the session, in one round trip."""
    places = {keys.player_name(game_id, name): name for name in names}
    taken = table().get_many(places)
    return [name for place, name in places.items() if place not in taken]


def alternatives(game_id: str, name: str, chance: random.Random = _SYSTEM) -> list[str]:
    """Two free names similar to a taken one."""
    numbers = [2, 3, 4, 5, *(chance.randrange(10, 1000) for _try in range(NAME_ATTEMPTS))]
    return free_names(game_id, [_numbered(name, number) for number in numbers])[:2]


def _numbered(name: str, number: int) -> str:
    end = f" {number}"
    return name[: MAX_VISIBLE_CHARS - len(end)].rstrip(f" {JOINERS}") + end


def offer_name(game_id: str) -> str:
    """A random name in the current language, numbered if all candidates are taken."""
    names = [generate_name(get_language()) for _try in range(NAME_ATTEMPTS)]
    return next(iter(free_names(game_id, names)), _numbered(names[0], _SYSTEM.randrange(100, 10_000)))
