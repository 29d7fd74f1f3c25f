"""The event log: `events` records, `seal` shows tampering, `index` and `search` find, `publish` is what everybody sees.

Recording is what every act needs, so its names are here as well.
"""

from __future__ import annotations

from .events import Event, EventLog, Repeated, as_text, new_nonce, utc_now

__all__ = ["Event", "EventLog", "Repeated", "as_text", "new_nonce", "utc_now"]

PUBLIC = "checkpoint_proofs events index layout publish rewriting seal search"
