"""What an election needs, who agreed to show what they can do, and what was kept of it when it opened."""

from __future__ import annotations

import re
from functools import partial

import pytest

from accounts import mail_quota
from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from elections import repository, rolls
from elections.candidates import add_candidates, remove_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import WrongState
from foundation.acts.refusals import LostRace, Refusal
from foundation.mail import outbox
from foundation.mail.emails import compose
from foundation.ranking.candidates import Candidate
from parts.skills import merging
from parts.skills import repository as skilled
from parts.skills import services as skills
from parts.skills.needed import needs
from parts.skills.needed import services as skills_needed
from parts.skills.needed.needs import Need, export_agreements
from parts.skills.needed.services import ask_candidates, drop_need, set_need
from parts.skills.rules import Visibility
from tests.people import sign_in
from tests.skills.conftest import boss, have, listed  # noqa: F401 - fixtures

HERE = "/election/Board/"


@pytest.fixture
def otto(person):
    return person("Otto", Role.USER)


@pytest.fixture
def bo(person):
    return person("Bo", Role.VOTER)


@pytest.fixture
def draft(otto, bo, listed):  # noqa: F811
    """Bo stands, and so does somebody who has no account; it needs Python."""
    listed("Python")
    listed("Tea", "Kitchen")
    made = drafts.create(otto, "Board")
    add_candidates(otto, made, [Candidate("bo"), Candidate("Cy")])
    add_voters(otto, board(), ["Bo"])
    set_need(otto, board(), Need("python", 3, 1))
    return board()


def board():
    return repository.find("Board")


def agree(person, name: str = "bo") -> None:
    skills_needed.agree(person, board(), repository.find_candidate("Board", name))


def text_of(answer) -> str:
    return answer.content.decode()


# --- what it needs ---


def test_needs_are_set_changed_and_dropped_in_a_draft(otto, draft):
    set_need(otto, draft, Need("python", 4, 2))
    set_need(otto, draft, Need("tea", 1, 1))
    assert needs.find_needs("Board") == [Need("python", 4, 2), Need("tea", 1, 1)]
    drop_need(otto, board(), "tea")
    assert needs.find_needs("Board") == [Need("python", 4, 2)]
    with pytest.raises(Refusal, match="not in the catalogue"):
        drop_need(otto, board(), "tea")
    with pytest.raises(Refusal, match="not in the catalogue"):
        set_need(otto, board(), Need("made-up", 1, 1))


def test_they_are_fixed_when_it_opens(otto, draft):
    lifecycle.open_(otto, board(), editable=True)
    with pytest.raises(WrongState):
        set_need(otto, board(), Need("tea", 1, 1))
    with pytest.raises(WrongState):
        drop_need(otto, board(), "python")
    with pytest.raises(LostRace):  # also by somebody who had read it before
        drop_need(otto, draft, "python")
    assert needs.find_needs("Board") == [Need("python", 3, 1)]


def test_there_are_not_too_many(otto, draft, monkeypatch):
    monkeypatch.setattr(skills_needed, "MAX_NEEDS", 1)
    set_need(otto, draft, Need("python", 1, 1))
    with pytest.raises(Refusal, match="at most"):
        set_need(otto, draft, Need("tea", 1, 1))


def test_a_need_follows_a_skill_that_is_merged(otto, boss, draft):  # noqa: F811
    merging.merge(boss, skilled.find("python"), skilled.find("tea"))
    assert needs.named(needs.find_needs("Board")) == [Need("tea", 3, 1, "Tea")]
    drop_need(otto, board(), "tea")
    assert needs.find_needs("Board") == []


def test_a_copy_needs_the_same_and_nobody_agreed_to_it(otto, bo, draft):
    agree(bo)
    copying.copy(otto, board(), "Next")
    assert needs.find_needs("Next") == needs.find_needs("Board")
    assert needs.agreements(repository.find("Next")) == []


# --- who agreed ---


def test_what_is_kept_at_the_opening_is_what_was_agreed_to(otto, bo, draft):
    have(bo, "python", level=3)
    have(bo, "tea", level=4)
    skills.show_to(bo, Visibility.NOBODY)
    agree(bo)
    set_need(otto, board(), Need("tea", 1, 1))  # after that: nobody asked Bo about tea
    lifecycle.open_(otto, board(), editable=False)
    have(bo, "python", level=1)
    kept = needs.snapshot_of("Board")
    assert [(need.name, level) for need, level in kept.levels_of("Bo")] == [("Python", 3), ("Tea", None)]
    assert kept.levels_of("Cy") == []


