"""Helpers for views with forms: binding, rendering, running the action, idempotency tokens."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from foundation.acts.hooks import Hooks
from foundation.acts.refusals import Refusal

EXPIRED = Hooks[[HttpRequest], HttpResponse | None]("when a form comes without a valid token: the answer to it")

MAX_TOKEN_CHARS = 64


form_page = require_http_methods(["GET", "HEAD", "POST"])


def form_data(request: HttpRequest) -> QueryDict | None:
    """The data to bind a form to; `None` unless it was submitted."""
    return request.POST if request.method == "POST" else None


def show_form(request: HttpRequest, form: Any, title: str, button: str, **context: Any) -> HttpResponse:
    """The standard page for a form; status 422 if it has errors."""
    context |= {"form": form, "title": title, "button": button}
    return render(request, "pages/form.html", context, status=422 if form.errors else 200)


def run_form(
    request: HttpRequest,
    form: Any,
    act: Callable[[], Any],
    sentence: str | Callable[[Any], str],
    field: str | None = None,
) -> bool:
    """If the form was submitted and is valid, run its action and show a message. A refusal becomes a form error."""
    if request.method != "POST" or not form.is_valid():
        return False
    try:
        result = act()
    except Refusal as refusal:
        form.add_error(field, str(refusal))
        return False
    messages.success(request, sentence(result) if callable(sentence) else sentence)
    return True


@contextmanager
def refusals_as_errors(
    form: Any, field: str | None = None, kinds: tuple[type[Exception], ...] = (Refusal,)
) -> Iterator[None]:
    """Shows a refusal, or another of these exceptions, as an error of the form or of one of its fields."""
    try:
        yield
    except kinds as refusal:
        form.add_error(field, str(refusal))


def new_token() -> str:
    """An idempotency token: a form submitted twice with it takes effect once."""
    return secrets.token_urlsafe(16)


def token_in(post: QueryDict) -> str:
    """The token of a submitted form; a new one if it has none, so that it never counts as a resubmission."""
    return post.get("token", "")[:MAX_TOKEN_CHARS] or secrets.token_urlsafe(16)
