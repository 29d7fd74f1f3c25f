"""Voters who come at random moments, at a given rate, and wait for nobody: a process of its own, with little to do.

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
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, takewhile

PATIENCE = 20.0  # seconds until a voter goes home without an answer
NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is sent where, how many times a second, and what share of the answers may take longer than `limit`."""

    host: str
    port: int
    rate: float
    limit: float
    share: float
    forms: Sequence[str]


@dataclass(frozen=True, slots=True)
class Answer:
    form: int  # its place in the plan
    seconds: float
    said: str  # status and address, such as "302 /election/Board/ballot/receipt/"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened. A plan that can no longer be held is given up, and the remaining voters stay at home."""

    answers: tuple[Answer, ...]
    given_up: bool
    late: float  # seconds, of the form that this process sent latest after its moment
    own_share: float  # of one core, that this process used


def perform(plan: Plan) -> Outcome:
    """Let the voters come, out of a process of their own."""
    text = json.dumps(asdict(plan))
    done = subprocess.run([sys.executable, __file__], input=text, stdout=subprocess.PIPE, text=True, check=True)
    told = json.loads(done.stdout)
    return Outcome(tuple(Answer(*each) for each in told.pop("answers")), **told)


# --- in that process ---


class Visit(asyncio.Protocol):
    """One voter's connection: sends the form and reads the head of the answer."""

    def __init__(self, form: str, said: asyncio.Future[str]):
        self.form = form
        self.said = said
        self.heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(self.form.encode())  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.heard += data
        if b"\r\n\r\n" in self.heard:
            self._finish(understood(self.heard.partition(b"\r\n\r\n")[0].decode("latin-1")))
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._finish(NO_ANSWER)

    def _finish(self, said: str) -> None:
        if not self.said.done():
            self.said.set_result(said)


def understood(head: str) -> str:
    status, *headers = head.split("\r\n")
    named = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in headers)}
    return f"{status.split(' ')[1]} {named.get('location', '')}".strip()


class Crowd:
    def __init__(self, plan: Plan):
        self.plan = plan
        self.answers: list[Answer] = []
        self.waiting: dict[int, float] = {}  # form -> when its voter came, the longest waiting first
        self.slow = 0
        self.late = 0.0

    async def come(self, moments: Sequence[float]) -> bool:
        """Answers whether all came; they stop when more have waited too long than the plan allows."""
        start, visits = time.monotonic() + 0.2, []
        for form, moment in enumerate(moments):
            await asyncio.sleep(start + moment - time.monotonic())
            if self._is_lost():
                break
            self.waiting[form] = start + moment
            visits.append(asyncio.create_task(self._visit(form)))
        await asyncio.gather(*visits)
        return len(visits) == len(moments)

    async def _visit(self, form: int) -> None:
        self.late = max(self.late, time.monotonic() - self.waiting[form])
        said = NO_ANSWER
        try:
            async with asyncio.timeout(PATIENCE):
                said = await self._ask(self.plan.forms[form])
        except (OSError, TimeoutError):
            pass
        seconds = time.monotonic() - self.waiting.pop(form)
        self.slow += seconds > self.plan.limit
        self.answers.append(Answer(form, seconds, said))

    async def _ask(self, form: str) -> str:
        loop = asyncio.get_running_loop()
        said: asyncio.Future[str] = loop.create_future()
        transport, _ = await loop.create_connection(lambda: Visit(form, said), self.plan.host, self.plan.port)
        try:
            return await said
        finally:
            transport.close()

    def _is_lost(self) -> bool:
        now = time.monotonic()
        overdue = sum(1 for _ in takewhile(lambda came: now - came > self.plan.limit, self.waiting.values()))
        return self.slow + overdue > self.plan.share * len(self.plan.forms)


def main() -> None:
    plan = Plan(**json.load(sys.stdin))
    chance = random.Random()  # only when somebody comes
    moments = list(accumulate(chance.expovariate(plan.rate) for _ in plan.forms))
    crowd, start = Crowd(plan), time.monotonic()
    all_came = asyncio.run(crowd.come(moments))
    answers = [(each.form, each.seconds, each.said) for each in crowd.answers]
    share = time.process_time() / (time.monotonic() - start)
    json.dump({"answers": answers, "given_up": not all_came, "late": crowd.late, "own_share": share}, sys.stdout)


if __name__ == "__main__":
    main()
