"""Voter groups on a roll: how people get into them, which questions are for them, and what small ones would reveal."""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.rules import Role
from ballots import services as voting
from elections import actions, repository, rolls, voter_lists
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.drafts.forms import SettingsForm
from elections.groups import services as saved_groups
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll import services
from elections.roll.services import add_voters
from elections.rules import MAX_VOTER_GROUPS, Action, NotReady, State, WrongState
from elections.turnout.counts import GroupTurnout, group_turnouts, large_groups
from elections.voter_lists import Details, clean_groups, read_voters
from foundation.acts.refusals import LostRace
from foundation.acts.storage import log, table
from foundation.pages.lists import Verdict
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from operations.upkeep import replay
from parts.roll_sources import sources
from tests.at_once import at_once
from tests.background import finish_background, queue_mailings

STAFF, BOARD = ("ann@example.org", "ben@example.org", "cat@example.org"), ("cat@example.org", "dan@example.org")
EVERYBODY = (*STAFF, "dan@example.org", "eva@example.org")


def assert_replays():
    """The log makes what there is."""
    assert replay.check(table(), replay.quietly).first == ()


def known(**groups):
    return {f"{name}@example.org": Details(groups=tuple(own)) for name, own in groups.items()}


GROUPS = known(ann=["Staff"], ben=["Staff"], cat=["Staff", "Board"], dan=["Board"], eva=[])


@pytest.fixture
def board(ada):
    election = drafts.create(ada, "Board", secret_ballot=False)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, EVERYBODY, GROUPS)
    return repository.find("Board")


def on(name="Board"):
    return {voter.name.partition("@")[0]: voter.groups for voter in rolls.every_voter(name)}


# --- onto the roll ---


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("email,group\nann@example.org,Staff\n", ("Staff",)),
        ("email,Groups\nann@example.org,Staff; Board |STAFF\n", ("STAFF", "Board")),
        ("E-Mail;Gruppe\nann@example.org;Staff|Vorstand\n", ("Staff", "Vorstand")),
        ("voter,group,group\nann@example.org,Staff,Board\n", ("Staff", "Board")),
        ("voter,group\nann@example.org,\n", ()),
        ("voter\nann@example.org\n", None),
        ("ann@example.org,Staff\n", None),
    ],
)
def test_a_column_of_a_list_says_who_is_in_which_groups(text, groups):
    (row,) = read_voters(text.encode())
    assert (row.value, row.verdict, row.groups) == ("ann@example.org", Verdict.NEW, groups)


def test_a_group_has_a_short_name_that_can_be_read():
    (row,) = read_voters(f"voter,group\nann@example.org,{'x' * 61}\n".encode())
    assert (row.verdict, row.value) == (Verdict.INVALID, None)
    assert "at most 60 characters" in row.reason
    (row,) = read_voters("voter,group\nann@example.org,a\u202eb\n".encode())
    assert row.verdict == Verdict.INVALID
    assert clean_groups(voter_lists.group_named(f"One; two | {'x' * 100}")) == (f"One, two, {'x' * 50}",)


def test_groups_are_on_the_roll_in_the_log_in_the_export_and_in_a_copy(ada, board):
    assert on() == {"ann": ("Staff",), "ben": ("Staff",), "cat": ("Staff", "Board"), "dan": ("Board",), "eva": ()}
    assert board.voter_groups == ("Staff", "Board")
    added = [each["event_data"] for each in log().since(0) if each["event_type"] == "VotersAdded"]
    assert added[-1]["groups"] == [["Staff"], ["Staff"], ["Staff", "Board"], ["Board"], []]
    copying.copy(ada, board, "Again")
    finish_background()
    assert on("Again") == on()
    assert repository.find("Again").voter_groups == ("Staff", "Board")
    drafts.rename(ada, repository.find("Again"), "Another")
    finish_background()
    assert on("Another") == on()
    assert_replays()


