"""Pages of news: reading, writing, publishing, looking beforehand; strangers, wrong roles, bad input, two tabs."""

from __future__ import annotations

import re
import time
from html import unescape
from urllib.parse import unquote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from elections import repository as repository_of_elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.acts.storage import table
from foundation.photos.changing import PictureChange, encoded
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Put
from parts.news import access, repository, services
from tests.clock import stands_at
from tests.people import sign_in
from tests.photos import drawing

from .conftest import LATER, written

FORM = {"title": "We have moved", "text": "The *office* is in Mill Lane now.", "tags": "", "summary": "", "slug": ""}


def text(answer) -> str:
    return re.sub(r"\s+", " ", unescape(answer.content.decode()))


def hidden(answer) -> dict[str, str]:
    """What the form of a page would send besides what is typed."""
    return dict(
        re.findall(r'type="hidden" name="(token|version|election|seen)" value="([^"]*)"', answer.content.decode())
    )


def trips(answer) -> int:
    return int(re.search(r'desc="(\d+) trips"', answer["Server-Timing"])[1])


@pytest.fixture
def boss(admin) -> Client:
    return sign_in(admin)


# --- reading ---


def test_news_are_for_everybody_the_newest_first(client, post, draft):
    assert "No news yet" in text(client.get("/news/"))
    post("Older", summary="In short", tags=("board", "open source"))
    post("Newer")
    draft("Unfinished")
    post("Tomorrow", LATER)
    page = text(client.get("/news/"))
    assert page.index("Newer") < page.index("Older")
    assert "In short" in page
    assert "1 minute to read" in page
    assert "/news/tag/open%20source/" in page
    assert not re.search("Unfinished|Tomorrow|Write a post|Drafts", page)
    assert 'href="/news/"' in text(client.get("/")), "the way there"


def test_lists_by_tag_and_author_are_there_if_there_is_something_in_them(client, post, draft):
    post("On the board", tags=("Board",))
    post("Ahead", LATER, tags=("later",))
    assert "News on <bdi>Board</bdi>" in text(client.get("/news/tag/board/"))
    assert "News by <bdi>Boss</bdi>" in text(client.get("/news/by/BOSS/"))
    for path in ("/news/tag/later/", "/news/tag/none/", "/news/by/nobody/", f"/news/tag/{'a' * 900}/"):
        assert client.get(path).status_code == 404, path


def copy(one, numbers: range) -> None:
    """As many posts more, on a few days of one winter; each is in all lists that the one is in."""
    own = [item for item in table().each(keys.all_of_post(one.id)) if "GSI1SK" in item]
    puts = [Put(item | placed(number)) for number in numbers for item in own]
    for begin in range(0, len(puts), 90):
        table().write(*puts[begin : begin + 90])


def placed(number: int) -> dict[str, str]:
    moment = f"2026-01-01T00:00:{number // 1000:02}.{number % 1000:03}Z"
    return {"PK": f"BLOG#copy{number}", "GSI1SK": f"{moment}#copy{number}", "published_at": moment}


def test_a_post(client, post):
    one = post("We have moved", text="Now in **Mill Lane**. " * 200, tags=("office",), summary="New rooms")
    answer = client.get(f"/news/post/{one.slug}/")
    page = text(answer)
    assert trips(answer) == 2, "the way to it; all of it"
    for words in (
        "<strong>Mill Lane</strong>",
        "by <bdi>Boss</bdi>",
        "4 minutes to read",
        "/news/tag/office/",
        "New rooms",
    ):
        assert words in page
    assert not re.search("Edit|Changed:|noindex", page)


def test_an_old_address_leads_on_for_good(client, admin, post):
    one = post("Old title")
    services.edit(admin, one, written("New title", slug="new-title"))
    answer = client.get("/news/post/old-title/")
    assert (answer.status_code, answer["Location"]) == (301, "/news/post/new-title/")
    assert client.get("/news/post/New-Title/").status_code == 301
    services.withdraw(admin, repository.find(one.id))
    assert client.get("/news/post/old-title/").status_code == 404


