"""Voters whom organisers know by a member number: onto the roll, off every mail, and out of the log."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from ballots import services as voting
from elections import repository, rolls, voter_lists
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.groups import repository as groups
from elections.groups import services as saved_groups
from elections.invitations import emails, mailing, progress
from elections.invitations.mailing import INVITED
from elections.invitations.voting_link import LETTER, LINKS, MAX_LINKS, Link, new_token, with_link
from elections.lifecycle import services as lifecycle
from elections.roll import services
from elections.roll.services import add_voters
from elections.rules import WrongState
from elections.voter_lists import Details, read_voters
from foundation.acts.storage import log, table
from foundation.pages import lists
from foundation.pages.lists import Verdict
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import layout
from foundation.store.table import LOG, Update
from operations.upkeep import erasure, replay
from parts.help_desk import repository as requests
from parts.help_desk import services as help_desk
from parts.help_desk.rules import WAITING, Asker
from tests.background import finish_background, queue_mailings
from tests.ballots.test_pages import fields_of

NAME = "Ada#<b>\U0001f600 \u05d0\u05d3\u05d4"
ANN = "ann@example.org"
DETAILS = Details(NAME, postal=("Main Street 1", "52062 Aachen"), language="de", check="mark")


@pytest.fixture
def board(ada):
    election = drafts.create(ada, "Board", paper_ballots=True)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ["4711@", ANN, "Ada"], {"4711@": DETAILS})
    return repository.find("Board")


@pytest.fixture
def opened(ada, board):
    return lifecycle.open_(ada, board, editable=False)


def voter(name="4711@", election="Board"):
    return rolls.on_roll(election, [name])[name]


# --- what a list says ---


@pytest.mark.parametrize(
    ("name", "by_account", "by_number", "by_address"),
    [("Ada", True, False, False), ("4711@", False, True, False), (ANN, False, False, True)],
)
def test_a_voter_is_listed_in_one_of_three_ways(name, by_account, by_number, by_address):
    assert (rolls.is_by_account(name), rolls.is_by_number(name), rolls.is_by_address(name)) == (
        by_account,
        by_number,
        by_address,
    )


def test_pages_call_them_by_name_and_number():
    assert rolls.voter_label("4711@", "Ada") == "Ada (member 4711)"
    assert rolls.voter_label("4711@") == "member 4711"
    hebrew = "\u05d0\u05d3\u05d4"
    isolated = f"\u2068{hebrew}\u2069"
    assert rolls.voter_label("4711@", hebrew) == f"\u200e{isolated} (member 4711)", (
        "or brackets and number change places"
    )
    assert rolls.voter_label(f"{hebrew}@") == f"\u200emember {isolated}"
    assert (rolls.voter_label(ANN, "Ann"), rolls.voter_label(ANN)) == ("Ann", ANN)


LIST = (
    "Vorname;Nachname;Mitgliedsnummer;E-Mail;Straße;PLZ;Ort;Land;Sprache;Geburtsdatum\n"
    "Ada;Lovelace;4711;;Main Street 1;52062;Aachen;Germany;Deutsch;10.12.1815\n"
    "Ann;Bell;4712;ann@example.org;;;;;;\n"
    ";;4713;;;;;;;\n"
    "Bo;Ox;4714;;;;;;Klingon;\n"
    "Cy;Ox;4715;;;;;;;31.02.1990\n"
)


def test_a_table_of_members_is_read_as_they_keep_it():
    ada, ann, nameless, foreign, born = read_voters(LIST.encode())
    assert (ada.value, ada.display_name, ada.verdict) == ("4711@", "Ada Lovelace", Verdict.NEW)
    assert (ada.postal, ada.language) == (("Main Street 1", "52062 Aachen", "Germany"), "de")
    assert ada.birth == "1815-12-10"
    assert (ann.value, ann.postal) == (ANN, ()), "who has an address gets mails"
    assert (nameless.verdict, foreign.verdict, born.verdict) == (Verdict.INVALID,) * 3
    assert "need a name" in nameless.reason
    assert "language" in foreign.reason
    assert "1990-12-31" in born.reason


@pytest.mark.parametrize("heading", ["Member number", "member no.", "Number", "Mitgliedsnummer", "Mitglieds-Nr."])
def test_headings_of_member_numbers(heading):
    (row,) = read_voters(f"Name,{heading},Date of birth\nAda,A-12/3,1815-12-10\n".encode())
    assert (row.value, row.display_name, row.birth) == ("A-12/3@", "Ada", "1815-12-10")


@pytest.mark.parametrize(
    ("column", "text", "problem"),
    [
        ("number", "x" * 41, "at most 40"),
        ("number", "a@b", "no @"),
        ("postal address", "\n".join("1234567"), "at most 6 lines"),
        ("postal address", "x" * 81, "at most 6 lines"),
        ("number", "4\u202e7", "reverse"),
    ],
)
def test_what_does_not_fit_a_letter_is_refused_with_a_sentence(column, text, problem):
    cells = {"name": "Ada", "number": "4711", column: text}
    (row,) = read_voters("".join(lists.as_csv(cells, [cells.values()])).encode())
    assert (row.verdict, row.value) == (Verdict.INVALID, None)
    assert problem in row.reason


def test_the_largest_values_fit_into_a_list():
    letter = {"postal": ("x" * 80,) * 6, "language": "de", "birth": "1815-12-10"}
    row = voter_lists.VoterRow(1, "", "4" * 40 + "@", Verdict.NEW, display_name="n" * 200, **letter)
    (again,) = read_voters(voter_lists.voters_as_csv([row]).encode())
    assert (again.value, again.display_name, again.postal, again.birth) == (
        row.value,
        row.display_name,
        row.postal,
        row.birth,
    )


def test_half_an_address_is_no_member_number():
    for text in ("name,email\nBo,bo@\n", "voter\nbo@\n", "bo@\n"):
        (row,) = read_voters(text.encode())
        assert row.verdict == Verdict.INVALID


# --- onto the roll ---


def test_an_import_lists_them_and_again_changes_nothing_but_what_is_new(ada, board, signed_in):
    client = signed_in("Ada")

    def imported(text: str):
        file = SimpleUploadedFile("roll.csv", text.encode(), "text/csv")
        preview = client.post("/election/Board/roll/import/", {"file": file})
        fields = fields_of(preview, "/election/Board/roll/import/")
        client.post("/election/Board/roll/import/", {name: value for name, value in fields.items() if name != "file"})
        return preview.content.decode()

    first = imported("name,member number,address\nBea,12,Main Street 9\n")
    assert "Bea (member 12)" in first
    assert voter("12@").postal == ("Main Street 9",)
    assert repository.find("Board").by_letter == 2
    events = len(list(log().since(0)))
    assert "Nobody to add" in imported("name,member number,address\nBea,12,Main Street 9\n")
    assert len(list(log().since(0))) == events
    moved = imported("name,member number,address,dob\nBea,12,Main Street 10,1815-12-10\n")
    assert "the details for the letter change" in moved
    assert voter("12@").postal == ("Main Street 10",)
    assert voter("12@").check == voter_lists.check_mark("12@", "1815-12-10")
    assert repository.find("Board").voter_count == 4


def test_an_export_is_imported_into_another_election_as_it_is(ada, board, signed_in):
    client = signed_in("Ada")
    exported = b"".join(client.get("/election/Board/roll/roll.csv").streaming_content)
    row = next(each for each in read_voters(exported) if each.value == "4711@")
    assert (row.display_name, row.postal, row.language) == (NAME, DETAILS.postal, "de")
    assert all(each.verdict == Verdict.NEW for each in read_voters(exported))


@pytest.mark.needs("letters")
def test_one_is_added_by_hand_and_gets_another_address_later(ada, board, signed_in):
    client, page = signed_in("Ada"), "/election/Board/roll/letter/"
    fields = {"name": "Bea", "number": "12", "postal": "Main Street 9\nAachen", "language": "de", "birth": "1.2.1950"}
    assert client.post(page, fields | {"birth": "soon"}).status_code == 422
    assert client.post(page, fields | {"name": ""}).status_code == 422
    assert client.post(page, fields)["Location"] == "/election/Board/roll/"
    assert voter("12@").postal == ("Main Street 9", "Aachen")
    assert voter("12@").check == voter_lists.check_mark("12@", "1950-02-01")
    assert "Main Street 9" in client.get(f"{page}?voter=12%40").content.decode()
    mistyped = client.post(page, fields | {"name": "Cem", "postal": "Elsewhere"})
    assert (mistyped.status_code, voter("12@").display_name) == (422, "Bea")
    assert "Bea (member 12) is on the roll already" in mistyped.content.decode()
    change = f"{page}?voter=12%40"
    client.post(change, fields | {"number": "4711", "postal": "Elsewhere", "birth": ""})
    assert (voter("12@").postal, voter("12@").check) == (("Elsewhere",), voter_lists.check_mark("12@", "1950-02-01"))
    assert voter("4711@").postal == DETAILS.postal
    events = len(list(log().since(0)))
    for _time in range(2):
        client.post(change, {"name": "Bea", "postal": "", "language": "", "birth": ""})
    assert (voter("12@").postal, voter("12@").language, bool(voter("12@").check)) == ((), "", True)
    assert len(list(log().since(0))) == events + 1
    shown = client.get("/election/Board/roll/").content.decode()
    assert "Bea (member 12)" in shown
    assert "by letter" in shown


def test_the_guided_setup_takes_a_pasted_table(ada, signed_in):
    drafts.create(ada, "Draft")
    typed = {"voters": "Name;Member number\nBea;12", "electorate": "listed", "ballots": "secret"}
    signed_in("Ada").post("/election/Draft/steps/who/", typed | {"changes": "changeable"})
    assert [each.label for each in rolls.every_voter("Draft")] == ["Bea (member 12)"]


def test_a_copy_a_group_and_a_second_question_have_them_too(ada, board):
    copying.copy(ada, board, "Again")
    finish_background()
    again = voter(election="Again")
    assert (again.display_name, again.postal, again.language, again.check) == (NAME, *(DETAILS.postal,), "de", "mark")
    assert repository.find("Again").by_letter == 1
    group = saved_groups.save_roll(ada, board, "form")
    finish_background()
    member = next(each for each in groups.every_member(group.id) if each.name == "4711@")
    assert (member.label, member.details.postal) == (rolls.voter_label("4711@", NAME), DETAILS.postal)
    saved_groups.put_on_roll(ada, drafts.create(ada, "Third"), group.id)
    finish_background()
    assert voter(election="Third").postal == DETAILS.postal


def test_the_api_lists_and_adds_them(ada, board):
    services.add_voters(ada, board, ["12@"], {"12@": Details("Bea")})
    assert voter("12@").display_name == "Bea"


@pytest.mark.needs("letters")
def test_before_opening_the_organiser_reads_how_many_letters_there_will_be(board, signed_in):
    assert "1 of them gets a letter" in signed_in("Ada").get("/election/Board/open/").content.decode()


# --- no mails ---


def test_nobody_tries_to_mail_them(ada, opened):
    assert emails.make_forecast(opened, INVITED).due == 2
    mailing.invite(ada, opened)
    queue_mailings()
    mailing.remind(ada, opened)
    queue_mailings()
    assert not {INVITED, "reminded"} & set(table().get(keys.voter("Board", "4711@")))
    so_far = progress.progress(opened)
    assert (so_far.invited.all, so_far.invited.nowhere, so_far.uninvited(opened)) == (2, 0, 0)
    with pytest.raises(WrongState, match="letter"):
        mailing.resend_invitation(ada, opened, "4711@")


def test_a_ballot_on_paper_is_entered_by_member_number_and_nobody_is_mailed(ada, opened, outbox, signed_in):
    assert "Enter the name" in signed_in("Ada").get("/election/Board/paper/").content.decode()
    voting.enter_paper(ada, "Board", "4711", {"0": ["1"]}, "form")
    assert voter().voted
    assert outbox() == []
    with pytest.raises(Exception, match=r"\(member 4711\) has already voted"):
        voting.enter_paper(ada, "Board", "4711@", {"0": ["1"]}, "another form")


# --- what is forgotten ---


def test_the_log_has_no_name_and_no_address_and_makes_the_same_roll(ada, board):
    add_voters(ada, board, ["4711@"], {"4711@": Details("Bea", postal=("Elsewhere 5",))})
    events = str(list(log().since(0)))
    for word in ("Bea", "Elsewhere", "Main Street", "mark"):
        assert word not in events.replace("marks", "")
    assert "4711@" in events
    assert replay.check(table(), replay.quietly).first == ()


def test_names_and_addresses_are_erased_and_the_right_to_vote_stays(ada, board, settings):
    settings.FORGET_AFTER_DAYS = 1
    group = saved_groups.save_roll(ada, board, "form")
    finish_background()
    erasure.request_erasure("4711@")
    assert (voter().display_name, voter().postal, voter().language, voter().check) == ("", (), "", "")
    assert "4711@" in [each.name for each in groups.every_member(group.id)]
    left = str([item for kind, item in layout.everything(table()) if kind != LOG])
    for word in (NAME, *DETAILS.postal, DETAILS.check):
        assert repr(word)[1:-1] not in left


def test_auditors_see_no_address(board):
    from operations.audit.tables import masks

    shown = masks.mask_item("", table().get(keys.voter("Board", "4711@")))
    assert not {"postal", "language", "check", "display_name"} & set(shown or {}) or "Main Street" not in str(shown)


# --- links ---


def test_new_links_never_end_a_letter(ada, opened):
    entry = table().get(keys.voter("Board", ANN))
    letter = Link("Board", opened.created_at, ANN, "secret")
    entry[LINKS] = with_link(entry, LETTER, letter)
    for number in range(MAX_LINKS + 3):
        entry[LINKS] = with_link(entry, str(number), Link("Board", opened.created_at, ANN, str(number)))
    assert letter.mail_on(entry) == LETTER
    assert len(entry[LINKS]) == MAX_LINKS + 1
    assert new_token("Board", ANN, "", "1") is None, "this election has no links"


@pytest.mark.needs("letters", "help_desk")
def test_whoever_calls_about_a_lost_letter_is_found_by_name(ada, opened, signed_in):
    """On the roll, to reissue the letter, and beside a request."""
    page = signed_in(ada)
    for typed in ("4711", "ada#", NAME.upper()):
        assert "member 4711" in page.get("/election/Board/roll/", {"q": typed}).content.decode(), typed
    answer = page.get("/election/Board/roll/", {"q": "somebody"})
    assert "Nobody found" in answer.content.decode()
    help_desk.ask(opened, Asker("A", "a@example.net"), "My letter?", network="203.0.113.7", mark="form")
    (request,) = requests.list_requests("Board", WAITING, limit=9)[0]
    found = page.get(f"/election/Board/requests/{request.id}/", {"q": "ada#"}).content.decode()
    assert "voter=4711%40" in found


def test_a_search_of_the_roll_says_when_there_are_more_and_leaves_large_rolls_alone(ada, board, monkeypatch):
    called = {f"{number}@": Details("Kim", postal=("x",)) for number in range(3)}
    add_voters(ada, board, list(called), called)
    found, more = rolls.find_voters(repository.find("Board"), "kim", limit=2)
    assert (len(found), more) == (2, True)
    assert rolls.find_voters(repository.find("Board"), "kim", limit=3)[1] is False
    monkeypatch.setattr(rolls, "MAX_SEARCHED", 2)
    assert rolls.find_voters(repository.find("Board"), "kim", limit=2) == ([], False)


def test_a_search_finds_nobody_by_account_where_these_are_not_shown(ada, board):
    table().write(Update(keys.voter("Board", "Ada"), set={"display_name": "Kim"}))
    find = lambda **how: rolls.find_voters(repository.find("Board"), "kim", limit=9, **how)[0]  # noqa: E731
    assert len(find()) == 1
    assert find(by_name=False) == []
