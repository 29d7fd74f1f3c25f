"""No digest that somebody without rights can fetch tells by guessing what it stands for: the attack is made here.

That it can succeed is shown as well, with events that have no nonces.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from html import unescape
from itertools import product

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from ballots import services
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from results import services as counting
from results.exports.files import EXPORTS
from tests.ballots.guessing import Attack, Opened, Papers, Suspicion
from tests.publishing import seal_publicly

NAME = "Board"
PEOPLE = ("Eve", "Fay", "Gil")
NAMES = (*PEOPLE, "Zoe")  # who has no account here
ADDRESSES = ("ida@example.org", "ina@example.org", "ivo@example.org")  # one of them is on the roll
STRANGERS = ("/", "/checkpoints/", "/checkpoints/newest.txt", f"/result/{NAME}/", f"/result/{NAME}/embed/")
CHECKS = ("", "recount/", "follow/", "head-to-head/", "what-if/")


@dataclass
class Held:
    """A secret election on a quiet site: after every act the quarter is over, and somebody looks at what is public."""

    site: object
    person: object
    quarters: int = 0
    papers: dict[str, bytes] = field(default_factory=dict)

    def seal(self) -> None:
        self.quarters += 1
        seal_publicly(self.site, self.quarters)
        sealed = [each["number"] for each in Client().get("/api/v1/checkpoints").json()["items"]]
        digests = [f"/api/v1/checkpoints/{number}/digests" for number in sealed]
        self.papers |= fetched(Client(), [*STRANGERS, *digests], f"{self.quarters} ")

    def hold(self, *voters: str) -> None:
        owner = self.person("the organiser")
        self.seal()
        for name in PEOPLE:
            self.person(name)
            self.seal()
        drafts.create(owner, NAME)
        add_candidates(owner, elections.find(NAME), [Candidate("Ada"), Candidate("Bo")])
        add_voters(owner, elections.find(NAME), [*PEOPLE, ADDRESSES[0]])
        lifecycle.open_(owner, elections.find(NAME), editable=False)
        self.seal()
        for name in voters:
            services.cast(people.find(name), NAME, {"0": ["1"]}, f"form of {name}")
            self.seal()

    def close(self, reader: Client) -> None:
        closing.close(people.find("the organiser"), elections.find(NAME))
        assert counting.find(NAME).report is not None
        self.seal()
        pages = [f"/election/{NAME}/results/{each}" for each in CHECKS]
        files = [f"/election/{NAME}/results/export/{each}" for each in EXPORTS]
        both = [f"/election/{NAME}/", f"/election/{NAME}/history/"]
        self.papers |= fetched(reader, [*both, *pages, *files], "observed ") | bundled(reader)
        assert b"Digest of the ballots" in self.papers[f"observed /election/{NAME}/history/"]

    def events(self) -> list[dict]:
        return list(EventLog(self.site).since(0))


def fetched(client: Client, addresses, label: str) -> Papers:
    """The pages, and all single checkpoints and older pages that they lead to."""
    found, left = {}, list(addresses)
    for address in left:  # which grows meanwhile
        answer = client.get(address)
        page = b"".join(answer.streaming_content) if answer.streaming else answer.content
        found[label + address] = page
        links = re.findall(r'href="(/checkpoints/[^"]*)"', page.decode(errors="replace"))
        left += [link for link in map(unescape, links) if link not in left]
    return found


def bundled(client: Client) -> Papers:
    answer = client.get(f"/election/{NAME}/results/bundle.zip")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        return {f"bundle/{each}": archive.read(each) for each in archive.namelist()}


@pytest.fixture
def held(site, person) -> Held:
    return Held(site, person)


@pytest.fixture
def observer(signed_in) -> Client:
    return signed_in("Ona", Role.OBSERVER)


def suspicions(held: Held) -> Iterator[Suspicion]:
    """Of everything that is not told in full: it may have been about anybody else, too."""
    told = {event["event_id"] for event in map(json.loads, lines_told(held)) if "event_type" in event}
    for event in held.events():
        text = json.dumps([event["actor"], event["event_data"]])
        for kind in (NAMES, ADDRESSES) if event["event_id"] not in told else ():
            for real, guess in product((each for each in kind if each in text), kind):
                actor, said = json.loads(text.replace(real, guess))
                when = datetime.fromisoformat(event["when_occurred"])
                yield Suspicion(guess, actor, event["event_type"], said, event["event_id"], when)


def lines_told(held: Held) -> list[bytes]:
    """Of the bundle, if it was fetched."""
    return held.papers.get("bundle/events.jsonl", b"").splitlines()


def opened(held: Held) -> set[Opened]:
    attack = Attack(held.papers)
    assert len(attack.words) > 5, "there is nothing to attack"
    found = attack.opened(suspicions(held))
    if "bundle/roll.json" in held.papers:
        found |= attack.opened_roll(ADDRESSES)
    assert attack.hashes > 1000
    return found


# --- the attack fails ---


@pytest.mark.deep
@pytest.mark.parametrize("voters", [("Fay",), ("Gil", "Fay")])
def test_nobody_learns_who_has_voted_or_registered_by_guessing(held, observer, voters):
    held.hold(*voters)
    assert opened(held) == set(), "while it was open, by a stranger"
    held.close(observer)
    assert opened(held) == set(), "after the close, by an observer"


@pytest.mark.deep
def test_nothing_public_tells_when_somebody_acted(held, observer):
    held.hold("Fay")
    held.close(observer)
    told = b"".join(
        text for name, text in held.papers.items() if "/checkpoints/" in name or "checkpoints.jsonl" in name
    )
    fine = [each["when_sealed"] for each in held.site.each(keys.checkpoints())]
    assert not [when for when in fine if when.encode() in told]
    times = re.findall(rb"\d\d:(\d\d):(\d\d)(\.\d+)?Z", told)
    assert times
    assert {(int(minute) % 15, second, rest) for minute, second, rest in times} == {(0, b"00", b"")}
