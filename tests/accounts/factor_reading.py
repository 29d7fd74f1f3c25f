"""What the pages about second factors show, read from their HTML as a browser would read it."""

from __future__ import annotations

import html
import re

from django.http import HttpResponse


def shown_secret(page: HttpResponse) -> str:
    """The key to type into an authenticator app."""
    return _only(r'<code id="key">([^<]+)</code>', page)


def shown_codes(page: HttpResponse) -> list[str]:
    return _only(r'<pre id="codes"[^>]*>([^<]+)</pre>', page).split()


def passkey_options(page: HttpResponse) -> str:
    """The JSON that the page's script passes to the browser."""
    return _only(r'data-options="([^"]+)"', page)


def _only(pattern: str, page: HttpResponse) -> str:
    (found,) = re.findall(pattern, page.content.decode())
    return html.unescape(found)
