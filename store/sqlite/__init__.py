"""The embedded adapter: both tables in one SQLite file that survives `kill -9`, shared by threads and processes.

Readers have a connection per thread and never wait. Writers of one process queue up; whoever's turn it is commits for
all who wait, so that one sync to disk serves many (group commit). Between processes a file lock keeps the queue fair:
SQLite's own busy handler sleeps and retries, which let some writers starve for more than a second. Nobody waits longer
than `PATIENCE` for all of it together, and whoever is told that the store is too busy has written nothing.

`table` is the port, `rows` the SQL, `writers` the queues of threads and processes, `tokens` what was
written once already, `connections` SQLite itself, `buffered` the same for one process that is in a hurry.
"""

from __future__ import annotations

from .buffered import BufferedTable
from .table import SqliteTable

__all__ = ["BufferedTable", "SqliteTable"]
