"""What a program asks of the API, with a token of the organiser or the owner."""

from __future__ import annotations

from django.test import Client

from accounts import api_tokens
from accounts.models import User
from parts.news.rules import Post
from parts.polls.rules import Poll

from .site import Look, _newest_public
from .words import text


def program_of(user: User, *more: str) -> Client:
    token = api_tokens.create(user, text("A program", 100), ["read", "organise", "people", *more], 30)
    return Client(headers={"host": "localhost:8000", "authorization": f"Bearer {token}"})


def looks_of_programs(lunch: Poll, post: Post, set_id: str) -> list[Look]:
    return [
        Look("api/results", "stranger"),
        Look("api/results/-", "stranger", ("Past",)),
        Look("api/calendar", "stranger"),
        Look("api/checkpoints", "stranger"),
        Look("api/checkpoints/-", "stranger", (_newest_public(),)),
        Look("api/checkpoints/-/digests", "stranger", (_newest_public(),)),
        Look("api/elections", "program"),
        Look("api/elections/-", "program", ("Board",)),
        Look("api/elections/-/turnout", "program", ("Board",)),
        Look("api/elections/-/candidates", "program", ("Board",)),
        Look("api/elections/-/candidates/-", "program", ("Board", "Ada")),
        Look("api/elections/-/voters", "program", ("Board",)),
        Look("api/polls", "program"),
        Look("api/polls/-", "stranger", (lunch.id,)),
        Look("api/polls/-/results", "stranger", (lunch.id,)),
        Look("api/live-sessions", "program"),
        Look("api/people", "owner's program"),
        Look("api/people/-", "program", ("Ann",)),
        Look("api/people/-/skills", "program", ("Ann",)),
        Look("api/people/-/skills/-", "program", ("Ann", "python")),
        Look("api/skills", "program"),
        Look("api/skills/-", "program", ("python",)),
        Look("api/skills/-/people", "program", ("python",)),
        Look("api/news", "stranger"),
        Look("api/news/-", "stranger", (post.id,)),
        Look("api/news/unpublished", "program"),
        Look("api/question-sets", "program"),
        Look("api/question-sets/-", "program", (set_id,)),
        Look("api/question-sets/-/export", "program", (set_id,)),
        Look("api/log", "owner's program"),
        Look("api/log/-", "owner's program", (1,)),
    ]