def test_who_has_none_is_told_apart_from_who_was_not_asked(otto, bo, draft, listed):  # noqa: F811
    set_need(otto, board(), Need("tea", 1, 1))
    have(bo, "python", level=3)
    agree(bo)
    set_need(otto, board(), Need(listed("First aid", "Health").id, 1, 1))
    lifecycle.open_(otto, board(), editable=False, shows_skills=True)
    page = text_of(sign_in(otto).get(f"{HERE}skills/"))
    said = dict(re.findall(r'<dt dir="auto">([^<]+)</dt><dd>([^<]+)</dd>', page))
    assert said == {"Python": "Advanced", "Tea": "none", "First aid": "not shown"}


def test_who_withdraws_shows_nothing(otto, bo, draft):
    have(bo, "python")
    agree(bo)
    skills_needed.disagree(bo, board(), repository.find_candidate("Board", "bo"))
    lifecycle.open_(otto, board(), editable=False)
    assert needs.snapshot_of("Board").levels == {}
    with pytest.raises(WrongState):
        agree(bo)


def test_withdrawing_while_it_opens_wins_or_is_refused(otto, bo, draft):
    """Whoever opens what they read before a withdrawal looks again."""
    have(bo, "python")
    agree(bo)
    seen = board()
    skills_needed.disagree(bo, board(), repository.find_candidate("Board", "bo"))
    with pytest.raises(LostRace):
        lifecycle.open_(otto, seen, editable=False)


def test_who_no_longer_stands_is_asked_again(otto, bo, draft):
    agree(bo)
    remove_candidates(otto, board(), "bo")
    add_candidates(otto, board(), [Candidate("bo")])
    assert needs.agreements(board()) == []


def test_who_leaves_takes_it_along_from_drafts_and_from_what_was_kept(otto, boss, bo, draft):  # noqa: F811
    have(bo, "python")
    agree(bo)
    lifecycle.open_(otto, board(), editable=False)
    assert needs.snapshot_of("Board").levels_of("bo")
    accounts.remove(boss, bo)
    assert needs.snapshot_of("Board").levels_of("bo") == []
    assert needs.agreements(board()) == []


def test_an_election_without_needs_keeps_nothing(otto, bo, draft):
    drop_need(otto, board(), "python")
    with pytest.raises(Refusal, match="does not list any"):
        agree(bo)
    lifecycle.open_(otto, board(), editable=False)
    assert needs.snapshot_of("Board") is None


# --- pages ---


@pytest.fixture
def browser(otto):
    return sign_in(otto)


def test_an_organiser_says_what_it_needs(browser, draft, signed_in):
    post = partial(browser.post, f"{HERE}needs/")
    assert post({"skill": "tea", "level": "2", "count": "1"}).status_code == 302
    assert '<option value="Tea">' in text_of(browser.get(f"{HERE}needs/?add"))
    assert "Did you mean: Python?" in text_of(post({"skill": "pyth", "level": "2", "count": "1"}))
    assert post({"skill": "made up", "level": "2", "count": "1"}).status_code == 422
    assert post({"skill": "tea", "level": "9", "count": "0"}).status_code == 422
    assert browser.post(f"{HERE}needs/tea/remove/").status_code == 302
    assert needs.find_needs("Board") == [Need("python", 3, 1)]
    assert browser.get(f"{HERE}needs/tea/remove/").status_code == 405
    stranger = signed_in("Sue", Role.USER)
    assert stranger.get(f"{HERE}needs/").status_code == 404
    assert stranger.post(f"{HERE}needs/python/remove/").status_code == 404


def test_a_candidate_agrees_and_withdraws_and_nobody_else_has_the_page(draft, bo, signed_in):
    have(bo, "python", level=3)
    client = sign_in(bo)
    assert "Advanced" in text_of(client.get(f"{HERE}agree/"))
    client.post(f"{HERE}agree/")
    assert [each.person for each in needs.agreements(board())] == ["Bo"]
    client.post(f"{HERE}agree/", {"withdraw": "yes"})
    assert not any(each.skills for each in needs.agreements(board()))
    assert client.delete(f"{HERE}agree/").status_code == 405
    assert signed_in("Sue", Role.ADMIN).get(f"{HERE}agree/").status_code == 404


def test_the_page_belongs_to_what_is_decided(draft, browser):
    page = browser.get(f"{HERE}needs/").content.decode()
    assert 'href="/elections/" aria-current="page"' in page
    assert 'href="/people/" aria-current="page"' not in page


