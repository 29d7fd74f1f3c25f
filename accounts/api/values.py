"""Values that several operations take or answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from django.urls import reverse
from django.utils.translation import gettext as _

from foundation.acts.links import absolute_url
from foundation.pages.names import MAX_NAME_CHARS
from foundation.pages.times import UnknownZone, form_time, from_text
from foundation.store.log import as_text

from .problems import invalid

# What pages refuse, as far as a pattern can say it: control characters, and what reverses letters. Only the description
# has it: what a form refuses has a sentence.
NAME_CHARS = r"[^\u0000-\u0008\u000e-\u001b\u007f-\u0084\u0086-\u009f\u202d\u202e]"
NAME_PATTERN = rf"^{NAME_CHARS}*[^\s\u0000-\u001f\u007f-\u009f\u202d\u202e]{NAME_CHARS}*$"
ZONE_PATTERN = "^[A-Za-z][A-Za-z0-9_+/-]*$"


def described(pattern: str, **more: Any) -> msgspec.Meta:
    """Limits, and a pattern that is shown but left to the form."""
    return msgspec.Meta(**more, extra_json_schema={"pattern": pattern})


Name = Annotated[str, described(NAME_PATTERN, min_length=1, max_length=MAX_NAME_CHARS * 2)]
Zone = Annotated[str, described(ZONE_PATTERN, max_length=100, examples=["Europe/Berlin"])]
Markdown = Annotated[str, described(r"^[^\u0000]*$", description="Markdown.")]
Moment = Annotated[datetime, described("^2[01]", tz=True, examples=["2027-03-01T18:00:00+01:00"])]  # 2000 to 2199


def moment(stored: str | None) -> datetime | None:
    return from_text(stored) if stored else None


def link(page: str, *words: object) -> str:
    return absolute_url(reverse(page, args=words))


def given(sent: msgspec.Struct) -> dict[str, Any]:
    """The fields that were sent."""
    fields = {name: getattr(sent, name) for name in sent.__struct_fields__}
    return {name: value for name, value in fields.items() if value is not msgspec.UNSET}


def stored(field: str, at: datetime | None) -> str | None:
    """A moment as it is stored, exactly."""
    try:
        return as_text(at) if at else None
    except OverflowError:
        raise invalid(field, _("This date or time does not exist.")) from None


def typed(field: str, at: datetime | None, zone: str) -> str:
    """A moment as a person would type it into a form in that zone, which then checks it."""
    if at is None:
        return ""
    try:
        return form_time(at.astimezone(UTC), zone).isoformat(timespec="milliseconds")
    except UnknownZone:
        return at.replace(tzinfo=None).isoformat(timespec="milliseconds")  # the form refuses the zone
    except OverflowError:
        raise invalid(field, _("This date or time does not exist.")) from None
