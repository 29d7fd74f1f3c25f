"""Pages of a live session that stay open: how they ask what has changed, for the table of access patterns."""

from __future__ import annotations

from django.test import Client

from accounts.models import User
from parts.live.rules import Step
from parts.live.services import making, moving
from parts.questions.question import Kind, Question, Type

from .joining import seat
from .site import Look
from .words import filled, text

ASKED = (Question("Which is a prime?", Kind.CHOICE, options=("3", "4"), right=(0,)),)


def looks_of_listeners(otto: User, guest: Client) -> list[Look]:
    """`guest` gets a seat, and is asked something; this server holds no answer open."""
    game = making.make(otto, Type.TRIVIA, [filled(each) for each in ASKED], title=text("Open"))
    seat(guest, game, "Lia")
    moving.drive(game.id, otto.name, Step.NEXT, 1)
    wall = {"token": game.screen_token}
    return [
        *(Look(page, "passer-by", (game.id, "player")) for page in ("game_now", "game_stream")),
        Look("game_now", "passer-by", (game.id, "qa"), of="of what the room asks"),
        Look("game_now", "organiser", (game.id, "host"), of="of whoever hosts"),
        Look("game_now", "stranger", (game.id, "screen"), of="of a projector", asked=wall),
    ]
