"""The engines the DynamoDB adapter is tested on: moto, ministack, DynamoDB Local where it was fetched, and whatever
engine `make test-engine` is to judge. Which of the last two there are the environment says; it is read here only."""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import Request, urlopen

from foundation.store.dynamodb import DynamoDbTable, schema
from foundation.store.dynamodb import wire as dynamodb_wire
from foundation.store.limits import BATCH_PUTS
from foundation.store.table import TABLES
from tests.ports import free_port

REGION = "us-east-1"
JAR_DIR = "DYNAMODB_LOCAL_JAR_DIR"
JUDGED = "ENGINE_URL"
FEW_ITEMS = 75
START_TIMEOUT_SECONDS = 120  # a busy machine is no failure

RUNNING = ExitStack()  # engines that serve all who ask for one in this process
atexit.register(RUNNING.close)


class EngineMissing(Exception):
    """An engine that cannot be started here; the words say what is missing."""


@dataclass
class Engine:
    """A running engine, from which any number of tables can be had, each alone with its prefix."""

    name: str
    endpoint: str | None = None
    region: str = REGION
    prefix: str = ""  # that all its tables have in common
    _numbers: Iterator[int] = field(default_factory=itertools.count, repr=False)

    def url(self) -> str:
        """A STORE_URL of this engine, with a prefix that nobody else has."""
        options = {"prefix": self._new_prefix(), "protected": "no"}
        options |= {"endpoint": self.endpoint} if self.endpoint else {}
        return f"dynamodb://{self.region}?{urlencode(options)}"

    def table(self, **options: Any) -> DynamoDbTable:
        """An adapter on a prefix of its own, whose tables are not made yet."""
        return DynamoDbTable(region=self.region, prefix=self._new_prefix(), endpoint=self.endpoint, **options)

    def _new_prefix(self) -> str:
        return f"{self.prefix}t{next(self._numbers)}-{uuid.uuid4().hex[:8]}-"

    def fresh(self, **options: Any) -> DynamoDbTable:
        """An adapter on new, empty tables."""
        table = self.table(**options)
        schema.create(self.client, table.prefix, protected=False)
        return table

    def empty(self, table: DynamoDbTable) -> bool:
        """New tables take longer than removing what few items are in these. Answers whether they were few."""
        for name in (table.prefix + name for name in TABLES):
            found = self.client.scan(TableName=name, ConsistentRead=True, Limit=FEW_ITEMS + 1)
            if len(found["Items"]) > FEW_ITEMS or "LastEvaluatedKey" in found:
                return False
            keys = [{"PK": item["PK"], "SK": item["SK"]} for item in found["Items"]]
            for start in range(0, len(keys), BATCH_PUTS):
                gone = [{"DeleteRequest": {"Key": key}} for key in keys[start : start + BATCH_PUTS]]
                self.client.batch_write_item(RequestItems={name: gone})
        return True

    def drop(self, table: DynamoDbTable) -> None:
        for name in TABLES:
            self.client.delete_table(TableName=table.prefix + name)
        table.close()

    @cached_property
    def client(self) -> Any:
        """A client of our own, to look at what the adapter did and to tidy up."""
        return dynamodb_wire.client(self.region, self.endpoint, threads=4)


@contextmanager
def moto() -> Iterator[Engine]:
    """DynamoDB inside this process. It is not isolated under threads: for promises that need only one."""
    from moto import mock_aws

    with mock_aws():
        yield Engine("moto")


@contextmanager
def ministack() -> Iterator[Engine]:
    """DynamoDB as a server of its own, right under races. Its start takes longer than what most do with it, and nobody
    meets another's tables in it: whoever comes next is given the one that runs."""
    yield _running_ministack()


@cache
def _running_ministack() -> Engine:
    return RUNNING.enter_context(_started_ministack())


