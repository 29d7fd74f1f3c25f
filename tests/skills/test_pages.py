"""Pages of the catalogue, of one's own skills and of profiles: for whom they are, and what is typed wrongly."""

from __future__ import annotations

import html
import re

import pytest

from accounts import services as accounts
from accounts.rules import Role
from foundation.store import keys
from parts.skills import repository, services, views
from parts.skills.rules import State, Visibility
from tests.background import finish_background
from tests.skills.conftest import have

HELD = {"level": "3", "years": "7", "last_used": "2026-10", "notes": "Mostly at night.", "token": "one"}


def text_of(answer) -> str:
    return answer.content.decode()


def without_tokens(answer) -> str:
    return re.sub(r"Nobody|Ada|<code>\w+</code>|csrfmiddlewaretoken\" value=\"\w+", "", text_of(answer))


@pytest.fixture
def ada(person):
    return person("Ada", Role.VOTER)


@pytest.fixture
def admin(boss, signed_in):
    return signed_in("Ann", Role.ADMIN)


# --- the catalogue ---


def test_the_catalogue_by_category_and_by_any_name(listed, signed_in):
    listed("Go", "Programming", "Golang")
    listed("Tea", "Kitchen")
    browser = signed_in("Olaf", Role.OBSERVER)
    shown = text_of(browser.get("/skills/"))
    assert shown.index("/skill/tea/") < shown.index("/skill/go/")
    assert "My skills" not in shown, "who only looks has none"
    assert "/skill/tea/" not in text_of(browser.get("/skills/", {"category": "Programming"}))
    assert "/skill/go/" in text_of(browser.get("/skills/", {"q": "gola"}))
    assert "/skill/go/" in text_of(browser.get("/skills/", {"q": "olan"})), "a part of a name"
    assert "No skill found" in text_of(browser.get("/skills/", {"q": "nothing like it"}))
    assert "Golang" in text_of(browser.get("/skill/go/"))


def test_the_catalogue_is_leafed_through(boss, signed_in, monkeypatch):
    monkeypatch.setattr("foundation.pages.paging.PAGE_ROWS", 2)
    for name in ("Ada", "Basic", "Cobol"):
        services.add(boss, name, "Programming & more", "")
    browser = signed_in("Olaf", Role.OBSERVER)
    shown = text_of(browser.get("/skills/", {"category": "programming & MORE"}))
    assert "/skill/cobol/" not in shown
    following = html.unescape(re.search(r'href="([^"]*)" rel="next"', shown)[1])
    assert re.findall(r"/skill/(\w+)/", text_of(browser.get(following))) == ["cobol"]
    browser.raise_request_exception = False
    assert browser.get("/skills/", {"after": "forged"}).status_code == 400


def test_an_admin_looks_after_it(admin, listed):
    assert admin.post("/skills/new/", {"name": "Golang", "category": "Programming"}).status_code == 302
    assert admin.post("/skills/new/", {"name": "golang", "category": "Games"}).status_code == 422
    assert admin.post("/skills/new/", {"name": " ", "category": ""}).status_code == 422
    assert "Existing categories: Programming." in text_of(admin.get("/skill/golang/edit/"))
    admin.post("/skill/golang/edit/", {"category": "Languages", "description": "Compiles."})
    admin.post("/skill/golang/rename/", {"name": "Go"})
    admin.post("/skill/golang/names/", {"alias": "Gopher"})
    admin.post("/skill/golang/names/remove/", {"alias": "Golang"})
    go = repository.find("golang")
    assert (go.name, go.category, go.description, go.aliases) == ("Go", "Languages", "Compiles.", ("Gopher",))
    assert admin.post("/skill/golang/names/", {"alias": "go"}).status_code == 422
    listed("Rust")
    assert admin.post("/skill/rust/rename/", {"name": "gopher"}).status_code == 422
    assert "not possible with this skill" in text_of(
        admin.post("/skill/golang/names/remove/", {"alias": "X"}, follow=True)
    )


