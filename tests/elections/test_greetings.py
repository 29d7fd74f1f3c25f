"""Names of voters without accounts: from a list to the roll, into the greeting of mails, and out of the site."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.core import mail as sent
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts import services as accounts
from accounts.rules import Role
from elections import personal_data, repository, rolls, voter_lists
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.turnout.counts import Allowed
from elections.voter_lists import Details
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import DATA
from operations.audit.tables.masks import HIDDEN, mask_item
from tests.background import finish_background, queue_mailings

NAME = "Anna <b>Weber</b>"
FILE = f"Name;E-Mail\n{NAME};anna@example.org\nمريم;m@example.org\n;nobody@example.org\n"


@pytest.fixture
def board(ada):
    election = drafts.create(ada, "Board")
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    return election


def names_on(name="Board"):
    return {voter.name: voter.display_name for voter in rolls.every_voter(name)}


def sent_to(address):
    return next(each for each in sent.outbox if each.to == [address])


def mailed(ada, board):
    lifecycle.open_(ada, repository.find(board.name), editable=False)
    mailing.invite(ada, repository.find(board.name))
    queue_mailings()
    send_waiting(compose)


def test_names_go_from_the_list_to_the_roll_and_into_the_mail(ada, board, person, signed_in):
    client, address = signed_in(ada), reverse("import_roll", args=["Board"])
    preview = client.post(address, {"file": SimpleUploadedFile("v.csv", FILE.encode())}).content.decode()
    assert "Anna &lt;b&gt;Weber&lt;/b&gt;" in preview
    hidden = unescape(re.search(r'name="voters" value="([^"]*)"', preview)[1])
    client.post(address, {"voters": hidden, "skipped": ""})
    assert names_on() == {"anna@example.org": NAME, "m@example.org": "مريم", "nobody@example.org": ""}
    shown = client.get(reverse("roll", args=["Board"])).content.decode()
    assert "Anna &lt;b&gt;Weber&lt;/b&gt;" in shown
    exported = b"".join(client.get(reverse("export_roll", args=["Board"])).streaming_content)
    named = {
        voter: each.display_name for voter, each in voter_lists.details_of(voter_lists.read_voters(exported)).items()
    }
    assert named == {"anna@example.org": NAME, "m@example.org": "مريم"}
    add_voters(ada, repository.find("Board"), [person("Hypatia", email="h@example.org").name])
    mailed(ada, board)
    assert f"Hello {NAME}," in sent_to("anna@example.org").body
    assert "Hello Anna &lt;b&gt;Weber&lt;/b&gt;," in sent_to("anna@example.org").alternatives[0][0]
    assert "Hello \u2068مريم\u2069," in sent_to("m@example.org").body
    assert "Hello," in sent_to("nobody@example.org").body
    assert "Hello Hypatia," in sent_to("h@example.org").body


def test_members_are_greeted_by_name_where_all_of_them_may_vote(ada, person):
    accounts.change_profile(person("hyp", Role.VOTER, email="h@example.org"), "Hypatia of Alexandria", "")
    election = drafts.create(ada, "Board", electorate="everyone")
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    mailed(ada, election)
    assert "Hello Hypatia of Alexandria," in sent_to("h@example.org").body


def test_one_who_is_invited_again_is_greeted_again(ada, board):
    add_voters(ada, board, ["anna@example.org"], {"anna@example.org": Details("Anna Weber")})
    mailed(ada, board)
    sent.outbox.clear()
    mailing.resend_invitation(ada, repository.find("Board"), "anna@example.org")
    send_waiting(compose)
    assert "Hello Anna Weber," in sent_to("anna@example.org").body


def test_a_copy_has_the_names_too(ada, board):
    add_voters(ada, board, ["anna@example.org"], {"anna@example.org": Details("Anna Weber")})
    copying.copy(ada, repository.find("Board"), "Next")
    finish_background()
    assert names_on("Next") == {"anna@example.org": "Anna Weber"}


def test_a_name_is_exported_to_its_person_hidden_from_auditors_and_goes_with_them(ada, board, person, site):
    anna = person("Anna", Role.VOTER, email="anna@example.org")
    add_voters(ada, board, ["anna@example.org"], {"anna@example.org": Details("Anna Weber")})
    mailed(ada, board)
    (own,) = personal_data.rolls(anna)
    assert own["greeted_as"] == "Anna Weber"
    entry = site.get(keys.voter("Board", "anna@example.org", 1))
    assert mask_item(DATA, entry, Allowed(who=True))["display_name"] is HIDDEN
    closing.close(ada, repository.find("Board"))
    accounts.remove(person("Olga", Role.OWNER), anna)
    finish_background()
    assert names_on() == {"anna@example.org": ""}, "the roll of a closed election stays, but not that name"
