"""Voters who come at random moments, at a given rate, and wait for nobody; or so many at once, each as soon as another
has gone. They are a process of its own, with little to do.

Run by itself, this file reads a plan from its input, as JSON, and prints what was answered. How long an answer took
counts from the moment the voter came, also if this process was late to send the form.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, takewhile

PATIENCE = 20.0  # seconds until a voter goes home without an answer
NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is sent where, how many times a second, and what share of the answers may take longer than `limit`.

    A visit is what one voter sends, each as soon as the one before is answered, with the cookies that came. If so many
    are there `at_once`, nobody looks at the rate: whoever is done makes room for the next, on the same connection."""

    host: str
    port: int
    rate: float
    limit: float
    share: float
    visits: Sequence[Sequence[str]]
    at_once: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    visit: int  # its place in the plan
    seconds: float
    said: str  # status and address, such as "302 /election/Board/ballot/receipt/"; of several, one after the other


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened. A plan that can no longer be held is given up, and the remaining voters stay at home."""

    answers: tuple[Answer, ...]
    given_up: bool
    late: float  # seconds, of the form that this process sent latest after its moment
    own_share: float  # of one core, that this process used
    seconds: float = 0.0  # from the first who came to the last who was answered


def perform(plan: Plan) -> Outcome:
    """Let the voters come, out of a process of their own."""
    text = json.dumps(asdict(plan))
    done = subprocess.run([sys.executable, __file__], input=text, stdout=subprocess.PIPE, text=True, check=True)
    told = json.loads(done.stdout)
    return Outcome(tuple(Answer(*each) for each in told.pop("answers")), **told)


# --- in that process ---


class Visitor(asyncio.Protocol):
    """A voter's connection: sends a form and reads the answer, and then the next."""

    def __init__(self) -> None:
        self.heard = b""
        self.said: asyncio.Future[bytes] | None = None
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    async def make(self, visit: Sequence[str]) -> str:
        """All of a visit; whoever carries a cookie from one page to the next has it there."""
        cookies: dict[str, str] = {}
        said = []
        for text in visit:
            head = (await self._ask(with_cookies(text, cookies).encode())).decode("latin-1")
            said.append(understood(head))
            cookies |= cookies_in(head)
        return ", ".join(said)

    async def _ask(self, request: bytes) -> bytes:
        """The head of the answer, when all of it is there."""
        if self.is_lost:
            raise ConnectionError(NO_ANSWER)
        self.heard, self.said = b"", asyncio.get_running_loop().create_future()
        self.transport.write(request)  # type: ignore[attr-defined]
        return await self.said

    def data_received(self, data: bytes) -> None:
        self.heard += data
        head, _, body = self.heard.partition(b"\r\n\r\n")
        if is_whole(head, body):
            self._finish(head)

    def connection_lost(self, error: Exception | None) -> None:
        """Where nobody said how long the answer is, it ends here."""
        self.is_lost = True
        head, end, _ = self.heard.partition(b"\r\n\r\n")
        self._finish(head if end else b"")

    def _finish(self, head: bytes) -> None:
        if self.said is None or self.said.done():
            return
        if head:
            self.said.set_result(head)
        else:
            self.said.set_exception(ConnectionError(NO_ANSWER))


def is_whole(head: bytes, body: bytes) -> bool:
    """Whether this is all of an answer."""
    fields = head.lower()
    if b"\r\ntransfer-encoding: chunked" in fields:
        return body.endswith(b"\r\n0\r\n\r\n") or body == b"0\r\n\r\n"
    _, named, rest = fields.partition(b"\r\ncontent-length:")
    return len(body) >= int(rest.partition(b"\r\n")[0]) if named else head[9:12] in (b"204", b"304")


def understood(head: str) -> str:
    status, *headers = head.split("\r\n")
    named = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in headers)}
    return f"{status.split(' ')[1]} {named.get('location', '')}".strip()


