"""A cast, a close and a seal enter few of our files, and docs/explanation/architecture.md lists them: whoever follows
one of these acts has to open each of them."""

from __future__ import annotations

import gc
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from acts.caches import SiteCache
from ballots import services
from elections import repository as elections
from elections.lifecycle.closing import close
from results import repository as results
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.voting import secret_for

ROOT = Path(__file__).parent.parent
ARCHITECTURE = ROOT / "docs" / "explanation" / "architecture.md"
MOST = {"a cast": 31, "a close": 33, "sealing": 48}
MOST_OF_REQUEST = 60  # with what receives the request and makes the receipt
WARM, BOARD = "Warm", "Board"  # everything is done in the first, so that nothing is done for the first time


@contextmanager
def files_entered() -> Iterator[set[str]]:
    """In which of our files a function runs, in this thread and those it starts; importing a file does not count."""
    entered: set[str] = set()

    def notice(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            entered.add(frame.f_code.co_filename)

    ours = re.compile(rf"{re.escape(str(ROOT))}/(?!\.|tests/)(.+\.py)")
    found: set[str] = set()
    gc.collect()
    gc.disable()  # it might end what other tests have left behind
    threading.setprofile(notice)
    sys.setprofile(notice)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        gc.enable()
        found.update(is_ours[1] for file in entered if (is_ours := ours.fullmatch(file)))


def listed(act: str) -> set[str]:
    """The files that the document says the act enters."""
    (row,) = re.findall(rf"^\| {act} \| (.*) \|$", ARCHITECTURE.read_text(), flags=re.MULTILINE)
    return set(re.findall(r"`([^`]+)`", row))


@pytest.fixture
def voting(opened):  # noqa: F811
    """Two secret elections in which somebody has voted, so that their candidates are cached."""
    for name in (WARM, BOARD):
        opened("Eve", "Bob", name=name, secret_ballot=True)
        services.cast(people.find("Bob"), name, ranks(Bo=1), f"form of Bob {name}", secret=secret_for("Bob"))


def test_an_act_enters_the_files_that_are_listed(voting):
    eve, owner, found = people.find("Eve"), people.find("the organiser"), {}
    for name in (WARM, BOARD):
        with files_entered() as found["a cast"]:
            services.cast(eve, name, ranks(Ada=1, Cy=2), f"form {name}", secret=secret_for("Eve"))
        with files_entered() as found["a close"]:
            close(owner, elections.find(name))
        with files_entered() as found["sealing"]:
            services.seal_closed()
        assert results.is_sealed(name)
    assert {act: sorted(files) for act, files in found.items()} == {act: sorted(listed(act)) for act in MOST}
    assert {act: len(files) for act, files in found.items() if len(files) > MOST[act]} == {}


def test_a_request_that_casts_enters_few_files(voting, signed_in, monkeypatch):
    monkeypatch.setattr(SiteCache, "_is_fresh", lambda cache, seen: True)  # however long this takes
    eve = signed_in("Eve", Role.VOTER)
    for name in (WARM, BOARD):
        sent = {"rank-0": "1", "token": f"form {name}", "secret": secret_for(name)}
        with files_entered() as found:
            answer = eve.post(reverse("cast", args=[name]), sent)
        assert 'id="confirmation"' in answer.content.decode()
    assert listed("a cast") <= found
    assert len(found) <= MOST_OF_REQUEST, sorted(found)