def test_a_column_is_complete_and_a_field_adds(ada, board):
    rows = read_voters(b"voter,group\nann@example.org,board\nben@example.org,staff\nnew@example.org,Guests\n")
    assert [row.verdict for row in services.compare(board, rows)] == [Verdict.CHANGED, Verdict.THERE, Verdict.NEW]
    heavier = services.compare(board, [replace(row, weight=2) for row in rows])
    changes = [row.reason.partition("; ")[2] for row in heavier[:2]]
    assert changes == ["the voter groups and the weight change.", "the weight changes."]
    assert add_voters(ada, board, [row.value for row in rows], voter_lists.details_of(rows)) == 1
    assert (on()["ann"], on()["ben"], on()["new"]) == (("Board",), ("Staff",), ("Guests",))
    add_voters(ada, repository.find("Board"), ["eva@example.org"], {"eva@example.org": Details().also_in(("Staff",))})
    add_voters(ada, repository.find("Board"), ["dan@example.org"], {"dan@example.org": Details().also_in(("staff",))})
    assert (on()["eva"], on()["dan"]) == (("Staff",), ("Staff", "Board"))
    assert repository.find("Board").voter_groups == ("Staff", "Board", "Guests")
    assert repository.find("Board").voter_count == 6
    assert_replays()


def test_there_are_so_many_groups_and_no_more(ada, board):
    some = [f"Group {number}" for number in range(MAX_VOTER_GROUPS)]
    with pytest.raises(WrongState, match="at most 20 different voter groups; these are in 22"):
        add_voters(ada, board, ["new@example.org"], {"new@example.org": Details(groups=tuple(some))})
    assert "new" not in on()


def test_once_it_is_open_groups_stay_and_new_voters_have_theirs(ada, board):
    lifecycle.open_(ada, board, editable=False)
    election = repository.find("Board")
    add_voters(ada, election, ["ann@example.org", "fay@example.org"], known(ann=["Board"], fay=["Staff"]))
    assert (on()["ann"], on()["fay"]) == (("Staff",), ("Staff",))
    ann = rolls.on_roll(board, ["ann@example.org"])
    with pytest.raises(LostRace):  # the draft was read before it opened
        services._change_listed(ada, board, ann, {}, {"ann@example.org": ["Board"]})


def test_a_source_says_who_is_in_which_groups(ada, board):
    rows = read_voters(b"voter,group\nann@example.org,Board\nben@example.org,Staff\ncat@example.org,Staff\n")
    found = sources.compare(board, rows)
    assert (found.added, found.changed, sorted(found.removed), found.unchanged) == (
        [],
        ["ann@example.org", "cat@example.org"],
        ["dan@example.org", "eva@example.org"],
        3,
    )
    assert found.digest != sources.compare(board, read_voters(b"voter\nann@example.org\nben@example.org\n")).digest
    sources.follow(ada, board, found)
    assert on() == {"ann": ("Board",), "ben": ("Staff",), "cat": ("Staff",)}


def test_a_saved_group_becomes_a_voter_group_if_wanted(ada, board):
    club = saved_groups.make(ada, "Friends; of | ours")
    saved_groups.add(ada, club.id, ["ann@example.org", "new@example.org"])
    saved_groups.put_on_roll(ada, board, club.id)
    finish_background()
    assert on()["new"] == ()
    saved_groups.put_on_roll(ada, repository.find("Board"), club.id, as_group=True)
    finish_background()
    assert (on()["ann"], on()["new"]) == (("Staff", "Friends, of, ours"), ("Friends, of, ours",))


# --- for whom a question is ---


def only_for(ada, *groups, name="Board", **settings):
    return actions.change(ada, repository.find(name), Action.SET_UP, for_groups=groups, **settings)


def test_an_election_for_some_groups_counts_those_who_may_vote(ada, board):
    only_for(ada, "Staff")
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    opened = repository.find("Board")
    assert (opened.voter_count, opened.excluded, opened.entitled) == (5, 2, 3)
    add_voters(ada, opened, ["fay@example.org", "gus@example.org"], known(fay=["staff"], gus=["Board"]))
    assert (repository.find("Board").voter_count, repository.find("Board").entitled) == (7, 4)
    assert_replays()


def test_who_leaves_is_counted_no_more(ada, board, person):
    gil, hal = person("Gil"), person("Hal")
    add_voters(ada, board, ["Gil", "Hal"], {"Gil": Details(groups=("Staff",)), "Hal": Details(groups=("Board",))})
    only_for(ada, "Staff")
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    assert (repository.find("Board").voter_count, repository.find("Board").entitled) == (7, 4)
    for gone in (gil, hal):
        voting.remove_ballots_of(gone)
    assert (repository.find("Board").voter_count, repository.find("Board").entitled) == (5, 3)
    assert_replays()


