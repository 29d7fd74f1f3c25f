"""What Django keeps for each thread and task, in the place where we keep it."""

from __future__ import annotations

import asyncio
from threading import Thread

import pytest
from django.urls import base
from django.utils.translation import get_language, override, trans_real

from config.here import Here, keep_at_hand


def test_it_holds_one_value_or_none():
    here = Here("test")
    assert not hasattr(here, "value")
    assert getattr(here, "value", "nothing") == "nothing"
    here.value = None
    assert here.value is None
    del here.value
    with pytest.raises(AttributeError):
        here.value  # noqa: B018


def test_what_one_thread_or_task_says_no_other_hears():
    heard = {}

    def listen(name: str) -> None:
        heard[name] = get_language()
        with override("de"):
            heard[f"{name} there"] = get_language()

    async def in_tasks() -> None:
        await asyncio.gather(*(asyncio.to_thread(listen, name) for name in ("one", "two")))
        heard["around"] = get_language()

    with override("en"):
        thread = Thread(target=listen, args=("thread",))
        thread.start()
        thread.join()
        asyncio.run(in_tasks())
        assert get_language() == "en"
    assert heard["thread"] != "de"
    assert (heard["one"], heard["two"], heard["around"]) == ("en", "en", "en")
    assert {heard[f"{name} there"] for name in ("thread", "one", "two")} == {"de"}


def test_it_is_in_the_place_of_djangos(monkeypatch):
    places = [(base, "_prefixes"), (base, "_urlconfs"), (trans_real, "_active")]
    for module, name in places:
        monkeypatch.setattr(module, name, getattr(module, name))
    with override("de"):
        keep_at_hand()
        assert get_language() == "de", "what was said before is not forgotten"
        assert all(isinstance(getattr(module, name), Here) for module, name in places)
