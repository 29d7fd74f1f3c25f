"""Every kind of ballot through the pages of voters and organisers, without scripts."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from accounts import repository as people
from accounts.rules import Role
from ballots import personal_data, rehearsal, repository
from elections import actions
from elections import kinds as elections_kinds
from elections import repository as elections
from elections.candidates import add_candidates, edit_candidate, remove_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.opening_rules import check_opening
from elections.rules import Action, NotReady, WrongState
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import MAX_POINTS
from tests.background import finish_background

from .test_pages import PAGE, code_of, fields_of, receipt_of, text_of, words_of

SETTINGS = {
    "yes-no": {"kind": "yes-no", "method": "majority", "majority": "2/3 cast"},
    "choose": {"kind": "choose", "method": "most-votes", "fewest": 1, "most": 2},
    "one": {"kind": "choose", "method": "most-votes", "most": 1},
    "approval": {"kind": "approval", "method": "approval"},
    "score": {"kind": "score", "method": "star"},
    "points": {"kind": "points", "method": "cumulative", "most": 10},
}
# what a form sends, the text that is stored, and what the ballot then says
SENT = {
    "yes-no": ({"rank_choice": "1"}, "1", "✓ No"),
    "choose": ({"rank_2": "1", "rank_0": "1"}, "0=2", "✓ Ada : chosen ✓ Cy"),
    "one": ({"rank_choice": "2"}, "2", "✓ Cy"),
    "approval": ({"rank_0": "1", "rank_1": "1", "rank_2": "1"}, "0=1=2", "✓ Bo"),
    "score": ({"rank_0": "5", "rank_1": "0", "rank_2": "5"}, "0=2@5", "5 Cy : score 5 No score Counts as 0. Bo"),
    "points": ({"rank_0": "1", "rank_1": "9"}, "1@9>0@1", "9 Bo : 9 points 1 Ada : 1 point No points Cy"),
}
CHANGED = {
    "yes-no": ({"rank_choice": "2"}, "2"),
    "choose": ({"rank_1": "1"}, "1"),
    "one": ({"rank_choice": "0"}, "0"),
    "approval": ({"rank_1": "1"}, "1"),
    "score": ({"rank_1": "4"}, "1@4"),
    "points": ({"rank_2": "10"}, "2@10"),
}
REFUSED = [
    ("yes-no", {}, "Please choose one"),
    ("yes-no", {"rank-0": "1", "rank-1": "1"}, "Please choose one"),
    ("choose", {"rank-0": "1", "rank-1": "1", "rank-2": "1"}, "You chose 3, but you may choose at most 2."),
    ("choose", {}, "You chose 0. Please choose at least 1."),
    ("one", {"rank-choice": ["0", "1"]}, "You chose 2, but you may choose only 1."),
    ("approval", {"rank-0": "2"}, "What you give Ada must be a whole number from 0 to 1."),
    ("approval", {"rank-7": "1"}, "somebody who is not a candidate"),
    ("approval", {"rank-choice": "<b>"}, "somebody who is not a candidate"),
    ("score", {"rank-0": "6"}, "What you give Ada must be a whole number from 0 to 5."),
    ("score", {"rank-0": ["1", "2"]}, "Ada is marked twice."),
    ("points", {"rank-0": "8", "rank-1": "5"}, "You gave 13 points, but you have only 10. Take 3 away."),
    ("points", {"rank-0": "-1"}, "What you give Ada must be a whole number from 0 to 10."),
    ("points", {"rank-0": "9" * 30}, "What you give Ada must be a whole number from 0 to 10."),
]


@pytest.fixture
def eve(opened, signed_in):
    """Makes an election of a kind in which Eve may vote, and signs her in."""

    def make(kind: str, **more):
        opened("Eve", "Bob", **SETTINGS[kind], **more)
        return signed_in("Eve", Role.VOTER)

    return make


def vote(client, **marks: str):
    """From the ballot through the review to the thanks, with only these boxes marked."""
    hidden = {name: value for name, value in fields_of(client.get(PAGE), PAGE).items() if not name.startswith("rank-")}
    marks = {"rank-choice": "", **{name.replace("_", "-"): value for name, value in marks.items()}}
    review = client.post(PAGE, hidden | marks, follow=True)
    assert review.status_code == 200, text_of(review)
    return client.post(f"{PAGE}cast/", fields_of(review, f"{PAGE}cast/"), follow=True)


def checked(answer) -> int:
    return len(re.findall(r'name="rank-[^>]* checked', answer.text))


def the_ballot() -> str:
    (ballot,) = repository.every_ballot("Board")
    return ballot.rankings


@pytest.mark.parametrize("kind", SENT)
def test_voting_changing_with_the_words_and_withdrawing(eve, client, kind):
    form, stored, shown = SENT[kind]
    voter = eve(kind)
    thanks = vote(voter, **form)
    assert the_ballot() == stored
    assert shown in text_of(receipt_of(thanks))
    words = {"words": " ".join(words_of(thanks))}
    opened = client.post("/election/Board/change/", words, follow=True)
    before = fields_of(opened, "/election/Board/change/ballot/")
    assert checked(opened) or kind == "points"
    changed, stored = CHANGED[kind]
    plain = {name: value for name, value in before.items() if not name.startswith("rank-")}
    new = plain | {name.replace("_", "-"): value for name, value in changed.items()}
    review = client.post("/election/Board/change/ballot/", new, follow=True)
    client.post("/election/Board/change/cast/", fields_of(review, "/election/Board/change/cast/"))
    assert the_ballot() == stored
    client.post("/election/Board/change/", words)
    client.post("/election/Board/change/withdraw/", {"token": "t" * 20})
    assert list(repository.every_ballot("Board")) == []


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", SENT)
def test_a_public_ballot_is_shown_again_and_exported(eve, kind):
    form, stored, shown = SENT[kind]
    voter = eve(kind, secret_ballot=False)
    vote(voter, **form)
    assert shown in text_of(voter.get(f"{PAGE}receipt/"))
    assert checked(voter.get(PAGE)) == (0 if kind == "points" else len(stored.partition("@")[0].split("=")))
    (exported,) = personal_data.export_ballots(people.find("Eve"))
    assert exported["kind"] == SETTINGS[kind]["kind"]
    assert list(exported["marks"].values()) == (
        [9, 1] if kind == "points" else [5, 5] if kind == "score" else [1] * len(stored.split("="))
    )


@pytest.mark.parametrize(("kind", "form", "sentence"), REFUSED)
def test_a_bad_ballot_is_refused_in_a_sentence_and_stays_as_typed(eve, kind, form, sentence):
    voter = eve(kind)
    answer = voter.post(PAGE, form)
    assert answer.status_code == 422
    assert sentence in unescape(text_of(answer))
    assert "Your marks are still here." in text_of(answer)
    if kind == "points" and len(form) > 1:
        assert 'value="8"' in answer.text
    cast = voter.post(f"{PAGE}cast/", form | {"token": "t" * 20})
    assert cast.status_code == 422
    assert list(repository.every_ballot("Board")) == []


@pytest.mark.parametrize("kind", ["one", "approval", "score", "points"])
def test_a_blank_ballot_counts_towards_the_turnout(eve, kind):
    voter = eve(kind)
    assert "This ballot is blank." in text_of(voter.post(PAGE, {"rank-choice": ""}, follow=True))
    vote(voter, rank_choice="")
    assert the_ballot() == ""


@pytest.mark.parametrize("kind", SENT)
def test_the_ballot_explains_itself_before_it_is_sent(eve, kind):
    page = text_of(eve(kind).get(PAGE))
    expected = {
        "yes-no": "Carried by at least two thirds of the votes cast. Abstentions count neither for nor against.",
        "choose": "Choose up to 2. Everyone you choose gets one vote. A ballot with more than 2 is not accepted.",
        "one": "Choose one.",
        "approval": "There is no limit.",
        "score": "No score counts as 0.",
        "points": "You have 10 points: give them to one candidate, or spread them.",
    }
    assert expected[kind] in page
    assert ("A blank ballot is not accepted." in page) == (kind == "choose")


@pytest.mark.parametrize("kind", SENT)
def test_paper_ballots_of_every_kind(opened, signed_in, kind):
    opened("Eve", **SETTINGS[kind], paper_ballots=True)
    owner = signed_in("the organiser")
    form, stored, shown = SENT[kind]
    marks = {name.replace("_", "-"): value for name, value in form.items()}
    review = owner.post("/election/Board/paper/", {"voter": "Eve", **marks})
    assert shown in text_of(review)
    entered = owner.post("/election/Board/paper/enter/", fields_of(review, "/election/Board/paper/enter/"))
    assert code_of(entered)
    assert the_ballot() == stored


@pytest.mark.few(2)
@pytest.mark.parametrize("kind", SENT)
def test_robots_rehearse_every_kind(person, kind):
    owner = person("the organiser")
    draft = drafts.create(owner, "Board", **SETTINGS[kind])
    if kind != "yes-no":
        add_candidates(owner, draft, [Candidate(name) for name in ("Ada", "Bo", "Cy", "Di")])
    report = rehearsal.rehearse(owner, elections.find("Board"))
    assert report.flaw is None
    (counted,) = report.counts
    assert counted.result.total == counted.ballots > 0


# --- a yes-or-no vote has no candidates to enter ---


def test_the_answers_come_with_the_draft_go_with_the_kind_and_cannot_be_changed(person):
    owner = person("the organiser")
    draft = drafts.create(owner, "Board", **SETTINGS["yes-no"])
    assert [
        (each.number, each.name) for each in sorted(elections.candidates("Board"), key=lambda each: each.number)
    ] == [
        (0, "Yes"),
        (1, "No"),
        (2, "Abstain"),
    ]
    for act in (
        lambda: add_candidates(owner, draft, [Candidate("Maybe")]),
        lambda: edit_candidate(owner, draft, Candidate("Yes", "Please")),
        lambda: remove_candidates(owner, draft, "No"),
    ):
        with pytest.raises(WrongState, match="has no candidates"):
            act()
    ranked = actions.change(owner, draft, Action.SET_UP, kind="ranked", method="schulze", majority="")
    assert elections.candidates("Board") == []
    add_candidates(owner, ranked, [Candidate("Ada")])
    with pytest.raises(WrongState, match="Remove them first"):
        actions.change(owner, elections.find("Board"), Action.SET_UP, **SETTINGS["yes-no"])
    renamed = drafts.rename(owner, drafts.create(owner, "Rules", **SETTINGS["yes-no"]), "Statutes")
    assert len(elections.candidates("Statutes")) == 3
    copied = copying.copy(owner, renamed, "Statutes again")
    assert (copied.kind, copied.majority) == ("yes-no", "2/3 cast")
    assert len(elections.candidates("Statutes again")) == 3


@pytest.mark.parametrize("kind", SENT)
def test_a_copy_has_the_same_kind_of_ballot(opened, person, kind):
    opened("Eve", **SETTINGS[kind])
    board = elections.find("Board")
    copied = copying.copy(person("the organiser"), board, "Board again")
    finish_background()
    for name in elections_kinds.SETTINGS:
        assert getattr(copied, name) == getattr(board, name), name
    names = {each.name for each in elections.candidates("Board")}
    assert {each.name for each in elections.candidates("Board again")} == names


def test_the_answers_are_in_the_readers_language(eve):
    voter = eve("yes-no")
    page = voter.get(PAGE, headers={"Accept-Language": "de"}).text
    assert page.index('value="0"') < page.index('value="1"') < page.index('value="2"'), "never shuffled"
    assert page.count("rank-choice") == 4


def test_nothing_opens_that_cannot_be_filled_in(person):
    owner = person("the organiser")
    choose = replace(drafts.create(owner, "Board", **SETTINGS["choose"]), most=4, voter_count=1)
    with pytest.raises(NotReady, match="as many candidates as a voter may choose"):
        check_opening(choose, {1: 3}, "2027-01-01T00:00:00.000Z")
    check_opening(choose, {1: 4}, "2027-01-01T00:00:00.000Z")
    everyone = replace(choose, kind="yes-no", majority="1/2 entitled", electorate="everyone")
    with pytest.raises(NotReady, match="a list of voters"):
        check_opening(everyone, {1: 3}, "2027-01-01T00:00:00.000Z")


# --- pages of organisers ---


def test_the_guided_setup_of_a_proposal_skips_the_candidates(signed_in):
    owner = signed_in("the organiser")
    form = {"beginning": "proposal", "name": "Rules", "token": "t" * 32, "kind": "ranked"}
    assert owner.post("/elections/new/", form)["Location"] == "/election/Rules/steps/who/"
    made = elections.find("Rules")
    assert (made.kind, made.method, made.majority) == ("yes-no", "majority", "1/2 cast")
    assert "On the ballot" not in text_of(owner.get("/election/Rules/steps/who/"))
    how = {"kind": "yes-no", "majority_share": "other", "majority_own": "6/10", "majority_of": "entitled"}
    owner.post("/election/Rules/steps/how/", how)
    assert elections.find("Rules").majority == "3/5 entitled"
    for page in ("", "dashboard/", "steps/how/", "settings/", "candidates/", "open/"):
        assert owner.get(f"/election/Rules/{page}").status_code == 200
    assert "at least 3/5 of everyone on the roll" in text_of(owner.get("/election/Rules/"))
    opening = text_of(owner.get("/election/Rules/open/"))
    assert "Candidates" not in opening
    wrong = owner.post("/election/Rules/steps/how/", how | {"majority_own": "1/3"})
    assert wrong.status_code == 422
    assert "from 1/2 to 1/1" in text_of(wrong)
    owner.post("/election/Rules/steps/how/", how | {"majority_own": "100%", "majority_of": "cast"})
    assert elections.find("Rules").majority == "1/1 cast"
    assert "Carried by 100% of the votes cast." in text_of(owner.get("/election/Rules/"))


@pytest.mark.parametrize(
    ("kind", "typed", "kept"),
    [
        ("choose", {"seats": "3"}, ("most-votes", 3, 0, 3)),
        ("choose", {"seats": "2", "fewest": "1", "most": "4"}, ("most-votes", 2, 1, 4)),
        ("approval", {"seats": "2", "most": "9"}, ("approval", 2, 0, 0)),
        ("score", {"seats": "1", "scoring": "score"}, ("score", 1, 0, 0)),
        ("points", {"seats": "1"}, ("cumulative", 1, 0, 10)),
        ("ranked", {"seats": "5", "method": "irv", "most": "9"}, ("irv", 1, 0, 0)),
    ],
)
def test_a_kind_keeps_only_its_own_settings(signed_in, person, kind, typed, kept):
    owner = signed_in("the organiser")
    drafts.create(people.find("the organiser"), "Board")
    form = {"kind": kind, "method": "stv-meek", "unranked": "below", **typed}
    assert owner.post("/election/Board/steps/how/", form).status_code == 302
    made = elections.find("Board")
    assert (made.method, made.seats, made.fewest, made.most) == kept


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"kind": "choose", "seats": "1", "fewest": "3", "most": "2"}, "more than voters may choose"),
        ({"kind": "points", "seats": "1", "most": str(MAX_POINTS + 1)}, f"at most {MAX_POINTS} points"),
        ({"kind": "raffle", "seats": "1"}, "Select a valid choice"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(signed_in, form, sentence):
    owner = signed_in("the organiser")
    drafts.create(people.find("the organiser"), "Board")
    answer = owner.post("/election/Board/steps/how/", {"method": "schulze", "unranked": "below", **form})
    assert answer.status_code == 422
    assert sentence in text_of(answer)
