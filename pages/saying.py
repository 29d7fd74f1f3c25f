"""What pages say to people: a sentence on a page of its own, or on the next one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from acts.refusals import Refusal


def say(request: HttpRequest, title: str, sentence: str, status: int = 200) -> HttpResponse:
    return render(request, "pages/said.html", {"title": title, "sentence": sentence}, status=status)


def ask(request: HttpRequest, title: str, button: str, **context: Any) -> HttpResponse:
    """One button. A mailed link only leads here: mail scanners follow links, but press no buttons."""
    return render(request, "pages/confirm.html", {"title": title, "button": button, **context})


def told(request: HttpRequest, act: Callable[[], Any], done: str) -> bool:
    """Carry an act out and say so, or say why not."""
    try:
        act()
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return False
    messages.success(request, done)
    return True


def say_what_was_understood(request: HttpRequest, form: Any) -> None:
    for note in form.notes():
        messages.info(request, note)
