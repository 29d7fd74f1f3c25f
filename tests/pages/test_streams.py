"""Answers that stay open, as views see them: through the whole site, with a recorder in the server's place."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.urls import path

from accounts.access import public
from foundation.pages.streams import OPEN_STREAM, Listener, can_stream, open_answer, send_all
from tests.streams import Recorder

FIRST = b"data: " + b"a" * 5000 + b"\n\n"
ended: list[Listener] = []


@public
def view(request):
    if not can_stream(request):
        return HttpResponse(status=204)
    return open_answer(request, FIRST, lambda listener: listener.send(b"data: since\n\n"), ended.append)


urlpatterns = [path("stream/", view)]


@pytest.fixture
def recorder(site, settings):
    settings.ROOT_URLCONF = __name__
    ended.clear()
    return Recorder()


def test_an_open_answer_passes_everything_around_it_untouched(client, recorder):
    answer = client.get("/stream/", headers={"Accept-Encoding": "gzip"}, **{OPEN_STREAM: recorder})
    assert (answer.status_code, answer.content) == (200, b""), "its pieces are the server's to send"
    assert recorder.said == [FIRST, b"data: since\n\n"]
    assert answer["Content-Type"] == "text/event-stream"
    assert answer["Cache-Control"] == "no-store"
    assert answer["X-Accel-Buffering"] == "no"
    assert "Content-Encoding" not in answer
    assert "default-src" in answer["Content-Security-Policy"]
    assert answer["X-Request-ID"]


def test_where_nobody_holds_answers_a_view_can_tell(client, recorder):
    assert client.get("/stream/").status_code == 204


def test_nothing_is_said_after_the_end_and_the_end_is_told_once(client, recorder):
    client.get("/stream/", **{OPEN_STREAM: recorder})
    recorder.listener.send(b"one")
    recorder.listener.close()
    recorder.listener.close()
    recorder.listener.send(b"two")
    recorder.leave()
    assert recorder.said[2:] == [b"one"]
    assert ended == [recorder.listener]
    assert not recorder.listener.is_open


class Loop:
    """Counts how often it was woken."""

    def __init__(self):
        self.taken = []

    def take(self, said):
        self.taken.append(said)


def test_many_are_told_at_once_and_each_loop_is_woken_once():
    loops = Loop(), Loop()
    listeners = [Listener(loops[number % 2]) for number in range(10)]
    listeners[0].is_open = False
    send_all((listener, b"all") for listener in listeners)
    assert [len(loop.taken) for loop in loops] == [1, 1]
    assert [len(said) for loop in loops for said in loop.taken] == [4, 5]


def test_to_say_nothing_is_not_to_end_it():
    loop = Loop()
    Listener(loop).send(b"")
    assert loop.taken == []
