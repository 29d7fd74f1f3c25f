"""A small application under the site's own server settings, to see what becomes of requests on their way."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

LARGE = 20 * 1024**2


def large() -> bytes:
    return bytes(range(256)) * (LARGE // 256)


def echo(environ) -> bytes:
    body = environ["wsgi.input"].read()
    return f"{environ['REQUEST_METHOD']} {len(body)} {hashlib.sha256(body).hexdigest()}".encode()


def ignore(environ) -> bytes:
    return b"not read"


def hold(environ) -> bytes:
    """Says in this folder that it has begun, and answers when it is told there to go on."""
    folder = Path(environ["QUERY_STRING"])
    (folder / "began").touch()
    while not (folder / "go").exists():
        time.sleep(0.01)
    return large()


PATHS = {"/ignore": ignore, "/large": lambda environ: large(), "/hold": hold}


def application(environ, start_response):
    answer = PATHS.get(environ["PATH_INFO"], echo)(environ)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(answer)))])
    return [answer] if environ["REQUEST_METHOD"] != "HEAD" else []
