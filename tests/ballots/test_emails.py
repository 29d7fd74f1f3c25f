"""Voters are mailed about what happens to their ballots: each act once, the fact and nothing else."""

from __future__ import annotations

import re
from functools import partial

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import emails, rehearsal, repository, services
from ballots.passes import Pass
from ballots.repository import VoterContext
from elections import actions
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.roll.services import add_voters
from elections.rules import Action, Election
from elections.voter_lists import Details
from foundation.acts.refusals import NotNow
from foundation.acts.storage import table
from foundation.mail import outbox as mail
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Exists, Update
from tests.at_once import at_once
from tests.voting import link_to

from .conftest import ranks

SECRET = "5" * 32


def queued() -> list[mail.Mail]:
    return mail.in_state(mail.QUEUED, 100)[0]


def kinds() -> list[tuple[str, str]]:
    return [(email.to, email.kind) for email in queued()]


def test_of_a_secret_ballot_only_the_cast_is_told(opened, person, outbox):
    """Of a change or a withdrawal nobody knows whose it is."""
    opened("Eve", "Bob")
    eve = person("Eve", Role.VOTER)
    cast = services.cast(eve, "Board", ranks(Bo=1), "1", secret=SECRET)
    services.cast(None, "Board", ranks(Cy=1), "2", secret=SECRET)
    services.withdraw(None, "Board", "3", secret=SECRET)
    ((to, subject, text),) = outbox()
    assert (to, subject) == ("Eve@example.org", "Plenum: Your vote has been cast")
    assert "If this was not you: change your password" in text
    assert "No email is sent when a secret ballot is changed or withdrawn" in text
    assert not [word for word in (cast.ballot.confirmation, "Bo ", "rank", SECRET) if word in text]


def test_every_page_says_of_which_acts_voters_are_mailed(opened, person, signed_in, client):
    silent = "No email is sent when a secret ballot is changed or withdrawn"
    facts = {
        "Changeable": "when a ballot is cast in their name, but not when it is changed or withdrawn",
        "Final": "when a ballot is cast in their name; never",
        "Public": "when their ballot is cast, changed or withdrawn; never",
    }
    for name in facts:
        opened("Eve", name=name, secret_ballot="Public" not in name, changeable="inal" not in name)
    eve = signed_in(person("Eve", Role.VOTER))
    for name, sentence in facts.items():
        assert sentence in eve.get(f"/election/{name}/").content.decode(), name
    drafts.create(people.find("the organiser"), "Draft")
    assert silent in signed_in("the organiser").get("/election/Draft/open/").content.decode()
    for path in ("/trust/", "/help/secrecy/"):
        assert silent in client.get(path).content.decode(), path
    assert (
        "Nobody learns whose ballot it is, so no email is sent."
        in client.get("/election/Changeable/change/").content.decode()
    )
    assert "cast or changed in your name" not in client.get("/trust/").content.decode()


def test_every_act_on_a_public_ballot_is_told_and_nothing_of_it(opened, person, outbox):
    opened("Eve", "Bob", secret_ballot=False)
    eve = person("Eve", Role.VOTER)
    codes = [
        services.cast(eve, "Board", ranks(**each), str(each)).ballot.confirmation for each in ({"Bo": 1}, {"Cy": 1})
    ]
    services.withdraw(eve, "Board", "withdraw")
    items = list(table().each(keys.mails(mail.QUEUED)))
    about = {"election_name": "Board", "organiser": "the organiser", "recipient_name": "Eve"}
    assert [item["about"] for item in items] == [about] * 3
    told = outbox()
    assert [(to, subject) for to, subject, _ in told] == [
        ("Eve@example.org", "Plenum: Your vote has been cast"),
        ("Eve@example.org", "Plenum: Your ballot was changed"),
        ("Eve@example.org", "Plenum: Your ballot was withdrawn"),
    ]
    for text in [*map(str, items), *(text for _, _, text in told)]:
        assert not [word for word in (*codes, "Ada", "Bo ", "Cy", "rank") if word in text]
    assert all("If this was not you" in text and "“Board”" in text for _, _, text in told)


def test_a_paper_ballot_is_told_to_the_account_or_to_the_address_on_the_roll(opened, person, outbox):
    board = opened("Eve", "mail@example.org", "eve.too@example.org", paper_ballots=True)
    person("Eve", Role.VOTER)
    person("Too", Role.VOTER, email="eve.too@example.org")
    organiser = people.find("the organiser")
    for voter in ("Eve", "mail@example.org", "Too"):
        services.enter_paper(organiser, "Board", voter, ranks(Bo=1), voter)
    assert [to for to, _, _ in outbox()] == ["Eve@example.org", "mail@example.org", "eve.too@example.org"]
    assert all("the organiser entered a paper ballot from you" in text for _, _, text in outbox())
    nowhere = VoterContext(board, "a name without an account", None)
    assert emails.cast_email(nowhere, "the organiser", paper=True) == []


def test_voters_are_greeted_by_the_name_on_the_roll_else_by_that_of_the_account(opened, person, outbox):
    """As in the invitation."""
    board = opened("Zoe", vote_by_link=True, name="Named")
    owner, names = people.find("the organiser"), {"lina@example.org": Details("Lina One")}
    add_voters(owner, board, ["lina@example.org", "nobody@example.org"], names)
    add_voters(owner, elections.find("Named"), [person("Eve", Role.VOTER).name])
    for voter in ("lina@example.org", "nobody@example.org", "Eve"):
        held = Pass(link_to("Named", voter, "Eve@example.org" if voter == "Eve" else ""))
        services.cast(held, "Named", ranks(Bo=1), voter)
    greetings = {to: next(line for line in text.splitlines() if line.startswith("Hello")) for to, _s, text in outbox()}
    assert greetings == {
        "lina@example.org": "Hello Lina One,",
        "nobody@example.org": "Hello,",
        "Eve@example.org": "Hello Eve,",
    }


