"""The operations, by what they are about. Each module declares its own; the order here is that of the page."""

from api.operations import OPERATIONS

from . import public

__all__ = ["OPERATIONS", "public"]
