"""Every form of the site with the largest values it accepts, in several scripts, and everything that this starts.

Whatever a form accepts must work to the end: every page opens afterwards, and every job of the worker goes well.
"""

from __future__ import annotations

from random import Random

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import reverse

from accounts.rules import Role
from elections import places
from elections import repository as elections
from elections import services as organising
from ranking.candidates import Candidate
from results import proof
from results import services as results
from store import keys
from store.table import Put, Update
from tests.access.site import PRESENTED, Look, Site, build
from tests.fuzz.forms import Form, Typing, forms_on, links_on
from tests.people import make_person, sign_in
from upkeep.jobs import JOBS, Outcome, run_each
from upkeep.leases import Leases

SCRIPTS = {
    "Latin": "a",
    "Chinese": "漢",
    "Arabic": "ع",
    "emoji": "\U0001f600",
    "rare Chinese": "\U00020000",
    "combined": "e\u0323\u0302",  # composed when it is kept, so that it is shorter then
    "Hangul": "한",
}
LEFT_OUT = {"pause", "leave", "remove_person", "sign_out"}  # what would end the site, or whoever tries
REFUSED, ERRORS = 422, 500
ATTEMPTS = 15


class Try:
    """One run through all forms, in one script."""

    def __init__(self, site: Site, letter: str):
        self.site, self.letter = site, letter
        self.number = 0
        self.accepted: list[str] = []
        self.broken: list[str] = []
        self._seen: set[tuple[str, ...]] = set()

    def go(self, looks: list[Look]) -> None:
        for look in looks:
            answer = self.open(look)
            if answer is not None and look.page not in LEFT_OUT and "html" in answer.get("Content-Type", ""):
                for form in forms_on(b"".join(answer).decode()):
                    self.fill(look, form)

    def open(self, look: Look) -> HttpResponse | None:
        return self._answer(look, lambda client: client.get(look.address, look.asked))

    def fill(self, look: Look, form: Form) -> None:
        """Until it is accepted: with as much as it says that it takes at first."""
        what = (look.page, form.action.rsplit("/", 2)[-2] if form.action else "", *(each.name for each in form.free))
        if what in self._seen:
            return
        self._seen.add(what)
        self.number += 1000
        typing = Typing(form, self.letter, self.number)
        for _attempt in range(ATTEMPTS):
            answer = self._answer(look, lambda client: client.post(form.action or look.address, typing.sent()))
            if answer is None or answer.status_code != REFUSED:
                self.accepted += [look.page] if answer is not None and answer.status_code in (302, 303) else []
                return
            if not typing.again(answer.text):
                return

    def _answer(self, look: Look, ask) -> HttpResponse | None:
        client: Client = self.site.browsers[look.who]
        try:
            answer = ask(client)
        except Exception as error:
            self.broken.append(f"{look.page} for {look.who}: {type(error).__name__}: {error}"[:300])
            return None
        if answer.status_code >= ERRORS:
            self.broken.append(f"{look.page} for {look.who}: {answer.status_code}")
        return answer


def test_whatever_a_form_accepts_works_to_the_end(site, script):
    with override_settings(**PRESENTED):
        go_through(site, script)


def go_through(site, script: str) -> None:
    built = build()
    run = Try(built, SCRIPTS[script])
    run.go(built.looks)
    for look in built.looks:
        run.open(look)
    assert run.broken == []
    assert failed(site) == []
    assert len(run.accepted) > 30, run.accepted


@pytest.mark.parametrize(
    ("candidates", "letters", "seats", "method", "voters"),
    [
        (60, 160, 20, "stv-scottish", 2_450),
        (50, 198, 1, "schulze", 4_000),
        (200, 49, 100, "stv-meek", 1_000),
        (200, 49, 1, "ranked-pairs", 1_000),
        (500, 19, 1, "schulze", 1_000),
        (500, 19, 100, "stv-scottish", 1_000),
    ],
)
def test_an_election_at_its_limits_is_sealed_shown_exported_and_checked(
    site, candidates, letters, seats, method, voters
):
    """As many, and as long, names as there may be, and thousands of rankings of which no two are the same."""
    owner, emoji = make_person("the organiser", Role.OWNER), SCRIPTS["emoji"]
    election = organising.create(
        owner, "Board " + emoji * 190, method=method, seats=seats, secret_ballot=True, electorate="everyone"
    )
    standing = [Candidate(f"{number:03}" + emoji * letters) for number in range(candidates)]
    organising.add_candidates(owner, election, standing)
    opened = organising.open_(owner, elections.find(election.name), editable=False)
    fill_box(site, opened, candidates, voters)
    organising.close(owner, elections.find(election.name))
    assert failed(site) == []
    found = results.find(election.name)
    assert found is not None
    assert found.seal is not None
    assert proof.check_sealed(found.election) is None
    client = sign_in(owner)
    page = client.get(reverse("results", args=[election.name]))
    assert page.status_code == 200
    for link in {link.partition("#")[0] for link in links_on(page.text) if link.startswith("/election/")}:
        assert client.get(link).status_code < ERRORS, link[-60:]


def fill_box(site, election, candidates: int, voters: int) -> None:
    """Ballots straight into the box: to cast each would take longer than all the rest."""
    drawn = Random(candidates)
    for number in range(voters):
        place = keys.ballot(election.name, f"{number:08x}")
        ranking = ">".join(map(str, drawn.sample(range(candidates), candidates)))
        site.write(Put({"PK": place.pk, "SK": place.sk, "rankings": ranking, "confirmation": f"{number:04}-ABCD"}))
    site.write(Update(places.gates_of(election).keys(election.name)[0], add={"voted": voters}))


def failed(site) -> list[tuple[str, str]]:
    """Jobs of the worker that went wrong, and why."""
    return [(name, each.words) for name, each in run_each(JOBS, Leases(site)).items() if each.outcome == Outcome.FAILED]


def pytest_generate_tests(metafunc):
    if "script" in metafunc.fixturenames:
        metafunc.parametrize("script", SCRIPTS)


pytestmark = pytest.mark.slow