def cookies_in(head: str) -> dict[str, str]:
    """What a browser would keep of an answer; what it is told to forget is empty."""
    lines = [line.partition(":")[2] for line in head.split("\r\n") if line.lower().startswith("set-cookie:")]
    pairs = [line.partition(";")[0].strip().partition("=") for line in lines]
    return {name: value.strip('"') for name, _, value in pairs}


def with_cookies(text: str, cookies: dict[str, str]) -> str:
    kept = "".join(f"{name}={value}; " for name, value in cookies.items() if value)
    return text.replace("\r\nCookie: ", f"\r\nCookie: {kept}", 1)


class Crowd:
    def __init__(self, plan: Plan):
        self.plan = plan
        self.answers: list[Answer] = []
        self.waiting: dict[int, float] = {}  # visit -> when its voter came, the longest waiting first
        self.slow = 0
        self.late = 0.0

    async def come(self, moments: Sequence[float]) -> bool:
        """Answers whether all came; they stop when more have waited too long than the plan allows."""
        start, visits = time.monotonic() + 0.2, []
        for number, moment in enumerate(moments):
            await asyncio.sleep(start + moment - time.monotonic())
            if self._is_lost():
                break
            self.waiting[number] = start + moment
            visits.append(asyncio.create_task(self._come_alone(number)))
        await asyncio.gather(*visits)
        return len(visits) == len(moments)

    async def queue(self) -> bool:
        """So many at once, until all have been there; answers that they were."""
        waiting = iter(range(len(self.plan.visits)))
        await asyncio.gather(*(self._one_after_the_other(waiting) for _ in range(self.plan.at_once)))
        return True

    async def _one_after_the_other(self, waiting: Iterator[int]) -> None:
        visitor: Visitor | None = None
        for number in waiting:
            self.waiting[number] = time.monotonic()
            visitor = await self._visit(number, visitor)
        if visitor:
            visitor.transport.close()

    async def _come_alone(self, number: int) -> None:
        self.late = max(self.late, time.monotonic() - self.waiting[number])
        visitor = await self._visit(number, None)
        if visitor:
            visitor.transport.close()

    async def _visit(self, number: int, visitor: Visitor | None) -> Visitor | None:
        """Answers the connection for the next, as long as it can be used."""
        said = NO_ANSWER
        try:
            async with asyncio.timeout(PATIENCE):
                visitor = visitor or await self._connected()
                said = await visitor.make(self.plan.visits[number])
        except (OSError, TimeoutError):
            if visitor:
                visitor.transport.close()
            visitor = None
        seconds = time.monotonic() - self.waiting.pop(number)
        self.slow += seconds > self.plan.limit
        self.answers.append(Answer(number, seconds, said))
        return visitor if visitor and not visitor.is_lost else None

    async def _connected(self) -> Visitor:
        _, visitor = await asyncio.get_running_loop().create_connection(Visitor, self.plan.host, self.plan.port)
        return visitor

    def _is_lost(self) -> bool:
        now = time.monotonic()
        overdue = sum(1 for _ in takewhile(lambda came: now - came > self.plan.limit, self.waiting.values()))
        return self.slow + overdue > self.plan.share * len(self.plan.visits)


def main() -> None:
    plan = Plan(**json.load(sys.stdin))
    chance = random.Random()  # only when somebody comes
    crowd, start, own = Crowd(plan), time.monotonic(), time.process_time()
    if plan.at_once:
        all_came = asyncio.run(crowd.queue())
    else:
        all_came = asyncio.run(crowd.come(list(accumulate(chance.expovariate(plan.rate) for _ in plan.visits))))
    seconds = time.monotonic() - start
    answers = [(each.visit, each.seconds, each.said) for each in crowd.answers]
    told = {"late": crowd.late, "own_share": (time.process_time() - own) / seconds, "seconds": seconds}
    json.dump({"answers": answers, "given_up": not all_came, **told}, sys.stdout)


if __name__ == "__main__":
    main()