@pytest.mark.parametrize("title", ["صوتوا الآن", "मतदान केंद्र", "投票 2026", "# 🎉", "<script>alert(1)</script>"])
def test_titles_and_addresses_of_every_script(client, boss, title):
    boss.post("/news/write/", FORM | {"title": title})
    made = repository.drafts(limit=1)[0][0]
    boss.post(f"/news/{made.id}/publish/")
    answer = client.get(f"/news/post/{made.slug}/")
    assert answer.status_code == 200
    assert f'dir="auto">{title}</h1>' in unescape(answer.content.decode())
    assert "<script>alert" not in answer.content.decode()
    assert f"/news/post/{made.slug}/" in unquote(client.get("/news/").content.decode())


def test_what_is_not_to_be_seen_is_nowhere_but_for_those_who_may_change_it(client, boss, admin, draft, post):
    made, ahead, gone = draft("Draft"), post("Ahead", LATER), post("Gone")
    services.delete(admin, gone)
    taken = post("Taken back")
    services.withdraw(admin, taken)
    others = [client, *(sign_in(role.name, role) for role in (Role.OBSERVER, Role.VOTER, Role.USER))]
    for each in (made, ahead, gone, taken):
        assert {other.get(f"/news/post/{each.slug}/").status_code for other in others} == {404}, each.title
    said = {made: "This is a draft", ahead: "This is scheduled", taken: "It was unpublished"}
    for each, sentence in said.items():
        page = text(boss.get(f"/news/post/{each.slug}/"))
        assert sentence in page
        assert "noindex" in page
    assert "Jan. 1, 2100" in text(boss.get("/news/post/ahead/"))
    assert boss.get("/news/post/gone/").status_code == 404


def test_it_is_to_be_seen_when_its_moment_comes(client, post, monkeypatch):
    post("Ahead", "2090-05-03T07:00:00.000Z")
    stands_at(monkeypatch, "2090-05-03T06:59:59.999+00:00")
    assert client.get("/news/post/ahead/").status_code == 404
    stands_at(monkeypatch, "2090-05-03T07:00:00.000+00:00")
    assert "Ahead" in text(client.get("/news/post/ahead/"))


# --- writing ---


def test_a_draft_is_written_with_the_rendering_of_the_server(boss):
    page = boss.get("/news/write/")
    form = FORM | hidden(page) | {"tags": "Board, #board, élan"}
    seen = text(boss.post("/news/write/", form | {"preview": "yes", "title": ""}))
    assert "<em>office</em>" in seen
    assert repository.drafts(limit=9)[0] == [], "a preview saves nothing"
    answer = boss.post("/news/write/", form, follow=True)
    made = repository.drafts(limit=9)[0][0]
    assert answer.redirect_chain == [(f"/news/{made.id}/edit/", 302)]
    assert "Your draft is saved" in text(answer)
    assert (made.tags, made.author, made.slug) == (("Board", "élan"), "Boss", "we-have-moved")
    assert "<em>office</em>" in repository.find_full(made.id).text.html


def test_a_form_sent_twice_makes_one_draft_and_what_was_changed_in_between_is_not_lost(boss):
    form = FORM | hidden(boss.get("/news/write/"))
    first, second = (boss.post("/news/write/", form)["Location"] for _each in range(2))
    assert first == second
    assert boss.post("/news/write/", form | {"text": "Other words"})["Location"] != first
    assert len(repository.drafts(limit=9)[0]) == 2


HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)> **bold**"


def test_hostile_words_do_nothing(boss, client):
    seen = boss.post("/news/write/", FORM | {"text": HOSTILE, "preview": "yes"})
    made = boss.post("/news/write/", FORM | {"text": HOSTILE, "tags": "<b>,a/b,..,#"})["Location"]
    boss.post(made.replace("edit", "publish"))
    for answer in (seen, client.get("/news/post/we-have-moved/"), client.get("/news/")):
        page = answer.content.decode()
        assert "<strong>bold</strong>" in page or "bold" in page
        assert not re.search(r"<script>alert|href=.javascript|<img src=x|<b>", page)
    for tag in repository.published(limit=1)[0][0].tags:
        path = re.search(rf'href="([^"]*)" rel="tag" dir="auto">{re.escape(tag)}<', unescape(page))[1]
        assert client.get(path).status_code == 200, path


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"title": ""}, "This field is required"),
        ({"title": "\u200b"}, "at least one visible character"),
        ({"title": "a" * 201}, "at most 200 characters"),
        ({"text": "a" * 20_001}, "at most 20000 characters"),
        ({"tags": "a,b,c,d,e,f,g,h,i"}, "at most 8 tags; you entered 9"),
        ({"tags": "a" * 41}, "at most 40 characters"),
        ({"summary": "a" * 301}, "at most 300 characters"),
        ({"slug": "Two words"}, "for example: two-words"),
        ({"slug": "a" * 81}, "at most 80 characters"),
        ({"slug": "taken"}, "Another post has, or once had, this address"),
    ],
)
def test_what_is_refused_keeps_what_was_typed(boss, draft, typed, said):
    draft("Taken")
    answer = boss.post("/news/write/", FORM | {"text": "Words of mine"} | typed)
    assert answer.status_code == 422
    assert said in text(answer)
    for words in typed.values():
        assert words in unescape(answer.content.decode())
    assert typed.get("text") or "Words of mine" in text(answer)


