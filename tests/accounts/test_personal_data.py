"""All that is kept about somebody, for themselves; and what they are told before their account goes."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest

from accounts import services as accounts
from accounts.rules import Role
from ballots import services as voting
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from operations.upkeep.figures import site_sealer
from parts.polls import services as polls
from parts.skills import services as skills
from parts.skills.endorsements import Ground
from parts.skills.rules import Visibility
from tests.background import queue_mailings
from tests.clock import at_its_own_moment
from tests.people import PASSWORD
from tests.polls.conftest import CHOSEN, NAMES
from tests.skills.conftest import have


@pytest.fixture
def boss(person):
    return person("Boss", Role.OWNER)


@pytest.fixture
def ada(boss, person):
    ada, eve = person("Ada"), person("Eve")
    accounts.change_profile(ada, "Countess", "I count.")
    accounts.change_role(boss, eve, Role.VOTER)
    polls.make(ada, NAMES, 30, **CHOSEN)
    have(ada, skills.add(boss, "Mathematics", "Sciences", "").id, notes="Bernoulli numbers.")
    for each in (boss, eve):
        skills.endorse(each, ada, "mathematics", (Ground.SAW,), "form")
    have(boss, "mathematics")
    skills.endorse(ada, boss, "mathematics", (Ground.TAUGHT,), "form")
    skills.show_to(eve, Visibility.NOBODY)
    return ada


def held(owner, name: str, *voters, secret: bool) -> None:
    board = drafts.create(owner, name, secret_ballot=secret)
    add_candidates(owner, board, [Candidate("Bo"), Candidate("Cy")])
    add_voters(owner, elections.find(name), [voter.name for voter in voters])
    lifecycle.open_(owner, elections.find(name), editable=False)
    for voter in voters:
        voting.cast(voter, name, {"0": ["1"], "1": ["2"]}, f"{name} {voter.name}")


def asked_for(browser) -> dict[str, list]:
    answer = browser.post("/me/data/", {"present": PASSWORD})
    assert answer.status_code == 200
    assert 'filename="my-data.zip"' in answer["Content-Disposition"]
    assert "no-store" in answer["Cache-Control"]
    packed = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    parts = {name[:-5]: json.loads(packed.read(name)) for name in packed.namelist() if name.endswith(".json")}
    return {"README": packed.read("README.txt").decode(), **parts}


@pytest.mark.needs("polls", "skills", "live")
def test_everything_about_me_in_one_file(site, boss, ada, person, signed_in):
    eve = person("Eve", Role.VOTER)
    held(ada, "Open and secret", ada, eve, secret=True)
    held(boss, "Public", ada, eve, secret=False)
    held(boss, "Closed and secret", ada, eve, secret=True)
    mailing.invite(boss, elections.find("Public"))
    queue_mailings()
    closing.close(boss, elections.find("Closed and secret"))
    site_sealer().seal()
    (sealed, *_), browser = list(site.each(*keys.ballots("Closed and secret"))), signed_in(ada)
    told = asked_for(browser)
    (account,) = told["account"]
    assert (account["name"], account["email"], account["role"]) == ("Ada", "Ada@example.org", "USER")
    assert (account["display_name"], account["about"]) == ("Countess", "I count.")
    assert [each["device"] for each in told["sessions"]] == [""]
    assert [each["election"] for each in told["elections"]] == ["Open and secret"]
    assert {each["election"]: each["voted"] for each in told["rolls"]} == dict.fromkeys(
        ("Open and secret", "Public", "Closed and secret"), True
    )
    (mails,) = [each["mails"] for each in told["rolls"] if each["election"] == "Public"]
    assert [(mail["kind"], mail["to"]) for mail in mails] == [("vote_invitation", "Ada@example.org")]
    shown = {each["election"]: each.get("ranking") for each in told["ballots"]}
    assert shown == {"Open and secret": None, "Public": [["Bo"], ["Cy"]], "Closed and secret": None}
    assert sealed["confirmation"] not in json.dumps(told)
    assert [each["title"] for each in told["polls"]] == [CHOSEN.get("title", told["polls"][0]["title"])]
    assert {"UserRegistered", "ProfileChanged", "PollCreated", "ElectionCreated", "BallotCast"} <= {
        each["what"] for each in told["log"]
    }
    assert [(each.get("skill"), each.get("notes")) for each in told["skills"]] == [
        (None, None),
        ("mathematics", "Bernoulli numbers."),
    ]
    assert [(each.get("given_to"), each.get("got_from"), each["grounds"]) for each in told["endorsements"]] == [
        ("Boss", None, ["taught"]),
        (None, "Boss", ["saw"]),
    ], "who hides is not told of"
    assert "What this site stores about Ada." in told["README"]


def test_nothing_about_others_and_nothing_that_opens_a_door(site, boss, ada, person, signed_in):
    held(ada, "Board", ada, person("Eve", Role.VOTER), secret=False)
    accounts.change_role(boss, ada, Role.ADMIN)
    told = json.dumps(asked_for(signed_in(ada)))
    assert not re.search(r"\bEve\b", told)
    item, session = site.get(keys.user("Ada")), next(site.each(keys.sessions("Ada")))
    for secret in (item["hash"], item["session_salt"], item["lineage"], session["SK"]):
        assert secret not in told
    (change,) = [each for each in json.loads(told)["log"] if each["what"] == "UserRoleChanged"]
    assert (change["new_role"], change["by"]) == ("ADMIN", "an admin of this site")


def test_a_name_that_somebody_else_had_before_tells_nothing_of_them(site, boss, ada, person, signed_in):
    at_its_own_moment(lambda: accounts.remove(boss, ada))
    other = person("ada", email="other@example.org")
    assert [each["what"] for each in asked_for(signed_in(other))["log"]] == ["UserRegistered"]


def test_it_asks_for_the_password_and_not_too_often(site, boss, ada, signed_in, client):
    assert client.get("/me/data/").status_code == 302
    browser = signed_in(ada)
    page = browser.get("/me/data/").content.decode()
    assert "Download my data" in page
    assert "Your ballots in secret elections are not in it: nobody can find them" in page
    assert browser.post("/me/data/", {"present": "wrong"}).status_code == 422
    for _ in range(5):
        asked_for(browser)
    answer = browser.post("/me/data/", {"present": PASSWORD})
    assert answer.status_code == 422
    assert "tried too often" in answer.content.decode()


def test_a_long_part_says_that_there_is_more(site, boss, ada, signed_in, monkeypatch):
    monkeypatch.setattr("accounts.personal_data.MAX_ENTRIES_PER_PART", 2)
    log = asked_for(signed_in(ada))["log"]
    assert log[2:] == [{"note": "There are more; only the first 2 are listed here."}]


@pytest.mark.needs("polls", "skills")
@pytest.mark.parametrize("page", ["/me/leave/", "/people/Ada/remove/"])
def test_before_a_removal_is_decided_the_page_says_what_becomes_of_everything(
    site, boss, ada, signed_in, settings, page
):
    drafts.create(ada, "Board")
    browser = signed_in(ada if page == "/me/leave/" else boss)
    shown = browser.get(page).content.decode()
    assert "1 election passes to the site&#39;s owner" in shown
    assert "1 poll passes to the owner" in shown
    assert "forgets the name and the addresses after 30 days" in shown
    assert "deleted with the election" in shown
    assert "Ballots of secret elections: nobody can find them, so they stay and count" in shown
    settings.FORGET_AFTER_DAYS = 0
    assert "keeps names permanently" in browser.get(page).content.decode()


def test_a_removal_takes_the_sessions_along(site, boss, ada, signed_in):
    signed_in(ada)
    accounts.remove(boss, ada)
    assert list(site.each(keys.sessions("Ada"))) == []
