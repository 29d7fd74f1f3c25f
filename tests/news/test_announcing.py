"""Announcing a sealed result: one post for each, tied to its digest, of which nobody's name is markup."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from django.utils import translation

from accounts import repository as people
from elections import repository as elections
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from foundation.acts.refusals import NotAllowed
from foundation.acts.storage import log, table
from foundation.store import keys
from parts.news import announcements, repository, services
from results import services as results
from tests.at_once import at_once
from tests.background import finish_background
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.elections.test_questions import NAME, three_questions
from tests.people import sign_in
from tests.results.test_sealing import close, voted  # noqa: F401 - fixtures
from tests.voting import cast

from .conftest import written


@pytest.fixture
def sealed(voted, close):  # noqa: F811
    """A closed election with three ballots whose result anybody may see."""

    def make(*rankings, **settings):
        cast = rankings or ({"Ada": 1, "Bo": 2}, {"Ada": 1}, {"Cy": 1})
        election = voted(*cast, **{"results_public": True} | settings)
        close(election.name)
        return results.find(election.name)

    return make


@pytest.fixture
def organiser(sealed):
    sealed()
    return people.find("the organiser")


def found():
    return results.find("Board")


def events() -> list[str]:
    return [event["event_type"] for event in log().since(0)]


def test_it_is_published_at_once_and_says_what_was_decided(organiser):
    post, is_new = services.announce(organiser, found())
    seal = found().seal
    assert is_new
    assert (post.title, post.slug, post.author) == ("Result: Board", "result-board", "the organiser")
    assert (post.election, post.result) == ("Board", seal.report_digest)
    assert post.lead == "\u2068Ada\u2069 has won. 3 of 3 have voted."
    (seen,) = repository.published(limit=9)[0]
    assert seen == repository.on_election(found().election, limit=9)[0][0] == post
    text = repository.find_full(post.id).text.text
    said = ("**Winner:** \u2068Ada\u2069", "Schulze", "Seats: 1", "3 of 3 have voted", "/result/Board/")
    assert [words for words in (*said, seal.report_digest) if words not in text] == []
    assert events().count("ResultAnnounced") == 1
    assert not {"PostWritten", "PostPublished"} & set(events())


def test_there_is_one_for_each_result_however_many_ask_at_once(organiser):
    answers = at_once(*[lambda: services.announce(organiser, found()) for _each in range(4)])
    assert sorted(is_new for _post, is_new in answers) == [False, False, False, True]
    assert len({post.id for post, _is_new in answers}) == 1
    assert len(repository.published(limit=9)[0]) == 1
    assert services.announce(organiser, found())[1] is False


def test_one_that_was_deleted_can_be_announced_again_and_one_taken_back_is_still_there(organiser):
    first, _new = services.announce(organiser, found())
    services.withdraw(organiser, first)
    again, is_new = services.announce(organiser, found())
    assert (again.id, again.published_at, is_new) == (first.id, None, False)
    services.delete(organiser, again)
    third, is_new = services.announce(organiser, found())
    assert (third.slug, is_new) == ("result-board-2", True)


def test_an_edit_keeps_the_digest(organiser):
    post, _new = services.announce(organiser, found())
    services.edit(organiser, post, written("Ada it is", "Well done."))
    kept = repository.find(post.id)
    assert (kept.title, kept.result) == ("Ada it is", found().seal.report_digest)


def test_an_election_that_is_made_again_under_the_same_name_has_no_part_in_it(organiser, opened):  # noqa: F811
    post, _new = services.announce(organiser, found())
    lifecycle.delete(organiser, found().election)
    finish_background("delete election")
    later = opened("voter 0", results_public=True)
    assert repository.on_election(later, limit=9)[0] == []
    assert repository.find(post.id).title == "Result: Board"
    with pytest.raises(NotAllowed):
        services.edit(organiser, post, written())


@pytest.mark.parametrize(
    ("rankings", "words", "short"),
    [
        (({"Ada": 1}, {"Bo": 1}), "**A tie:**\n\n- \u2068Ada\u2069\n- \u2068Bo\u2069", "A tie: \u2068Ada, Bo\u2069. 2"),
        (({},), "**Nothing to count.** Every ballot is blank.", "Nothing to count. 1"),
    ],
)
def test_it_says_who_won_or_that_nobody_did(sealed, rankings, words, short):
    found = sealed(*rankings)
    assert words in announcements.text([found])
    assert announcements.summary([found]).startswith(short)


def test_many_who_won_are_not_all_named():
    names = tuple(f"Name {number}" for number in range(25))
    assert announcements._names(names, 20).endswith("\u2068Name 19\u2069\n- 5 more")


def test_it_is_in_the_language_of_whoever_announces_it(organiser):
    with translation.override("de"):
        post, _new = services.announce(organiser, found())
    assert post.title == "Ergebnis: Board"


def test_the_log_tells_it(organiser):
    post, _new = services.announce(organiser, found())
    services.withdraw(organiser, post)
    services.delete(organiser, repository.find(post.id))
    services.announce(organiser, found())
    assert table().get(keys.announcement("Board", found().election.created_at, found().seal.report_digest))


def test_of_several_questions_one_post_says_what_each_decided(site):
    three_questions(secret=True, results_public=True)
    olga = people.find("Olga")
    for name in ("Ada", "Bob", "Dan"):
        cast(people.find(name), NAME, {"0": ["1"], "2:0": ["1"], "3:1": ["1"]}, name)
    closing.close(olga, elections.find(NAME))
    finish_background()
    post, _new = services.announce(olga, results.find(NAME))
    assert services.announce(olga, results.find(NAME)) == (post, False)
    said = re.sub("[\u2068\u2069]", "", post.lead)
    assert said == (
        "The chair: Xi has won. The budget: Carried: 3 yes, 0 no, 0 abstentions; 2 needed. Speaker: Lou has won."
    )
    text = re.sub("[\u2068\u2069]", "", repository.find_full(post.id).text.text)
    parts = re.split("^## ", text, flags=re.MULTILINE)
    assert [part.split("\n", 1)[0] for part in parts] == ["", "The chair", "The budget", "Speaker"]
    assert "**Winner:** Xi" in parts[1]
    assert "3 of 3 have voted" in parts[3]  # of the students
    digests = [results.find(NAME, number).seal.report_digest for number in (1, 2, 3)]
    assert [digest for digest in digests if digest not in text] == []
    reader = sign_in("Ada")
    assert "Matches" in reader.get(reverse("post", args=[post.slug])).content.decode()
