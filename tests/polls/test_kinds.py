"""Polls that ask to choose, to approve or to score: made, voted in, counted as votes come in, sealed and handed on."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from accounts import repository as people
from elections import repository as elections
from foundation.ranking.marks import BadRanking
from foundation.store import keys, round_trips
from foundation.tally.ballots import check_marks
from parts.polls import repository, services, voters
from parts.polls.counting import MethodComparison, agreement, seal
from parts.polls.demo import load as load_demo

from .conftest import by_ida, events
from .test_pages import FORM, form_of, stored, text

KINDS = ("choose", "approval", "score")
MOST = {"choose": 2}


@pytest.fixture(autouse=True)
def at_leisure(monkeypatch):
    """Tests are quicker than people."""
    monkeypatch.setattr(voters, "MIN_VOTING_SECONDS", 0)


@pytest.fixture
def of_kind(made):
    return lambda kind, **more: made(kind=kind, **{"most": MOST.get(kind, 0)} | more)


def mark(poll, voter: str, **values: int) -> int | None:
    """Vote in names, such as `Pizza=1`."""
    numbers = {each.name: str(each.number) for each in poll.candidates}
    sent = {numbers[name]: [str(value)] for name, value in values.items()}
    return services.cast(poll.id, voters.id_of(poll.id, voter), sent, f"form of {voter} {values}")


def send(client: Client, poll, **boxes: str | list[str]):
    sent = form_of(client, poll) | {name.replace("_", "-"): value for name, value in boxes.items()}
    return client.post(f"/poll/{poll.id}/", sent)


# --- making ---


def made_by_form(ida: Client, **typed: str):
    return repository.find(ida.post("/polls/new/", FORM | typed)["Location"].split("/")[2])


def test_the_kind_is_chosen_in_one_place_and_ranking_is_the_default(site, signed_in):
    ida = signed_in("Ida")
    page = text(ida.get("/polls/new/"))
    assert page.count('name="kind"') == page.count('name="most"') == 1
    assert re.search(r'name="kind"[^>]*>\s*<option value="ranked"', page)
    for typed in ({}, {"kind": "ranked", "most": "3"}):
        poll = made_by_form(ida, **typed)
        assert (poll.kind, poll.most) == ("ranked", 0)
        assert not {"kind", "most"} & site.get(keys.poll(poll.id)).keys()
    poll = made_by_form(ida, kind="choose", most="2")
    assert (poll.kind, poll.most) == ("choose", 2)
    assert made_by_form(ida, kind="choose").most == 1
    assert made_by_form(ida, kind="score", most="9").most == 0
    assert "Choose: one or a few" in text(ida.get(f"/poll/{poll.id}/manage/"))


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"kind": "yes-no"}, "yes-no"),
        ({"kind": "choose", "most": "4"}, "There are only 3 options."),
        ({"kind": "choose", "most": "0"}, "0 is not one of"),
        ({"kind": "choose", "most": "many"}, "many is not one of"),
    ],
)
def test_a_kind_or_number_that_there_is_not_is_refused(site, signed_in, typed, words):
    answer = signed_in("Ida").post("/polls/new/", FORM | typed)
    assert answer.status_code == 422
    assert words in text(answer)
    assert events(site, "PollCreated") == []


# --- voting ---


@pytest.mark.parametrize(
    ("kind", "most", "boxes", "vote", "line"),
    [
        ("choose", 1, {"rank_choice": ["", "1"]}, "1", "Sushi"),
        ("choose", 2, {"rank_0": "1", "rank_2": "1"}, "0=2", "Pizza"),
        ("approval", 0, {"rank_0": "1", "rank_1": "1", "rank_2": "1"}, "0=1=2", "Tacos"),
        ("score", 0, {"rank_0": "3", "rank_1": "5", "rank_2": "0"}, "1@5>0@3", "score 5"),
    ],
)
def test_a_vote_is_given_shown_and_changed_without_scripts(of_kind, client, kind, most, boxes, vote, line):
    poll = of_kind(kind, most=most)
    page = text(client.get(f"/poll/{poll.id}/"))
    assert "About" not in page, "an option has nothing to unfold"
    assert "rank.js" not in page
    answer = send(client, poll, **boxes)
    assert answer["Location"] == f"/poll/{poll.id}/voted/"
    assert stored(poll) == [vote]
    check_marks(vote, 3, kind, poll.fewest, poll.most)
    assert line in text(client.get(answer["Location"]))
    again = text(client.get(f"/poll/{poll.id}/"))
    assert len(re.findall(r"""name="rank-[^>]* checked""", again)) == len(boxes) - (kind == "score")
    send(client, poll, **({"rank_choice": "0"} if most == 1 else {"rank_0": "1"}))
    assert stored(poll) == ["0@1" if kind == "score" else "0"]


