"""Joining a live session, and the list of its players: looks and acts for the table of access patterns."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from accounts.models import User
from parts.live import names as player_names
from parts.live import players, repository, seats
from parts.live.rules import Game, Names
from parts.live.services import joining, making
from parts.questions.question import Kind, Question, Type

from .site import Look
from .words import filled, text

ASKED = (Question("Which is a prime?", Kind.CHOICE, options=("3", "4"), right=(0,)),)


def looks_at_joining(otto: User, guest: Client, waiting: Client) -> list[Look]:
    """`guest` and `waiting` get a seat each."""
    game, drawn, strict = (_made(otto, names) for names in (Names.TYPED, Names.GENERATED, Names.APPROVED))
    link = players.link_of(game, seat(guest, game, "Gus"))
    seat(waiting, strict, "Wim")
    return [
        Look("join", "stranger"),
        Look("join_by_code", "stranger", (game.code,)),
        Look("join_game", "stranger", (game.id, game.token)),
        Look("join_game", "stranger", (drawn.id, drawn.token), of="with a drawn name"),
        Look("join_game", "passer-by", (game.id, game.token), of="with a seat"),
        Look("seat", "passer-by", (game.id,)),
        Look("seat", "half in", (strict.id,), of="waiting for the host"),
        Look("take_seat", "stranger", (game.id, link)),
        Look("game_players", "organiser", (game.id,)),
    ]


def acts_of_joining(otto: User) -> list[Look]:
    game = _made(otto, Names.TYPED)
    held = players.pass_of_form(players.new_form())
    assert held is not None
    seated = joining.join(game, repository.find(game.id)[1], None, "Rita", held)
    link = players.link_of(game, held)
    return [
        Look("join_game", "stranger", (game.id, game.token), of="done", form=_form("Ada")),
        Look("seat", "stranger", (game.id,), of="another name", form={"act": "rename", "name": "Ada B"}),
        Look("seat", "stranger", (game.id,), of="to leave", form={"act": "leave"}),
        Look("take_seat", "newcomer", (game.id, link), of="done", form={}),
        Look("change_player", "organiser", (game.id, seated.player), form={"act": "remove"}),
        Look("change_player", "organiser", (game.id, seated.player), of="to readmit", form={"act": "readmit"}),
        Look(
            "change_player",
            "organiser",
            (game.id, seated.player),
            of="more time",
            form={"act": "time", "percent": "150"},
        ),
    ]


def _made(otto: User, names: Names) -> Game:
    return making.make(otto, Type.TRIVIA, [filled(each) for each in ASKED], title=text("Friday"), names=names)


def _form(name: str) -> dict[str, str]:
    return {"form": players.new_form(), "name": name}


def seat(client: Client, game: Game, name: str) -> players.Pass:
    form = _form(text(name, player_names.MAX_VISIBLE_CHARS))
    assert client.post(reverse("join_game", args=[game.id, game.token]), form).status_code == 302
    held = players.pass_of_form(form["form"])
    assert held is not None
    assert seats.find(game.id, held.player)
    return held
