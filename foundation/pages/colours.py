"""The operator's colour, and the shades of it that pages need in light and dark mode."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

MIN_CONTRAST = 4.5  # the contrast WCAG 2 requires of text at level AA
DARK_MODE_CONTRAST = 7.0  # contrast of the lightened colour in dark mode
# Surfaces behind text in the colour, as in static/css/tokens.css.
LIGHT = ("#ffffff", "#f6f5f3", "#eceae6")
DARK = ("#15131a", "#1e1b24", "#292531")
WHITE, BLACK = "#ffffff", "#000000"
DEFAULT_COLOUR = "#56278a"  # the default


def find_error(colour: str) -> str | None:
    """A sentence if this cannot be a site's colour."""
    if not is_colour(colour):
        return f"SITE_COLOUR should look like #56278a, not {colour!r}."
    if is_readable(colour):
        return None
    return (
        f"SITE_COLOUR {colour} is hard to read on light pages: its contrast is {contrast_on_light(colour):.1f} to 1, "
        f"and should be at least {MIN_CONTRAST} to 1. Darker, {darkened(colour)} would do."
    )


def is_colour(text: str) -> bool:
    return re.fullmatch("#[0-9a-f]{6}", text) is not None


def is_readable(colour: str) -> bool:
    return contrast_on_light(colour) >= MIN_CONTRAST


def contrast_on_light(colour: str) -> float:
    """Its minimum contrast on our light pages."""
    return _min_contrast(colour, LIGHT)


def darkened(colour: str) -> str:
    """The nearest darker colour that is readable there."""
    return _first_readable(_towards(colour, BLACK), LIGHT, MIN_CONTRAST)


@lru_cache(16)  # every mail needs those of the site
def shades(colour: str) -> dict[str, tuple[str, str]]:
    """By token name: in light and in dark mode."""
    twin = _first_readable(_towards(colour, WHITE), DARK, DARK_MODE_CONTRAST)
    soft = _first_readable(_towards(mixed(colour, WHITE, 0.88), WHITE), (colour,), MIN_CONTRAST)
    soft_twin = _first_readable(_towards(mixed(twin, DARK[1], 0.75), DARK[1]), (twin,), MIN_CONTRAST)
    return {
        "accent": (colour, twin),
        "accent-strong": (mixed(colour, BLACK, 0.3), mixed(twin, WHITE, 0.5)),
        "accent-soft": (soft, soft_twin),
        "on-accent": (WHITE, mixed(twin, BLACK, 0.85)),
    }


def site_shades(colour: str) -> dict[str, tuple[str, str]]:
    """The shades of the site's own colour, or of ours if it has none."""
    return shades(colour or DEFAULT_COLOUR)


def stylesheet(colour: str) -> str:
    """The tokens of static/css/tokens.css that a site's own colour changes."""
    found = shades(colour)
    light = "\n".join(f"    --{name}: {pair[0]};" for name, pair in found.items())
    both = "\n".join(f"      --{name}: light-dark({', '.join(pair)});" for name, pair in found.items())
    return (
        f"@layer tokens {{\n  :root {{\n{light}\n  }}\n\n"
        f"  @supports (color: light-dark(#000, #fff)) {{\n    :root {{\n{both}\n    }}\n  }}\n}}\n"
    )


# --- colours as numbers ---


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it: 1 for the same, 21 for black on white."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def mixed(colour: str, other: str, share: float) -> str:
    """The colour with that share of the other mixed in."""
    pairs = zip(_parts(colour), _parts(other), strict=True)
    return "#" + "".join(f"{round(own + (its - own) * share):02x}" for own, its in pairs)


def _first_readable(shades: Iterator[str], surfaces: tuple[str, ...], wanted: float) -> str:
    """The first with enough contrast to these surfaces. The last one always has."""
    return next(shade for shade in shades if _min_contrast(shade, surfaces) >= wanted)


def _min_contrast(colour: str, surfaces: tuple[str, ...]) -> float:
    return min(contrast(colour, surface) for surface in surfaces)


def _towards(colour: str, other: str) -> Iterator[str]:
    """The colour, then mixed with more and more of the other."""
    return (mixed(colour, other, percent / 100) for percent in range(101))


def _luminance(colour: str) -> float:
    shares = (part / 255 for part in _parts(colour))
    linear = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
