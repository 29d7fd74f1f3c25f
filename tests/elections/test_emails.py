"""What voters are mailed: who asks, for what, until when; the same in text and HTML, whatever things are called."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.invitations import mailing, wording
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager, remove_manager
from elections.repository import creation
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.acts.tokens import create_token
from foundation.mail import outbox
from foundation.mail.emails import EMAIL_TEMPLATES, Mail, compose
from foundation.mail.names import isolated
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Update
from parts.help_desk import repository as requests
from parts.help_desk.rules import Asker, HelpRequest, Reply
from tests.background import finish_background, queue_mailings
from tests.people import confirm
from tests.rows import every_row

NOW, ONCE = "2094-05-01T10:00:00.000Z", "2094-04-01T10:00:00.000Z"
END = "2094-05-20T16:00:00.000Z"
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Read(HTMLParser):
    """The words of a page, and whether every element that was opened is closed in its turn."""

    def __init__(self, html):
        super().__init__()
        self.open, self.text, self.links = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes), "an attribute twice"
        assert tag not in ("img", "script", "link", "iframe"), "nothing is loaded and nothing runs"
        self.links += [value for name, value in attributes if name == "href"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if "head" not in self.open:
            self.text.append(text)


def told_in(text):
    return set(re.findall(r"[^\W_]+", text))


@pytest.fixture
def clock(monkeypatch):
    """The clock of the e-mails."""
    monkeypatch.setattr("elections.invitations.emails.now_text", lambda: NOW)


def made(site, name="Board 2027", **settings):
    election = Election(name, "Ada", ONCE, allow_edit=False, allow_vote=True, **settings)
    site.write(*creation(election))
    return election


def email(kind, election="Board 2027", language="en", to="new@example.org", **about):
    said = {"name": "Ada", "number": "1", "email": to, "invited_by": "Ada", "factor": "totp", "voter": to}
    said |= {"election_name": election, "message": "1", "event_id": "7", "hash": "0f", "asked_by": "Bo"}
    said |= {"organiser": "Bo", "entered_by": "Bo", "day": "1", **about}
    return compose(Mail("1", kind, to, said, language, outbox.QUEUED, "", "", 0, NOW))


def html_of(message):
    return message.alternatives[0][0]


# --- who asks, for what, until when ---


@pytest.mark.parametrize("kind", ["vote_invitation", "vote_reminder", "vote_reminder_to_all"])
def test_subject_text_and_html_name_the_election_who_asks_and_until_when(site, person, clock, kind):
    accounts.change_profile(person("Ada"), "Ada Lovelace", "")
    made(site, no_voting_after=END, time_zone="Europe/Berlin")
    message = email(kind)
    html_text = " ".join(Read(html_of(message)).text)
    for text, preposition in ((message.subject, "by"), (message.body, "until"), (html_text, "until")):
        assert "Board 2027" in text
        assert "Ada Lovelace" in text
        assert f"{preposition} May 20, 2094, 6 p.m. CEST" in text
    assert "(Europe/Berlin)" in message.body


@every_row(
    ("window", "sentence"),
    [
        ({}, "You can vote until it is closed."),
        ({"no_voting_before": ONCE}, "You can vote until it is closed."),
        ({"no_voting_before": END}, "You can vote from May 20, 2094, 4 p.m. UTC until it is closed."),
        ({"no_voting_after": END, "no_voting_before": ONCE}, "You can vote until May 20, 2094, 4 p.m. UTC."),
        (
            {"no_voting_after": END, "no_voting_before": "2094-05-10T22:30:00.000Z", "time_zone": "Asia/Kolkata"},
            "You can vote from May 11, 2094, 4 a.m. IST until May 20, 2094, 9:30 p.m. IST (Asia/Kolkata).",
        ),
        ({"no_voting_after": END, "time_zone": "Mars/Base"}, "You can vote until May 20, 2094, 4 p.m. UTC."),
        ({"no_voting_after": ONCE}, "Voting has ended."),
    ],
)
def test_when_one_can_vote_is_said_on_the_clocks_of_the_election(window, sentence):
    election = Election("Board", "Ada", ONCE, allow_edit=False, allow_vote=True, **window)
    assert wording.window(election, NOW) == sentence


def test_the_words_are_those_of_the_mails_language(site, clock):
    made(site, no_voting_after=END)
    message = email("vote_invitation", language="de")
    assert 'lang="de"' in html_of(message)
    assert "20. Mai 2094 16:00 UTC" in message.subject
    assert "20. Mai 2094 16:00 UTC" in message.body


def test_somebody_who_is_gone_and_somebody_without_another_name_are_called_by_their_name(site, person, clock):
    made(site)
    assert "invited by Ada" in email("vote_invitation").subject
    assert "invited by Nobody Any More" in email("vote_invitation", invited_by="Nobody Any More").subject
    assert "invited by Ada" in email("vote_invitation", invited_by="").subject, "the owner does"


def test_a_message_names_the_election_and_until_when(site, clock):
    made(site, no_voting_after=END)
    site.write(Update(keys.message("Board 2027", "1"), set={"subject": "The room", "text": "Room 7"}))
    message = email("vote_message")
    assert message.subject == "Plenum: Board 2027: The room"
    assert "You can vote until May 20, 2094, 4 p.m. UTC." in message.body
    assert message.body.index("Room 7") < message.body.index("You can vote")


def test_what_the_link_does_is_said_as_it_is(site, person, clock):
    election = made(site)
    assert "create an account" in email("vote_invitation").body
    person("Cy", email="cy@example.org")
    assert "does not sign you in" in email("vote_invitation", to="cy@example.org").body
    site.write(Update(keys.election(election.name), set={"vote_by_link": True}))
    assert "do not share it" in email("vote_invitation").body


# --- text and HTML ---


@pytest.mark.needs("help_desk")
@pytest.mark.parametrize("language", ["en", "de"])
def test_of_every_mail_text_and_html_say_the_same_and_both_are_well_set(site, person, clock, language):
    ada = confirm(person("Ada", email="new@example.org"))
    site.write(rolls.new_voter(made(site, no_voting_after=END, time_zone="Europe/Berlin"), "new@example.org"))
    wording.change_own_text(ada, repository.find("Board 2027"), "Come *early*.\n\n- one\n- two", "me")
    site.write(Update(keys.message("Board 2027", "1"), set={"subject": "The room", "text": "Please *vote*"}))
    replies = (
        Reply("added", "Ada", NOW, "Come *in*.", "member since May"),
        Reply("link", "Ada", NOW),
        Reply("replied", "Ada", NOW, "Hi"),
    )
    asked = HelpRequest("1", "Board 2027", Asker("Zoë", "new@example.org"), "Please", NOW, replies=replies)
    site.write(*requests.sending(repository.find("Board 2027"), asked))
    of_news = {kind for kind in EMAIL_TEMPLATES if "news" in kind}  # tests/news/test_mailing.py
    each_reply = [("request_answered", str(reply)) for reply in range(len(replies))]
    for kind, reply in [*((kind, "0") for kind in sorted(EMAIL_TEMPLATES.keys() - of_news)), *each_reply]:
        message = email(kind, language=language, **OF_RESULTS, request="1", reply=reply)
        html, text = Read(html_of(message)), told_in(message.body)
        shown = told_in(" ".join(html.text))
        assert shown <= text, kind
        assert text <= shown | told_in(" ".join(html.links)), kind
        assert not re.search(r"[ \t]$", message.body, re.MULTILINE), kind
        assert "\n\n\n" not in message.body, kind
        assert "\n" not in message.subject, kind
        assert not re.search(r"%\(|url\(|@import|http-equiv|position:", html_of(message)), kind


# What a mail about a result says of it; others say nothing of these.
OF_RESULTS = {"ended": "won", "names": "Bo", "more": "0", "ballots": "3"}
OF_RESULTS |= {"host": "hooks.example", "webhook": "1"}  # of a webhook
OF_RESULTS |= {"added": "3", "changed": "1"}  # of a roll that followed its source
OF_RESULTS |= {"label": "Script", "provider": "University"}  # of a token, and of a linked identity
OF_RESULTS |= {"browser": "0f", "next": "/me/"}  # of a proof

HOSTILE = [
    "100% %(who)s %s {{ x }} #1",
    "Wahl 🗳️ <b>&amp;\"'</b>",
    "انتخابات المجلس ٢٠٢٧",
    "\u202eevil\u2069 \u2066board\n\r\nBcc: eve@example.org\u2028x",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_all_kinds_survive_in_subject_and_both_parts(site, clock, name):
    line = " ".join(re.sub("[\u202a-\u202e\u2066-\u2069]", "", name).split())
    made(site, name)
    message = email("vote_invitation", name, invited_by=name)
    text = " ".join("".join(Read(html_of(message)).text).split())
    for said in (message.subject, message.body, text):
        assert said.count(line) >= 2, "as the election, and as who asks"
    assert "<b>" not in html_of(message)
    header = message.message()
    assert header["Bcc"] is None
    assert header["To"] == "new@example.org"


def test_a_name_from_right_to_left_leaves_the_sentence_around_it_in_order():
    assert isolated("Ada") == "Ada", "no character that nobody needs"
    assert isolated("مجلس") == "\u2068مجلس\u2069"
    assert isolated("\u202emجلس\u2069") == "\u2068mجلس\u2069", "nothing breaks out of the brackets"


def test_the_sites_colour_is_the_mails_and_a_dark_mail_program_has_its_twin(site, settings, clock):
    settings.SITE_COLOUR = "#0b5d3b"
    made(site)
    html = html_of(email("vote_invitation"))
    assert "background-color:#0b5d3b" in html
    assert "#56278a" not in html
    assert 'content="light dark"' in html
    assert "prefers-color-scheme: dark" in html


# --- own words ---


@pytest.fixture
def ada(person):
    return confirm(person("Ada", email="ada@example.org"))


@pytest.fixture
def board(ada):
    election = drafts.create(ada, "Board 2027")
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ["new@example.org"])
    return lifecycle.open_(ada, repository.find("Board 2027"), editable=False)


@pytest.mark.parametrize("kind", ["vote_invitation", "vote_reminder", "vote_reminder_to_all"])
def test_own_words_stand_between_ours_and_answers_go_to_whoever_chose_so(ada, board, kind):
    assert email(kind).reply_to == []
    assert email(kind).extra_headers["Auto-Submitted"] == "auto-generated"
    wording.change_own_text(ada, board, "Come *early*. <script>x</script>", "me")
    message = email(kind)
    assert message.body.index("Board 2027”") < message.body.index("Ada adds:") < message.body.index("Come *early*.")
    assert message.body.index("Come *early*.") < message.body.index("The link takes you")
    assert "<em>early</em>" in html_of(message)
    assert "<script>" not in html_of(message)
    assert message.reply_to == ["ada@example.org"]
    assert "Auto-Submitted" not in message.extra_headers, "somebody wrote it"
    wording.change_own_text(ada, board, "", "nobody")
    assert (email(kind).reply_to, "adds:" in email(kind).body) == ([], False)


OWN_SUBJECT = {"vote_invitation": "Come and vote", "vote_reminder": "Reminder: Come and vote"}


@pytest.mark.parametrize("kind", OWN_SUBJECT)
def test_an_own_subject_takes_the_place_of_ours_with_or_without_text(ada, board, kind):
    wording.change_own_text(ada, board, "", subject="Come and vote")
    message = email(kind)
    assert message.subject == f"Plenum: {OWN_SUBJECT[kind]}"
    assert ("adds:" in message.body, "adds:" in html_of(message)) == (False, False)
    assert compose_test(kind).subject == f"Plenum: Test: {OWN_SUBJECT[kind]}"
    wording.change_own_text(ada, board, "", subject="Come\r\nBcc: all@example.org")
    assert "\n" not in email(kind).message()["Subject"].replace("\n ", "")
    assert email(kind).message()["Bcc"] is None
    wording.change_own_text(ada, board, "")
    assert wording.find_own_text(board.name) == wording.OwnText()
    assert "Board 2027" in email(kind).subject


def compose_test(kind):
    return email(f"{kind}_test")


def test_an_own_subject_goes_out_only_while_its_author_may_write_to_many_and_is_copied(ada, board, person):
    wording.change_own_text(ada, board, "", subject="Come and vote")
    copying.copy(ada, repository.find(board.name), "Copy")
    finish_background()
    assert wording.find_own_text("Copy").subject == "Come and vote"
    accounts.confirm_organiser(person("Olga", Role.OWNER), ada, confirmed=False)
    assert "Come and vote" not in email("vote_invitation").subject


@pytest.mark.parametrize("kind", ["vote_invitation", "vote_reminder", "vote_reminder_to_all"])
def test_the_description_is_in_the_mail_of_somebody_who_may_write_to_many(ada, board, person, site, kind):
    assert "description" not in html_of(email(kind)).partition("<body")[2]
    site.write(repository.description_written(board.name, "Who *leads* us. <script>x</script>"))
    message = email(kind)
    assert message.body.index("Board 2027”") < message.body.index("Who *leads* us.") < message.body.index("Vote now")
    assert "Who <em>leads</em> us." in html_of(message)
    assert "<script>" not in html_of(message)
    assert "leads" not in email(kind, invited_by=person("Eve").name).body
    site.write(repository.description_written(board.name, "First of all.\n\n" + "word " * 5000))
    message = email(kind)
    assert "First of all.\n\n…" in message.body
    assert "word" not in message.body
    site.write(repository.description_written(board.name, "word " * 5000))
    assert message.body.count("word") < 300


def test_words_go_out_only_while_whoever_wrote_them_may_write_to_many(ada, board, person):
    wording.change_own_text(ada, board, "Come early.", "me")
    accounts.confirm_organiser(person("Olga", Role.OWNER), ada, confirmed=False)
    message = email("vote_invitation")
    assert ("Come early." in message.body, message.reply_to) == (False, [])


def test_answers_go_to_nobody_who_no_longer_runs_the_election_or_has_left(ada, board, person, site):
    bo = confirm(person("Bo", email="bo@example.org"))
    add_manager(ada, board, "Bo")
    wording.change_own_text(bo, repository.find(board.name), "", "me")
    assert email("vote_invitation").reply_to == ["bo@example.org"]
    wording.change_own_text(ada, repository.find(board.name), "Hello", "as before")
    assert email("vote_invitation").reply_to == ["bo@example.org"], "nobody else's address can be chosen, but kept"
    site.write(Update(keys.user("Bo"), set={"created_at": "2094-01-01T00:00:00.000Z"}))
    assert email("vote_invitation").reply_to == [], "another account of that name"
    site.write(Update(keys.user("Bo"), set={"created_at": bo.created_at}))
    remove_manager(ada, repository.find(board.name), "Bo")
    assert email("vote_invitation").reply_to == []


def test_words_go_along_with_a_copy_a_new_name_and_away_with_the_election(site, ada, person):
    from elections.drafts import copying

    draft = drafts.create(ada, "Draft")
    wording.change_own_text(ada, draft, "Come early.", "me")
    renamed = drafts.rename(ada, repository.find("Draft"), "Better draft")
    assert wording.find_own_text("Better draft").text == "Come early."
    copied = copying.copy(ada, renamed, "Copy")
    assert (wording.find_own_text("Copy").text, wording.find_own_text("Copy").answers.name) == ("Come early.", "Ada")
    accounts.confirm_organiser(person("Olga", Role.OWNER), ada, confirmed=False)
    copying.copy(people.find("Ada"), renamed, "Another copy")
    assert wording.find_own_text("Another copy").text == "", "the copy is made by somebody who may not write to many"
    lifecycle.delete(ada, copied)
    finish_background("delete election")
    assert site.get(keys.invitation_words("Copy")) is None


# --- the page behind the link ---


def test_the_page_that_makes_an_account_says_what_the_mail_says(client, ada, board):
    accounts.change_profile(ada, "Ada <Lovelace>", "")
    mailing.invite(ada, board)
    queue_mailings()
    drafts.create(ada, "A draft nobody knows of")
    page = client.get(f"/invited/{create_token('invitation', 'new@example.org')}/").content.decode()
    for sentence in wording.sentences(board, "Ada", NOW):
        assert sentence.replace("<", "&lt;").replace(">", "&gt;") in page
        assert sentence in email("vote_invitation").body
    closing.close(ada, repository.find(board.name))
    assert (
        "invites you to vote"
        not in client.get(f"/invited/{create_token('invitation', 'new@example.org')}/").content.decode()
    )


def test_the_election_says_it_to_a_voter_who_has_an_account_and_to_nobody_else(ada, board, person, signed_in):
    cy = person("Cy", Role.VOTER)
    add_voters(ada, repository.find(board.name), ["Cy"])
    said = wording.sentences(board, "Ada", NOW)[0]
    assert said in signed_in(cy).get(f"/election/{board.name}/").content.decode()
    assert said not in signed_in(person("Dee", Role.VOTER)).get(f"/election/{board.name}/").content.decode()
