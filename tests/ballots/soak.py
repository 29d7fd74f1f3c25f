"""Bad weather for as long as asked: mixed traffic on a store with faults, on a server that is killed again and again.

`make soak MINUTES=10` runs it; it is no part of the ordinary run. Round after round a secret and a public election are
opened, voted in, looked at and closed, while the store throttles, conflicts, loses replies and is slow, and processes
are killed or held up. After each round the history of every voter is judged, and so is the log; at the end the whole
state is built anew from the log and compared.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from urllib.parse import quote

from django.conf import settings
from django.core.management import call_command

from accounts import repository as people
from accounts.rules import Role
from config.settings import own_secret
from elections import repository as elections
from elections.drafts.services import NAME_TAKEN
from elections.lifecycle import closing
from tests.at_once import at_once
from tests.elections.test_pages import FORM

from .history import DONE, UNKNOWN, Act, flaws, left_behind
from .test_killed import NOBODY_THERE, Browser, Rush, Server, session_of

MINUTES = float(os.environ.get("MINUTES", "10"))
SECONDS_PER_ROUND = 25
FAULTS = "throttling=0.01&conflicts=0.02&lost_replies=0.01&slowness=0.02&seconds=0.3"
VOTERS = tuple(f"voter {number}" for number in range(6))
HONEST = {200, 503}  # what a reader may be told: the page, or that the store is in trouble


class StormyServer(Server):
    """On a store with faults, and started again until it stays up, as a supervisor would do it."""

    def __init__(self, folder: Path, url: str):
        path = f"{Path(__file__).parent / 'stormy'}{os.pathsep}{settings.BASE_DIR}"
        super().__init__(folder, STORE_URL=url, STORE_FAULTS=FAULTS, PYTHONPATH=path)

    def start(self) -> None:
        for _ in range(9):
            with suppress(AssertionError):
                return super().start()
            self.kill()
        return super().start()


@dataclass
class Story:
    """What was seen, in numbers."""

    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    doubled_or_lost: list[str] = field(default_factory=list)
    trouble: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        counts = [f"{what}: {count:,}" for what, count in sorted((self.answers + self.trouble).items())]
        return [*counts, f"wrong answers: {len(self.wrong)}", f"lost or doubled: {len(self.doubled_or_lost)}"]


# --- what goes wrong ---


def children(pid: int) -> list[int]:
    """Whichever of its threads has started them."""
    found = [each.read_text().split() for each in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(each) for some in found for each in some]


def kill_everything(server: StormyServer, chance: Random) -> None:
    server.kill()
    server.start()


def kill_one_process(server: StormyServer, chance: Random) -> None:
    """A process of the server, or the worker beside it; the server starts its own again by itself."""
    os.kill(chance.choice(children(server.process.pid)), signal.SIGKILL)


def hold_one_process_up(server: StormyServer, chance: Random) -> None:
    held = chance.choice(children(server.process.pid))
    os.kill(held, signal.SIGSTOP)
    time.sleep(2)
    os.kill(held, signal.SIGCONT)


def stir(server: StormyServer, rush: Rush, story: Story, chance: Random) -> None:
    try:
        end = time.monotonic() + SECONDS_PER_ROUND
        while time.monotonic() < end:
            time.sleep(chance.uniform(1.5, 4))
            what = chance.choice((kill_everything, kill_one_process, hold_one_process_up))
            try:
                what(server, chance)
            except (ProcessLookupError, FileNotFoundError, IndexError):
                continue  # it was gone already
            story.trouble[what.__name__.replace("_", " ")] += 1
    finally:
        rush.over.set()


# --- who is there ---


def read(browser: Browser, addresses: list[str], rush: Rush, story: Story) -> None:
    """Somebody who only looks. Of an open secret election nothing may be seen but that it is open."""
    chance = Random()
    while not rush.over.is_set():
        address = chance.choice(addresses)
        try:
            answer, page = browser.ask("GET", address)
        except NOBODY_THERE:
            story.answers["reads cut off"] += 1
            time.sleep(0.1)
            continue
        story.answers[f"reads answered {answer.status}"] += 1
        if answer.status not in HONEST or (answer.status == 503 and not answer.headers["Retry-After"]):
            story.wrong.append(f"{address} answered {answer.status}: {page[-300:]}")
        time.sleep(0.02)


def found_elections(browser: Browser, prefix: str, rush: Rush, story: Story) -> list[str]:
    """An organiser who makes draft after draft, each until it is answered for; answers their names."""
    made: list[str] = []
    while not rush.over.is_set():
        name = f"{prefix} {len(made)}"
        while not _founded(browser, name, story):
            time.sleep(0.1)
        made.append(name)
    return made


def _founded(browser: Browser, name: str, story: Story) -> bool:
    try:
        answer, page = browser.ask("POST", "/elections/new/all/", FORM | {"name": name})
    except NOBODY_THERE:
        return False
    story.answers[f"drafts answered {answer.status}"] += 1
    if answer.status == 302 or (answer.status == 422 and str(NAME_TAKEN) in page):
        return True
    if answer.status not in (409, 503):
        story.wrong.append(f"{name} answered {answer.status}: {page[-1500:]}")
        return True
    return False


# --- a round ---


def a_round(site, server: StormyServer, opened, users, number: int, story: Story) -> None:
    names = (f"Secret board {number}", f"Public board {number}")
    for name in names:
        opened(*VOTERS, name=name, secret_ballot=name == names[0])
    owner = people.find("the organiser")
    rush, chance = Rush(names), Random(number)
    server.start()
    browsers = browsers_of(server, users * 2)
    _open_until_answered([*browsers, organiser := Browser(server.port, session_of(owner), owner.name)], names[1])
    places = ["/", "/elections/", *(f"/election/{quote(name)}/{page}" for name in names for page in ("", "ballot/"))]
    readers = [
        partial(read, Browser(server.port, session_of(user), user.name), places, rush, story) for user in users[:3]
    ]
    clients = [partial(rush.go, each, browser) for each, browser in enumerate(browsers)]
    founding = partial(found_elections, organiser, f"Draft {number}", rush, story)
    trouble, drafts, *answers = at_once(partial(stir, server, rush, story, chance), founding, *readers, *clients)
    server.kill()  # while the log is judged nobody else may be at it
    failures = [each for each in (trouble, drafts, *answers) if isinstance(each, Exception)]
    assert failures == []
    story.answers["forms sent once"] += rush.tries.count(1)
    story.answers["forms sent again until answered"] += len(rush.tries) - rush.tries.count(1)
    story.doubled_or_lost += [f"the draft {name} is not there" for name in drafts if elections.find(name) is None]
    for name in names:
        acts = [act for answer in answers[len(readers) :] for act in answer[name]]
        story.answers["votes and withdrawals judged"] += sum(act.answer != UNKNOWN for act in acts)
        called = time.monotonic()
        closing.close(owner, elections.find(name))
        acts.append(Act(owner.name, "close", called, time.monotonic(), DONE))
        story.doubled_or_lost += flaws(acts, left_behind(site, name, users))


def browsers_of(server, users):
    return [Browser(server.port, session_of(user), user.name) for user in users]


def _open_until_answered(browsers: list[Browser], election_name: str) -> None:
    for browser in browsers:
        while not browser.csrf:
            try:
                answer, _page = browser.ask("GET", f"/election/{quote(election_name)}/")
            except NOBODY_THERE:
                continue
            browser.csrf = next(
                iter((answer.headers.get("Set-Cookie") or "").partition("csrftoken=")[2].split(";")), ""
            )


def test_bad_weather_loses_nothing_doubles_nothing_and_answers_nothing_wrong(
    site, settings, tmp_path, person, opened, capsys
):
    settings.SECRET_KEY = own_secret(tmp_path)
    users = [person(name, Role.VOTER) for name in VOTERS]
    server, story, rounds, end = StormyServer(tmp_path, settings.STORE_URL), Story(), 0, time.monotonic() + MINUTES * 60
    try:
        while time.monotonic() < end:
            a_round(site, server, opened, users, rounds, story)
            rounds += 1
            with capsys.disabled():
                print(f"\nround {rounds}: {'; '.join(story.lines())}", flush=True)
    finally:
        server.kill()
    assert story.wrong == []
    assert story.doubled_or_lost == []
    assert rounds
    assert story.answers["votes and withdrawals judged"] > 0
    call_command("replay")
