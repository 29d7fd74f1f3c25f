"""News in the log: what it makes of it is what there is, and nothing of it changes without an event."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as voting
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from news import replay as of_news
from news import repository, services, site_page, site_services
from news.services import Written
from news.site_page import Part
from photos.changing import PictureChange
from photos.encoding import Encoded
from photos.rules import Photo
from ranking.candidates import Candidate
from results import services as results
from store import keys
from store.log import utc_now
from store.log.seal import verify
from store.table import Update
from tests.test_completeness import Watched, watched  # noqa: F401 - a fixture
from tests.test_replay_story import kinds_in
from upkeep import replay
from upkeep.erasure import log_erasure
from upkeep.log.figures import site_sealer

LATER = "2100-01-01T09:00:00.000Z"
check = partial(replay.check, report=replay.quietly)


def tell_of_news(person) -> None:
    """Everything happens that can happen to a post."""
    owner, ada = person("Olga", Role.OWNER), person("Ada")
    a_sealed_election(ada)
    services.announce(ada, results.find("Board"))
    about = {"election": "Board"}
    seen, ahead, draft = (
        services.write(ada, Written(title, "Words."), **about) for title in ("Seen", "Ahead", "Draft")
    )
    services.publish(ada, seen)
    services.publish(ada, ahead, LATER, "Europe/Berlin")
    services.revoke_previews(ada, draft)
    one = services.write(owner, Written("Seen", "More *words*.", tags=("news", "board")))
    services.publish(owner, one)
    services.edit(owner, now(one), Written("Again", "Yet more.", tags=("board",), slug="again"), revised=True)
    for number in (1, 2):
        services.picture(owner, one.id, a_picture(number))
    services.withdraw(owner, now(one))
    services.delete(owner, now(one))
    services.picture(owner, draft.id, a_picture(3))
    tell_of_the_site_page(owner)
    accounts.remove(owner, people.find("Ada"))


def tell_of_the_site_page(owner) -> None:
    """Written, pictured, removed, and written again."""
    for number in (4, 5):
        seen = site_page.edition(site_page.find(), Part.TEXT)
        site_services.edit(owner, Part.TEXT, seen, {"text": f"We *are* {number}."})
        site_services.picture(owner, a_picture(number))
        if number == 4:
            site_services.remove(owner)


def a_picture(number: int) -> PictureChange:
    return PictureChange(Encoded(Photo(f"{number:032x}", "A door", 640, 480, (640,), "jpg", ("0" * 64,)), (b"bytes",)))


def a_sealed_election(ada) -> None:
    made = drafts.create(ada, "Board", results_public=True, electorate="everyone")
    add_candidates(ada, made, [Candidate("Bo"), Candidate("Cy")])
    lifecycle.open_(ada, elections.find("Board"), editable=False)
    voting.cast(ada, "Board", {"0": ["1"]}, "form")
    closing.close(ada, elections.find("Board"))
    voting.seal_closed("Board")


def now(post):
    return repository.find(post.id)


@pytest.fixture
def told(site, person):
    tell_of_news(person)
    return site


def test_the_log_makes_the_news_there_is(told):
    assert check(told).first == ()
    assert {event["event_type"] for event in told.each(keys.events())} >= kinds_in("news")
    assert kinds_in("news") == {each.name for each in of_news.EVENTS}


def test_it_does_so_too_when_it_has_forgotten_who_wrote_it(told):
    def then():
        return utc_now() + timedelta(days=31)

    site_sealer().seal()
    while log_erasure.is_due(then):
        log_erasure.erase_names(then)
        site_sealer().seal()
    assert verify(told).flaw is None
    assert check(told).first == ()
    kinds = {event["event_type"] for event in told.each(keys.events()) if "Ada" in repr(event)}
    assert not kinds & {"PostWritten", "PostPublished"}
    assert "ResultAnnounced" in kinds, "an election that is kept keeps its record"


def test_a_post_changed_behind_our_back_is_named(told):
    (post, *_others), _end = repository.published(limit=9)
    told.write(Update(keys.post(post.id), set={"title": "Another"}))
    assert [each.attribute for each in check(told).first] == ["title"]


def test_nothing_changes_without_an_event_and_no_event_without_a_change(watched, person):  # noqa: F811
    tell_of_news(person)
    assert (watched.faults, watched.undeclared) == ([], set())
    (post, *_others), _end = repository.published(limit=9)
    watched.write(Update(keys.post(post.id), set={"title": "Another"}))
    assert [fault.partition(":")[0] for fault in watched.faults] == ["a change without an event"]