@pytest.mark.parametrize("secret", [True, False])
@pytest.mark.parametrize("by_link", [True, False])
def test_where_votes_are_final_nobody_is_told_to_vote_again(opened, person, outbox, secret, by_link):
    opened("Zoe", "lina@example.org", vote_by_link=by_link, secret_ballot=secret, changeable=False, paper_ballots=True)
    zoe = person("Zoe", Role.VOTER)
    organiser = people.find("the organiser")
    services.cast(Pass(link_to("Board", "Zoe", zoe.email)) if by_link else zoe, "Board", ranks(Bo=1), "1")
    services.enter_paper(organiser, "Board", "lina@example.org", ranks(Bo=1), "2")
    mails = outbox()
    assert [to for to, *_ in mails] == [zoe.email, "lina@example.org"]
    for _to, _subject, text in mails:
        assert "tell the organiser, who runs the election, before it closes" in text
        assert not re.search("vote again|is changed|new link", text, re.I)


def test_a_form_sent_twice_is_told_once(opened, person):
    opened("Eve", secret_ballot=False)
    eve = person("Eve", Role.VOTER)
    for _ in range(2):
        services.cast(eve, "Board", ranks(Bo=1), "form")
    for _ in range(2):
        services.withdraw(eve, "Board", "another form")
    assert kinds() == [("Eve@example.org", "ballot_cast"), ("Eve@example.org", "ballot_withdrawn")]


def test_what_was_refused_is_not_told(opened, person):
    opened("Eve")
    eve = person("Eve", Role.VOTER)
    closing.close(people.find("the organiser"), elections.find("Board"))
    with pytest.raises(NotNow):
        services.cast(eve, "Board", ranks(Bo=1), "late")
    assert kinds() == []


def test_of_many_at_once_each_act_is_told_and_each_once(site, opened, person):
    opened("Eve", secret_ballot=False)
    eve = person("Eve", Role.VOTER)
    at_once(*(partial(services.cast, eve, "Board", ranks(Bo=1), f"form {number // 2}") for number in range(8)))
    cast = [event for event in site.each(keys.events()) if event["event_type"] == "BallotCast"]
    assert len(cast) == 4
    assert sorted(kinds()) == [("Eve@example.org", "ballot_cast"), *[("Eve@example.org", "ballot_changed")] * 3]


def test_a_ballot_that_goes_with_its_voter_is_not_told(opened, person):
    opened("Eve", "Bob", secret_ballot=False)
    services.cast(person("Eve", Role.VOTER), "Board", ranks(Bo=1), "1")
    accounts.remove(person("owner", Role.OWNER), people.find("Eve"))
    assert list(repository.every_ballot("Board")) == []
    assert kinds() == [("Eve@example.org", "ballot_cast")]


def test_an_organiser_may_choose_that_nobody_is_told(opened, person):
    opened("Eve", mail_votes=False, paper_ballots=True, secret_ballot=False)
    eve = person("Eve", Role.VOTER)
    services.cast(eve, "Board", ranks(Bo=1), "1")
    services.withdraw(eve, "Board", "2")
    services.enter_paper(people.find("the organiser"), "Board", "Eve", ranks(Bo=1), "3")
    assert kinds() == []


def test_robots_of_a_rehearsal_are_not_written_to(person, site, monkeypatch):
    owner = person("the organiser")
    election = drafts.create(owner, "Board")
    add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo")])
    wanted = []
    monkeypatch.setattr(mail, "queued", lambda *email, **about: wanted.append(email))
    rehearsal.rehearse(owner, election)
    assert wanted == []
    assert kinds() == []


# --- the setting ---


SETTINGS = {
    **{"electorate": "listed", "results_visible": "closed", "method": "schulze", "seats": "1", "unranked": "below"},
    **{"time_zone": "UTC", "secret_ballot": "on"},
}


def test_it_is_a_setting_in_plain_words_and_on_by_default(person, signed_in):
    client = signed_in("Ada")
    page = client.get("/elections/new/all/").content.decode()
    assert "Mail voters about their ballots" in page
    box = next(part for part in page.split("<input") if 'name="mail_votes"' in part).partition(">")[0]
    assert "checked" in box
    client.post("/elections/new/all/", SETTINGS | {"name": "Told", "mail_votes": "on"})
    client.post("/elections/new/all/", SETTINGS | {"name": "Untold"})
    assert [elections.find(name).mail_votes for name in ("Told", "Untold")] == [True, False]
    assert "when a ballot is cast in their name" in client.get("/election/Told/dashboard/").content.decode()
    assert "nothing about their ballots" in client.get("/election/Untold/dashboard/").content.decode()


def test_it_is_in_the_event_and_copied_and_fixed_by_the_opening(site, opened, person):
    owner = person("the organiser")
    draft = drafts.create(owner, "Draft")
    actions.change(owner, draft, Action.SET_UP, mail_votes=False)
    said = [event["event_data"] for event in site.each(keys.events()) if "mail_votes" in event["event_data"]]
    assert [each["mail_votes"] for each in said] == [True, False]
    assert copying.copy(owner, elections.find("Draft"), "Copy").mail_votes is False


def test_voters_of_an_election_of_earlier_times_are_told(site, opened, person):
    opened("Eve")
    site.write(Update(keys.election("Board"), remove=("mail_votes",), when=Exists()))
    services.cast(person("Eve", Role.VOTER), "Board", ranks(Bo=1), "1")
    assert kinds() == [("Eve@example.org", "ballot_cast_anonymous")]
    assert Election("", "", "").mail_votes
