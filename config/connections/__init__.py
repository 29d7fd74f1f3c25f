"""A worker of gunicorn in which the slow wait at nobody's expense.

gunicorn's own threads read the request and write the answer, so that a client that sends or reads a byte a second holds
one for as long as it likes, and as many such clients as there are threads stop the site. Here a connection gets its
thread when the whole request has arrived, and gives it back when the answer is made: bytes come and go in the one loop,
which never waits for anybody. gunicorn's parser stays the only judge of what a request is.

TLS is a proxy's. What is large is kept in unnamed temporary files.
"""

from .worker import SHARES, PatientWorker, room_for

__all__ = ["SHARES", "PatientWorker", "room_for"]
