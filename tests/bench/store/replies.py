"""Plays a recorded reply back to a client as if the server took no time, which leaves only the client's own work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from botocore.awsrequest import AWSRequest, AWSResponse

RECEIVED = "before-parse.dynamodb.Query"
SENT = "before-send.dynamodb.Query"


@dataclass(frozen=True, slots=True)
class Reply:
    headers: dict[str, str]
    body: bytes

    def stream(self) -> Iterator[bytes]:
        """As botocore reads the body of a reply."""
        yield self.body

    def to(self, request: AWSRequest, **_: Any) -> AWSResponse:
        return AWSResponse(request.url, 200, self.headers, self)


def record(client: Any, ask: Callable[[], object]) -> Reply:
    """The last reply that the client gets while it asks."""
    replies: list[Reply] = []

    def keep(response_dict: dict[str, Any], **_: Any) -> None:
        replies.append(Reply(dict(response_dict["headers"]), response_dict["body"]))

    client.meta.events.register(RECEIVED, keep)
    ask()
    client.meta.events.unregister(RECEIVED, keep)
    return replies[-1]


@contextmanager
def played_back(reply: Reply, *clients: Any) -> Iterator[None]:
    """Answer every query of these clients with the reply; nothing is sent."""
    for client in clients:
        client.meta.events.register(SENT, reply.to)
    try:
        yield
    finally:
        for client in clients:
            client.meta.events.unregister(SENT, reply.to)
