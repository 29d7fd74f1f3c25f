"""Attending an assembly, its roll and its speakers: looks and acts for the table of access patterns."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from accounts.models import User
from parts.assembly import check_in, roll
from parts.live import players, repository, seats
from parts.live.rules import Game, Step
from parts.live.services import making, moving
from parts.questions.question import Kind, Question, Type

from .site import Look
from .words import filled, known, text

AGENDA = (Question("The budget", Kind.MOTION, seconds=0),)


def looks_at_assembling(otto: User, voter: User, browser: Client) -> list[Look]:
    """Of one that everybody with an account may come to, and of one with a roll, where the voter has checked in."""
    free, closed = _made(otto), _made(otto)
    roll.add(closed.id, otto.name, [voter.name, text("Zita")])
    _check_in(browser, closed)
    return [
        Look("check_in", "stranger", (free.id, free.token)),
        Look("check_in", "voter", (free.id, free.token), of="by account"),
        Look("check_in", "voter", (closed.id, closed.token), of="with a seat"),
        Look("join_game", "stranger", (free.id, free.token), of="an assembly"),
        Look("game_roll", "organiser", (free.id,)),
        Look("game_roll", "organiser", (closed.id,), of="with a roll"),
    ]


def acts_of_assembling(otto: User, voter: User, browser: Client) -> list[Look]:
    game, talked = _made(otto), _made(otto)
    _check_in(browser, talked)
    moving.drive(talked.id, otto.name, Step.NEXT, 1)
    browser.get(reverse("play", args=[talked.id]))  # as everybody does who wants to speak
    (seat,) = seats.read_seats(talked.id)
    roll.add(game.id, otto.name, [text("Zita")])
    code = roll.code_of(game.id, roll.find(game.id, known("Zita")))
    taken, taken_code = _taken(otto)
    return [
        Look("game_roll", "organiser", (game.id,), of="a list to look at", form={"act": "look", "names": voter.name}),
        Look("game_roll", "organiser", (game.id,), of="more people", form={"act": "add", "names": voter.name}),
        Look("game_roll", "organiser", (game.id,), of="a quorum", form={"act": "entitled", "quorum": "1/2"}),
        Look("check_in", "voter", (game.id, game.token), of="by account, done", form={"form": players.new_form()}),
        Look("check_in", "stranger", (game.id, game.token), of="by a code, done", form=_by_code(code)),
        Look(
            "check_in", "stranger", (taken.id, taken.token), of="by a code, another device", form=_by_code(taken_code)
        ),
        Look("game_roll", "organiser", (game.id,), of="a new code", form={"act": "renew", "name": known("Zita")}),
        Look("game_roll", "organiser", (game.id,), of="cards to print", form={"act": "cards"}),
        Look("game_roll", "organiser", (game.id,), of="new codes for all", form={"act": "renew_missing"}),
        Look("change_player", "organiser", (talked.id, seat.player), of="out", form={"act": "out"}),
        Look("change_player", "organiser", (talked.id, seat.player), of="in again", form={"act": "in"}),
        Look("speakers", "voter", (talked.id,), of="to speak", form={"act": "ask"}),
        Look("speakers", "organiser", (talked.id,), of="the next", form={"act": f"call {seat.player}"}),
        Look("speakers", "organiser", (talked.id,), of="the end of the list", form={"act": "close"}),
    ]


def _made(otto: User) -> Game:
    return making.make(otto, Type.ASSEMBLY, [filled(each) for each in AGENDA], title=text("Annual meeting"))


def _taken(otto: User) -> tuple[Game, str]:
    """One in which somebody has checked in by this code."""
    game = _made(otto)
    roll.add(game.id, otto.name, [text("Yves")])
    code, held = roll.code_of(game.id, roll.find(game.id, known("Yves"))), players.pass_of_form(players.new_form())
    game, state = repository.find(game.id)
    check_in.by_code(game, state, code, held, "192.0.2.1")
    return game, code


def _by_code(code: str) -> dict[str, str]:
    return {"form": players.new_form(), "by": "code", "code": code}


def _check_in(browser: Client, game: Game) -> None:
    address = reverse("check_in", args=[game.id, game.token])
    assert browser.post(address, {"form": players.new_form()}).status_code == 302