@pytest.mark.parametrize(
    ("groups", "changes", "missing"),
    [
        (("Board",), {"secret_ballot": True}, "at least three voters in the groups it is for"),
        (("Nobody",), {}, "at least one voter in the groups it is for"),
        (("Staff",), {"electorate": "everyone"}, "a list of voters, as it is for some groups"),
    ],
)
def test_what_keeps_an_election_for_some_groups_from_opening(ada, board, groups, changes, missing):
    only_for(ada, *groups, **changes)
    with pytest.raises(NotReady, match=missing):
        lifecycle.open_(ada, repository.find("Board"), editable=False)


@pytest.mark.parametrize(("groups", "secret"), [(("Staff",), True), (("Board",), False), (("board", "staff"), True)])
def test_what_does_not(ada, board, groups, secret):
    only_for(ada, *groups, secret_ballot=secret)
    assert lifecycle.open_(ada, repository.find("Board"), editable=False).stored_state == State.OPEN


def test_voters_who_come_while_it_opens_are_counted(ada, board):
    """One who is added at the same moment is on the roll, and counted, or refused."""
    only_for(ada, "Staff")
    election = repository.find("Board")
    added = known(new=["Board"])
    at_once(
        lambda: lifecycle.open_(ada, election, editable=False),
        lambda: add_voters(ada, election, ["new@example.org"], added),
    )
    after = repository.find("Board")
    if after.stored_state == State.OPEN:
        assert after.entitled == sum("Staff" in groups for groups in on().values())
    assert_replays()


# --- several questions ---


@pytest.fixture
def spring(ada):
    """Three questions: for the board, for everybody, and for the staff."""
    election = drafts.create(ada, "Spring", secret_ballot=False)
    add_voters(ada, election, EVERYBODY, GROUPS)
    asked = {"for_groups": ("Board",)}
    election = actions.change(ada, repository.find("Spring"), Action.SET_UP, **asked)
    election = drafts.add_question(ada, election, "Colour", first_title="Chair")
    drafts.add_question(ada, election, "Canteen", for_groups=("Staff",))
    for question in repository.find("Spring").questions:
        add_candidates(ada, question, [Candidate("Bo"), Candidate("Cy")])
    return repository.find("Spring")


def entitled():
    return [each.entitled for each in repository.find("Spring").questions]


def test_of_each_question_it_is_counted_whom_it_is_for(ada, spring):
    lifecycle.open_(ada, spring)
    assert entitled() == [2, 5, 3]
    add_voters(ada, repository.find("Spring"), ["fay@example.org"], known(fay=["Staff"]))
    add_voters(ada, repository.find("Spring"), ["gus@example.org"])
    assert entitled() == [2, 7, 4]
    services.remove_voters(ada, repository.find("Spring"), ["dan@example.org"])  # as when an account is deleted
    assert entitled() == [1, 6, 4]
    assert_replays()


def test_a_question_for_too_few_keeps_the_election_from_opening(ada, spring):
    actions.change(ada, spring, Action.SET_UP, secret_ballot=True)
    with pytest.raises(NotReady, match=r"at least three voters in the groups it is for, .* for “Chair”"):
        lifecycle.open_(ada, repository.find("Spring"))


def mails_to(address):
    found = [item for item in table().each(keys.mails_waiting(1)[0]) if item["to"] == address]
    return [(each["kind"], each["about"].get("asked", "")) for each in found]


def test_mails_ask_voters_their_own_questions_and_remind_those_who_have_not_voted(ada, spring, person):
    actions.change(ada, spring.at(2), Action.SET_UP, for_groups=("Staff",))  # nothing is left for Eva
    lifecycle.open_(ada, repository.find("Spring"))
    assert repository.find("Spring").electors == 4
    mailing.invite(ada, repository.find("Spring"))
    queue_mailings()
    asked = {name: mails_to(f"{name}@example.org") for name in ("ann", "cat", "dan", "eva")}
    assert asked["ann"] == [("vote_invitation", "Colour\nCanteen")]
    assert asked["cat"] == [("vote_invitation", "")]
    assert asked["dan"] == [("vote_invitation", "Chair")]
    assert asked["eva"] == []
    voting.cast(person("ann", Role.VOTER, "ann@example.org"), "Spring", {"2:0": ["1"]}, "ann")
    mailing.remind(ada, repository.find("Spring"))
    queue_mailings()
    every = {name: dict(mails_to(f"{name}@example.org")) for name in ("ann", "ben", "cat", "dan", "eva")}
    assert {name for name, mails in every.items() if "vote_reminder" in mails} == {"ben", "cat", "dan"}
    with pytest.raises(WrongState, match="none of the groups"):
        mailing.resend_invitation(ada, repository.find("Spring"), "eva@example.org")


