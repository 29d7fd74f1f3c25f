"""Message-IDs: stable across retries, and signed, so that only those who have seen the mail can name it.

The number of a mail may be derived from an election and an address. The Message-ID therefore includes an HMAC made with
the site's secret key, and a bounce without it is ignored.
"""

from __future__ import annotations

import hmac
import re
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.crypto import salted_hmac

_OURS = re.compile(r"<?\s*([0-9a-z]{1,64})\.([0-9a-f]{20})@[^\s<>@]+\s*>?")


def message_id(number: str) -> str:
    return f"<{number}.{_signature(number)}@{site_domain()}>"


def mail_number(text: str) -> str | None:
    """The mail's number, if the Message-ID is one of ours."""
    found = _OURS.fullmatch(text.strip())
    if found is None or not hmac.compare_digest(found[2], _signature(found[1])):
        return None
    return found[1]


def site_domain() -> str:
    return urlsplit(settings.SITE_URL).hostname or "localhost"


def _signature(number: str) -> str:
    return salted_hmac("mail.message_id", number, algorithm="sha256").hexdigest()[:20]
