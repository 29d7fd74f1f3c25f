"""The event log: `events` records, `seal` makes it tamper-evident, `index` and `search` find, `publish` makes it
public.

Every act records events, so the names for that are exported here.
"""

from .events import Event, EventLog, Repeated, as_text, new_nonce, utc_now

__all__ = ["Event", "EventLog", "Repeated", "as_text", "new_nonce", "utc_now"]
