"""What the site says of itself to programs: which scripts and stylesheets it serves, and how to report a vulnerability
(security.txt, RFC 9116).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import parseaddr

from django.conf import settings
from django.urls import reverse

from foundation.acts.links import absolute_url
from foundation.acts.storage import SITE, now_text, table, try_record
from foundation.pages import served_files
from foundation.store import keys
from foundation.store.log import Event, as_text
from foundation.store.table import Equals, Item, Missing, Put, Write

GOOD_FOR = timedelta(days=90)  # RFC 9116 recommends less than a year


def record_code() -> bool:
    """Record the files that the site serves if they differ from those before; returns whether they did. Every server of
    the site does this when it starts; one wins."""
    files, edition, known = served_files.digests(), served_files.edition(), table().get(keys.SERVED_CODE)
    if not files or (known and known["edition"] == edition):
        return False
    data = {"edition": edition, "since": now_text(), "files": [" ".join(pair) for pair in files.items()]}
    return try_record(Event(SITE, "CodeServed", data), *serving(data, known))


def serving(data: Item, before: Item | None) -> list[Write]:
    place = keys.SERVED_CODE
    is_unchanged = Equals("edition", before["edition"]) if before else Missing()
    return [Put({"PK": place.pk, "SK": place.sk, **data}, when=is_unchanged)]


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
