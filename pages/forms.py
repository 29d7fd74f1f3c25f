"""Forms as pages show and take them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from acts.refusals import Refusal

MAX_TOKEN_CHARS = 64


form_page = require_http_methods(["GET", "HEAD", "POST"])


def form_data(request: HttpRequest) -> QueryDict | None:
    """What a form is bound to: also an empty one is one that was sent."""
    return request.POST if request.method == "POST" else None


def show_form(request: HttpRequest, form: Any, title: str, button: str, **context: Any) -> HttpResponse:
    """The page every form of this app is on. One that was refused answers 422, so that a client can tell."""
    context |= {"form": form, "title": title, "button": button}
    return render(request, "pages/form.html", context, status=422 if form.errors else 200)


def run_form(
    request: HttpRequest,
    form: Any,
    act: Callable[[], Any],
    sentence: str | Callable[[Any], str],
    field: str | None = None,
) -> bool:
    """If a form was sent and is right: do what it asks and say so. A refusal is said at the form."""
    if request.method != "POST" or not form.is_valid():
        return False
    try:
        answer = act()
    except Refusal as refusal:
        form.add_error(field, str(refusal))
        return False
    messages.success(request, sentence(answer) if callable(sentence) else sentence)
    return True


@contextmanager
def refusals_as_errors(
    form: Any, field: str | None = None, kinds: tuple[type[Exception], ...] = (Refusal,)
) -> Iterator[None]:
    """A refusal, or one of these kinds, of what is done inside is shown at the form or at one of its fields."""
    try:
        yield
    except kinds as refusal:
        form.add_error(field, str(refusal))


def new_token() -> str:
    """For a form that is to be carried out once, however often it is sent."""
    return secrets.token_urlsafe(16)


def token_in(post: QueryDict) -> str:
    """The token of the form; one without gets one of its own, and so is never taken for a repetition."""
    return post.get("token", "")[:MAX_TOKEN_CHARS] or secrets.token_urlsafe(16)
