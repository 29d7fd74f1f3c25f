"""Keys of the questions that a room sends beside a live session, and of who wants to hear the answer to which.

What one person upvotes is one item with an attribute for each question, so that a page reads it along with the rest;
the sums lie in the same of sixteen partitions, with an attribute for each question as well. So all of them are read in
one round trip, and a hall that upvotes at once writes sixteen items and not one. All of it goes with the session.
"""

from __future__ import annotations

from ..table import Key, Span
from .of_live import game, game_shard, shards_of_game
from .parts import escape


def game_qa(game_id: str) -> Key:
    """Whether the session takes questions, and how; with numbers that grow when there is something new to read."""
    return Key(game(game_id).pk, "QA")


def asked(game_id: str, question: str) -> Key:
    return Key(game(game_id).pk, f"ASKED#{escape(question)}")


def all_asked(game_id: str) -> Span:
    return Span(game(game_id).pk, prefix="ASKED#")


def moderated(game_id: str, round_: int) -> Key:
    """What hosts have decided about texts of a round, an attribute for each."""
    return Key(game(game_id).pk, f"MODERATED#{round_:03d}")


def all_moderated(game_id: str) -> Span:
    return Span(game(game_id).pk, prefix="MODERATED#")


def upvoted(game_id: str, who: str) -> Key:
    """`who` is a mark of a player, never the player's id."""
    return Key(game_shard(game_id, who), f"UPVOTED#{escape(who)}")


def upvotes(game_id: str, who: str) -> Key:
    """The sums to which somebody's upvotes are added."""
    return Key(game_shard(game_id, who), "UPVOTES")


def all_upvotes(game_id: str) -> list[Key]:
    return [Key(span.pk, "UPVOTES") for span in shards_of_game(game_id)]
