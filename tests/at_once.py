"""Several acts at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Do all of it at the same moment; answers what each returned or raised."""
    barrier = threading.Barrier(len(acts))
    answers: list[Any] = [None] * len(acts)

    def run(position: int, act: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            answers[position] = act()
        except Exception as error:
            answers[position] = error

    threads = [threading.Thread(target=run, args=each) for each in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
