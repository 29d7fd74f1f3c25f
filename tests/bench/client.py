"""A small HTTP/1.1 client on asyncio: many browsers in one process, at little cost compared with the server."""

from __future__ import annotations

import asyncio
import gzip
import re
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html import unescape
from typing import Any, TypeVar
from urllib.parse import urlencode

T = TypeVar("T")
Form = Mapping[str, str | int]
HOST = "127.0.0.1"
TIMEOUT_SECONDS = 60.0
GZIP = b"\x1f\x8b"
HEADERS = (
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Language: en-GB,en;q=0.9,de;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate\r\n"
)


class Unexpected(AssertionError):
    """An answer other than the one that is measured."""


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    form: Form | None = None  # sent with POST
    headers: str = ""

    def encoded(self, host: str, cookies: Mapping[str, str]) -> bytes:
        method, body, of_form = "GET", "", ""
        if self.form is not None:
            method, body = "POST", urlencode(self.form)
            of_form = f"Origin: http://{host}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            of_form += f"Content-Length: {len(body)}\r\n"
        cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        head = f"{method} {self.path} HTTP/1.1\r\nHost: {host}\r\n{HEADERS}{self.headers}{of_form}Cookie: {cookie}"
        return f"{head}\r\n\r\n{body}".encode()


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    location: str
    cookies: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return (gzip.decompress(self.body) if self.body.startswith(GZIP) else self.body).decode()

    def __str__(self) -> str:
        return f"{self.status} {self.location}".strip()


Step = Request | Callable[[Response], Request | None]  # a request, or the one that the last answer leads to


@dataclass(frozen=True, slots=True)
class Visit:
    """What one browser does, one thing after the other."""

    cookies: Mapping[str, str]
    steps: Sequence[Step]
    last: Response | None = None  # the answer of an earlier visit that this one goes on from

    def go_on(self, answers: Sequence[Response], steps: Sequence[Step]) -> Visit:
        """After this visit, in the same browser."""
        cookies = dict(self.cookies)
        for each in answers:
            cookies |= each.cookies
        return Visit(cookies, steps, answers[-1] if answers else self.last)


class Connection:
    """One kept connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str):
        self.reader, self.writer, self.host = reader, writer, host

    @classmethod
    async def open(cls, port: int) -> Connection:
        return cls(*await asyncio.open_connection(HOST, port), f"{HOST}:{port}")

    def send(self, request: Request, cookies: Mapping[str, str]) -> None:
        self.writer.write(request.encoded(self.host, cookies))

    async def ask(self, request: Request, cookies: Mapping[str, str]) -> Response:
        self.send(request, cookies)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await self._answer()

    async def visit(self, visit: Visit) -> list[Response]:
        """Cookies that are set on the way are sent along, as a browser does."""
        cookies, answers, last = dict(visit.cookies), list[Response](), visit.last
        for step in visit.steps:
            request = step if isinstance(step, Request) else step(last) if last else None
            if request is not None:
                last = await self.ask(request, cookies)
                answers.append(last)
                cookies |= last.cookies
        return answers

    async def _answer(self) -> Response:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, *lines = head.rstrip().split("\r\n")
        pairs = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        named, code = dict(pairs), int(status.split(" ")[1])
        body = await self._body(named) if code not in (204, 304) else b""
        cookies = [value.partition(";")[0].partition("=") for name, value in pairs if name == "set-cookie"]
        return Response(code, named.get("location", ""), {name: value for name, _, value in cookies}, body)

    async def _body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return await self.reader.readexactly(int(headers["content-length"]))
        parts = []
        while size := int(await self.reader.readline(), 16):
            parts.append(await self.reader.readexactly(size))
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)
        return b"".join(parts)

    def close(self) -> None:
        self.writer.transport.abort()


def in_thread(work: Coroutine[Any, Any, T]) -> T:
    """In a loop of its own, also where this thread has one that is running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def ask(port: int, request: Request, cookies: Mapping[str, str]) -> Response:
    """One request on a new connection."""
    return perform(port, [Visit(cookies, [request])], 1).answers[0][0]


@dataclass(slots=True)
class Outcome:
    seconds: float = 0.0  # from the first request to the last answer
    answers: dict[int, list[Response]] = field(default_factory=dict)  # by the place of the visit

    def check(self, expected: str) -> None:
        """That this pattern describes how each visit was answered, such as "200, 302 /there/"."""
        found = [", ".join(map(str, answers)) for answers in self.answers.values()]
        if wrong := [each for each in found if not re.fullmatch(expected, each)]:
            raise Unexpected(f"{len(wrong)} of {len(found)} were not answered with {expected}, but such as {wrong[0]}.")


def perform(port: int, visits: Sequence[Visit], at_once: int) -> Outcome:
    """Make all visits, so many at once, each on the connection of the one before."""
    return in_thread(_perform(port, visits, at_once))


async def _perform(port: int, visits: Sequence[Visit], at_once: int) -> Outcome:
    outcome, waiting, start = Outcome(), iter(enumerate(visits)), time.perf_counter()
    await asyncio.gather(*(_one_after_the_other(port, waiting, outcome) for _ in range(at_once)))
    outcome.seconds = time.perf_counter() - start
    return outcome


async def _one_after_the_other(port: int, waiting: Iterator[tuple[int, Visit]], outcome: Outcome) -> None:
    connection = await Connection.open(port)
    for place, visit in waiting:
        outcome.answers[place] = await connection.visit(visit)
    connection.close()


def share(values: Iterable[float], part: float) -> float:
    """The value that this part of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


FORM = re.compile(r'<form\b(?:[^>]*?\baction="([^"]*)")?[^>]*>(.*?)</form>', re.DOTALL)
HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)"')


def hidden_fields(page: str, *actions: str) -> dict[str, str]:
    """What the forms with these actions send besides what somebody fills in; a form without one leads to its page."""
    inside = "".join(fields for action, fields in FORM.findall(page) if unescape(action) in actions)
    return {name: unescape(value) for name, value in HIDDEN.findall(inside)}
