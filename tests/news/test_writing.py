"""Writing posts: lists by the clock, addresses that stay, and what changes at the same moment."""

from __future__ import annotations

from functools import partial

import pytest

from accounts.rules import Role
from foundation.acts.refusals import NotAllowed, NotNow
from foundation.acts.storage import now_text, table
from foundation.store import keys
from parts.news import repository, rules, services
from parts.news.rules import PostState, SlugTaken
from tests.clock import at_its_own_moment

from .conftest import LATER, written


def titles(some) -> list[str]:
    return [each.title for each in some[0]]


def everywhere(post) -> list[list[str]]:
    """What each list of readers has."""
    lists = (
        repository.published,
        partial(repository.with_tag, "News"),
        partial(repository.by_author, post.author),
    )
    return [titles(read(limit=9)) for read in lists]


def test_a_draft_and_what_lies_ahead_are_in_no_list(draft, post):
    one = draft("Draft", tags=("news",))
    post("Ahead", LATER, tags=("news",))
    assert everywhere(one) == [[], [], []]
    seen = post("Seen", tags=("news",))
    assert everywhere(seen) == [["Seen"]] * 3
    assert titles(repository.drafts(limit=9)) == titles(repository.drafts("BOSS", limit=9)) == ["Draft"]
    assert titles(repository.scheduled(limit=9)) == ["Ahead"]


def test_publishing_is_a_comparison(post):
    ahead = post("Ahead", "2094-05-03T07:00:00.000Z")
    before, after = "2094-05-03T06:59:59.999Z", "2094-05-03T07:00:00.000Z"
    assert titles(repository.published(limit=9, now=before)) == []
    assert titles(repository.published(limit=9, now=after)) == ["Ahead"]
    assert ahead.state(before) == PostState.SCHEDULED


def test_lists_are_the_newest_first_and_leafed_through(post):
    for number in range(5):
        post(f"Post {number}")
    first, cursor = repository.published(limit=3)
    rest, end = repository.published(limit=3, cursor=cursor)
    assert titles((first + rest, end)) == [f"Post {number}" for number in (4, 3, 2, 1, 0)]


def test_an_old_address_leads_to_the_post_for_ever(admin, post):
    one = post("Old title")
    changed = services.edit(admin, one, written("New title", slug="new-title"))
    assert changed.slug == "new-title"
    assert repository.id_at_slug("old-title") == repository.id_at_slug("new-title") == one.id
    with pytest.raises(SlugTaken, match="old-title"):
        services.write(admin, written(slug="old-title"))
    assert services.write(admin, written("Old title")).slug == "old-title-2"
    back = services.edit(admin, repository.find(one.id), written(slug="old-title"))
    assert back.slug == "old-title"
    services.delete(admin, repository.find(one.id))
    with pytest.raises(SlugTaken):
        services.write(admin, written(slug="old-title"))


def test_the_address_of_a_draft_nobody_knew_is_free_again(admin, draft):
    one = draft("Old title")
    services.edit(admin, one, written(slug="another"))
    assert repository.id_at_slug("old-title") is None
    services.delete(admin, repository.find(one.id))
    assert repository.id_at_slug("another") is None


def test_a_post_that_is_taken_back_is_a_draft_again(admin, post):
    one = post("Seen", tags=("news",))
    services.withdraw(admin, one)
    assert everywhere(one) == [[], [], []]
    assert titles(repository.drafts(limit=9)) == ["Seen"]
    with pytest.raises(NotNow):
        services.withdraw(admin, repository.find(one.id))
    with pytest.raises(SlugTaken):
        services.write(admin, written(slug=one.slug))


def test_tags_that_go_leave_their_lists(admin, post):
    one = post("Seen", tags=("news", "board"))
    services.edit(admin, one, written("Seen", tags=("Board",)))
    assert titles(repository.with_tag("news", limit=9)) == []
    assert titles(repository.with_tag("board", limit=9)) == ["Seen"]


def test_nothing_of_a_deleted_post_is_left(admin, post):
    one = post("Seen", tags=("news", "board"))
    services.delete(admin, one)
    assert list(table().each(keys.all_of_post(one.id))) == []
    assert everywhere(one) == [[], [], []]


def test_an_edit_is_new_to_readers_only_if_its_author_says_so(admin, post):
    one = post()
    quiet = at_its_own_moment(lambda: services.edit(admin, one, written("Quietly")))
    assert quiet.updated_at == one.published_at
    loud = services.edit(admin, quiet, written("Loudly"), revised=True)
    assert loud.updated_at > one.published_at


@pytest.mark.deep
def test_posts_of_one_title_are_never_too_many(admin):
    weekly = [services.write(admin, written("Minutes of the week", f"Week {number}")) for number in range(60)]
    assert len({each.slug for each in weekly}) == 60
    assert [each.slug for each in weekly[:2]] == ["minutes-of-the-week", "minutes-of-the-week-2"]
    assert all(rules.is_slug(each.slug) for each in weekly)


def test_who_neither_looks_after_the_site_nor_runs_an_election_writes_nothing(person, post):
    stranger = person("Eve", Role.USER)
    with pytest.raises(NotAllowed):
        services.write(stranger, written())
    for act in (services.delete, services.publish, services.revoke_previews, services.withdraw):
        with pytest.raises(NotAllowed):
            act(stranger, post(f"Post for {act.__name__}"))


def test_a_post_and_its_text_are_one_query(post):
    one = post(text="# Heading\n\nSome **bold** words.")
    whole = repository.find_full(one.id)
    assert "<strong>bold</strong>" in whole.text.html
    assert whole.post.words == 4
    assert whole.post.lead == "Heading Some bold words."
    assert now_text() > whole.post.published_at