# --- turnout ---


def test_the_turnout_of_groups_that_are_large_enough(ada, board, person):
    many = [f"{number}@example.org" for number in range(6)]
    add_voters(ada, board, many, dict.fromkeys(many, Details(groups=("Guests",))))
    only_for(ada, "Guests")
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    voting.cast(person("Gus", Role.VOTER, "1@example.org"), "Board", {"0": ["1"]}, "form")
    election = repository.find("Board")
    assert group_turnouts(election, 1) == [GroupTurnout("Guests", 6, 1)]
    assert group_turnouts(repository.find("Board"), 1)[0].percent == 17


def test_what_remains_after_subtracting_groups_that_are_shown_is_not_a_small_one(ada, board, person, client):
    many = [f"{number}@example.org" for number in range(6)]
    add_voters(ada, board, many, dict.fromkeys(many, Details(groups=("Guests",))))
    more = [f"more{number}@example.org" for number in range(7)]
    add_voters(ada, repository.find("Board"), more, dict.fromkeys(more, Details(groups=("Members",))))
    only_for(ada, "Guests", "Staff", "Members")
    actions.change(ada, repository.find("Board"), Action.SET_UP, results_public=True)
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    voting.cast(person("Gus", Role.VOTER, "1@example.org"), "Board", {"0": ["1"]}, "form")
    voting.cast(person("Mia", Role.VOTER, "more1@example.org"), "Board", {"0": ["1"]}, "other form")
    assert group_turnouts(repository.find("Board"), 2) == [GroupTurnout("Members", 7, 1)], "else Staff is the rest"
    assert "Guests</th>" not in client.get("/election/Board/dashboard/").content.decode()
    closing.close(ada, repository.find("Board"))
    for page in ("/election/Board/results/", "/election/Board/results/export/report.txt", "/api/v1/results/Board"):
        answer = client.get(page)
        assert answer.status_code == 200, page
        text = answer.content.decode() if not answer.streaming else b"".join(answer.streaming_content).decode()
        told = re.findall(r"(Members|Guests|Staff)(?:</bdi>)?(?:: [0-9]|\",\"voters)", text)
        assert set(told) == {"Members"}, page


def test_no_more_groups_are_left_out_than_it_takes():
    """If one owner had no garage, their turnout would be that of the owners less that of the garages."""
    sizes = {frozenset(["Owners", "Garages"]): 50, frozenset(["Owners"]): 1, frozenset(["Tenants"]): 60}
    assert large_groups(sizes) == {"Owners": 51, "Tenants": 60}


def test_from_the_groups_that_are_shown_and_the_total_no_turnout_of_fewer_than_five_follows():
    chance = Random(7)
    shown_at_all = 0
    for _ in range(300):
        names = "ABCD"[: chance.randint(1, 4)]
        every = [frozenset(name for name in names if chance.random() < 0.5) for _ in range(chance.randint(1, 5))]
        sizes = Counter({groups: chance.randint(1, 12) for groups in every})
        large = large_groups(sizes)
        shown_at_all += bool(large)
        parts = list(sizes)
        sums = [[1] * len(parts), *([int(name in groups) for groups in parts] for name in large)]
        for chosen in product((0, 1), repeat=len(parts)):
            people = sum(sizes[groups] for groups, is_in in zip(parts, chosen, strict=True) if is_in)
            if 0 < people < min(5, sizes.total()):
                assert rank([*sums, list(chosen)]) > rank(sums), (sizes, large, chosen)
    assert shown_at_all > 100


def rank(rows):
    """Of a matrix: how many of these sums tell something new."""
    left, found = [list(map(Fraction, row)) for row in rows], 0
    for column in range(len(rows[0])):
        left.sort(key=lambda row: not row[column])
        if left and left[0][column]:
            (first, *left), found = left, found + 1
            left = [[a - b * row[column] / first[column] for a, b in zip(row, first, strict=True)] for row in left]
    return found


# --- pages ---


@pytest.fixture
def client(ada, signed_in):
    return signed_in(ada)


def shown(answer):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html.unescape(answer.content.decode())))


