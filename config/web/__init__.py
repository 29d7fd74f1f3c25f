"""The layer between gunicorn's ASGI worker and Django.

A request takes a thread only once all of it has arrived, and releases it before the response is sent, so slow clients
hold none. Push streams are coroutines. TLS is left to a proxy.
"""

from .application import Application

__all__ = ["Application"]