def test_of_two_tabs_the_second_is_told_and_keeps_its_words(boss, draft):
    one = draft("First")
    form = FORM | hidden(boss.get(f"/news/{one.id}/edit/"))
    boss.post(f"/news/{one.id}/edit/", form | {"text": "What was quicker"})
    answer = boss.post(f"/news/{one.id}/edit/", form | {"text": "What was slower"})
    assert answer.status_code == 422
    for words in ("since you opened it", "What was slower", "What was quicker"):
        assert words in text(answer)
    assert repository.find_full(one.id).text.text == "What was quicker"
    boss.post(f"/news/{one.id}/edit/", form | hidden(answer) | {"text": "What was slower"})
    assert repository.find_full(one.id).text.text == "What was slower"


def test_words_survive_a_session_that_ended_and_a_post_that_was_deleted(boss, admin, draft):
    one = draft("First")
    form = FORM | hidden(boss.get(f"/news/{one.id}/edit/")) | {"text": "Hard work"}
    answer = Client().post(f"/news/{one.id}/edit/", form)
    assert (answer.status_code, "Hard work" in text(answer)) == (403, True)
    assert "sign-in/?next=" in text(answer)
    services.delete(admin, one)
    answer = boss.post(f"/news/{one.id}/edit/", form)
    assert (answer.status_code, "Hard work" in text(answer)) == (422, True)
    assert 'action="/news/write/"' in text(answer)


def test_an_edit_is_told_to_readers_only_if_its_author_says_so(boss, client, draft, post):
    assert "Tell readers" not in text(boss.get(f"/news/{draft('Draft').id}/edit/"))
    one = post("Seen")
    page = boss.get(f"/news/{one.id}/edit/")
    assert "Tell readers" in text(page)
    answer = boss.post(f"/news/{one.id}/edit/", FORM | hidden(page) | {"title": "Seen", "slug": "seen"})
    assert answer["Location"] == "/news/post/seen/"
    assert "Changed:" not in text(client.get("/news/post/seen/"))
    form = FORM | hidden(boss.get(f"/news/{one.id}/edit/")) | {"slug": "seen", "revised": "on"}
    boss.post(f"/news/{one.id}/edit/", form)
    assert "Changed:" in text(client.get("/news/post/seen/"))


# --- publishing ---


def test_the_button_says_what_will_happen(boss, client, draft):
    path = f"/news/{draft('Soon').id}/publish/"
    assert "Publish now</button>" in text(boss.get(path))
    chosen = {"at": "2097-05-03T09:00", "time_zone": "Europe/Berlin"}
    page = boss.get(path, chosen)
    assert "Publish on May 3, 2097, 9 a.m. Europe/Berlin</button>" in text(page)
    assert repository.drafts(limit=9)[0] != [], "looking changes nothing"
    answer = boss.post(path, chosen | hidden(page), follow=True)
    assert "It will be published on May 3, 2097, 9 a.m. CEST (Europe/Berlin)" in text(answer)
    assert repository.scheduled(limit=9)[0][0].published_at == "2097-05-03T07:00:00.000Z"
    past = {"at": "2020-05-03 09:00", "time_zone": "UTC"}
    page = boss.get(path, past)
    assert "Publish now, dated May 3, 2020, 9 a.m. UTC</button>" in text(page)
    assert "This time is in the past" in text(page)
    boss.post(path, past | hidden(page))
    assert "May 3, 2020" in text(client.get("/news/"))