@pytest.mark.parametrize("chosen", [True, False])
def test_voters_see_it_only_if_the_organiser_chose_so(browser, draft, bo, signed_in, chosen):
    have(bo, "python", level=3)
    agree(bo)
    assert "shows_skills" in text_of(browser.get(f"{HERE}open/"))
    voter = signed_in("Vera", Role.VOTER)
    assert voter.get(f"{HERE}skills/").status_code == 404
    browser.post(f"{HERE}open/", {"shows_skills": "on"} if chosen else {})
    answer = voter.get(f"{HERE}skills/")
    assert answer.status_code == (200 if chosen else 404)
    assert (f"{HERE}skills/" in text_of(voter.get(HERE))) == chosen
    if chosen:
        shown = text_of(answer).partition("<main")[2]  # names this short may be in a form's random token
        assert shown.index("bo") < shown.index("Advanced") < shown.index("Cy") < shown.index("None shown.")


def test_nobody_is_asked_who_opens_an_election_without_needs(browser, otto, draft):
    drop_need(otto, board(), "python")
    assert "shows_skills" not in text_of(browser.get(f"{HERE}open/"))


# --- an electorate from skills ---


def test_voters_by_skill_are_looked_at_first(browser, draft, bo, person, listed):  # noqa: F811
    shown, hidden = person("Ida", Role.VOTER), person("Hal", Role.VOTER)
    for who, level in ((bo, 4), (shown, 3), (hidden, 4), (person("Low", Role.VOTER), 2)):
        have(who, "python", level=level)
    skills.show_to(hidden, Visibility.ADMINS)
    preview = text_of(browser.post(f"{HERE}roll/skills/", {"skill": "PYTHON", "level": "3"}))
    assert "Everybody with Python at Advanced or above." in preview
    assert not re.search(r"\bHal\b", preview)
    assert not re.search(r"\bLow\b", preview)
    assert "Already on the roll." in preview
    assert "Add 1 voter<" in preview
    assert repository.find("Board").voter_count == 1, "nobody is added by looking"
    browser.post(f"{HERE}roll/import/", {"voters": "voter\nIda\n"})
    assert [each.name for each in rolls.every_voter("Board")] == ["Bo", "Ida"]


def test_voters_by_skill_become_a_voter_group_by_ticking_the_box(browser, draft, bo, person, listed):  # noqa: F811
    for who in (bo, person("Ida", Role.VOTER)):
        have(who, "python", level=4)
    preview = text_of(browser.post(f"{HERE}roll/skills/", {"skill": "Python", "level": "3", "as_group": "on"}))
    assert "1 new · 1 to be changed" in preview
    browser.post(f"{HERE}roll/import/", dict(re.findall(r'name="(voters|groups)" value="([^"]*)"', preview)))
    assert {each.name: each.groups for each in rolls.every_voter("Board")} == {"Bo": ("Python",), "Ida": ("Python",)}


def test_voters_by_a_skill_that_is_not_there(browser, draft, signed_in):
    assert browser.get(f"{HERE}roll/skills/").status_code == 200
    assert browser.post(f"{HERE}roll/skills/", {"skill": "made up", "level": "3"}).status_code == 422
    assert browser.post(f"{HERE}roll/skills/", {"skill": "tea", "level": "x"}).status_code == 422
    assert signed_in("Sue", Role.USER).get(f"{HERE}roll/skills/").status_code == 404


# --- what is told of it ---


def test_those_it_is_about_and_auditors_can_read_it(otto, bo, draft, signed_in):
    have(bo, "python", level=3)
    agree(bo)
    lifecycle.open_(otto, board(), editable=False)
    assert list(export_agreements(bo)) == [
        {"election": "Board", "skills": ["python"], "asked_about": ["python"], "kept": {"python": 3}}
    ]
    auditor = signed_in("Al", Role.AUDITOR)
    assert "python" in text_of(auditor.get("/admin/tables/needs/", {"election": "Board"}))
    assert "Bo" in text_of(auditor.get("/admin/tables/agreements/", {"election": "Board"}))
    kept = text_of(auditor.get("/admin/raw/item/", {"table": "data", "pk": "ELECTION#board", "sk": "SNAPSHOT"}))
    assert "levels" not in kept, "an auditor is shown what was needed, not who could do what"


# --- asking those who stand ---


def emails_to(name: str) -> list[dict]:
    place = people.find(name).email
    return [
        each.about for each in outbox.in_state("queued", 50)[0] if (each.kind, each.to) == ("candidate_asked", place)
    ]


def test_candidates_with_an_account_are_mailed_once_about_each_change_of_the_needs(site, otto, bo, draft):
    assert ask_candidates(otto, board()) == 1, "Cy has no account"
    assert ask_candidates(otto, board()) == 0
    assert emails_to("Bo") == [{"election_name": "Board", "asked_by": "Otto"}]
    assert not any(each.skills for each in needs.agreements(board()))
    set_need(otto, board(), Need("tea", 1, 1))
    set_need(otto, board(), Need("python", 4, 1))  # another level of what they were asked about
    assert ask_candidates(otto, board()) == 1
    drop_need(otto, board(), "tea")
    assert ask_candidates(otto, board()) == 0
    assert len(emails_to("Bo")) == 2