@pytest.mark.parametrize(
    ("kind", "boxes", "words"),
    [
        ("choose", {"rank_0": "1", "rank_1": "1", "rank_2": "1"}, "You chose 3, but you may choose at most 2."),
        ("choose", {"rank_choice": ["0", "1", "2"]}, "You chose 3"),
        ("choose", {"rank_0": "2"}, "whole number from 0 to 1"),
        ("choose", {}, "Choose at least one option."),
        ("choose", {"rank_choice": "7"}, "not in this poll"),
        ("approval", {"rank_0": "0"}, "Tick at least one option."),
        ("approval", {"rank_9": "1"}, "not in this poll"),
        ("approval", {"rank_0": ["1", "0"]}, "Pizza is marked twice."),
        ("score", {"rank_0": "6"}, "whole number from 0 to 5"),
        ("score", {"rank_0": "-1"}, "whole number from 0 to 5"),
        ("score", {"rank_0": "5@5"}, "whole number from 0 to 5"),
        ("score", {"rank_0": "0", "rank_1": "00"}, "Give at least one option a score above 0."),
    ],
)
def test_too_many_forged_or_blank_is_refused_in_a_sentence(of_kind, client, kind, boxes, words):
    poll = of_kind(kind)
    answer = send(client, poll, **boxes)
    assert answer.status_code == 422
    assert words in text(answer)
    assert "Your marks are still here." in text(answer)
    assert stored(poll) == []


def test_one_choice_has_radio_buttons_and_is_one(of_kind, client):
    poll = of_kind("choose", most=1)
    page = text(client.get(f"/poll/{poll.id}/"))
    assert page.count('type="radio" name="rank-choice"') == 3, "nobody is no answer"
    assert "You chose 2, but you may choose only 1." in text(send(client, poll, rank_choice=["0", "1"]))


def test_a_refused_vote_leaves_nothing(site, of_kind):
    with pytest.raises(BadRanking):
        mark(of_kind("choose"), "a", Pizza=1, Sushi=1, Tacos=1)
    assert events(site, "PollVoteCast") == []


# --- counting ---


def recounted(poll) -> MethodComparison:
    return MethodComparison.of(repository.read_ballots(poll), poll.seed, poll.kind)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("kind", "said"),
    [("choose", "Most votes: Pizza."), ("approval", "Most approvals: Pizza."), ("score", "Both methods agree: Pizza.")],
)
def test_the_count_follows_votes_and_changes_and_is_sealed_as_it_was_seen(
    of_kind, shelf, client, monkeypatch, kind, said
):
    poll = of_kind(kind)
    assert agreement(shelf.get(poll.id).result) == "Nobody has voted yet."
    mark(poll, "a", Sushi=1)
    mark(poll, "b", Pizza=1, Tacos=1)
    assert shelf.get(poll.id).result == recounted(poll)
    monkeypatch.setattr(repository, "each_vote", lambda _: pytest.fail("everything was read again"))
    mark(poll, "a", Pizza=1)
    with round_trips.count_round_trips() as asked:
        look = shelf.get(poll.id)
    assert asked.count == 2, "the poll with its gates; what is new"
    assert look.result == recounted(poll)
    assert agreement(look.result) == said
    page = text(client.get(f"/poll/{poll.id}/results/"))
    assert said in page
    assert "head-to-head" not in page
    services.close(by_ida(poll))
    assert seal(poll.id)
    assert shelf.get(poll.id).is_sealed
    assert shelf.get(poll.id).result == look.result
    assert MethodComparison.from_bytes(look.result.as_bytes()) == look.result
    assert said in text(client.get(f"/poll/{poll.id}/results/"))


