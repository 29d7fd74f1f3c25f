"""The whole site as `make run` starts it: served, killed, started again."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from config.settings import BASE_DIR
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log import Event, EventLog
from operations.upkeep.server import NAME
from tests.ports import free_port

TIMEOUT_SECONDS = 120  # seconds for a machine that is busy with other things


@contextmanager
def running(command: list[str], address: str, **variables: str):
    """The process of a server, in a group of its own, once it answers."""
    environment = {"PATH": os.environ["PATH"], **variables}
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=BASE_DIR,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(address)
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=TIMEOUT_SECONDS)
        process.stdout.close()


@contextmanager
def serving(folder, port: int, *options: str):
    command = [sys.executable, "manage.py", "serve", *options]
    with running(command, f"http://127.0.0.1:{port}/healthz", DATA_DIR=str(folder), PORT=str(port)) as process:
        yield process


def wait_for(address: str) -> None:
    until = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"{address} did not answer within {TIMEOUT_SECONDS} seconds")


def read(port: int, path: str = "/") -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=TIMEOUT_SECONDS) as answer:
        return answer.read().decode()


@pytest.mark.deep
def test_served_killed_and_started_again_nothing_is_lost(tmp_path):
    port = free_port()
    with serving(tmp_path, port) as process:
        assert "Plenum" in read(port)
        log = EventLog(connect(f"sqlite://{tmp_path}/plenum.sqlite3"))
        kept = log.record(Event("ada", "ThingMade"))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=TIMEOUT_SECONDS)
        assert f"http://127.0.0.1:{port}/" in process.stdout.read().decode()
    with serving(tmp_path, port) as process:
        page = read(port, "/checkpoints/")
        assert [event["event_type"] for event in log.since(kept - 1)] == ["ThingMade"], "the demo is not loaded twice"
        assert log.newest_checkpoint()["event_id"] == kept
        public = [each["event_id"] for each in log.table.each(keys.public_checkpoints())]
        assert any(re.search(rf"\b{number}\b", page) for number in public)
        no_header_moves_the_site(port)
        figures_of_all_server_processes_are_added_up(port)
        a_second_server_is_sent_away(tmp_path, port, process)
        a_killed_worker_is_followed_by_another_which_ends_with_its_server(port, process)


# What servers and proxies say of a path or a host; each as a client, or a proxy that passes it on, may spell it.
OF_SERVERS = ("SCRIPT_NAME", "Script_name", "script_name", "Script-Name", "PATH_INFO", "Path_info", "Path-Info")
OF_PROXIES = ("X-Forwarded-Prefix", "X-Forwarded-Host", "X-Forwarded-Path", "X-Script-Name", "X-Original-URL")
OF_PROXIES += ("X-Rewrite-URL", "X-Host", "X-Forwarded-Server", "Forwarded")


def no_header_moves_the_site(port: int) -> None:
    """Not a byte of a page, a redirect or a refusal is another for it."""
    for path in ("/sign-in/", "/elections/", "/nowhere/"):
        plain = exchange(port, path, {})
        for name in (*OF_SERVERS, *OF_PROXIES):
            for value in ("/evil", path.rstrip("/"), "evil.example"):
                assert exchange(port, path, {name: value}) == plain, (path, name, value)


def exchange(port: int, path: str, headers: dict[str, str]) -> tuple[int, str, str]:
    """What is answered, but for the token of its forms and the number of a request, which are others each time."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        changing = r'(name="csrfmiddlewaretoken" value=|"x-csrftoken": ?)"[^"]*"|<code>[0-9a-f]{16}</code>'
        page = re.sub(changing, "", answer.read().decode())
        return answer.status, answer.headers.get("Location", ""), page
    finally:
        connection.close()


def figures_of_all_server_processes_are_added_up(port: int) -> None:
    before = _ready(port)
    threads = [threading.Thread(target=read, args=(port, "/readyz")) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _ready(port) == before + 40


def a_second_server_is_sent_away(folder: Path, port: int, first: subprocess.Popen[bytes]) -> None:
    before = _ready(port)
    command = [sys.executable, "manage.py", "serve"]
    environment = {"PATH": os.environ["PATH"], "DATA_DIR": str(folder), "PORT": str(free_port())}
    second = subprocess.run(
        command, check=False, env=environment, cwd=BASE_DIR, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )
    assert (second.returncode, "Traceback" in second.stderr) == (1, False)
    assert f"Another server is using DATA_DIR {folder} (process {first.pid})." in second.stderr
    assert _ready(port) == before, "a second server by mistake has harmed nothing"


def children(pid: int) -> list[int]:
    found = [each.read_text().split() for each in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(each) for some in found for each in some]


def is_worker(pid: int) -> bool:
    return Path(f"/proc/{pid}/comm").read_text() == f"{NAME}\n"


def worker_of(pid: int, but: int = 0) -> int:
    """Its number, once it is there."""
    until = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < until:
        for child in children(pid):
            with suppress(OSError):  # it has just ended
                if child != but and is_worker(child):
                    return child
        time.sleep(0.1)
    raise AssertionError("There is no worker beside the server.")


def a_killed_worker_is_followed_by_another_which_ends_with_its_server(port: int, process: subprocess.Popen[bytes]):
    first = worker_of(process.pid)
    os.kill(first, signal.SIGKILL)
    second = worker_of(process.pid, but=first)
    assert read(port, "/healthz")
    process.terminate()
    assert process.wait(timeout=TIMEOUT_SECONDS) == 0
    _wait_for_the_end_of(second)


@pytest.mark.deep
def test_a_worker_that_outlives_its_server_keeps_neither_its_port_nor_its_folder(tmp_path):
    """As when the system kills the server and holds up what it has forked."""
    port = free_port()
    with serving(tmp_path, port, "--no-demo") as process:
        worker = worker_of(process.pid)
        os.kill(worker, signal.SIGSTOP)
        try:
            for pid in (process.pid, *children(process.pid)):
                if pid != worker:
                    os.kill(pid, signal.SIGKILL)
            process.wait(timeout=TIMEOUT_SECONDS)
            with serving(tmp_path, port, "--no-demo"):
                assert read(port, "/healthz")
        finally:
            os.kill(worker, signal.SIGCONT)
        _wait_for_the_end_of(worker)


def _wait_for_the_end_of(pid: int) -> None:
    until = time.monotonic() + TIMEOUT_SECONDS
    while _goes_on(pid):
        assert time.monotonic() < until, "It goes on without its server."
        time.sleep(0.1)


def _goes_on(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _ready(port: int) -> int:
    """How often it was asked whether it is ready, by its figures."""
    counted = r'plenum_requests_total\{route="readyz",status="2xx"\} (\d+)'
    return sum(map(int, re.findall(counted, read(port, "/metrics"))))


RARE = ("authlib", "boto3", "joserfc", "pynamodb", "requests", "webauthn")


@pytest.mark.deep
def test_a_site_on_sqlite_loads_neither_another_store_nor_what_few_people_use(tmp_path):
    modules = "sys, config.asgi, operations.upkeep.management.commands.serve"
    program = f"import {modules}; print(*sys.modules.keys() & set({RARE}))"
    environment = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, env=environment, cwd=BASE_DIR, capture_output=True, text=True
    )
    assert run.stdout.split() == []


@pytest.mark.deep
def test_a_taken_port_is_a_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "manage.py", "serve"]
        environment = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "PORT": str(port)}
        run = subprocess.run(
            command, check=False, env=environment, cwd=BASE_DIR, capture_output=True, text=True, timeout=240
        )
    assert run.returncode == 1
    assert f"Port {port} of 127.0.0.1 cannot be used" in run.stderr
    assert "make run" in run.stderr
    assert "Traceback" not in run.stderr


