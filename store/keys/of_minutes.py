"""Keys of minutes: what stays of an assembly.

Parts are copies of what the session had under the rest of their sort key (`ROUND#001#000`, `SPEAKERS`), and PEOPLE, so
that what expires with it stays here.
"""

from __future__ import annotations

from ..table import Key, Span
from .parts import METADATA, escape, part


def minutes(game_id: str) -> Key:
    return Key(f"MINUTES#{escape(game_id)}", METADATA)


def all_of_minutes(game_id: str) -> Span:
    return Span(minutes(game_id).pk)


def minutes_part(game_id: str, what: str) -> Key:
    """A copy of what lay under this sort key in the session."""
    return Key(minutes(game_id).pk, f"PART#{what}")


def minutes_parts(game_id: str) -> Span:
    return Span(minutes(game_id).pk, prefix="PART#")


def minutes_onward(game_id: str, number: int) -> Key:
    """A poll or an election that came of the assembly."""
    return Key(minutes(game_id).pk, f"MADE#{number:02d}")


def minutes_note(game_id: str, number: int) -> Key:
    return Key(minutes(game_id).pk, f"NOTE#{number:03d}")


def minutes_notes(game_id: str) -> Span:
    return Span(minutes(game_id).pk, prefix="NOTE#")


def attended_by(person: str) -> Span:
    """The assemblies that somebody attended with an account, by the time of their end."""
    return Span(f"ATTENDED#{part(person)}")


def attended(person: str, ended_at: str, game_id: str) -> Key:
    return Key(attended_by(person).pk, f"{ended_at}#{escape(game_id)}")