def test_the_roll_page_adds_voters_to_groups_and_shows_them(board, client):
    sent = {"voters": "eva@example.org\nfay@example.org", "groups": "staff; Guests"}
    text = shown(client.post("/election/Board/roll/", sent, follow=True))
    assert "1 voter added. 1 was already on the roll. Their voter groups and weights are saved." in text
    assert (on()["eva"], on()["fay"]) == (("Staff", "Guests"), ("Staff", "Guests"))
    assert "Staff 5" in text
    assert "Choose who may vote" in text
    refused = client.post("/election/Board/roll/", {"voters": "gus@example.org", "groups": "x" * 61})
    assert refused.status_code == 422
    assert "at most 60 characters" in shown(refused)
    many = "; ".join(f"Group {number}" for number in range(MAX_VOTER_GROUPS))
    assert client.post("/election/Board/roll/", {"voters": "gus@example.org", "groups": many}).status_code == 422
    assert "gus" not in on()


def test_an_imported_list_changes_groups_and_the_export_can_be_imported(board, client):
    file = SimpleUploadedFile("roll.csv", b"email,group\nann@example.org,Board\nfay@example.org,Guests|Board\n")
    preview = client.post("/election/Board/roll/import/", {"file": file})
    text = shown(preview)
    assert "1 new · 1 to be changed" in text
    sent = {
        name: html.unescape(value)
        for name, value in re.findall(r'name="(voters|skipped|groups)" value="([^"]*)"', preview.content.decode())
    }
    text = shown(client.post("/election/Board/roll/import/", sent, follow=True))
    assert "Their voter groups and weights are saved." in text
    assert (on()["ann"], on()["fay"]) == (("Board",), ("Board", "Guests"))
    exported = b"".join(client.get("/election/Board/roll/roll.csv").streaming_content)
    assert {row.value.partition("@")[0]: row.groups for row in read_voters(exported)} == on()


def test_the_settings_offer_the_groups_of_the_roll(ada, board, client):
    page = client.get("/election/Board/settings/").content.decode()
    assert 'name="for_groups" value="Staff"' in page
    initial = SettingsForm.initial_of(board, "")
    sent = {name: value for name, value in initial.items() if value not in (None, False, ())}
    assert client.post("/election/Board/settings/", sent | {"for_groups": ["Nobody"]}).status_code == 422
    assert client.post("/election/Board/settings/", sent | {"for_groups": ["Staff"]}).status_code == 302
    assert repository.find("Board").for_groups == ("Staff",)
    assert "voters in: Staff" in shown(client.get("/election/Board/dashboard/"))
    drafts.create(ada, "Plain")
    assert "for_groups" not in client.get("/election/Plain/settings/").content.decode()


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        (("Staff",), "3 people may vote on “Board”. If 2 of them say how they voted, everybody knows"),
        (("Board",), "“Board” cannot open: 2 people may vote on it."),
    ],
)
def test_the_organiser_sees_what_small_groups_would_reveal(ada, board, client, groups, sentence):
    only_for(ada, *groups, secret_ballot=True)
    for page in ("dashboard", "open"):
        text = shown(client.get(f"/election/Board/{page}/"))
        assert sentence in text
        assert "people on the roll are in none of the groups that may vote" in text
    step = "Open the election" if groups == ("Staff",) else "Add voters"
    assert step in shown(client.get("/election/Board/dashboard/"))
    client.post("/election/Board/open/", {})
    assert (repository.find("Board").stored_state == State.OPEN) == (groups == ("Staff",))


def test_while_it_is_open_the_dashboard_says_if_too_few_are_left(ada, board, client, person):
    add_voters(ada, board, ["Ada"], {"Ada": Details(groups=("Board",))})
    only_for(ada, "Board", secret_ballot=True)
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    services.remove_voters(ada, repository.find("Board"), ["dan@example.org"])  # as when an account is deleted
    assert "Only 2 people may still vote on “Board”" in shown(client.get("/election/Board/dashboard/"))


def test_questions_are_for_the_groups_that_are_chosen(ada, spring, client):
    page = client.get("/election/Spring/steps/candidates/").content.decode()
    assert page.count('value="Board"') == 3
    text = shown(client.get("/election/Spring/open/"))
    assert "only for: Board (2 voters)" in text
    assert "only for: Staff (3 voters)" in text
    turnouts = shown(client.get("/election/Spring/roll/"))
    assert "Chair: Board" in turnouts
