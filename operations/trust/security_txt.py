"""How to report a vulnerability, for people and for programs (security.txt, RFC 9116)."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import parseaddr

from django.conf import settings
from django.urls import reverse

from foundation.acts.links import absolute_url
from foundation.store.log import as_text

GOOD_FOR = timedelta(days=90)  # RFC 9116 recommends less than a year


def contact() -> str:
    """As a URI: what the operator set, else where replies to mails go, else the page that says who runs the site."""
    if (own := settings.SECURITY_CONTACT) and "@" not in own:
        return str(own)
    address = parseaddr(own or settings.MAIL_REPLY_TO)[1]
    return f"mailto:{address}" if address else absolute_url(reverse("notice", args=["imprint"]))


def security_txt(now: datetime) -> str:
    fields = {
        "Contact": contact(),
        "Expires": as_text((now + GOOD_FOR).replace(minute=0, second=0, microsecond=0)),
        "Preferred-Languages": ", ".join(dict.fromkeys(code[:2] for code, _name in settings.LANGUAGES)),
        "Canonical": absolute_url(reverse("security_txt")),
        "Policy": f"{absolute_url(reverse('trust'))}#report",
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())
