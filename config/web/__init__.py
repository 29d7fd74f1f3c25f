"""What stands between gunicorn's ASGI worker and Django.

A request takes a thread only once all of it has arrived, and gives it back before the answer is sent, so slow clients
hold none. Push streams are coroutines. TLS belongs to a proxy.
"""

from .application import Application

__all__ = ["Application"]