def test_a_date_in_the_past_a_clock_that_skips_or_repeats_and_nonsense(boss, draft, post):
    path = f"/news/{draft('Soon').id}/publish/"
    skipped = boss.get(path, {"at": "2026-03-29T02:30", "time_zone": "Europe/Berlin"})
    assert "does not exist in this time zone" in text(skipped)
    twice = text(boss.get(path, {"at": "2026-10-25T02:30", "time_zone": "Europe/Berlin"}))
    assert "occurs twice" in twice
    assert "voting" not in twice
    for typed in ({"at": "soon", "time_zone": "UTC"}, {"at": "2097-01-01T09:00", "time_zone": ""}, {"at": ""}):
        assert boss.get(path, typed).status_code == 200
        assert "Publish on" not in text(boss.get(path, typed))
        assert boss.post(path, typed).status_code == 422
    seen = f"/news/{post('Seen').id}/publish/"
    assert "Publish now</button>" not in text(boss.get(seen))
    assert "It will be hidden until then" in text(boss.get(seen, {"at": "2097-05-03T09:00", "time_zone": "UTC"}))


def test_publishing_twice_is_publishing_once_and_what_has_changed_is_looked_at_again(boss, admin, draft):
    one = draft("Soon")
    path = f"/news/{one.id}/publish/"
    form = hidden(boss.get(path))
    first, second = (boss.post(path, form) for _each in range(2))
    assert first["Location"] == second["Location"] == "/news/post/soon/"
    published = repository.find(one.id)
    assert published.version == one.version + 1
    services.withdraw(admin, published)
    answer = boss.post(path, form, follow=True)
    assert "Check what it says now" in text(answer)
    assert repository.find(one.id).published_at is None


def test_taking_back_and_deleting_ask_first_and_say_what_happened(boss, client, post):
    one = post("Seen")
    for act in ("withdraw", "delete"):
        assert "“Seen”" in text(boss.get(f"/news/{one.id}/{act}/"))
    assert client.get("/news/post/seen/").status_code == 200, "asking changes nothing"
    for _pressed in range(2):
        assert "a draft again" in text(boss.post(f"/news/{one.id}/withdraw/", follow=True))
    assert boss.get(f"/news/{one.id}/withdraw/").status_code == 302
    assert "Seen is deleted." in text(boss.post(f"/news/{one.id}/delete/", follow=True))
    assert boss.post(f"/news/{one.id}/delete/").status_code == 404


# --- who may ---


@pytest.fixture
def open_election(person) -> Election:
    """One that Otto runs."""
    otto = person("Otto")
    election = drafts.create(otto, "Board")
    add_candidates(otto, election, [Candidate("Ann"), Candidate("Ben")])
    add_voters(otto, repository_of_elections.find("Board"), ["ann@example.org"])
    lifecycle.open_(otto, repository_of_elections.find("Board"), editable=False)
    return repository_of_elections.find("Board")


def test_a_post_is_changed_by_those_who_look_after_the_site(post, draft):
    one, made = post("Seen"), draft("Draft")
    others = [sign_in(role.name, role) for role in (Role.OBSERVER, Role.VOTER, Role.USER)]
    for act in ("edit", "publish", "withdraw", "delete", "previews"):
        for other in others:
            assert other.get(f"/news/{one.id}/{act}/").status_code == 403
            assert other.post(f"/news/{one.id}/{act}/", FORM).status_code == 403
        assert others[-1].post(f"/news/{made.id}/{act}/").status_code == 404, "drafts of others are not there"
        assert Client().get(f"/news/{one.id}/{act}/")["Location"].startswith("/sign-in/")
    assert others[-1].get("/news/write/").status_code == 403
    assert others[-1].post("/news/write/", FORM).status_code == 403
    assert repository.find(one.id) == one


def test_who_runs_an_election_writes_about_it_and_about_nothing_else(open_election, client):
    otto = sign_in(people.find("Otto"))
    page = otto.get("/news/write/?election=Board")
    assert "About the election <bdi>Board</bdi>" in text(page)
    answer = otto.post("/news/write/", FORM | hidden(page))
    made = repository.drafts("Otto", limit=9)[0][0]
    assert made.election == "Board"
    assert answer["Location"] == f"/news/{made.id}/edit/"
    assert "We have moved" in text(otto.get("/news/drafts/"))
    otto.post(f"/news/{made.id}/publish/")
    assert "Edit</a>" in text(otto.get("/news/post/we-have-moved/"))
    assert "Edit</a>" not in text(client.get("/news/post/we-have-moved/"))
    assert otto.get("/news/write/").status_code == 403
    assert otto.get("/news/write/?election=None").status_code == 403
    kept = otto.post("/news/write/", FORM | {"election": "None"})
    assert (kept.status_code, FORM["text"] in text(kept)) == (403, True)


