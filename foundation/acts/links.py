"""Absolute URLs of our own pages, for mails, pictures and other sites."""

from __future__ import annotations

from django.conf import settings
from django.urls import get_script_prefix


def absolute_url(path: str) -> str:
    """For a path made by `reverse` or `static`. On a site below a path, SITE_URL already contains that path; `reverse`
    adds it too, but only in some threads."""
    return settings.SITE_URL + path.removeprefix(get_script_prefix().rstrip("/"))
