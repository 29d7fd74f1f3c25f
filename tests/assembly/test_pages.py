"""An assembly on its pages: making one, its agenda, and every screen of every kind of item."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from foundation.acts.storage import table
from parts.live import players, repository, seats
from parts.live.players import Pass
from parts.live.rules import Phase, Step
from parts.live.screens import snapshots
from parts.live.seats import Seat
from parts.live.services import correcting, moving
from parts.questions.question import Kind, Question, Type
from tests.at_once import at_once
from tests.live.conftest import AGENDA, drive, give, seated
from tests.rows import every_row

FORM = {
    "engagement_type": "assembly",
    "title": "General meeting",
    "agenda": "Report of the board\n\n  Shall we buy a tent?  \nهل نشتري خيمة؟\n",
    "entitled": "80",
    "quorum": "1/4",
    "quorum_number": "",
    "seconds": "30",
    "names": "typed",
    "debug_mode": "0",
    "context": "my notes",
}
ITEM = {
    "kind": "motion",
    "title": "Buy a tent",
    "detail": "A large one.",
    "options": "",
    "secrecy": "secret",
    "share": "2/3",
    "of": "present",
    "seconds": "60",
}


def text(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


@pytest.fixture
def assembly(made):
    return made(Type.ASSEMBLY, entitled=10, quorum="1/4")


def at(game, page: str, *words) -> str:
    return reverse(page, args=[game.id, *words])


class Phone:
    """The browser of somebody who has checked in."""

    def __init__(self, game, name: str):
        held = Pass(name.lower(), "device", f"secret of {name}")
        seat = Seat(held.player, name, game.created_at, secret=players.digest(held.secret), device=held.device)
        table().write(*seats.seating(game, seat))
        seats.count_change(game)
        self.game, self.client = game, Client()
        signed = players.create_token(players._purpose(game.id), held.player, held.device, held.secret)
        self.client.cookies[players.cookie_name(game.id)] = signed

    def page(self) -> str:
        answer = self.client.get(at(self.game, "play"))
        assert answer.status_code == 200
        return text(answer)

    def vote(self, round_: int = 1, **said):
        return self.client.post(at(self.game, "give_vote"), {"round": round_, **said}, headers={"HX-Request": "true"})


def shown(client: Client, game, page: str = "host_game") -> str:
    answer = client.get(at(game, page))
    assert answer.status_code == 200
    return text(answer)


def call(game, place: int):
    return moving.drive(game.id, "Hana", Step.NEXT, repository.read_state(game.id).version, place)


def events(site, kind: str) -> list[dict]:
    from foundation.store.log import EventLog

    return [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind]


# --- making one ---


def test_an_assembly_is_made_with_its_first_items(hana):
    answer = hana.post("/live/new/", FORM)
    (past,), _cursor = repository.history("Hana", limit=1)
    game, _state = repository.find(past.id)
    assert answer["Location"] == at(game, "agenda")
    assert (game.title, game.own.entitled, game.own.quorum, game.context) == ("General meeting", 80, "1/4", "my notes")
    assert [(each.title, each.kind) for each in repository.read_questions(game.id)] == [
        ("Report of the board", Kind.TOPIC),
        ("Shall we buy a tent?", Kind.MOTION),
        ("هل نشتري خيمة؟", Kind.MOTION),
    ]
    page = shown(hana, game, "agenda")
    assert "80 people are entitled to vote." in page
    assert "at least a quarter of all eligible voters" in page


def test_an_assembly_needs_no_agenda_and_no_number_yet(hana):
    hana.post("/live/new/", FORM | {"agenda": "", "entitled": "", "quorum": "number", "quorum_number": "7"})
    (past,), _cursor = repository.history("Hana", limit=1)
    game, _state = repository.find(past.id)
    assert (game.total_questions, game.own.entitled, game.own.quorum) == (0, 0, "7")
    page = shown(hana, game, "agenda")
    assert "The agenda is empty." in page
    assert 'value="entitled"' not in page, "Nothing is asked of a share of nobody knows how many."
    for page in (shown(hana, game), shown(hana, game, "remote")):
        assert "Call the first item" not in page
        assert re.search("Write the agenda.*End the assembly", page), "What comes next is not the end."


@every_row(
    ("change", "sentence"),
    [
        ({"quorum": "number"}, "Enter how many people must be present."),
        ({"entitled": "0"}, "Enter how many people are entitled to vote"),
        ({"entitled": "-1"}, "greater than or equal to 0"),
        ({"quorum": "number", "quorum_number": "0"}, "greater than or equal to 1"),
        ({"quorum": "1/7"}, "Select a valid choice."),
        ({"agenda": "x" * 301}, "Shorten this item to 300 characters; it has 301"),
        ({"agenda": "x\n" * 201}, "An agenda has at most 200 items."),
    ],
)
def test_what_is_wrong_with_an_assembly_is_said_and_nothing_is_lost(hana, change, sentence):
    answer = hana.post("/live/new/", FORM | change)
    assert answer.status_code == 422
    assert sentence in text(answer)
    assert "my notes" in text(answer)
    assert "agenda" in change or "Shall we buy a tent?" in text(answer)
    assert repository.history("Hana", limit=1) == ([], None)


# --- the agenda ---


def test_an_item_is_added_as_it_is_typed(hana, assembly, site):
    assert hana.post(at(assembly, "agenda"), ITEM)["Location"] == at(assembly, "agenda")
    added = repository.read_questions(assembly.id)[-1]
    assert added == Question("Buy a tent", Kind.MOTION, "A large one.", seconds=60, secret=True, majority="2/3 present")
    page = shown(hana, assembly, "agenda")
    assert "“Buy a tent” is on the agenda." in page
    assert "Requires at least two thirds of those present." in page
    assert [each["total_questions"] for each in events(site, "LiveItemAdded")] == [6]


def test_one_item_is_written_after_the_other_away_from_other_buttons(hana, assembly):
    again = hana.post(at(assembly, "agenda"), ITEM | {"another": "yes"})["Location"]
    assert again == at(assembly, "agenda") + "?add#add"
    page = text(hana.get(again))
    assert "“Buy a tent” is on the agenda." in page
    assert page.count('<form method="post" class="form') == 1
    assert at(assembly, "drive") not in page


@every_row(
    ("change", "expected"),
    [
        ({"kind": "topic", "seconds": "60"}, Question("Buy a tent", Kind.TOPIC, "A large one.", seconds=0)),
        (
            {"kind": "choice", "options": "Red\n\n Blue ", "share": "most", "secrecy": "open", "seconds": "0"},
            Question("Buy a tent", Kind.CHOICE, "A large one.", options=("Red", "Blue"), seconds=0),
        ),
        (
            {"kind": "ranking", "options": "Red\nBlue", "seconds": "0"},
            Question("Buy a tent", Kind.RANKING, "A large one.", options=("Red", "Blue"), seconds=0, secret=True),
        ),
        (
            {"kind": "alternatives", "options": "Two\nno change\nThree", "seconds": "0", "of": "entitled"},
            Question(
                "Buy a tent",
                Kind.ALTERNATIVES,
                "A large one.",
                options=("Two", "Three", "No change"),
                seconds=0,
                secret=True,
                majority="2/3 entitled",
            ),
        ),
    ],
)
def test_each_kind_of_item_has_what_it_needs_and_no_more(hana, assembly, change, expected):
    assert hana.post(at(assembly, "agenda"), ITEM | change).status_code == 302
    assert repository.read_questions(assembly.id)[-1] == expected


@every_row(
    ("change", "sentence"),
    [
        ({"title": ""}, "This field is required."),
        ({"title": "x" * 301}, "At most 300 characters; these are 301."),
        ({"kind": "text"}, "Select a valid choice."),
        ({"kind": "choice", "options": "Red"}, "Enter 2 to 10 options; there are 1."),
        ({"kind": "ranking", "options": "Red\nred"}, "The same as option 1."),
        ({"kind": "alternatives", "options": "Two\nNo change"}, "Enter the motion and at least one amendment"),
        ({"kind": "alternatives", "options": "\n".join("abcdefghij")}, "Enter at most 9 versions"),
        ({"share": "most"}, "Only a choice can be decided by most votes. Choose a majority."),
        ({"share": "5/6"}, "Select a valid choice."),
        ({"seconds": "7"}, "Select a valid choice."),
        ({"secrecy": "half"}, "Select a valid choice."),
    ],
)
def test_what_is_wrong_with_an_item_is_said_and_nothing_is_lost(hana, assembly, change, sentence):
    answer = hana.post(at(assembly, "agenda"), ITEM | change)
    assert answer.status_code == 422
    assert sentence in text(answer)
    assert "A large one." in text(answer)
    assert repository.find(assembly.id)[0].total_questions == len(AGENDA)


def test_a_share_of_the_entitled_is_not_offered_where_nobody_knows_how_many(hana, made):
    game = made(Type.ASSEMBLY)
    assert "Select a valid choice." in text(hana.post(at(game, "agenda"), ITEM | {"of": "entitled"}))


def test_a_motion_is_taken_up_again_with_amendments(hana, assembly):
    page = text(hana.get(at(assembly, "agenda"), {"motion": "1"}))
    assert '<option value="alternatives" selected>' in page
    assert 'value="The budget"' in page
    for motion in ("0", "99", "-1", "٣", "x"):
        assert '<option value="motion" selected>' in text(hana.get(at(assembly, "agenda"), {"motion": motion}))


def test_items_are_called_in_any_order_from_the_agenda_and_from_the_remote(hana, assembly):
    page = shown(hana, assembly, "agenda")
    value = re.search(r'name="act" value="(next 1 3)"', page)[1]
    assert hana.post(at(assembly, "drive"), {"act": value, "from": "agenda"})["Location"] == at(assembly, "agenda")
    assert repository.read_state(assembly.id).question == 3
    page = shown(hana, assembly, "agenda")
    assert "current" in page
    assert 'name="act"' not in page, "Nothing else can be called before it is closed."
    for value, sentence in (("next 2 1", "This is not possible at this point"), ("next 2 99", "is not possible")):
        hana.post(at(assembly, "drive"), {"act": value})
        assert sentence in shown(hana, assembly)
    drive(assembly, Step.CLOSE)
    assert "Call another item" in shown(hana, assembly, "remote")
    hana.post(at(assembly, "drive"), {"act": "next 3 99"})
    assert "This item is not on the agenda." in shown(hana, assembly)


def test_two_items_at_once_are_both_there(hana, assembly):
    added = [lambda n=n: correcting.add(assembly.id, "Hana", Question(f"More {n}", Kind.TOPIC)) for n in range(4)]
    assert sorted(at_once(*added)) == [5, 6, 7, 8]
    titles = {each.title for each in repository.read_questions(assembly.id)[5:]}
    assert titles == {"More 0", "More 1", "More 2", "More 3"}


def test_only_assemblies_have_an_agenda(hana, assembly, made):
    assert hana.get(at(made(Type.TRIVIA), "agenda")).status_code == 404
    assert hana.put(at(assembly, "agenda")).status_code == 405


def test_nothing_is_added_after_the_end(hana, assembly):
    drive(assembly, Step.END)
    assert "The assembly has ended" in shown(hana, assembly, "agenda")
    assert hana.post(at(assembly, "agenda"), ITEM).status_code == 422


# --- votes on every screen ---


def test_a_motion_from_its_call_to_its_result_on_every_screen(hana, assembly):
    ada, ben, cem = (Phone(assembly, name) for name in ("Ada", "Ben", "נועה"))
    assert "Call the first item" in shown(hana, assembly)
    call(assembly, 1)
    assert "Close without a vote" in shown(hana, assembly)
    assert "Requires more than half of the votes cast." in shown(hana, assembly)
    assert "Voting is not open yet." in ada.page()
    assert "With amendments" in shown(hana, assembly, "remote")
    board = text(Client().get(at(assembly, "scoreboard", assembly.screen_token)))
    assert "Nobody gets points in this session." in board
    drive(assembly, Step.VOTE)
    assert "Voting is open" in text(Client().get(at(assembly, "screen", assembly.screen_token)))
    page = ada.page()
    assert "Everyone will see how you vote." in page
    assert page.count('class="live-vote') == 3
    assert "Yes" in text(ada.vote(option="yes"))
    assert 'value="yes" aria-pressed="true"' in ada.page()
    assert "It can still be changed." in text(ben.vote(option="yes"))
    ben.vote(option="no")
    cem.vote(option="abstain")
    snapshots.SESSIONS.forget(assembly.id)
    assert "<b>3</b> of 3 have voted" in shown(hana, assembly)
    assert "<b>3</b> of 3 have voted" in shown(hana, assembly, "remote")
    drive(assembly, Step.CLOSE)
    for page in (shown(hana, assembly), ada.page()):
        assert "Not carried" in page
        assert "1 yes, 1 no, 1 abstention" in page
        assert "1 of 2 voted yes; 2 were needed: more than half of the votes cast." in page
        assert "3 of 10 eligible voters were present. The quorum was met." in page
        assert "Who voted how" in page
        assert "<bdi>נועה</bdi>" in page
    assert 'You voted: <b dir="auto">Yes</b>' in ada.page()
    assert "Not carried" in shown(hana, assembly, "remote")
    assert "Not carried" in shown(hana, assembly, "agenda")


def test_a_secret_choice_names_nobody_on_any_screen(hana, assembly):
    phones = [Phone(assembly, name) for name in ("Ada", "Ben", "Cem")]
    call(assembly, 2)
    drive(assembly, Step.VOTE)
    assert "Nobody will find out how you vote." in phones[0].page()
    for phone, said in zip(phones, ("0", "0", "abstain"), strict=True):
        assert phone.vote(option=said).status_code == 200
    assert 'value="abstain" aria-pressed="true"' in phones[2].page()
    drive(assembly, Step.CLOSE)
    for page in (shown(hana, assembly), phones[0].page()):
        assert "Chosen: \u2068Ines\u2069" in page
        assert re.search("Abstentions.*?<b data-number>1</b>", page)
        assert "Who voted how" not in page
        assert "You voted" not in page


def test_versions_are_ranked_and_told_against_no_change(hana, assembly):
    phones = [Phone(assembly, name) for name in ("Ada", "Ben", "Cem")]
    call(assembly, 3)
    drive(assembly, Step.VOTE)
    assert "Rank at least one option, or abstain." in text(phones[0].vote())
    for phone in phones[:2]:
        assert "Thirty" in text(phone.vote(**{"rank-1": "1", "rank-0": "2"}))
    assert "Abstention" in text(phones[2].vote(option="abstain", **{"rank-0": "1"}))
    drive(assembly, Step.CLOSE)
    page = shown(hana, assembly)
    assert "Carried: \u2068Thirty\u2069" in page
    told = (
        "Best version by the Schulze method: B. 2 of 2 preferred it to “No change”; 2 were needed: at least two thirds"
    )
    assert told in page
    assert "Against no change" in page


def test_an_assembly_without_a_title_has_its_type_and_its_day(hana):
    hana.post("/live/new/", FORM | {"title": ""})
    (running,) = repository.running_of("Hana")
    assert running.title.startswith("Assembly, ")


def test_what_was_only_discussed_has_no_vote_to_void(hana, assembly):
    call(assembly, 0)
    drive(assembly, Step.CLOSE)
    for page in (shown(hana, assembly), shown(hana, assembly, "remote")):
        assert "Do not count it" not in page


def test_a_ranking_is_played_as_a_race(hana, assembly):
    phones = [Phone(assembly, name) for name in ("Ada", "Ben", "Cem", "Dan", "Eve")]
    call(assembly, 4)
    drive(assembly, Step.VOTE)
    ranked = ({"rank-0": "1"}, {"rank-0": "1"}, {"rank-1": "1"}, {"rank-2": "1", "rank-0": "2"})
    for phone, ranks in zip(phones, ranked, strict=False):
        phone.vote(**ranks)
    phones[4].vote(option="abstain")
    drive(assembly, Step.CLOSE)
    page = shown(hana, assembly)
    assert "Chosen: \u2068Sea\u2069" in page
    assert "1 abstention" in page
    assert "data-laps" in page


def test_what_is_no_vote_is_refused_in_a_sentence(assembly):
    phone = Phone(assembly, "Ada")
    call(assembly, 1)
    drive(assembly, Step.VOTE)
    for said in ({"option": "maybe"}, {"option": ["yes", "no"]}, {}):
        answer = phone.vote(**said)
        assert answer.status_code == 422
        assert "Vote yes or no, or abstain." in text(answer)
    assert "This question is not open" in text(phone.vote(7, option="yes"))
    assert not repository.read_votes(assembly.id, 1)


def test_a_tie_and_a_missing_quorum_are_said(hana, made):
    game = made(Type.ASSEMBLY, [Question("Who?", Kind.CHOICE, options=("Ines", "Jo"), seconds=0)], quorum="3")
    ada, ben = seated(game, "Ada", "Ben")
    for step in (Step.NEXT, Step.VOTE):
        drive(game, step)
    give(game, ada, "0")
    give(game, ben, "1")
    drive(game, Step.CLOSE)
    page = shown(hana, game)
    assert "Not valid: no quorum" in page
    assert "The quorum was not met." in page
    seated(game, "Cem")
    for step in (Step.REPEAT, Step.VOTE):
        drive(game, step)
    give(game, ada, "0")
    give(game, ben, "1")
    drive(game, Step.CLOSE)
    assert "No decision: tied between \u2068Ines\u2069 and \u2068Jo\u2069" in shown(hana, game)


def test_a_secret_vote_in_which_too_few_voted_tells_nothing(hana, assembly):
    ada, ben, _cem = seated(assembly, "Ada", "Ben", "Cem")
    call(assembly, 2)
    drive(assembly, Step.VOTE)
    give(assembly, ada, "0")
    give(assembly, ben, "1")
    drive(assembly, Step.CLOSE)
    page = shown(hana, assembly)
    assert "Not counted: too few voted for a secret vote" in page
    assert "result-bars" not in page
    assert "abstention" not in page


def test_what_does_not_hold_and_what_was_decided_in_the_end(hana, assembly):
    phone = Phone(assembly, "Ada")
    seated(assembly, "Ben", "Cem")
    call(assembly, 1)
    drive(assembly, Step.VOTE)
    phone.vote(option="yes")
    assert "This decision will no longer stand, and the minutes will say so." in shown(hana, assembly)
    drive(assembly, Step.VOID)
    for page in (shown(hana, assembly), phone.page(), shown(hana, assembly, "remote")):
        assert "This decision is void." in page
    drive(assembly, Step.REPEAT)
    drive(assembly, Step.VOTE)
    phone.vote(2, option="yes")
    drive(assembly, Step.END)
    for page in (shown(hana, assembly), phone.page()):
        assert re.search(r"The budget</b> <span[^>]*>Carried", page)
        assert "not called" in page
        assert reverse("minutes", args=[assembly.id]) in page


def test_what_was_taken_back_and_not_called_again_is_told_so(hana, assembly):
    call(assembly, 1)
    drive(assembly, Step.VOTE)
    drive(assembly, Step.VOID)
    assert "Withdrawn: does not count" in shown(hana, assembly, "agenda")
    drive(assembly, Step.END)
    page = shown(hana, assembly)
    assert re.search(r"The budget</b> <span[^>]*>Withdrawn: does not count", page)
    assert "not called" in page


def test_a_tie_of_many_is_told_in_a_number(hana, made):
    game = made(Type.ASSEMBLY, [Question("Who?", Kind.CHOICE, options=tuple("ABCDE"), seconds=0)])
    seated_ = seated(game, *("Ada", "Ben", "Cem", "Dot", "Eva"))
    for step in (Step.NEXT, Step.VOTE):
        drive(game, step)
    for place, seat in enumerate(seated_):
        give(game, seat, str(place))
    drive(game, Step.CLOSE)
    assert "No decision: 5 options are tied" in shown(hana, game)


# --- the report ---


def test_the_report_of_an_assembly_has_everything(hana, assembly):
    names = ("Ada", "Ben", "Cem")
    seats_ = seated(assembly, *names)
    said = {0: (), 1: ("yes", "yes", "no"), 2: ("0", "1", "abstain"), 3: ("0>1", "1", ""), 4: ("2", "2>0", "1")}
    for place, votes in said.items():
        call(assembly, place)
        if votes:
            drive(assembly, Step.VOTE)
        for seat, words in zip(seats_, votes, strict=False):
            give(assembly, seat, words)
        drive(assembly, Step.CLOSE)
    page = shown(hana, assembly, "game_report")
    assert all(each.title in page for each in AGENDA)
    assert "Carried" in page
    rows = list(csv.DictReader(io.StringIO(hana.get(at(assembly, "game_report_csv")).getvalue().decode("utf-8-sig"))))
    of = {number: [row for row in rows if row["round"] == str(number)] for number in range(1, 6)}
    votes = {row["player"]: row["answer"] for row in of[2] if row["row"] == "vote"}
    assert votes == {"Ada": "Yes", "Ben": "Yes", "Cem": "No"}
    assert not [row for row in of[3] if row["row"] == "vote"]
    assert sorted(row["answer"] for row in of[3] if row["row"] == "ballot") == ["Abstention", "Ines", "Jo"]
    for number in range(1, 6):
        assert [row["player"] for row in of[number] if row["row"] == "present"] == ["Ada", "Ben", "Cem"]
    told = json.loads(hana.get(at(assembly, "game_report_json")).getvalue())
    assert told["session"]["quorum"] == "1/4"
    assert told["rounds"][1]["result"]["present"] == ["ada", "ben", "cem"]
    assert told["players"] == [{"player": name.lower(), "name": name} for name in names]
    assert all("player" not in entry for entry in told["rounds"][2]["entries"])


def test_the_report_names_a_round_that_is_talked_about_as_open(hana, assembly):
    drive(assembly, Step.NEXT)
    assert "voided before" not in shown(hana, assembly, "game_report")
    assert repository.read_state(assembly.id).phase == Phase.SHOWN
