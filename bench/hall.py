"""A hall full of phones: a process of its own, with real sockets and little else to do.

Run by itself, this file reads who is in the hall, as JSON in one line, and then one command a line; for each it prints
one line of JSON. Moments are those of `time.monotonic`, which all processes of a machine share.

| command | what the phones do | answers |
|---|---|---|
| `connect` | open their streams, spread over so many seconds | seconds until each had its screen, by `key` |
| `hear` | wait for a screen with this key | seconds from `since` until each had it |
| `answer` | send their answers, spread over so many seconds | of each the seconds, the status, the words |
| `drop` | hang up | how many streams there were |
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 60.0  # seconds after which a phone is given up
A_SCREEN = re.compile(rb'event: screen\ndata: \{"key":"([^"]+)"')
LONGEST_TAIL = 200  # bytes of what came that may hold the beginning of a screen


@dataclass
class Phone:
    """What one phone sends, and the screens that it was sent."""

    listens: bytes  # the request for the stream
    answers: bytes
    stream: Stream | None = None
    screens: dict[str, float] = field(default_factory=dict)  # when each key came first


class Stream(asyncio.Protocol):
    def __init__(self, phone: Phone):
        self.phone, self.tail = phone, b""
        self.transport: Any = None
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(self.phone.listens)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        now, data = time.monotonic(), self.tail + data
        for found in A_SCREEN.finditer(data):
            self.phone.screens.setdefault(found[1].decode(), now)
        self.tail = data[-LONGEST_TAIL:]

    def connection_lost(self, error: Exception | None) -> None:
        self.is_lost = True


class Sent(asyncio.Protocol):
    """One answer: what is sent, and the head and words that come back."""

    def __init__(self, form: bytes, told: asyncio.Future[bytes]):
        self.form, self.told, self.heard = form, told, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(self.form)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.heard += data

    def connection_lost(self, error: Exception | None) -> None:
        if not self.told.done():
            self.told.set_result(self.heard)


class Hall:
    def __init__(self, host: str, port: int, phones: list[Phone]):
        self.host, self.port, self.phones = host, port, phones
        self.chance = random.Random(17)

    async def connect(self, key: str, spread: float = 0.0, least: float = 0.0) -> dict[str, Any]:
        """From the moment of the command, waiting included: so much later a phone has the right screen."""
        since = time.monotonic()
        for phone in self.phones:
            phone.screens.clear()
        waits = [least + self.chance.random() * (spread - least) if spread else 0.0 for _ in self.phones]
        await asyncio.gather(*map(self._open, self.phones, waits))
        return await self.hear(key, since)

    async def _open(self, phone: Phone, seconds: float) -> None:
        await asyncio.sleep(seconds)
        _transport, phone.stream = await asyncio.get_running_loop().create_connection(
            lambda: Stream(phone), self.host, self.port
        )

    async def hear(self, key: str, since: float) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not all(self._heard(phone, key) for phone in self.phones):
            await asyncio.sleep(0.02)
        heard = [at for phone in self.phones if (at := self._heard(phone, key))]
        return {"seconds": [at - since for at in heard], "missing": len(self.phones) - len(heard)}

    @staticmethod
    def _heard(phone: Phone, key: str) -> float:
        return next((at for seen, at in phone.screens.items() if key in seen), 0.0)

    async def drop(self) -> dict[str, Any]:
        open_ = [phone.stream for phone in self.phones if phone.stream and not phone.stream.is_lost]
        for stream in open_:
            stream.transport.abort()
        return {"dropped": len(open_)}

    async def answer(self, over: float) -> dict[str, Any]:
        return {"answers": await asyncio.gather(*(self._answer(phone, over) for phone in self.phones))}

    async def _answer(self, phone: Phone, over: float) -> tuple[float, int, str]:
        await asyncio.sleep(self.chance.random() * over)
        loop, start = asyncio.get_running_loop(), time.monotonic()
        told: asyncio.Future[bytes] = loop.create_future()
        await loop.create_connection(lambda: Sent(phone.answers, told), self.host, self.port)
        try:
            heard = await asyncio.wait_for(told, PATIENCE)
        except TimeoutError:
            return time.monotonic() - start, 0, ""
        head, _end, words = heard.partition(b"\r\n\r\n")
        return time.monotonic() - start, int(head.split(b" ", 2)[1]), words.decode(errors="replace")


async def play() -> None:
    told = json.loads(sys.stdin.readline())
    hall = Hall(told["host"], told["port"], [Phone(*(each.encode() for each in both)) for both in told["phones"]])
    loop = asyncio.get_running_loop()
    print(json.dumps({"phones": len(hall.phones)}), flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        before = time.process_time()
        answer = await getattr(hall, command.pop("do"))(**command)
        print(json.dumps(answer | {"processor": time.process_time() - before}), flush=True)


if __name__ == "__main__":
    asyncio.run(play())
