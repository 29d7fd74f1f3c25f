"""What a program asks of the API, with a token of the organiser."""

from __future__ import annotations

from django.test import Client

from accounts import api_tokens
from accounts.models import User
from polls.rules import Poll

from .site import Look, _newest_public
from .words import text


def program_of(otto: User) -> Client:
    token = api_tokens.create(otto, text("A program", 100), ["read", "organise", "people"], 30)
    return Client(headers={"host": "localhost:8000", "authorization": f"Bearer {token}"})


def looks_of_programs(lunch: Poll) -> list[Look]:
    return [
        Look("api/results", "stranger"),
        Look("api/results/-", "stranger", ("Past",)),
        Look("api/checkpoints", "stranger"),
        Look("api/checkpoints/-", "stranger", (_newest_public(),)),
        Look("api/elections", "program"),
        Look("api/elections/-", "program", ("Board",)),
        Look("api/elections/-/turnout", "program", ("Board",)),
        Look("api/elections/-/candidates", "program", ("Board",)),
        Look("api/elections/-/candidates/-", "program", ("Board", "Ada")),
        Look("api/elections/-/voters", "program", ("Board",)),
        Look("api/polls/-", "stranger", (lunch.id,)),
        Look("api/polls/-/results", "stranger", (lunch.id,)),
    ]
