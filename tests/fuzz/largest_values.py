"""Every form of the site with the largest values it accepts, in several scripts, and elections at their limits; and
everything that this starts, on both adapters.

Whatever a form accepts must work to the end: every page opens afterwards, and every job of the worker goes well.
"""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.rules import Role
from elections.drafts import services as drafts
from elections.groups import services as groups
from elections.rules import MAX_CANDIDATES, MAX_QUESTIONS
from foundation.pages.lists import MAX_BYTES
from tests.fuzz.at_limits import take_questions_to_the_end, take_to_the_end
from tests.fuzz.forms import forms_on, long_address
from tests.fuzz.walking import SCRIPTS, Walk, failed, largest_site
from tests.people import make_person, sign_in

LINES = 780  # addresses of 254 characters, which are all that fit the field for voters


@pytest.mark.parametrize("script", SCRIPTS)
def test_whatever_a_form_accepts_works_to_the_end(each_site, script):
    with largest_site(SCRIPTS[script]) as site:
        walk = Walk(site, SCRIPTS[script], LINES)
        walk.go()
        for look in site.looks:
            walk.open(look)
        assert walk.broken == []
        assert failed(each_site) == []


@pytest.mark.parametrize(
    ("candidates", "letters", "seats", "method", "voters"),
    [
        (60, 160, 20, "stv-scottish", 2_450),
        (50, 197, 1, "schulze", 4_000),
        (200, 49, 100, "stv-meek", 1_000),
        (200, 49, 1, "ranked-pairs", 1_000),
        (500, 19, 1, "schulze", 1_000),
        (500, 19, 100, "stv-scottish", 1_000),
    ],
)
def test_an_election_at_its_limits_comes_to_its_end(each_site, candidates, letters, seats, method, voters):
    """As many, and as long, names as there may be, and thousands of rankings of which no two are the same."""
    take_to_the_end(each_site, candidates, letters, voters, method=method, seats=seats, secret_ballot=True)


@pytest.mark.parametrize("questions", [2, MAX_QUESTIONS])
def test_an_election_with_many_questions_comes_to_its_end(each_site, questions):
    take_questions_to_the_end(each_site, questions, 2 * MAX_CANDIDATES // questions, letters=19)


def test_the_largest_file_of_voters_is_looked_at_and_taken(each_site):
    """As many rows as fit, each of them an address of the greatest length; the page sends all of it back."""
    owner = make_person("the organiser", Role.OWNER)
    election, group = drafts.create(owner, "Board"), groups.make(owner, "Club")
    rows = "\n".join(map(long_address, range(MAX_BYTES // 255))).encode()
    client = sign_in(owner)
    for address in (reverse("import_roll", args=[election.name]), reverse("add_members", args=[group.id])):
        preview = client.post(address, {"file": SimpleUploadedFile("voters.csv", rows, "text/csv")})
        (form,) = (each for each in forms_on(preview.text) if any(field.name == "voters" for field in each.fields))
        taken = client.post(form.action or address, form.filled({}))
        assert taken.status_code == 302, address
    assert failed(each_site) == []