def test_a_proposal_and_what_becomes_of_it(admin, ada, signed_in, monkeypatch):
    browser = signed_in(ada)
    assert 'value="Whistling"' in text_of(browser.get("/skills/propose/", {"name": "Whistling"}))
    assert browser.post("/skills/propose/", {"name": "Whistling", "category": "Music"}).status_code == 302
    assert browser.post("/skills/propose/", {"name": "whistling", "category": "Music"}).status_code == 422
    assert browser.get("/skill/whistling/").status_code == 404, "it is for those who decide"
    assert browser.get("/me/skill/whistling/").status_code == 404
    assert "Whistling" in text_of(admin.get("/skills/proposals/"))
    assert "Proposed" in text_of(admin.get("/skill/whistling/"))
    admin.post("/skill/whistling/approve/")
    assert repository.find("whistling").state == State.LISTED
    assert "not possible with this skill" in text_of(admin.post("/skill/whistling/refuse/", follow=True))
    browser.post("/skills/propose/", {"name": "Nonsense", "category": "Music"})
    admin.post("/skill/nonsense/refuse/")
    assert admin.get("/skill/nonsense/").status_code == 404
    monkeypatch.setattr(views, "PROPOSALS", views.Limit("skill-proposals", 0, 3600))
    answer = browser.post("/skills/propose/", {"name": "More", "category": "Music"})
    assert (answer.status_code, "tried too often" in text_of(answer)) == (422, True)


def test_merging_is_shown_first_and_the_old_address_leads_to_the_new(admin, ada, listed):
    have(ada, listed("Golang").id)
    listed("Go")
    assert "Merge into" in text_of(admin.get("/skill/golang/merge/"))
    shown = text_of(admin.get("/skill/golang/merge/", {"into": "GO"}))
    assert "1 person has it in their profile." in shown
    assert "0 of them have both" in shown
    assert repository.find("golang").state == State.LISTED, "a look changes nothing"
    for wrong in ("nothing", "golang", ""):
        assert admin.get("/skill/golang/merge/", {"into": wrong}).status_code == 422
        assert admin.post("/skill/golang/merge/", {"into": wrong}).status_code == 422
    assert admin.post("/skill/golang/merge/", {"into": "Go"}).status_code == 302
    finish_background()
    answer = admin.get("/skill/golang/")
    assert (answer.status_code, answer["Location"]) == (301, "/skill/go/")
    assert list(repository.own_skills("Ada").held) == ["go"]
    assert admin.post("/skill/golang/merge/", {"into": "Go"}).status_code == 422


# --- one's own ---


def test_a_skill_is_found_added_changed_confirmed_and_removed_without_scripts(ada, listed, signed_in):
    listed("Go", "Programming", "Golang")
    browser = signed_in(ada)
    assert "No skills yet" in text_of(browser.get("/me/skills/"))
    assert "/me/skill/go/" in text_of(browser.get("/me/skills/find/", {"q": "golang"}))
    assert "Propose it" in text_of(browser.get("/me/skills/find/", {"q": "nothing"}))
    page = text_of(browser.get("/me/skill/go/"))
    assert "Expert: others ask for advice" in page
    assert browser.post("/me/skill/go/", HELD).status_code == 302
    assert browser.post("/me/skill/go/", HELD | {"level": "1"}).status_code == 302
    assert repository.own_skills("Ada").held["go"].level == 3, "the same form again is the same"
    shown = text_of(browser.get("/me/skills/"))
    assert "handles hard cases" in shown
    assert "not confirmed for a year" not in shown
    browser.post("/me/skill/go/", HELD | {"level": "4", "interest": "on", "token": "two"})
    profile = text_of(browser.get("/profile/Ada/"))
    assert "others ask for advice" in profile
    assert "wants to use it more" in profile
    assert "Mostly at night." in profile
    before = repository.own_skills("Ada").held["go"].confirmed_at
    browser.post("/me/skill/go/confirm/", {"seen": before})
    assert repository.own_skills("Ada").held["go"].confirmed_at >= before
    browser.post("/me/skill/go/remove/")
    assert repository.own_skills("Ada").held == {}
    assert "not in the catalogue" in text_of(browser.post("/me/skill/go/remove/", follow=True))


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": "5"},
        {"level": ""},
        {"level": "x"},
        {"years": "-1"},
        {"years": "99"},
        {"last_used": "yesterday"},
        {"last_used": "2999-01"},
        {"last_used": "0001-01"},
        {"notes": "x" * 501},
    ],
)
def test_what_is_typed_wrongly_stays_on_the_page(ada, listed, signed_in, wrong):
    listed("Go")
    answer = signed_in(ada).post("/me/skill/go/", HELD | wrong)
    assert answer.status_code == 422
    assert repository.own_skills("Ada").held == {}


