"""What a page shows in its markup: values of attributes, hidden fields, the text of an element."""

from __future__ import annotations

import re
from html import unescape

from django.http import HttpResponse


def attribute(page: HttpResponse, name: str) -> str:
    """The value of the first attribute of that name."""
    return _found(rf'\s{name}="([^"]*)"', page)


def hidden(page: HttpResponse, name: str) -> str:
    """The value of a hidden field."""
    return _found(rf'<input type="hidden" name="{name}" value="([^"]*)"', page)


def element(page: HttpResponse, id_: str) -> str:
    """The text of an element that holds nothing else."""
    return _found(rf'\sid="{id_}"[^>]*>([^<]*)<', page)


def _found(pattern: str, page: HttpResponse) -> str:
    match = re.search(pattern, page.content.decode())
    assert match, f"{pattern} is not on the page"
    return unescape(match[1])
