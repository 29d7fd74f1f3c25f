"""A session to try at once: three questions and a room of robots, for whoever wants to see what happens."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.models import User
from live.rules import Game
from live.services import making
from questions import repository as sets
from questions.question import Kind, Question, Type

from .forms import set_reference

ROBOTS = 20


def make(host: User) -> Game:
    """Of a set that somebody shares with everybody, if there is one for it; else of questions that are always there."""
    questions, words = _rehearsal_questions(host)
    zone = settings.SITE_TIME_ZONE or "UTC"
    return making.make(host, Type.TRIVIA, questions, **words, debug_mode=ROBOTS, time_zone=zone)


def _rehearsal_questions(host: User) -> tuple[tuple[Question, ...], dict[str, Any]]:
    shared = (each for each in sets.usable_by(host.name) if each.is_offered and each.suits(Type.TRIVIA))
    chosen = next(shared, None)
    found = sets.find(chosen.id) if chosen else None
    if found is None:
        return built_in_questions(), {"title": _("Rehearsal")}
    return found[1], {"title": _("Rehearsal"), **set_reference(found[0])}


def built_in_questions() -> tuple[Question, ...]:
    """In the language of whoever asks."""
    return (
        Question(
            _("Who wins an instant-runoff count?"),
            Kind.CHOICE,
            options=(
                _("The option with the most first places"),
                _("The option with more than half once others are out"),
                _("The option that is nobody's last choice"),
            ),
            right=(1,),
            seconds=20,
        ),
        Question(
            _("Which of these are names of voting methods?"),
            Kind.CHOICE,
            options=(_("Borda"), _("Schulze"), _("Archimedes"), _("Ranked pairs")),
            right=(0, 1, 3),
            seconds=30,
        ),
        Question(
            _("How many people does a meeting need to make a decision?"),
            Kind.CHOICE,
            options=(_("One is enough"), _("Two are enough"), _("As many as its rules say")),
            right=(2,),
            seconds=20,
        ),
    )