@contextmanager
def _started_ministack() -> Iterator[Engine]:
    """It keeps to its own folder and to the loopback interface."""
    with _folder() as folder:
        port = free_port()
        environment = _environment(folder) | {
            "GATEWAY_PORT": str(port),
            "BIND_HOST": "127.0.0.1",
            "MINISTACK_HOST": "127.0.0.1",
            "SERVICES": "dynamodb",
            "STATE_DIR": str(folder),
            "LOG_LEVEL": "ERROR",
            "SFTP_ENABLED": "0",
            "IOT_MTLS_ENABLED": "0",
            # It tidies up Docker containers when it starts and ends: let it find no Docker.
            "DOCKER_HOST": f"unix://{folder}/no-docker",
        }
        with _server([sys.executable, "-m", "ministack"], port, folder, environment):
            engine = Engine("ministack", f"http://127.0.0.1:{port}")
            _ask_first(engine)
            yield engine


def _ask_first(engine: Engine) -> None:
    """It reads most of its code when it is first asked: with more patience than our adapter has."""
    head = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"}
    urlopen(Request(engine.endpoint or "", b"{}", head), timeout=START_TIMEOUT_SECONDS).close()


@contextmanager
def dynamodb_local() -> Iterator[Engine]:
    """AWS's own engine, from the folder that `get_dynamodb_local.sh` filled. It listens on all interfaces."""
    jars = _jar_folder()
    java = shutil.which("java")
    if java is None:
        raise EngineMissing("DynamoDB Local needs Java 17 or newer, and there is no java on the PATH.")
    with _folder() as folder:
        port = free_port()
        command = [
            java,
            f"-Djava.library.path={jars}/DynamoDBLocal_lib",
            f"-Duser.home={folder}",
            "-jar",
            f"{jars}/DynamoDBLocal.jar",
            "-inMemory",
            "-sharedDb",
            "-disableTelemetry",
            "-port",
            str(port),
        ]
        with _server(command, port, folder, _environment(folder)):
            yield Engine("dynamodb-local", f"http://127.0.0.1:{port}")


@contextmanager
def judged() -> Iterator[Engine]:
    """The engine that the environment names by its URL. Every table that is made on it begins with a prefix that no
    table there has, and is gone in the end; no other is touched."""
    parts = urlsplit(os.environ[JUDGED])
    if parts.scheme != "dynamodb" or not parts.netloc:
        raise EngineMissing("STORE_URL should look like dynamodb://eu-central-1 or dynamodb://here?endpoint=http://…")
    options = dict(parse_qsl(parts.query))
    own = f"{options.get('prefix', '')}judged-{uuid.uuid4().hex[:8]}-"
    engine = Engine("judged", options.get("endpoint"), parts.netloc, own)
    if _tables_of(engine):
        raise EngineMissing(f"There are tables {own}… on {os.environ[JUDGED]} already; nothing was touched.")
    try:
        yield engine
    finally:
        for name in _tables_of(engine):
            engine.client.delete_table(TableName=name)


def _tables_of(engine: Engine) -> list[str]:
    pages = engine.client.get_paginator("list_tables").paginate()
    return [name for page in pages for name in page["TableNames"] if name.startswith(engine.prefix)]


def _jar_folder() -> Path:
    if not (named := os.environ.get(JAR_DIR)):
        raise EngineMissing(f"Set {JAR_DIR} to the folder that holds DynamoDBLocal.jar.")
    folder = Path(named).resolve()
    if not (folder / "DynamoDBLocal.jar").is_file():
        raise EngineMissing(f"{JAR_DIR} names {folder}, but there is no DynamoDBLocal.jar in it.")
    return folder


def _environment(folder: Path) -> dict[str, str]:
    """What a server needs of our environment, with a home of its own."""
    ours = {name: os.environ[name] for name in ("PATH", "LANG", "JAVA_HOME") if name in os.environ}
    return ours | {"HOME": str(folder), "TMPDIR": str(folder)}


@contextmanager
def _server(command: Sequence[str], port: int, folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        _wait_until_it_answers(process, port, log)
        yield
    finally:
        _end(process)


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise EngineMissing(f"The engine did not start. It said: {log.read_text(errors='replace')[-2000:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="plenum-engine-", ignore_cleanup_errors=True) as name:
        yield Path(name)


STARTED = {"moto": moto, "ministack": ministack, "dynamodb-local": dynamodb_local, "judged": judged}
# Those that are there because somebody wants to know what they are worth.
JUDGES = [name for name, variable in (("dynamodb-local", JAR_DIR), ("judged", JUDGED)) if os.environ.get(variable)]
