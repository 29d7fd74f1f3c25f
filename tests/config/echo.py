"""A small application under the site's own server settings, to see what becomes of requests on their way."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from pathlib import Path

from config.web import Application
from foundation.pages.streams import CLIENT_GONE, EVENT_STREAM, HEADERS, OPEN_STREAM, send_all

LARGE_BODY_BYTES = 20 * 1024**2


def large() -> bytes:
    return bytes(range(256)) * (LARGE_BODY_BYTES // 256)


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


def left(environ) -> bytes:
    """Answers when its client has gone, and says so in this folder."""
    while not environ[CLIENT_GONE]():
        time.sleep(0.01)
    (Path(environ["QUERY_STRING"]) / "left").touch()
    return b""


# --- answers that stay open ---

listeners: dict = {}  # by what stood behind the question mark
told: Counter = Counter()  # how often each was told that it ended


def stream(environ) -> bytes:
    name = environ["QUERY_STRING"]
    if OPEN_STREAM not in environ:
        return b"no room"

    def begin(listener) -> None:
        listeners[name] = listener
        listener.send(b"data: begun\n\n")
        if name == "fails":
            raise ValueError(name)

    def end(listener) -> None:
        assert listener is listeners[name]
        told[name] += 1

    first = large() if name == "long" else f"data: {name}\n\n".encode()
    environ[OPEN_STREAM].hold(first, begin, end)
    if name == "instead":
        return b"an error page"
    environ["headers"] = {"Content-Type": EVENT_STREAM} | HEADERS
    return b""


def say(environ) -> bytes:
    """The body, to all who listen; and that it was."""
    data = environ["wsgi.input"].read()
    send_all((listener, data) for listener in listeners.values())
    return b"said"


def close(environ) -> bytes:
    listener = listeners[environ["QUERY_STRING"]]
    listener.send(b"data: last\n\n")
    listener.close()
    listener.send(b"data: never\n\n")
    return b"closed"


def who(environ) -> bytes:
    """Who listens, and how often who does not was told so."""
    names = sorted(name for name, each in listeners.items() if each.is_open)
    return f"{' '.join(names)}; {' '.join(f'{name}={told[name]}' for name in sorted(told))}".encode()


def figures(environ) -> bytes:
    from operations.upkeep import metrics

    return metrics.as_text()


PATHS = {
    "/length": lambda environ: environ["CONTENT_LENGTH"].encode(),
    "/left": left,
    "/ignore": ignore,
    "/large": lambda environ: large(),
    "/hold": hold,
    "/stream": stream,
    "/say": say,
    "/close": close,
    "/who": who,
    "/figures": figures,
}


def echoing(environ, start_response):
    answer = PATHS.get(environ["PATH_INFO"], echo)(environ)
    headers = environ.get("headers", {"Content-Type": "text/plain"}) | {"Content-Length": str(len(answer))}
    start_response("200 OK", list(headers.items()))
    return [answer] if environ["REQUEST_METHOD"] != "HEAD" else []


application = Application(echoing)