def test_an_entry_that_nobody_confirmed_for_a_year_says_so(site, ada, listed, signed_in):
    have(ada, listed("Go").id)
    item = site.get(keys.person_skill("Ada", "go"))
    site.load([("vote_data", {**item, "confirmed_at": "2020-01-01T00:00:00.000Z"})])
    for page in ("/me/skills/", "/profile/Ada/"):
        assert "not confirmed for a year" in text_of(signed_in(ada).get(page))


# --- profiles ---


def test_a_profile_shows_what_somebody_tells_of_themselves(ada, signed_in):
    accounts.change_profile(ada, "Countess", "I *count* <script>alert(1)</script>.")
    shown = text_of(signed_in("Olaf", Role.OBSERVER).get("/profile/ADA/"))
    assert "Countess" in shown
    assert "<em>count</em>" in shown
    assert "<script>alert" not in shown
    assert "Ada@example.org" not in shown


def test_who_hides_is_found_on_no_page_of_others(boss, ada, listed, signed_in):
    have(ada, listed("Go").id, notes="Words of mine.")
    listed("Golang")
    olaf, ann, own = signed_in("Olaf", Role.OBSERVER), signed_in("Ann", Role.ADMIN), signed_in(ada)
    assert olaf.get("/profile/Ada/").status_code == 200
    nobody = olaf.get("/profile/Nobody/")
    for visibility, admin_sees in ((Visibility.ADMINS, 200), (Visibility.NOBODY, 404)):
        assert own.post("/me/skills/visibility/", {"visibility": visibility.value}).status_code == 302
        hidden = olaf.get("/profile/Ada/")
        assert (hidden.status_code, without_tokens(hidden)) == (404, without_tokens(nobody))
        assert ann.get("/profile/Ada/").status_code == admin_sees
        assert own.get("/profile/Ada/").status_code == 200
        for page in ("/skills/", "/skills/?q=go", "/skill/go/", "/"):
            assert not re.search(r"\bAda\b", text_of(olaf.get(page)))
        assert "0 people have it" in text_of(ann.get("/skill/go/merge/", {"into": "Golang"}))
    assert olaf.get("/admin/log/").status_code == ann.get("/admin/log/").status_code == 403
    assert own.post("/me/skills/visibility/", {"visibility": "everybody"}).status_code == 302
    assert repository.own_skills("Ada").visibility == Visibility.NOBODY


def test_an_auditor_sees_what_is_stored_but_no_notes(site, boss, ada, listed, signed_in):
    have(ada, listed("Go").id, notes="Words of mine.")
    services.show_to(ada, Visibility.NOBODY)
    browser = signed_in("Vera", Role.AUDITOR)
    number = next(event["event_id"] for event in site.each(keys.events()) if event["event_type"] == "PersonSkillAdded")
    item = {"table": "data", "pk": "USER#ada", "sk": "SKILL#go"}
    pages = (
        browser.get("/admin/tables/raw/item/", item),
        browser.get("/admin/tables/person-skills/", {"name": "Ada"}),
        browser.get(f"/admin/log/{number}/"),
    )
    for answer in pages:
        assert answer.status_code == 200
        assert "Words of mine." not in text_of(answer)
    assert ">go<" in text_of(pages[1])


def test_help_is_for_everybody(client, site):
    assert "others ask for advice" in text_of(client.get("/help/skills/"))
