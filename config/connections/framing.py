"""What gunicorn does for every request, without the steps that come to the same each time.

What a request is, and what may stand in an answer, gunicorn judges: whatever is out of the ordinary goes its way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gunicorn.http.message import TOKEN_RE, Request
from gunicorn.http.wsgi import HEADER_VALUE_RE, Response
from gunicorn.util import is_hoppish

if TYPE_CHECKING:
    from .connection import Connection

LENGTH = "content-length"


class Settled:
    """gunicorn's settings, each looked up once: they do not change in a process that serves."""

    def __init__(self, cfg: Any):
        self.cfg = cfg

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.cfg, name)
        setattr(self, name, value)
        return value


class Asked(Request):
    """A request. Whether its client may speak for others is judged once for a connection."""

    def __init__(self, conn: Connection):
        self.conn = conn
        super().__init__(conn.cfg, conn.arrived, conn.client, conn.requests)

    def _peer_is_trusted_proxy(self) -> bool:
        if self.conn.is_trusted is None:
            self.conn.is_trusted = bool(super()._peer_is_trusted_proxy())
        return self.conn.is_trusted


class Answer(Response):
    """An answer. Its headers are looked through in one go; if anything is to be said of one, gunicorn says it."""

    def process_headers(self, headers: Sequence[tuple[str, str]]) -> None:
        kinds = [_kind(name) for name, _value in headers]
        if None in kinds or not HEADER_VALUE_RE.fullmatch("".join([value for _name, value in headers])):
            super().process_headers(headers)
            return
        self.headers += [(name, value.strip(" \t")) for name, value in headers]
        if LENGTH in kinds:
            self.response_length = int(headers[len(kinds) - 1 - kinds[::-1].index(LENGTH)][1])


@lru_cache(maxsize=1000)
def _kind(name: str) -> str | None:
    """Of a header with which there is nothing more to do; or of the one that says how long the answer is."""
    if not TOKEN_RE.fullmatch(name) or is_hoppish(name):
        return None
    return LENGTH if name.lower() == LENGTH else "plain"
