"""Paging through lists by cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.http import HttpRequest
from django.utils.encoding import escape_uri_path
from django.utils.http import urlencode

PAGE_ROWS = 50

T = TypeVar("T")
ReadPage = Callable[
    ..., tuple[Sequence[T], str | None]
]  # takes a limit and a cursor; returns a page, and where it ended


def read_page(request: HttpRequest, read: ReadPage[T], most: int = 0, /, **parameters: str) -> tuple[Sequence[T], str]:
    """A page of a list, starting where the URL says, and the URL of the next page, if any.

    That URL keeps the other parameters.
    """
    rows, cursor = read(limit=most or PAGE_ROWS, cursor=request.GET.get("after") or None)
    return rows, f"{escape_uri_path(request.path)}?{urlencode({**parameters, 'after': cursor})}" if cursor else ""


def list_context(request: HttpRequest, read: ReadPage[Any], **parameters: str) -> dict[str, Any]:
    """The context of pages/list.html."""
    rows, older = read_page(request, read, **parameters)
    return {"rows": rows, "older": older}