def test_who_has_answered_is_not_mailed_about_the_same_again_and_what_they_said_stays(site, otto, bo, draft):
    agree(bo)
    assert ask_candidates(otto, board()) == 0
    set_need(otto, board(), Need("tea", 1, 1))
    ask_candidates(otto, board())
    (found,) = needs.agreements(board())
    assert (found.skills, found.asked, found.answered) == (("python",), ("python", "tea"), ("python",))
    skills_needed.disagree(bo, board(), repository.find_candidate("Board", "bo"))
    assert ask_candidates(otto, board()) == 0
    assert not any(each.skills for each in needs.agreements(board()))


def test_asking_counts_against_what_somebody_may_mail_in_a_day(otto, bo, draft, monkeypatch):
    monkeypatch.setattr(mail_quota, "daily_limit", lambda person: 0)
    with pytest.raises(mail_quota.TooManyMails):
        ask_candidates(otto, board())
    assert emails_to("Bo") == []
    assert needs.agreements(board()) == []


def test_an_organiser_asks_with_a_button_and_the_candidate_finds_the_page_at_home_until_they_answer(otto, bo, draft):
    organiser, candidate = sign_in(otto), sign_in(bo)
    link = 'href="/election/Board/agree/"'
    assert link not in text_of(candidate.get("/"))
    assert "Mail 1 candidate<" in text_of(organiser.get(f"{HERE}needs/"))
    assert candidate.post(f"{HERE}needs/ask/").status_code in (403, 404)
    assert organiser.post(f"{HERE}needs/ask/")["Location"] == f"{HERE}needs/"
    assert "Mail 1 candidate<" not in text_of(organiser.get(f"{HERE}needs/"))
    assert link in text_of(candidate.get("/"))
    assert "You are a candidate in" in compose(outbox.in_state("queued", 9)[0][0]).subject
    assert "I do not agree" in text_of(candidate.get(f"{HERE}agree/"))
    candidate.post(f"{HERE}agree/", {"withdraw": "yes"})
    assert link not in text_of(candidate.get("/"))
    set_need(otto, board(), Need("tea", 1, 1))
    organiser.post(f"{HERE}needs/ask/")
    assert link in text_of(candidate.get("/"))
    candidate.post(f"{HERE}agree/")
    assert link not in text_of(candidate.get("/"))
    set_need(otto, board(), Need("python", 1, 2))
    lifecycle.open_(otto, board(), editable=False)
    assert link not in text_of(candidate.get("/"))


# --- several questions ---


def test_those_who_stand_in_any_question_of_an_election_are_asked_once_and_shown_in_each(otto, boss, bo, draft, person):  # noqa: F811
    """Bo stands in two questions, Dee only in the last one."""
    dee = person("Dee", Role.VOTER)
    last = drafts.add_question(otto, board(), "Speaker", first_title="Chair")
    add_candidates(otto, last, [Candidate("Bo"), Candidate("Dee")])
    assert ask_candidates(otto, board()) == 2
    assert ask_candidates(otto, board()) == 0
    have(bo, "python", level=3)
    have(dee, "python", level=4)
    for name in ("Bo", "Dee"):
        assert sign_in(name, Role.VOTER).post(f"{HERE}agree/").status_code == 302
    assert {each.candidate: each.question for each in needs.agreements(board())} == {"bo": 1, "Dee": 2}
    stranger = sign_in("Sue", Role.VOTER)
    assert stranger.get(f"{HERE}agree/").status_code == 404
    lifecycle.open_(otto, board(), editable=False, shows_skills=True)
    assert needs.snapshot_of("Board").levels == {"bo": (3,), "dee": (4,)}
    shown = text_of(sign_in("Bo", Role.VOTER).get(f"{HERE}skills/"))
    assert re.findall(r"<h2[^>]*>(\w+)<|<b dir=\"auto\">(\w+)<|<dd>(\w+)<", shown) == [
        ("Chair", "", ""), ("", "bo", ""), ("", "", "Advanced"), ("", "Cy", ""),
        ("Speaker", "", ""), ("", "Bo", ""), ("", "", "Advanced"), ("", "Dee", ""), ("", "", "Expert"),
    ]  # fmt: skip
    accounts.remove(boss, dee)
    assert needs.snapshot_of("Board").levels == {"bo": (3,)}
    assert {each.candidate for each in needs.agreements(board())} == {"bo"}
