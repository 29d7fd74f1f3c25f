"""Whole addresses of our own pages, for mails, pictures and other sites."""

from __future__ import annotations

from django.conf import settings
from django.urls import get_script_prefix


def absolute_url(path: str) -> str:
    """Of a path that `reverse` or `static` has made.

    Below a path of its host, the site's own path stands in SITE_URL already; and `reverse` puts it first as well, but
    only in the thread of a request or the main one.
    """
    return settings.SITE_URL + path.removeprefix(get_script_prefix().rstrip("/"))
