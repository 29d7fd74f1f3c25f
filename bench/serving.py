"""Part `serving`: what the server itself costs beside gunicorn's own threads, and whether slow clients are felt."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from store.connect import connect
from store.formats import prepare
from upkeep.server import is_worker

from .report import OPERATIONS, Report, Unit
from .rounds import Comparison, compare, crowd

HERE = Path(__file__).parent.parent
SERVE = [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn"]
PAGE = "/healthz"
LARGE = "/static/django_htmx/htmx-2.js"
VISITORS = 4
PATIENCE = 60  # seconds a probe waits for its answer
LITTLE_PATIENCE = 2  # where hardly any is answered
PROCESSOR = Unit("µs/page", "processor_microseconds", less_is_better=True)
SLOW = (40, 400)
RESTING = 20_000_000  # nanoseconds of work in half a second
SCHEDULED = 2  # of a clock: to the nanosecond


def measure(report: Report, scale: float = 1.0) -> None:
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as folder:
        rounds, seconds = max(2, int(9 * scale)), 1.5 * min(scale, 1.0)
        with server(folder) as ours, server(folder, "--worker-class gthread --threads 8", "config.wsgi") as theirs:
            _cost(report, ours, theirs, rounds, seconds)
            for slow in SLOW:
                _slow(report, ours, theirs, slow, rounds, seconds)


def _cost(report: Report, ours: Server, theirs: Server, rounds: int, seconds: float) -> None:
    report.heading(f"A trivial page, {VISITORS} visitors with kept connections", "gthread")
    with crowd(VISITORS) as visitors:
        asked = {each: visitor(each.port) for each in (ours, theirs)}

        def rate(server: Server) -> float:
            return visitors.rate(asked[server], seconds)

        comparison = compare(lambda: rate(ours), lambda: rate(theirs), rounds)
        report.compare("page", "pages a second", comparison, OPERATIONS, peer="gthread", at_least=0.97)
        comparison = compare(lambda: ours.processor(rate), lambda: theirs.processor(rate), rounds)
        report.compare("page_processor", "processor time", comparison, PROCESSOR, peer="gthread", at_least=0.97)


def _slow(report: Report, ours: Server, theirs: Server, slow: int, rounds: int, seconds: float) -> None:
    """Probes while so many clients are slow, beside the same probes of the same server while none is."""
    report.heading(f"{slow} clients that send nothing or a byte a second, and 20 that do not read", "without")
    rates: list[tuple[float, float]] = []
    for _ in range(rounds):
        without = probes(ours.port, seconds)
        with slow_clients(ours.port, slow):
            ours.settle()
            rates.append((probes(ours.port, seconds), without))
    comparison = Comparison(*zip(*rates, strict=True))
    report.compare(f"slow_{slow}", "probes answered", comparison, OPERATIONS, peer="without", at_least=0.8)
    with slow_clients(theirs.port, slow):
        theirs.settle()
        answered = [probe(theirs.port, LITTLE_PATIENCE) for _ in range(5)]
    report.figure(f"slow_{slow}_gthread", "answered by gunicorn's own threads", 20 * sum(answered), "% of 5 probes")


# --- the server ---


class Server:
    def __init__(self, process: subprocess.Popen[bytes], port: int):
        self.process, self.port = process, port

    def processor(self, rate: Callable[[Server], float]) -> float:
        """Microseconds of processor time for each page, of all processes that serve."""
        before, start = self.worked(), time.perf_counter()
        pages = rate(self) * (time.perf_counter() - start)
        return (self.worked() - before) / pages / 1000

    def settle(self, *, also_worker: bool = False) -> None:
        """Wait until it rests: those who do not read have all that their sockets hold."""
        before, now = -RESTING, self.worked(also_worker=also_worker)
        while now - before >= RESTING:
            time.sleep(0.5)
            before, now = now, self.worked(also_worker=also_worker)

    def worked(self, *, also_worker: bool = False) -> int:
        """Nanoseconds of all threads of the processes that serve, also of those that have ended. The worker beside them
        is a child too, with a command of its own."""
        found = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        children = [each for file in found for each in file.read_text().split()]
        serving = [each for each in children if also_worker or not is_worker(int(each))]
        return sum(map(_worked, map(int, serving)))


def _worked(process: int) -> int:
    """By the clock that the system keeps of a process and all threads that it ever had: `clock_getcpuclockid`, which
    Python has not, makes its number so."""
    try:
        return time.clock_gettime_ns((~process << 3) | SCHEDULED)
    except OSError:  # it has just ended
        return 0


@contextmanager
def server(folder: str, arguments: str = "", application: str = "config.asgi") -> Iterator[Server]:
    """Our site on a free port, in a group of processes of its own. Slow clients are not ended while we measure."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {"DATA_DIR": f"{folder}/{port}", "PORT": str(port), "LOG_LEVEL": "ERROR", "REQUEST_SECONDS": "600"}
    environment = {"PATH": os.environ["PATH"], "GUNICORN_CMD_ARGS": arguments, **variables}
    table = connect(f"sqlite://{folder}/{port}/plenum.sqlite3")
    table.create()
    prepare(table)
    table.close()
    process = subprocess.Popen(
        [*SERVE, application], env=environment, cwd=HERE, start_new_session=True, stderr=subprocess.DEVNULL
    )
    try:
        while not probe(port) and process.poll() is None:
            time.sleep(0.1)
        yield Server(process, port)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


