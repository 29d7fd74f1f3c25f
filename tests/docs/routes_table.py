"""The table of docs/reference/routes.md: every URL, its methods and who may open it. Written by `make reference`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import django

from tests.docs.types_table import written

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "routes.md"


def table() -> str:
    from django.urls import URLResolver, get_resolver

    from accounts.api.operations import route_name
    from tests.test_routes import OPERATIONS, ROUTES

    def addresses(resolver: URLResolver, before: str = "/") -> dict[str, str]:
        """Maps the name of each route to its address."""
        found: dict[str, str] = {}
        for each in resolver.url_patterns:
            address = before + str(each.pattern)
            found |= addresses(each, address) if isinstance(each, URLResolver) else {each.name: address}
        return found

    open_to_all = {
        route_name(route): [method for method, (scope, _permission) in methods.items() if scope is None]
        for route, (methods, _words) in OPERATIONS.items()
    }
    rows = ["| address | name | methods | who |", "|---|---|---|---|"]
    for name, address in sorted(addresses(get_resolver()).items(), key=lambda route: route[1]):
        access, methods, _words = ROUTES[name]
        verbs = ", ".join(method for method in methods if method != "HEAD")
        shown = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", address)
        who, free = _label(access), ", ".join(open_to_all.get(name, ()))
        who = f"{who}; {free} public" if free and who != "public" else who
        rows.append(f"| `{shown}` | {name} | {verbs} | {who} |")
    return "\n".join(rows) + "\n"


def _label(access: object) -> str:
    """`Permission.MANAGE_USERS` as "manage users"."""
    return str(getattr(access, "name", access)).lower().replace("_", " ")


def main() -> None:
    from tests import environment  # noqa: F401 - first, so that none of this touches the real site

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    DOCUMENT.write_text(written(DOCUMENT.read_text(), table()))


if __name__ == "__main__":
    main()