class SlowStore(BaseHTTPRequestHandler):
    """A DynamoDB that takes a second and has no items."""

    asked = threading.Event()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["X-Amz-Target"].endswith("BatchGetItem"):  # as /readyz asks; the worker beside it does not
            self.asked.set()
        time.sleep(1)
        nothing = b'{"Responses": {}, "Items": []}'
        self.send_response(200)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(nothing)))
        self.end_headers()
        self.wfile.write(nothing)

    def log_message(self, *arguments):
        pass


@pytest.mark.deep
@pytest.mark.seconds(8)
def test_stopping_lets_running_requests_finish(tmp_path):
    store = ThreadingHTTPServer(("127.0.0.1", 0), SlowStore)
    threading.Thread(target=store.serve_forever, daemon=True).start()
    port = free_port()
    url = f"dynamodb://eu-central-1?endpoint=http://127.0.0.1:{store.server_port}"
    command = [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn", "config.asgi"]
    variables = {"DATA_DIR": str(tmp_path), "PORT": str(port), "STORE_URL": url}
    with running(command, f"http://127.0.0.1:{port}/healthz", **variables) as process:
        answers = []
        request = threading.Thread(target=lambda: answers.append(read(port, "/readyz")))
        request.start()
        assert SlowStore.asked.wait(timeout=TIMEOUT_SECONDS)
        process.terminate()
        request.join(timeout=TIMEOUT_SECONDS)
        assert process.wait(timeout=TIMEOUT_SECONDS) == 0
    store.shutdown()
    assert answers == ["ok\n"]
