"""Messages to the user: on a page of their own, or as a flash message on the next page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from foundation.acts.refusals import Refusal


def message_page(request: HttpRequest, title: str, sentence: str, status: int = 200, **more: Any) -> HttpResponse:
    """`hints` are listed below the sentence; `onward` is the URL and the label of a button, and
    `help_url` where people can ask, if there is somebody to ask."""
    return render(request, "pages/message.html", {"title": title, "sentence": sentence, **more}, status=status)


def inbox_page(request: HttpRequest, sentence: str, **more: Any) -> HttpResponse:
    """After a mail was sent; on a developer's own machine, where to find it."""
    if settings.EMAIL_BACKEND.startswith("foundation.mail.files") and not settings.PRODUCTION:
        sentence += " " + _("This server writes mails to files, in %(folder)s.") % {"folder": settings.EMAIL_FILE_PATH}
    return message_page(request, _("Check your inbox"), sentence, **more)


def confirm_page(request: HttpRequest, title: str, button: str, **context: Any) -> HttpResponse:
    """One button. A mailed link only leads here: mail scanners follow links, but press no buttons."""
    return render(request, "pages/confirm.html", {"title": title, "button": button, **context})


def run_action(request: HttpRequest, act: Callable[[], Any], done: str) -> bool:
    """Run an action and show a success message, or the refusal as an error message."""
    with refusals_as_messages(request):
        act()
        messages.success(request, done)
        return True
    return False


@contextmanager
def refusals_as_messages(request: HttpRequest, kinds: tuple[type[Exception], ...] = (Refusal,)) -> Iterator[None]:
    """Show a refusal, or another of these kinds of exceptions, as an error message on the next page."""
    try:
        yield
    except kinds as refusal:
        messages.error(request, str(refusal))


def show_time_notes(request: HttpRequest, form: Any) -> None:
    for note in form.notes():
        messages.info(request, note)