def test_drafts_of_everybody_are_for_admins_and_of_oneself_for_others(boss, draft, post):
    draft("Of the boss")
    post("Ahead", LATER)
    page = text(boss.get("/news/drafts/"))
    assert "Of the boss" in page
    assert "Ahead" in page
    assert not re.search("Of the boss|Ahead", text(sign_in("Ute").get("/news/drafts/")))
    for number in range(21):
        draft(f"Draft {number:02}")
    page = boss.get("/news/drafts/")
    assert trips(page) == 3, "who is it; drafts; what is scheduled"
    more = unescape(re.search(r'href="([^"]*)">More drafts', page.content.decode())[1])
    rest = text(boss.get(more))
    assert "Of the boss" in rest
    assert "Ahead" not in rest


# --- looking beforehand ---


def test_a_link_shows_a_draft_to_whoever_has_it_until_it_is_taken_back(boss, client, draft):
    one = draft("Soon")
    page = text(boss.get(f"/news/{one.id}/previews/"))
    link = re.search(r"http://[^/]+(/news/preview/[^<\s]+/)", page)[1]
    answer = client.get(link)
    assert "This is a preview." in text(answer)
    assert "This link works until:" in text(answer)
    assert "<em>office</em>" in text(answer)
    assert not re.search("Edit</a>|Drafts", text(answer))
    for name, value in (
        ("X-Robots-Tag", "noindex"),
        ("Referrer-Policy", "strict-origin"),  # without the origin, a browser would post no form of this page
        ("Cache-Control", "private, no-store"),
    ):
        assert answer[name] == value
    assert client.get(f"{link[:-2]}x/").status_code == 404
    assert "The preview links no longer work." in text(boss.post(f"/news/{one.id}/previews/", follow=True))
    gone = client.get(link)
    assert (gone.status_code, "This link no longer works" in text(gone)) == (404, True)
    assert gone["X-Robots-Tag"] == "noindex"


def test_a_link_is_good_for_a_week_and_leads_to_the_post_once_it_is_published(boss, client, draft, monkeypatch):
    one = draft("Soon")
    link = access.preview_link(one).removeprefix("http://localhost:8000")
    signed = time.time()
    for hours, status in ((7 * 24 - 1, 200), (7 * 24 + 1, 404)):
        monkeypatch.setattr("time.time", lambda hours=hours: signed + hours * 3600)
        assert client.get(link).status_code == status, hours
    monkeypatch.undo()
    boss.post(f"/news/{one.id}/publish/")
    assert client.get(link)["Location"] == "/news/post/soon/"
    assert boss.get(f"/news/{one.id}/previews/")["Location"] == "/news/post/soon/"


# --- its picture ---


@pytest.mark.deep
def test_a_post_has_a_picture_until_it_has_another_or_is_deleted(boss, client, admin, post):
    one = post("Seen", tags=("board",))
    path = f"/news/{one.id}/picture/"
    assert boss.post(path, {"file": a_picture(), "alt": ""}).status_code == 422, "words for those who cannot see it"
    assert boss.post(path, {"file": a_picture(), "alt": "Our new door"})["Location"] == "/news/post/seen/"
    first = repository.find(one.id).photo
    for page in ("/news/post/seen/", "/news/", "/news/tag/board/"):
        assert 'alt="Our new door"' in text(client.get(page)), page
    assert client.get(first.address).status_code == 200
    services.edit(admin, repository.find(one.id), written("Seen"))
    assert repository.find(one.id).photo == first, "words do not touch it"
    services.picture(admin, one.id, PictureChange(encoded(a_picture().read(), "Another door")))
    second = repository.find(one.id).photo
    assert (client.get(first.address).status_code, client.get(second.address).status_code) == (404, 200)
    services.delete(admin, repository.find(one.id))
    assert client.get(second.address).status_code == 404
    assert boss.get(path).status_code == 404


def a_picture() -> SimpleUploadedFile:
    return SimpleUploadedFile("door.jpg", drawing.encoded(drawing.upright()), "image/jpeg")
