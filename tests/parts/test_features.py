"""The page Features: the owner switches parts off and on while the site runs, and says what a new site is for."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from accounts import setup_link
from elections.lifecycle.services import OPENING
from foundation.acts import features
from foundation.acts.hooks import Hooks, steps_of
from foundation.parts import parts, parts_on
from foundation.store.log import EventLog, as_text, utc_now
from operations.features import services
from operations.features.services import Purpose
from operations.upkeep.jobs import JOBS, Leases, Outcome, run_job
from parts.polls import services as polls
from tests.at_once import at_once
from tests.people import PASSWORD, make_owner, sign_in

TITLED = [part.label for part in parts() if part.title]
OFF, ON = "/admin/features/{}/off/", "/admin/features/{}/on/"


@pytest.fixture
def owner(site):
    return make_owner()


@pytest.fixture
def browser(owner):
    return sign_in(owner)


def text_of(answer) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def labels_on() -> set[str]:
    features.cache.forget()
    return {part.label for part in parts_on()}


# --- the page ---


def test_a_feature_is_switched_off_and_on_again(site, browser):
    page = browser.get("/admin/features/")
    assert page.content.decode().count('aria-checked="true"') == len(TITLED)
    asked = text_of(browser.get(OFF.format("polls")))
    assert "Links to polls stop working." in asked
    assert labels_on() >= {"polls"}, "asking switches nothing"
    assert "Quick polls: off. Nothing was deleted." in text_of(browser.post(OFF.format("polls"), follow=True))
    assert "polls" not in labels_on()
    assert Client().get("/polls/").status_code == 404
    assert "/polls/" not in Client().get("/").content.decode()
    assert "/polls/" not in Client().get("/sitemap/pages.xml").content.decode()
    assert "Quick polls: on." in text_of(browser.post(ON.format("polls"), follow=True))
    assert Client().get("/polls/").status_code == 200
    assert "/polls/" in Client().get("/").content.decode()
    told = [event["event_data"] for event in EventLog(site).since(0) if event["event_type"] == "FeaturesSwitched"]
    assert told == [{"on": [], "off": ["polls"]}, {"on": ["polls"], "off": []}]


def test_what_goes_on_and_what_goes_along_is_said_before(owner, browser):
    chosen = {"title": "What to drink?", "description": "", "time_zone": "UTC"}
    polls.make(owner, ["Tea", "Coffee"], 30, **chosen, expires_at=as_text(utc_now() + timedelta(days=1)))
    assert "1 poll has yet to end." in text_of(browser.get(OFF.format("polls")))
    assert "With it go: Assemblies." in text_of(browser.get(OFF.format("live")))


def test_a_part_within_another_goes_with_it_and_comes_back_with_it(browser):
    browser.post(OFF.format("live"))
    assert not {"live", "questions", "assembly"} & labels_on()
    browser.post(ON.format("live"))
    assert {"live", "questions", "assembly"} <= labels_on()


def test_what_was_off_before_stays_off_with_the_part_that_it_is_within(browser):
    browser.post(OFF.format("assembly"))
    browser.post(OFF.format("live"))
    browser.post(ON.format("live"))
    assert "live" in labels_on()
    assert "assembly" not in labels_on()


def test_with_a_part_comes_what_it_is_within(browser):
    browser.post(OFF.format("live"))
    browser.post(ON.format("assembly"))
    assert {"live", "questions", "assembly"} <= labels_on()


def test_switching_twice_is_told_once(site, browser):
    for _ in range(2):
        browser.post(OFF.format("news"))
    assert [event["event_type"] for event in EventLog(site).since(0)].count("FeaturesSwitched") == 1


def test_two_switched_at_once_are_both_off(owner):
    found = [services.find(name) for name in ("polls", "news")]
    at_once(*(lambda part=part: services.switch_off(owner, part) for part in found))
    assert not {"polls", "news"} & labels_on()


def test_what_is_no_feature_is_not_there(browser):
    for name in ("questions", "elections", "nothing"):
        assert {browser.get(OFF.format(name)).status_code, browser.post(ON.format(name)).status_code} == {404}
    assert browser.get(ON.format("polls")).status_code == 405


# --- what rests ---


def test_steps_of_a_part_are_skipped_while_it_is_off(owner):
    steps, always = Hooks[[], str]("sometimes"), Hooks[[], str]("always", always=True)
    for hook in (steps, always):
        hook.install(str)
        with steps_of("polls"):
            hook.add(repr)
    services.switch_off(owner, services.find("polls"))
    assert (list(steps), list(always)) == ([str], [str, repr])
    services.switch_on(owner, services.find("polls"))
    assert list(steps) == [str, repr]


def test_an_election_opens_without_the_steps_of_parts_that_are_off(owner):
    assert {step.__module__.split(".")[1] for step in OPENING} == {"skills", "webhooks"}
    for name in ("skills", "webhooks"):
        services.switch_off(owner, services.find(name))
    assert list(OPENING) == []


def test_the_worker_leaves_out_jobs_of_parts_that_are_off(site, owner, monkeypatch):
    (job,) = [each for each in JOBS if each.name == "polls"]
    services.switch_off(owner, services.find("polls"))
    monkeypatch.setattr("parts.polls.counting.anything_over", lambda: pytest.fail("nobody should look"))
    assert run_job(job, Leases(site, "worker")).outcome == Outcome.NOTHING


def test_the_api_knows_nothing_of_parts_that_are_off(browser, client):
    before = client.get("/api/v1/openapi.json").json()
    assert client.get("/api/v1/polls").status_code == 401
    browser.post(OFF.format("polls"))
    after = client.get("/api/v1/openapi.json").json()
    gone = {path for path in before["paths"] if path not in after["paths"]}
    assert gone == {path for path in before["paths"] if path.startswith("/polls")} != set()
    assert "Polls" not in [tag["name"] for tag in after["tags"]]
    answer = client.get("/api/v1/polls")
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:plenum:problem:not-found")
    assert "/polls" not in client.get("/api/v1/").content.decode()


def test_the_help_describes_only_what_is_there(browser, client):
    assert "/help/live/" in client.get("/help/").content.decode()
    browser.post(OFF.format("live"))
    assert "/help/live/" not in client.get("/help/").content.decode()
    assert client.get("/help/live/").status_code == 404


# --- a new site ---

FORM = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}


@pytest.fixture
def first_owner(site, settings):
    """Of a site in production, who has just opened the printed link."""
    settings.PRODUCTION = True
    browser = Client()
    answer = browser.post(reverse("setup", args=[setup_link.new_link().split("/")[-2]]), FORM)
    return browser, answer


def test_a_new_site_has_elections_and_polls_and_asks_what_it_is_for(first_owner):
    browser, answer = first_owner
    assert answer["Location"] == "/admin/purpose/"
    assert labels_on() == {"polls"}
    page = text_of(browser.get("/admin/purpose/"))
    assert all(word in page for word in ("A club or association", "A team", "A school or events", "Everything"))
    assert "/admin/purpose/" in browser.get("/").content.decode()
    assert browser.get("/news/").status_code == 404


CHOSEN = {
    Purpose.CLUB: {"polls", "live", "assembly", "news"},
    Purpose.TEAM: {"skills", "polls", "live"},
    Purpose.EVENTS: {"polls", "live"},
    Purpose.EVERYTHING: {part.label for part in parts()},
}


@pytest.mark.parametrize("purpose", list(Purpose))
def test_the_answer_switches_on_what_such_a_site_needs(site, first_owner, purpose):
    browser, _answer = first_owner
    assert browser.post("/admin/purpose/", {"purpose": purpose})["Location"] == "/admin/features/"
    assert CHOSEN[purpose] <= labels_on()
    assert ("webhooks" in labels_on()) == (purpose == Purpose.EVERYTHING)
    assert "/admin/purpose/" not in browser.get("/").content.decode(), "it is asked once"
    assert [*EventLog(site).since(0)][-1]["event_type"] == "FeaturesSwitched"


def test_no_answer_is_no_choice(first_owner):
    browser, _answer = first_owner
    assert browser.post("/admin/purpose/", {"purpose": "a kingdom"}).status_code == 422
    assert browser.post("/admin/purpose/").status_code == 422
    assert labels_on() == {"polls"}


def test_a_site_that_was_there_before_has_everything_and_is_not_asked(browser):
    assert labels_on() == {part.label for part in parts()}
    assert "/admin/purpose/" not in browser.get("/").content.decode()
