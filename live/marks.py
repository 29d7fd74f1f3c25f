"""Under which mark somebody's questions and upvotes lie: one that the site finds again, and that names nobody.

It is made of the player's id with the site's secret, so that whoever has the tables alone cannot tell whose a question
is, nor who wants it answered. The site itself can, as long as it keeps the seat: it has to, to tell authors what became
of their questions and to keep one phone from sending hundreds.
"""

from __future__ import annotations

import hmac

from django.conf import settings

PURPOSE = b"plenum: who asks in a live session"


def mark_of(game_id: str, player: str) -> str:
    return _made(game_id, player, "who")[:24]


def question_of(game_id: str, player: str, number: int) -> str:
    """The id of somebody's question: of two sent at once only one gets it, so that nobody has more than they may."""
    return f"q{_made(game_id, player, f'question {number}')[:16]}"


def text_mark(game_id: str, round_: int, place: int, folded: str) -> str:
    """Of words that somebody wrote in a round. The log outlives them, and must not tell whether they were these."""
    return _made(game_id, f"text {round_} {place}", folded)[:16]


def _made(*words: str) -> str:
    key = hmac.digest(settings.SECRET_KEY.encode(), PURPOSE, "sha256")
    return hmac.digest(key, "\n".join(words).encode(), "sha256").hex()
