"""What pages say to people: a sentence on a page of its own, or on the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from acts.refusals import Refusal


def message_page(request: HttpRequest, title: str, sentence: str, status: int = 200) -> HttpResponse:
    return render(request, "pages/message.html", {"title": title, "sentence": sentence}, status=status)


def confirm_page(request: HttpRequest, title: str, button: str, **context: Any) -> HttpResponse:
    """One button. A mailed link only leads here: mail scanners follow links, but press no buttons."""
    return render(request, "pages/confirm.html", {"title": title, "button": button, **context})


def run_action(request: HttpRequest, act: Callable[[], Any], done: str) -> bool:
    """Carry an act out and say so, or say why not."""
    with refusals_as_messages(request):
        act()
        messages.success(request, done)
        return True
    return False


@contextmanager
def refusals_as_messages(request: HttpRequest, kinds: tuple[type[Exception], ...] = (Refusal,)) -> Iterator[None]:
    """A refusal, or one of these kinds, of what is done inside is said on the next page."""
    try:
        yield
    except kinds as refusal:
        messages.error(request, str(refusal))


def show_time_notes(request: HttpRequest, form: Any) -> None:
    for note in form.notes():
        messages.info(request, note)
