"""A mail goes out as Django and Python would write it."""

from __future__ import annotations

import random
import re
from email.message import Message
from email.policy import Compat32

import pytest
from django.core.mail import EmailMultiAlternatives

from mail.writing import A_LINE, Posted, ShortLines

NAMES = ("To", "Subject", "Content-Type", "X-Auto-Response-Suppress")
LETTERS = "abcdefgh ,;:<>@\"'().=-?\t"
BOUNDARY = re.compile(rb'boundary="([^"]+)"')


def values() -> list[str]:
    """Around the length of a line, with all that is folded at, encoded or refused."""
    chance = random.Random(7)
    plain = ["".join(chance.choices(LETTERS, k=chance.randint(1, A_LINE + 10))) for _ in range(2000)]
    odd = [text.replace("a", chance.choice("ä€\n\r\0 \u202e\udc80")) for text in plain[:500]]
    return [*plain, *odd, ""]


def as_written(policy: Compat32, name: str, value: str) -> bytes | str:
    try:
        return policy.fold_binary(name, value)
    except Exception as error:
        return type(error).__name__


def test_every_header_is_what_python_makes_of_it():
    ours, theirs = ShortLines(linesep="\r\n"), Compat32(linesep="\r\n")
    for name in NAMES:
        for value in values():
            assert as_written(ours, name, value) == as_written(theirs, name, value), (name, value)


@pytest.fixture
def letter() -> tuple[str, ...]:
    return "Straße and “a title” " * 8, "Grüße\n.\n" * 30, "A site <site@example.org>", ["ann@example.org"]


def written(kind: type[EmailMultiAlternatives], *words: object, html: str = "<p>Grüße</p>") -> Message:
    message = kind(*words, headers={"Message-ID": "<1@example.org>", "Date": "today"})
    if html:
        message.attach_alternative(html, "text/html")
    return message.message()


def test_a_mail_is_djangos_but_for_what_lies_between_its_parts(letter):
    ours, theirs = (written(kind, *letter).as_bytes(linesep="\r\n") for kind in (Posted, EmailMultiAlternatives))
    (our_mark,), (their_mark,) = BOUNDARY.findall(ours), BOUNDARY.findall(theirs)
    assert ours == theirs.replace(their_mark, our_mark)


def test_nobody_can_guess_what_lies_between_the_parts(letter):
    assert written(Posted, *letter).get_boundary() != written(Posted, *letter).get_boundary()


def test_a_mail_of_one_part_is_djangos(letter):
    ours, theirs = (written(kind, *letter, html="").as_bytes() for kind in (Posted, EmailMultiAlternatives))
    assert ours == theirs
