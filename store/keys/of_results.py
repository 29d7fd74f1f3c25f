"""Keys of an election's result: what is counted, sealed and kept of it."""

from __future__ import annotations

from ..table import Key, Span
from .of_elections import election


def lots(election_name: str) -> Key:
    """The secret to which an open election is committed; gone when it is told, with the result."""
    return Key(election(election_name).pk, "LOTS")


def result(election_name: str) -> Key:
    return Key(election(election_name).pk, "RESULT")


def result_part(election_name: str, number: int) -> Key:
    return Key(election(election_name).pk, f"RESULT#{number:04d}")


def result_parts(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="RESULT#")


def counted_part(election_name: str, number: int) -> Key:
    """How often each ranking was cast, some thousands of them."""
    return Key(election(election_name).pk, f"COUNTED#{number:04d}")


def counted_parts(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="COUNTED#")


SEALING = Span("SEALING", index=True)


def sealing(election_name: str) -> Key:
    return Key(election(election_name).pk, "SEALING")


SHARED_RESULTS = Span("SHARED", index=True)


def shared_result(election_name: str) -> Key:
    """The outcome in a few words, of an election whose result everybody on the web may see."""
    return Key(election(election_name).pk, "SHARED")
