"""Several processes at once, of one that has read all the code: reading it takes each longer than what it is to do.

As when a server starts its workers, nothing of the store is open before.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Pipes = tuple[int, int]  # ends of two


@contextmanager
def family(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process to talk to in lines. When it ends, so do those that it has become."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen(command, start_new_session=True, **pipes, **options) as process:
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def in_processes(begin: Callable[[Any], Callable[[], Any]], shares: Sequence[Any]) -> list[Any]:
    """Each share is done by a process of its own. What they begin with answers what is then done by all at the same
    moment; answers what each of those answered."""
    ready, are_ready = os.pipe()
    go, let_go = os.pipe()
    at_work = [_begun(begin, share, (are_ready, go), (ready, let_go)) for share in shares]
    for end in (are_ready, go):
        os.close(end)
    with os.fdopen(ready, "rb") as all_ready:
        all_ready.read(len(shares))
    os.close(let_go)
    return [_answered(*each) for each in at_work]


def _begun(begin: Callable[[Any], Callable[[], Any]], share: Any, own: Pipes, others: Pipes) -> tuple[int, int]:
    """The process, and where its answer can be read."""
    answer, told = os.pipe()
    if process := os.fork():
        os.close(told)
        return process, answer
    failed = 1
    try:
        for end in (answer, *others):
            os.close(end)
        act = begin(share)
        is_ready, go = own
        os.write(is_ready, b".")
        os.close(is_ready)
        os.read(go, 1)  # which ends when all are let go
        with os.fdopen(told, "w") as line:
            json.dump(act(), line)
        failed = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(failed)


def _answered(process: int, answer: int) -> Any:
    with os.fdopen(answer) as told:
        text = told.read()
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0, "one of them broke off; it has said why"
    return json.loads(text)
