"""Our own engine where tests ask for one: in this process, or over the network for whoever is another process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from re import sub
from threading import Thread
from typing import Any

from botocore.exceptions import ClientError

from foundation.store.dynamodb import DynamoDbTable
from tests.store import engines

from .memory import MemoryEngine


def using(table: DynamoDbTable, client: Any) -> DynamoDbTable:
    """The adapter asks this client, and no network."""
    table._connection.client = table._connection.patient_client = lambda: client  # type: ignore[method-assign]
    return table


class OurEngine(engines.Engine):
    """Adapters in this process ask the client itself; its URL is for other processes."""

    def __init__(self, client: Any, ends: ExitStack) -> None:
        super().__init__("ours")
        self.client = client
        self._ends = ends

    def url(self) -> str:
        self.endpoint = self.endpoint or self._ends.enter_context(served(self.client))
        return super().url()

    def table(self, **options: Any) -> DynamoDbTable:
        return using(super().table(**options), self.client)


@contextmanager
def ours(client: Any = None) -> Iterator[OurEngine]:
    with ExitStack() as ends:
        yield OurEngine(client or MemoryEngine(), ends)


# --- over the network ---


@contextmanager
def served(client: Any, port: int = 0) -> Iterator[str]:
    """The client as a server that speaks DynamoDB's protocol, on the loopback interface; answers its address."""

    class Line(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            operation = self.headers.get("X-Amz-Target", "").rpartition(".")[2]
            self.answer(*answered(client, operation, json.loads(body)))

        def answer(self, status: int, said: dict[str, Any]) -> None:
            body = json.dumps(said).encode()
            head = f"HTTP/1.1 {status} -\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}"
            self.wfile.write(f"{head}\r\n\r\n".encode() + body)

        def log_message(self, *words: object) -> None:
            """Says nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 200

    with Server(("127.0.0.1", port), Line) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def answered(client: Any, operation: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The status and the words of a reply."""
    method = getattr(client, sub(r"(?<!^)(?=[A-Z])", "_", operation).lower(), None)
    if method is None:
        return 400, {"__type": "com.amazonaws.dynamodb.v20120810#UnknownOperationException", "message": operation}
    try:
        return 200, method(**request)
    except ClientError as error:
        told = error.response["Error"]
        more = {name: value for name, value in error.response.items() if name == "CancellationReasons"}
        return 400, {"__type": f"com.amazonaws.dynamodb.v20120810#{told['Code']}", "message": told["Message"], **more}


@contextmanager
def ours_over_the_network() -> Iterator[engines.Engine]:
    """For adapters, too, that ask by the address."""
    with served(MemoryEngine()) as endpoint:
        yield engines.Engine("ours", endpoint)