def test_a_tie_has_a_tick_for_each_and_no_winner_by_lot(of_kind, shelf, client):
    poll = of_kind("choose")
    mark(poll, "a", Pizza=1)
    mark(poll, "b", Sushi=1)
    page = text(client.get(f"/poll/{poll.id}/results/"))
    assert "A tie: Pizza, Sushi." in page
    assert page.count("ahead: ") == 2
    assert "Pizza won." not in page


def test_the_methods_for_scores_may_disagree(of_kind, shelf, client):
    poll = of_kind("score")
    for number in range(3):
        mark(poll, f"many {number}", Pizza=5, Sushi=4)
    mark(poll, "one", Sushi=5)
    mark(poll, "two", Sushi=5)
    found = shelf.get(poll.id).result
    assert {each.method: each.leaders for each in found.counted} == {"score": ("Sushi",), "star": ("Pizza",)}
    page = text(client.get(f"/poll/{poll.id}/results/"))
    assert "The methods disagree" in page
    assert "Runoff" in page
    assert page.count(">Scores<") == 1, "one chart of them"


def test_what_is_shown_elsewhere_has_the_votes(of_kind, shelf, client):
    poll = of_kind("approval")
    mark(poll, "a", Pizza=1, Sushi=1)
    mark(poll, "b", Pizza=1)
    page = text(client.get(f"/poll/{poll.id}/embed/"))
    assert "Most approvals: Pizza." in page
    assert 'class="picture bar-rows"' in page


# --- handing on ---


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_goes_along_to_an_election(of_kind, signed_in, kind):
    poll = of_kind(kind)
    signed_in(people.find("Ida")).post(f"/poll/{poll.id}/manage/election/", {"name": "Lunch"})
    draft = elections.find("Lunch")
    method = {"choose": "most-votes", "approval": "approval", "score": "star"}[kind]
    assert (draft.kind, draft.method, draft.most) == (kind, method, MOST.get(kind, 0))
    assert draft.fewest == (1 if kind == "choose" else 0)
    assert len(elections.candidates("Lunch")) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_there_are_have_the_votes(of_kind, shelf, client, kind):
    poll = of_kind(kind)
    mark(poll, "a", Pizza=1, Tacos=1)
    page = text(client.get(f"/poll/{poll.id}/results/"))
    files = re.findall(rf"/poll/{poll.id}/results/([a-z]+\.[a-z]+)", page)
    assert {"votes.csv", "votes.json", "result.json"} <= set(files)
    for file in files:
        answer = client.get(f"/poll/{poll.id}/results/{file}")
        assert answer.status_code == 200, file
        assert b"Pizza" in b"".join(answer.streaming_content), file
    assert client.get(f"/poll/{poll.id}/results/votes.blt").status_code == 404


def test_the_demo_has_a_poll_of_scores(site, person):
    person("Emmy Noether")
    load_demo()
    polls = [repository.find(item["id"]) for item in site.each(keys.made_by("Emmy Noether"))]
    (scores,) = [each for each in polls if each.kind == "score"]
    assert repository.read_ballots(scores).total == 24


def test_what_an_auditor_may_see_of_it_names_the_kind(of_kind):
    from parts.polls.items import ITEMS

    (poll,) = [each for each in ITEMS if each.label == "poll"]
    assert {"kind", "most"} <= poll.visible
    json.dumps(repository.event_data(of_kind("score")))
