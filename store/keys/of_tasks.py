"""Keys of background work.

| item            | table | PK                    | SK       | GSI1PK / GSI1SK                  | read by       |
|-----------------|-------|-----------------------|----------|----------------------------------|---------------|
| background task | data  | TASK#{type}#{subject} | METADATA | TASKS / {due}#{type}#{subject}   | worker, pages |

One that was set aside has TASKSASIDE in place of TASKS, for the system page.
"""

from __future__ import annotations

from ..table import Key, Span
from .parts import METADATA, fitted, part

TASKS = Span("TASKS", index=True)
TASKS_SET_ASIDE = Span("TASKSASIDE", index=True)


def task(task_type: str, subject: str) -> Key:
    return Key(f"TASK#{task_type}#{part(subject)}", METADATA)


def task_by_time(moment: str, task_type: str, subject: str) -> str:
    return fitted(f"{moment}#{task_type}#{part(subject)}")


def tasks_due(moment: str) -> Span:
    """Those that are to be worked on by now; what is due later is not even read."""
    return Span(TASKS.pk, last=f"{moment}~", index=True)