# --- those who ask ---


def visitor(port: int, path: str = PAGE) -> Callable[[], None]:
    """Asks for a page again and again, each thread on a connection that it keeps."""
    ours = threading.local()
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

    def ask() -> None:
        if not hasattr(ours, "connection"):
            ours.connection = socket.create_connection(("127.0.0.1", port))
        try:
            ours.connection.sendall(request)
            answer = ours.connection.recv(65536)
            while answer and not answer.endswith(b"\r\n0\r\n\r\n"):
                answer += ours.connection.recv(65536)
        except ConnectionError:
            answer = b""
        if not answer:  # it was kept too long, and is gone
            del ours.connection

    return ask


def probe(port: int, patience: float = PATIENCE) -> bool:
    """Whether somebody who comes along is answered."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
            connection.sendall(f"GET {PAGE} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            return connection.recv(65536).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def probes(port: int, seconds: float) -> float:
    """How many a second are answered."""
    start, answered = time.perf_counter(), 0
    while time.perf_counter() < start + seconds:
        answered += probe(port)
    return answered / (time.perf_counter() - start)


def silent(number: int) -> bytes:
    return b""


def slow_head(number: int) -> bytes:
    return f"GET {PAGE} HTTP/1.1\r\nHost: localhost\r\nX-Slow: {number}".encode()


def slow_body(number: int) -> bytes:
    return b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nname="


def not_reading(number: int) -> bytes:
    """More answers than a socket holds."""
    return f"GET {LARGE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 25


SENDING = (silent, slow_head, slow_body)


@contextmanager
def slow_clients(port: int, count: int, not_readers: int = 20) -> Iterator[list[socket.socket]]:
    """So many that send nothing, or a byte a second of a head or of a body; and, besides, some that do not read."""
    kinds = [SENDING[number % len(SENDING)] for number in range(count)] + [not_reading] * not_readers
    connections = [_slow_client(port, kind, number) for number, kind in enumerate(kinds)]
    dripping = [each for each, kind in zip(connections, kinds, strict=True) if kind in (slow_head, slow_body)]
    stopped = threading.Event()
    tap = threading.Thread(target=_drip, args=(dripping, stopped))
    tap.start()
    try:
        yield connections
    finally:
        stopped.set()
        tap.join()
        for each in connections:
            each.close()


def _slow_client(port: int, kind: Callable[[int], bytes], number: int) -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_WRITE)
        selector.select()
    if first := kind(number):
        connection.send(first)
    return connection


def _drip(connections: list[socket.socket], stopped: threading.Event) -> None:
    going = list(connections)
    while not stopped.wait(1):
        going = [each for each in going if _takes_a_byte(each)]


def _takes_a_byte(connection: socket.socket) -> bool:
    try:
        connection.send(b"x")
    except OSError:
        return False
    return True
