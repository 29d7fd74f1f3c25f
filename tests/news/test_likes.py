"""Likes: set to on or off and never flipped, exact at any pace, forgotten in time."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from hypothesis import strategies as st

from accounts import services as accounts
from accounts.rules import Role
from foundation.acts import background
from foundation.acts.refusals import LostRace, NotThere
from foundation.acts.storage import table, use_table
from foundation.store import keys
from foundation.store.backup import backup, restore
from foundation.store.connect import connect
from foundation.store.log import as_text, utc_now
from operations.audit.tables import masks
from parts.news import likes, repository, services
from parts.news.likes import Liker, Likes, member, visitor
from tests.background import finish_background
from tests.clock import stands_at
from tests.test_completeness import Watched


def somebody(post_id: str, number: int = 0) -> Liker:
    return visitor(f"Browser {number}", post_id)


def counted(post_id: str) -> int:
    return sum(item["likes"] for item in table().each(keys.all_likes(post_id)))


def marks(post_id: str) -> int:
    return sum(table().count(keys.marks_of_likes(post_id, shard)) for shard in range(repository.LIKE_COUNTERS))


# --- one for each ---


def test_on_and_off_are_set_and_never_flipped(post):
    one = post().id
    for on, expected in ((False, 0), (True, 1), (True, 1), (False, 0), (False, 0), (True, 1)):
        likes.set_like(somebody(one), on)
        assert (counted(one), marks(one), likes.is_on(somebody(one))) == (expected, expected, expected == 1)


def test_one_for_each_browser_and_for_each_account(post, person):
    one, ada = post().id, person("Ada")
    who = [visitor("Browser", one), visitor("Another", one), member(ada, one), member(person("Bo"), one)]
    for each in who * 2:
        likes.set_like(each, True)
    assert counted(one) == len({each.code for each in who}) == 4
    likes.set_like(member(ada, one), False)
    assert (counted(one), [likes.is_on(each) for each in who].count(True)) == (3, 3)


def test_nothing_leads_from_a_mark_to_a_visitor_or_to_another_post(site, post, settings):
    one, other = post("One").id, post("Other").id
    first, second = somebody(one), somebody(other)
    for each in (first, second):
        likes.set_like(each, True)
    (mark,) = site.each(keys.marks_of_likes(one, first.shard))
    assert set(mark) == {"PK", "SK", "entity_type", "ttl"}
    assert first.code != second.code
    assert first.code not in str(list(site.each(keys.marks_of_likes(other, second.shard))))
    settings.SECRET_KEY = "another"
    assert somebody(one).code != first.code


def test_counters_are_many_and_likes_are_spread_over_them(post):
    one = post().id
    for number in range(64):
        likes.set_like(somebody(one, number), True)
    used = [item["likes"] for item in table().each(keys.all_likes(one))]
    assert len(used) == repository.LIKE_COUNTERS == 16
    assert sum(used) == 64
    assert max(used) < 20


def test_the_words():
    def words(number, mine=False):
        return str(Likes("id", number, mine, "").sentence)

    assert [words(0), words(1), words(3)] == ["No likes yet.", "1 person likes this.", "3 people like this."]
    assert [words(1, True), words(3, True)] == ["You like this.", "3 people like this, you among them."]


# --- exact ---

acts = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=25)


# --- in time ---


def later(monkeypatch, **by: int) -> None:
    stands_at(monkeypatch, as_text(utc_now() + timedelta(**by)))


def test_after_thirty_days_a_visitor_is_forgotten_and_the_count_stays(post, person, monkeypatch):
    one, ada = post().id, person("Ada")
    for who in (somebody(one), member(ada, one)):
        likes.set_like(who, True)
    later(monkeypatch, days=29, hours=23)
    assert likes.is_on(somebody(one))
    later(monkeypatch, days=30, seconds=1)
    assert not likes.is_on(somebody(one))
    assert likes.is_on(member(ada, one))
    likes.set_like(somebody(one), False)
    assert counted(one) == 2, "nobody knows any more that it was they"
    likes.set_like(somebody(one), True)
    assert (counted(one), marks(one)) == (3, 2), "the mark that was not swept yet is theirs again"
    likes.set_like(somebody(one), False)
    assert (counted(one), marks(one)) == (2, 1)


def test_a_mark_that_is_over_is_swept(site, post, monkeypatch):
    one = post().id
    later(monkeypatch, days=-31)
    likes.set_like(somebody(one), True)
    monkeypatch.undo()
    assert site.sweep() == 1
    assert counted(one) == 1


# --- when somebody leaves, or a post goes ---


def test_whoever_leaves_is_forgotten_and_stays_counted(site, admin, post, person):
    one, ada = post().id, person("Ada", Role.VOTER)
    for who in (member(ada, one), member(admin, one)):
        likes.set_like(who, True)
    accounts.remove(admin, ada)
    assert list(site.each(keys.liked_by("Ada"))) == []
    assert (counted(one), marks(one)) == (2, 1)
    with pytest.raises(LostRace):
        likes.set_like(member(ada, one), True)
    assert (counted(one), marks(one)) == (2, 1)
    assert not likes.is_on(member(person("Ada"), one)), "whoever has the name now"


def test_own_data_tells_what_one_likes(admin, post, person):
    ada, seen, taken_back = person("Ada"), post("Seen"), post("Taken back")
    for each in (seen, taken_back):
        likes.set_like(member(ada, each.id), True)
        likes.set_like(somebody(each.id), True)
    services.withdraw(admin, taken_back)
    told = list(likes.export_likes(ada))
    expected = [{"post": seen.id, "title": "Seen"}, {"post": taken_back.id, "title": None}]
    assert sorted(told, key=str) == sorted(expected, key=str)


@pytest.mark.needs("webhooks")
def test_a_like_that_comes_too_late_leaves_nothing_behind(site, admin, post, person):
    one, ada = post(), person("Ada")
    for who in (somebody(one.id), member(ada, one.id), *(somebody(one.id, number) for number in range(20))):
        likes.set_like(who, True)
    services.delete(admin, one)
    for who, on in ((somebody(one.id, 99), True), (member(admin, one.id), True), (somebody(one.id), False)):
        with pytest.raises(NotThere):
            likes.set_like(who, on)
    assert finish_background() == 2  # forgetting the likes; telling webhooks of the post
    left = [item for _, item in site.everything() if item["PK"].startswith(("LIKE#", "TASK#", f"BLOG#{one.id}"))]
    assert left == list(site.each(keys.liked_by("Ada"))) == []


def test_a_draft_that_goes_leaves_no_work(admin, draft):
    services.delete(admin, draft())
    assert background.next_due() is None


# --- beside the log ---


def test_no_event_tells_of_likes_and_nothing_else_changes_without_one(site, admin, post, person):
    one, watched = post(), Watched(site)
    before = site.count(keys.events())
    with use_table(watched):
        for who in (somebody(one.id), member(person("Ada"), one.id)):
            for on in (True, False, True):
                likes.set_like(who, on)
        assert site.count(keys.events()) == before + 1, "of the account alone"
        services.delete(admin, one)
        finish_background()
    assert watched.faults == []


def test_a_backup_carries_them(site, post, person, tmp_path):
    one = post().id
    for who in (somebody(one), member(person("Ada"), one)):
        likes.set_like(who, True)
    file = io.BytesIO()
    backup(site, file)
    copy = connect(f"sqlite://{tmp_path}/copy.sqlite3")
    copy.create()
    file.seek(0)
    restore(copy, file)
    with use_table(copy):
        assert (counted(one), marks(one)) == (2, 2)
        likes.set_like(somebody(one), False)
        assert (counted(one), marks(one)) == (1, 1)
    copy.close()


def test_auditors_see_how_many_and_not_who(site, post, person):
    one, ada = post().id, person("Ada")
    likes.set_like(member(ada, one), True)
    (mark,) = site.each(keys.liked_by("Ada"))
    assert masks.mask_item("vote_data", mark) is None
    assert not masks.may_open(keys.liked_by("Ada"))
    assert not masks.may_open(keys.marks_of_likes(one, member(ada, one).shard))
    assert masks.mask_item("vote_data", site.get(member(ada, one).counter))["likes"] == 1
