"""Keys of question sets.

A set is small enough to be read by one Query. Numbers of categories and questions are given once and never again: what
order they stand in is a word of theirs, so that moving one changes no key. People's names are folded in a key, so that
nobody is called SHARED there.
"""

from __future__ import annotations

from ..table import Key, Span
from .parts import METADATA, escape, part

SHARED_SETS = Span("SETS#SHARED", index=True)


def question_set(set_id: str) -> Key:
    return Key(f"SET#{escape(set_id)}", METADATA)


def all_of_set(set_id: str) -> Span:
    """The set with its categories and questions: one Query."""
    return Span(question_set(set_id).pk)


def shared_set(set_id: str) -> Key:
    """There while others may use it."""
    return Key(question_set(set_id).pk, "SHARED")


def sets_of(person: str) -> Span:
    return Span(f"SETS#{part(person)}", index=True)


def set_by_date(moment: str, set_id: str) -> str:
    return f"{moment}#{escape(set_id)}"


def set_category(set_id: str, category: int) -> Key:
    return Key(question_set(set_id).pk, f"CATEGORY#{category:02d}")


def set_categories(set_id: str) -> Span:
    return Span(question_set(set_id).pk, prefix="CATEGORY#")


def set_question(set_id: str, category: int, number: int) -> Key:
    return Key(question_set(set_id).pk, f"QUESTION#{category:02d}#{number:04d}")


def set_questions(set_id: str) -> Span:
    return Span(question_set(set_id).pk, prefix="QUESTION#")


def set_filling(set_id: str, moment: str, number: int) -> Key:
    """Questions that are still to be put into the set."""
    return Key(question_set(set_id).pk, f"FILLING#{escape(moment)}#{number:02d}")


def set_fillings(set_id: str) -> Span:
    """All of them, as they are to come in."""
    return Span(question_set(set_id).pk, prefix="FILLING#")
