"""The embedded adapter: both tables in one SQLite file that survives `kill -9`, shared by threads and processes.

Readers have a connection per thread and never wait. Writers of one process queue up; the one whose turn it is commits
for all that are waiting, so that one sync to disk serves many (group commit). Between processes a file lock keeps the
queue fair: SQLite's own busy handler sleeps and retries, which let some writers starve for more than a second. The
total wait is limited (`WRITER_TIMEOUT_SECONDS`), and a write that fails because the store is too busy has changed
nothing.

`table` implements the port, `rows` has the SQL, `writers` the connections and the queues of threads and processes.
"""

from .table import SqliteTable

__all__ = ["SqliteTable"]
