"""A request as a WSGI application reads it, and the response."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import lru_cache
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from urllib.parse import unquote_to_bytes, urlsplit
from wsgiref.util import FileWrapper

Scope = dict[str, Any]
Headers = dict[bytes, bytes]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Environ = dict[str, Any]
WSGI = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

MAX_BODY_BYTES = 16 * 1024**2  # a list of voters may have 5 MB; slightly larger ones get an error on the page
MAX_BODY_BYTES_IN_MEMORY = 128 * 1024  # of a body, before a file is used
CHUNK_BYTES = 64 * 1024  # of a response, sent at a time


class TooLarge(Exception):
    """A body longer than any of our pages could use."""


class NoRoom(Exception):
    """The disk is full; the message says so."""


class Gone(Exception):
    """The client has left."""


async def read_body(headers: Headers, receive: Receive) -> IO[bytes]:
    """The whole body. Clients that take too long are disconnected."""
    length = int(headers.get(b"content-length", 0))  # gunicorn has validated it
    if not length and b"transfer-encoding" not in headers:
        return BytesIO()
    if length > MAX_BODY_BYTES:
        raise TooLarge
    is_short = 0 < length <= MAX_BODY_BYTES_IN_MEMORY
    body: Any = BytesIO() if is_short else SpooledTemporaryFile(MAX_BODY_BYTES_IN_MEMORY)  # noqa: SIM115 - closed below
    size, more = 0, True
    try:
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Gone
            size, more = size + len(message["body"]), message["more_body"]
            if size > MAX_BODY_BYTES:
                raise TooLarge
            body.write(message["body"])
        body.flush()  # a full disk shows up here at the latest, where it can be reported
        body.seek(0)
    except OSError as error:
        body.close()
        raise NoRoom(error.strerror) from error
    except BaseException:
        body.close()
        raise
    return body


def environ_of(scope: Scope, body: IO[bytes]) -> Environ:
    """The request as PEP 3333 requires it. The site's path comes from SITE_URL, never from the client."""
    target = scope["raw_path"]
    # a request may contain its full URL (RFC 9112, 3.2.2); the host is taken from `Host`
    path = target if target.startswith(b"/") else urlsplit(target).path or b"/"
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": scope["client"][0] if scope["client"] else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.file_wrapper": _in_pieces,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        key, text = _variable(name), value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if f"HTTP_{name}" in environ:
            environ[name] = environ.pop(f"HTTP_{name}")
    if environ.pop("HTTP_TRANSFER_ENCODING", None):  # the chunks were decoded, and now the length is known
        environ["CONTENT_LENGTH"] = str(body.seek(0, 2))
        body.seek(0)
    return environ


@lru_cache(256)  # browsers send few different ones
def _variable(header: bytes) -> str:
    return "HTTP_" + header.decode("latin-1").upper().replace("-", "_")


def _in_pieces(file: Any, size: int = CHUNK_BYTES) -> FileWrapper:
    return FileWrapper(file, CHUNK_BYTES)


class Response:
    """The application's response. Only the first piece of a file is read before sending."""

    status = 0
    headers: list[tuple[bytes, bytes]]

    def __init__(self, application: WSGI, environ: Environ):
        self._content: Any = application(environ, self._start)
        self._pieces: Iterator[bytes] = iter(self._content)
        self._is_file = isinstance(self._content, FileWrapper)
        self.first, self.is_whole = self.read()

    def _start(self, status: str, headers: list[tuple[str, str]], error: Any = None) -> None:
        self.status = int(status[:3])
        self.headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]

    def read(self) -> tuple[bytes, bool]:
        """The next piece, and whether it was the last."""
        found, size = [], 0
        for piece in self._pieces:
            found.append(piece)
            size += len(piece)
            if size >= CHUNK_BYTES and self._is_file:
                return b"".join(found), False
        self.close()
        return b"".join(found), True

    def close(self) -> None:
        content, self._content = self._content, None
        if hasattr(content, "close"):
            content.close()
