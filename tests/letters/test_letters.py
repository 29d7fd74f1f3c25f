"""Letters: printed in batches, each code once, reissued, and useless to whoever has the tables."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from functools import partial
from itertools import islice

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from config.logs import JsonLines
from elections import actions, history, rolls
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations.voting_link import LETTER, LINKS
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Action, WrongState
from elections.voter_lists import Details
from foundation.acts.refusals import LostRace
from foundation.acts.storage import log, table
from foundation.ranking.candidates import Candidate
from foundation.ranking.codes import code_symbols
from foundation.store import keys
from foundation.store.log import layout
from foundation.store.splitting import by_count
from operations.upkeep import replay
from parts.letters import repository, rules, services
from tests.background import finish_background
from tests.ballots.conftest import draft_asking
from tests.races.overtaken import lost, overtaken_by

MEMBERS = [f"{number}@" for number in range(1, 5)]
HEBREW = "\u05d0\u05d3\u05d4#<b>"
PAGE = "/election/Board/letters/"


@pytest.fixture
def board(person):
    owner = person("the organiser")
    election = drafts.create(owner, "Board")
    known = {name: Details(f"Member {name[0]}", postal=("Main Street 1", "52062 Aachen")) for name in MEMBERS}
    known["2@"] = Details(HEBREW, postal=tuple(f"Line {number}" for number in range(6)), language="de")
    add_voters(owner, election, MEMBERS, known)
    return opened(owner)


def opened(owner):
    add_candidates(owner, elections.find("Board"), [Candidate("Bo"), Candidate("Cy")])
    return lifecycle.open_(owner, elections.find("Board"), editable=False)


@pytest.fixture
def owner(board):
    return people.find("the organiser")


def printed(owner, most=500, number=1):
    return {each.voter.name: each.code for each in services.print_batch(owner, elections.find("Board"), number, most)}


def events(kind):
    return [each["event_data"] for each in log().since(0) if each["event_type"] == kind]


# --- codes ---


def test_codes_are_twelve_symbols_of_which_none_is_misread(board, owner):
    codes = printed(owner)
    assert len(set(codes.values())) == len(MEMBERS)
    assert all(re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}", code) for code in codes.values())
    assert codes["1@"] == rules.letter_code(board, "1@", 1) != rules.letter_code(board, "1@", 2)


def test_a_code_leads_to_its_voter_however_it_is_typed(board, owner):
    code = printed(owner)["1@"]
    for typed in (code, code.lower().replace("-", " "), code.replace("0", "O").replace("1", "l")):
        assert services.find_by_code("Board", typed).name == "1@"
    assert services.find_by_code("Another", code) is None
    assert services.find_by_code("Board", "0000-0000-0000") is None


def test_a_code_that_was_never_printed_opens_nothing(board):
    assert services.find_by_code("Board", rules.letter_code(board, "1@", 1)) is None


def test_a_copy_of_the_store_and_the_log_has_no_code(board, owner, signed_in):
    """Every item there is, as a backup has it, also after the page and the file were made and letters reissued."""
    known = dict.fromkeys(("5@", "6@"), Details("Member"))
    codes = printed(owner)
    add_voters(owner, board, list(known), known)
    rows = csv.DictReader(io.StringIO(b"".join(post(signed_in("the organiser"), batch="2", how="file")).decode()))
    codes |= {f"{number}@": row["code"] for number, row in zip("56", rows, strict=True)}
    services.reissue(owner, board, "1@")
    everything = str(list(layout.everything(table())))
    assert keys.letter("Board", "2@").sk in everything
    assert len(codes) == 6
    for code in codes.values():
        link = rules.link_of(code, "Board", board.created_at, "1@")
        for text in (code, code_symbols(code), code_symbols(code).lower(), link.secret):
            assert text not in everything


def test_no_log_line_has_a_code(board, owner, signed_in, caplog):
    """Neither on its page nor where it is typed, nor in the lines that say what was asked for and how it went."""
    caplog.set_level("INFO")
    code = printed(owner)["1@"]
    for path in (reverse("by_code", args=[code]), f"/code/{code}", f"/code/{code}/more/"):
        Client().get(path)
    for typed in (code, code[:-1] + "?", code + "0"):
        Client().post("/code/", {"code": typed})
    lines = [JsonLines().format(each) for each in caplog.records]
    assert any("code/<str:code>/" in each for each in lines)
    assert not any(code[:9] in each for each in lines)


def test_without_the_key_of_the_site_codes_are_others(board, owner, settings):
    code = printed(owner)["1@"]
    settings.SECRET_KEY = "another key of the site"
    assert rules.letter_code(board, "1@", 1) != code
    assert services.find_by_code("Board", code) is None


# --- batches ---


def test_each_letter_is_printed_once_in_batches_that_the_log_counts_without_names(board, owner):
    first, second = printed(owner, 3), printed(owner, 3, 2)
    assert (len(first), len(second), set(first) & set(second)) == (3, 1, set())
    assert events("LettersPrinted") == [
        {"election_name": "Board", "batch": 1, "letters": 3, "how": "page"},
        {"election_name": "Board", "batch": 2, "letters": 1, "how": "page"},
    ]
    assert services.waiting(board) == services.Waiting(0, 0)
    with pytest.raises(WrongState, match="No letters"):
        printed(owner, number=3)
    assert [each.letters for each in repository.batches(board)] == [1, 3]


def test_the_same_form_sent_twice_prints_one_batch(board, owner):
    printed(owner, 1)
    with pytest.raises(WrongState, match="shown only once"):
        printed(owner, 1)
    assert services.waiting(board).letters == 3


def test_who_looked_before_the_letters_were_printed_does_not_print_them_again(board, owner):
    printed_by_both = []
    with overtaken_by(lambda: printed_by_both.extend(printed(owner, 4))), suppress(WrongState, LostRace):
        printed_by_both.extend(printed(owner, 4))
    assert sorted(printed_by_both) == MEMBERS
    assert sum(each["letters"] for each in events("LettersPrinted")) == 4


def test_many_letters_take_several_transactions_and_one_batch(board, owner):
    many = [f"m{number}@" for number in range(100)]
    add_voters(owner, board, many, {name: Details("Somebody") for name in many})
    assert len(printed(owner)) == 104
    (batch,) = repository.batches(board)
    assert batch.letters == 104
    assert len(events("LettersPrinted")) == 3
    shown = "letters, batch 1"
    listed, _more = history.organiser_events(history.Position("Board"), 50)
    sentences = [each.sentence for each in history.history_entries(listed, board, {})]
    assert [each for each in sentences if shown in each] == ["the organiser printed 104 letters, batch 1."]


def test_letters_are_for_people_whom_a_question_is_for_and_who_can_answer(person):
    owner = person("the organiser")
    election = drafts.create(owner, "Board", letter_check="birth")
    add_voters(owner, election, MEMBERS, {name: Details("M", check="mark" if name == "1@" else "") for name in MEMBERS})
    board = opened(owner)
    assert services.waiting(board) == services.Waiting(1, 3)
    assert list(printed(owner)) == ["1@"]


def test_letters_list_the_questions_of_their_voters_and_all_lead_to_one_ballot(person, signed_in):
    """Voter groups decide which; the first question need not be among them. Whom none is for gets no letter."""
    owner = person("the organiser")
    election = draft_asking(owner, "Spring", "Chair", "Colour")
    groups = [("House",), ("Garden",), ("House", "Garden"), ("House", "Garden"), ("Sky",)]
    known = {f"{number}@": Details("M", own) for number, own in enumerate(groups)}
    add_voters(owner, election, list(known), known)
    for number, group in ((1, "House"), (2, "Garden")):
        actions.change(owner, elections.find("Spring").at(number), Action.SET_UP, for_groups=(group,))
    lifecycle.open_(owner, elections.find("Spring"))
    page = signed_in("the organiser").post("/election/Spring/letters/print/", FORM).content.decode()
    sheets = re.findall(r'<article class="sheet".*?</article>', page, re.S)
    assert [tuple(each in sheet for each in (">Chair<", ">Colour<")) for sheet in sheets] == [
        (True, False),
        (False, True),
        (True, True),
        (True, True),
    ]
    for sheet in sheets:
        (code,) = re.findall(r'class="sheet-symbols" dir="ltr">([^<]+)<', sheet)
        assert Client().post("/code/", {"code": code})["Location"] == "/election/Spring/ballot/"


def test_an_address_that_is_long_is_printed_in_smaller_letters():
    def size(*lines: str) -> str:
        return services.Letter(rolls.Voter("1@", display_name=lines[0], postal=lines[1:]), "").size

    assert size("Ada Lovelace", "52062 Aachen") == ""
    assert size("Ada Lovelace", *["Main Street 1"] * 6) == ""
    assert size("Ada Lovelace", *["Institute for Applied and Experimental Physics"] * 4) == "small"
    assert size("x" * 200, *["y" * 80] * 6) == "tiny"
    assert size("\u5c71" * 20, *["\u6771" * 20] * 6) == "small", "each is as wide as two letters"


def test_a_changed_name_or_address_is_on_the_next_letter_and_ends_none(board, owner):
    old = printed(owner)["1@"]
    add_voters(owner, board, ["1@"], {"1@": Details("Married Name", postal=("New Street 2",))})
    assert services.find_by_code("Board", old).display_name == "Married Name"
    services.reissue(owner, board, "1@")
    (letter,) = services.print_batch(owner, elections.find("Board"), 2, 10)
    assert letter.address == ("Married Name", "New Street 2")


# --- reissuing ---


def test_a_reissued_letter_is_dead_at_once_and_its_successor_works(board, owner):
    old = printed(owner)["1@"]
    assert services.reissue(owner, board, "1@").name == "1@"
    assert services.find_by_code("Board", old) is None
    assert LETTER not in dict(table().get(keys.voter("Board", "1@"))[LINKS])
    (new,) = printed(owner, number=2).values()
    assert new != old
    assert services.find_by_code("Board", new).name == "1@"
    assert services.find_by_code("Board", old) is None
    assert events("LetterReissued") == [{"election_name": "Board", "voters": ["1@"], "turns": [2]}]


def test_what_was_not_printed_is_not_reissued(board, owner):
    for name, problem in (("1@", "not been printed"), ("99@", "Nobody"), ("ann@example.org", "Nobody")):
        with pytest.raises(WrongState, match=problem):
            services.reissue(owner, board, name)


def test_a_lost_batch_is_reissued_as_a_whole_and_again_does_nothing(board, owner):
    old = printed(owner, 3)
    printed(owner, 3, 2)
    assert services.reissue_batch(owner, board, 1) == 3
    assert services.reissue_batch(owner, board, 1) == 0
    assert services.waiting(board).letters == 3
    assert not any(services.find_by_code("Board", code) for code in old.values())


def test_who_looked_before_a_letter_was_reissued_is_told(board, owner):
    printed(owner)
    lost(*[partial(services.reissue, owner, board, "1@")] * 2)
    assert rolls.on_roll("Board", ["1@"])["1@"].letter_turn == 2


def test_after_a_rebuild_a_stolen_letter_stays_dead(board, owner):
    printed(owner)
    services.reissue(owner, board, "1@")
    assert replay.check(table(), replay.quietly).first == ()


# --- what else ends them ---


def test_a_deleted_election_leaves_no_letters(board, owner):
    code = printed(owner)["1@"]
    lifecycle.delete(owner, elections.find("Board"))
    finish_background()
    assert repository.find_holder(code) is None


def test_a_new_election_of_the_same_name_has_its_own_letters(board, owner):
    old = printed(owner)["1@"]
    lifecycle.delete(owner, elections.find("Board"))
    finish_background()
    drafts.create(owner, "Board")
    add_voters(owner, elections.find("Board"), MEMBERS, dict.fromkeys(MEMBERS, Details("M")))
    opened(owner)
    assert services.find_by_code("Board", old) is None
    new = printed(owner)["1@"]
    assert new != old
    assert (services.find_by_code("Board", new).name, services.find_by_code("Board", old)) == ("1@", None)


def test_letters_are_printed_while_the_election_is_open(board, owner):
    closing.close(owner, board)
    with pytest.raises(WrongState):
        printed(owner)


# --- pages ---


FORM = {"batch": "1", "most": "100", "how": "page", "sender": "Club · Street 1"}


def post(client, page="print/", **fields):
    return client.post(f"{PAGE}{page}", FORM | fields)


def test_the_page_prints_one_sheet_each_in_the_voters_language(board, signed_in):
    client = signed_in("the organiser")
    assert "Letters waiting to be printed" in client.get(PAGE).content.decode()
    page = post(client)
    text = page.content.decode()
    assert text.count('<article class="sheet"') == 4
    assert page["Cache-Control"] == "no-store"
    german = re.search(r'<article class="sheet" lang="de".*?</article>', text, re.S)[0]
    assert HEBREW.replace("<", "&lt;").replace(">", "&gt;") in german
    assert "<b>" + HEBREW not in text
    assert "Line 5" in german
    assert "Club · Street 1" in german
    assert ">127.0.0.1:8000/code</p>" in text
    assert text.count("<svg") >= 4
    again = post(client)
    assert again["Location"] == PAGE
    assert "shown only once" in client.get(PAGE).content.decode()


@pytest.mark.needs("help_desk")
def test_the_file_for_a_print_shop_counts_as_printing(board, signed_in):
    client = signed_in("the organiser")
    answer = post(client, how="file")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))
    assert [row["member number"] for row in rows] == ["1", "2", "3", "4"]
    assert rows[1]["name"] == HEBREW
    assert rows[1]["address 6"] == "Line 5"
    assert rows[0]["link"].endswith(f"/code/{rows[0]['code']}/")
    assert rows[0]["help"] == "http://127.0.0.1:8000/election/Board/help/"
    assert services.find_by_code("Board", rows[0]["code"]).name == "1@"
    assert events("LettersPrinted")[0]["how"] == "file"
    assert services.waiting(board).letters == 0


@pytest.mark.parametrize("how", ["page", "file"])
@pytest.mark.parametrize("check", ["", "birth", "number"])
def test_a_letter_does_not_answer_what_its_thief_is_asked(person, signed_in, how, check):
    election = drafts.create(person("the organiser"), "Board", letter_check=check)
    add_voters(person("the organiser"), election, ["No-77@"], {"No-77@": Details("Ada", check="mark")})
    opened(people.find("the organiser"))
    answer = post(signed_in("the organiser"), how=how)
    text = (b"".join(answer.streaming_content) if how == "file" else answer.content).decode()
    assert "Ada" in text
    assert ("No-77" in text) == (check != "number")


def test_a_file_for_a_print_shop_has_no_formulas(board, owner, signed_in):
    known = {"=5@": Details('=HYPERLINK("http://evil.example","x")', postal=("+49 Street", "@home", "-1", "\uff1d1+1"))}
    add_voters(owner, board, list(known), known)
    text = b"".join(post(signed_in("the organiser"), how="file").streaming_content).decode("utf-8-sig")
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert {"'=5", "'+49 Street", "'@home", "'-1"} <= set(cells)
    assert not [each for each in cells if each[:1] in ("=", "+", "-", "@", "\t", "\r", "\uff1d")]


def test_a_file_that_is_cut_short_leaves_the_rest_waiting(board, owner, monkeypatch):
    many = [f"m{number}@" for number in range(100)]
    add_voters(owner, board, many, dict.fromkeys(many, Details("Somebody")))
    with monkeypatch.context() as cut_short:
        cut_short.setattr(services, "by_count", lambda names, most: islice(by_count(names, most), 1))
        shown = services.print_batch(owner, board, 1, 10_000, "file")
    assert services.waiting(board).letters == 104 - services.TRANSACTION_LETTERS
    assert all(services.find_by_code("Board", each.code) for each in shown)
    assert services.reissue_batch(owner, board, 1) == services.TRANSACTION_LETTERS
    assert len(printed(owner, number=2)) == 104


def test_reissuing_by_hand_and_by_batch(board, signed_in):
    client = signed_in("the organiser")
    post(client)
    assert client.post(f"{PAGE}reissue/", {"voter": "1@"})["Location"] == PAGE
    assert "Member 1 (member 1) no longer works" in client.get(PAGE).content.decode()
    client.post(f"{PAGE}reissue/", {"voter": "nobody"})
    assert "Nobody with this member number" in client.get(PAGE).content.decode()
    client.post(f"{PAGE}reissue/", {"batch": "1"})
    assert "3 letters no longer work" in client.get(PAGE).content.decode()
    for number in ("1", "2", "99999999999999999999"):
        client.post(f"{PAGE}reissue/", {"batch": number})
        assert "No letter of this batch works any more" in client.get(PAGE).content.decode()
    assert services.waiting(board).letters == 4
