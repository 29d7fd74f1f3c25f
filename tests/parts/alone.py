"""`python -m tests.parts.alone` prints each part that has tests, with all that it uses: a line for `PARTS`."""

from __future__ import annotations

from pathlib import Path

import django

TESTS = Path(__file__).parents[1]


def main() -> None:
    django.setup()
    from django.apps import apps
    from django.conf import settings

    from .test_parts import used

    for name in settings.ALL_PARTS:
        if (TESTS / name).is_dir() and apps.get_app_config(name).title:
            print(",".join([name, *sorted(used(name) - {name})]))


if __name__ == "__main__":
    main()
