"""Results of every kind of ballot, from the votes to the sealed result and all that shows it."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from contextlib import redirect_stdout

import pytest
from django.urls import reverse

from accounts import repository as people
from ballots import services as voting
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.kinds import settings_of_kind
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import seal
from foundation.tally.ballots import ratings_of
from operations.upkeep import replay
from parts.news import announcements
from results import mailing, services, wording
from results.exports import bundle, verify
from results.mailing import mailed_outcome
from results.pictures import pictures_of
from results.pictures.bars import score
from results.repository import newest_shared
from tests.people import enrol

NAMES = ("Ada", "Bo", "Cy")
VOTE = ["0", "0", "0", "1", "2"]
# By kind: its rules, and its ballots by the numbers of the candidates.
KINDS = {
    "yes-no": ({"majority": "2/3 cast"}, VOTE),
    "choose": ({"most": 2, "seats": 2}, ["0=1", "0=2", "0", "1", ""]),
    "approval": ({}, ["0=1", "1=2", "1", "0"]),
    "score": ({}, ["0@5>1@4", "0@5>1@4", "1@5>2@1", "1@5"]),
    "points": ({"most": 5}, ["0@5", "1@3>0@2", "2@4>1@1"]),
}
ANSWERS = {
    "yes-no": ("Carried", "3 yes, 1 no, 1 abstention; 3 needed."),
    "choose": ("Elected", "Ada, Bo"),
    "approval": ("Winner", "Bo"),
    "score": ("Winner", "Bo"),
    "points": ("Winner", "Ada"),
}


@pytest.fixture
def held(person) -> Callable[..., str]:
    """Hold an election from draft to sealed result."""

    def hold(kind: str, ballots: list[str] | None = None, names=NAMES, **rules) -> str:
        owner = people.find("the organiser") or person("the organiser")
        usual, usual_ballots = KINDS.get(kind, ({}, []))
        ballots = usual_ballots if ballots is None else ballots
        voters = [f"voter {number}" for number in range(len(ballots))]
        rules = {"kind": kind, "results_public": True, **usual, **rules}
        election = drafts.create(owner, "Board", **settings_of_kind(rules))
        if kind != "yes-no":
            add_candidates(owner, election, [Candidate(each) for each in names])
        enrol(*voters, "idle")
        add_voters(owner, elections.find("Board"), [*voters, "idle"])
        lifecycle.open_(owner, elections.find("Board"), editable=False)
        for voter, ballot in zip(voters, ballots, strict=True):
            ranks = {str(number): [str(value)] for number, value in ratings_of(ballot).items()}
            voting.cast(people.find(voter) or person(voter), "Board", ranks, f"{voter} votes")
        closing.close(owner, elections.find("Board"))
        assert services.find("Board").report is not None
        return "Board"

    return hold


def page(client, name: str = "results", *more: str) -> str:
    answer = client.get(reverse(name, args=["Board", *more]))
    assert answer.status_code == 200, answer.status_code
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return content.decode()


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.few(5)
@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_page_and_file_states_the_outcome(held, signed_in, client, kind, secret):
    held(kind, secret_ballot=secret)
    heading, said = ANSWERS[kind]
    organiser = signed_in("the organiser")
    for name in ("results", "result_screen", "shared"):
        words = text_of(page(client if name == "shared" else organiser, name))
        assert heading in words, words
        for part in said.split(", ") if kind != "yes-no" else [said]:
            assert part in words, name
    assert "Head to head" not in page(organiser)
    assert "Final ranking" not in page(organiser)
    assert f"{heading}: {said}" in page(client, "export", "report.txt")
    assert "Back to the result" in page(organiser, "recount")
    assert "All ballots" in page(organiser, "follow")


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", KINDS)
def test_from_the_votes_to_a_bundle_that_checks(held, tmp_path, kind):
    held(kind, **({"majority": "3/5 entitled"} if kind == "yes-no" else {}))
    assert replay.check(table()).first == ()
    seal.Sealer(table()).seal()
    with bundle.bundle(services.find("Board")) as file, zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path)
    rules = json.loads((tmp_path / "rules.json").read_bytes())
    election = elections.find("Board")
    for name in ("kind", "fewest", "most", "majority"):
        assert rules[name] == getattr(election, name)
    with redirect_stdout(io.StringIO()) as said:
        assert verify.main(tmp_path) == 0, said.getvalue()
    assert f"counted again by the rules of {election.method}, the outcome is the same" in said.getvalue()


def test_a_majority_of_the_roll_counts_those_who_did_not_vote(held, signed_in):
    held("yes-no", ["0", "0", "0", "1"], majority="3/5 entitled")
    result = services.find("Board").report.result
    assert (result.reasons["base"], result.reasons["needed"], result.winners) == ("5", "3", ("Yes",))
    organiser = signed_in("the organiser")
    assert "Did not vote" in page(organiser)
    address = re.search(r'data-ballots="([^"]+)"', page(organiser, "recount")).group(1)
    rules = organiser.get(address).json()["settings"]
    assert (rules["majority"], rules["entitled"]) == ("3/5 entitled", 5)


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("kind", "ballots", "said"),
    [
        ("yes-no", [], "Not carried Nobody voted."),
        ("yes-no", ["2", "2"], "Not carried 0 yes, 0 no, 2 abstentions; 1 needed."),
        ("approval", [], "No decision Nobody voted."),
        ("approval", ["", ""], "No decision Every ballot is blank."),
        ("choose", [""], "No decision Every ballot is blank."),
        ("score", [""], "No decision Every ballot is blank."),
        ("score", [], "No decision Nobody voted."),
        ("points", [""], "No decision Every ballot is blank."),
    ],
)
def test_there_may_be_no_decision(held, signed_in, client, kind, ballots, said):
    held(kind, ballots)
    for reader, name in ((signed_in("the organiser"), "results"), (client, "shared")):
        assert said in text_of(page(reader, name)), name
    for name in ("result_screen", "recount", "follow"):
        assert text_of(page(signed_in("the organiser"), name))
    line = wording.outcome_line(newest_shared())
    assert line == (said.replace("carried ", "carried: ") if kind == "yes-no" else "There were no votes to count.")


def test_a_tie_for_the_last_seat_is_broken_by_a_lot_that_can_be_drawn_again(held, signed_in):
    held("approval", ["0=1", "0=2"], seats=2)
    result = services.find("Board").report.result
    (lot,) = result.lots
    assert lot.names == ("Bo", "Cy")
    words = text_of(page(signed_in("the organiser")))
    assert f"Bo, Cy → {lot.chosen} · elected" in words
    loser = next(name for name in lot.names if name != lot.chosen)
    assert f"{lot.chosen} and {loser} were tied; a lot decided." in words


# Ballots of equals, with what it says of one whom a lot elects and one who was tied with them.
BY_LOT = {
    "one seat": ("choose", ["0", "0", "1", "1"], {"most": 1, "seats": 1}, "Winner by lot", "{won}", "2 votes"),
    "the last seat": ("approval", ["0=1", "0=2"], {"seats": 2}, "Elected", "Ada, {won}", "1 vote"),
    "rounds": ("ranked", ["0", "0", "1", "1"], {"method": "irv"}, "Winner by lot", "{won}", "2 votes"),
    "points": ("points", ["0@5", "1@5"], {}, "Winner by lot", "{won}", "5 points"),
    "a runoff": ("score", ["0@3>1@1", "1@3>0@1"], {"method": "star"}, "Winner by lot", "{won}", "1 vote"),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("case", BY_LOT)
def test_who_won_by_lot_is_told_so_wherever_they_are_named(held, signed_in, client, case):
    kind, ballots, rules, heading, named, votes = BY_LOT[case]
    held(kind, ballots, **rules)
    found, organiser = services.find("Board"), signed_in("the organiser")
    result, lot = found.report.result, found.report.result.lots[-1]
    (won,), (lost,) = ({*lot.names} & {*result.winners}, {*lot.names} - {*result.winners})
    names, alone = named.format(won=won), heading == "Winner by lot"
    tie = f"tied with {lost} at {votes}"
    line = f"{heading}: {names}, {tie}" if alone else f"Elected: {names}; {won} by lot, {tie}"
    brief = f"{heading}: {names}" if alone else f"Elected: {names}; by lot: {won}"
    for name in ("results", "result_screen", "shared"):
        words = text_of(page(client if name == "shared" else organiser, name))
        assert heading in words, name
        assert (f"Tied with {lost} at {votes}." if alone else f"{won} by lot, {tie}.") in words, name
    shared = page(client, "shared")
    assert brief[0].lower() + brief[1:] in re.search(r'og:title" content="([^"]*)"', shared)[1]
    assert f"{won} won." not in text_of(shared)
    as_text = re.search(r'id="share-text"[^>]*>(.*?)</pre>', shared, re.DOTALL)[1]
    for told in (as_text, page(client, "export", "report.txt")):
        assert line in " ".join(told.split())
    assert (heading if alone else f"{won} by lot, {tie}.") in text_of(page(organiser, "recount"))
    mailed = f"{won} has won by lot, {tie}." if alone else f"{line}."
    assert mailing.outcome_sentence(mailed_outcome(found.election)) == mailed
    post, summary = (
        re.sub("[\u2068\u2069\\\\*]", "", write([found])) for write in (announcements.text, announcements.summary)
    )
    assert heading in post
    assert (f"Tied with {lost} at {votes}." if alone else f"{won} by lot, {tie}.") in post
    assert summary.startswith(f"{won} has won by lot." if alone else f"{brief}.")
    for shown in (newest_shared(), elections.listed_of(table().get(keys.listed_election("Board")))):
        assert (wording.outcome_line(shown), shown.by_lot) == (brief, (won,))
    answer = client.get("/api/v1/results/Board").json()["outcome"]
    number, unit = votes.split()
    assert answer["answer"] == line
    assert answer["by_lot"] == [
        {"names": [won], "tied_with": [lost], "number": number, "unit": unit if unit.endswith("s") else f"{unit}s"}
    ]
    assert answer["lots"][-1] == {"purpose": lot.where, "names": [*lot.names], "chosen": lot.chosen, "round": lot.round}
    assert {"where": lot.where, "names": [*lot.names], "settled": "lot", "round": lot.round} in answer["ties"]
    assert [each["by_lot"] for each in client.get("/api/v1/results").json()["items"]] == [[won]]


def test_what_would_be_without_somebody_names_who_really_won_by_lot(held, signed_in):
    held("ranked", ["0", "1", "1", "0"], method="irv")
    result = services.find("Board").report.result
    words = text_of(
        signed_in("the organiser").get(reverse("what_if", args=["Board"]), {"without": "2"}).content.decode()
    )
    assert f"Actual result: Winner by lot: {result.winners[0]}, tied with {result.lots[-1].chosen} at 2 votes." in (
        re.sub(r" ([,.])", r"\1", words)
    )


@pytest.mark.parametrize(("zone", "shown"), [("UTC", " UTC\n"), ("Europe/Berlin", " (Europe/Berlin)\n")])
def test_files_and_news_name_the_zone_of_a_time_once(held, client, zone, shown):
    held("approval", time_zone=zone)
    for told in (page(client, "export", "report.txt"), announcements.text([services.find("Board")])):
        (sealed,) = re.findall(r"Counted and sealed: .*\n", told)
        assert sealed.endswith(shown)
        assert sealed.count(zone) == 1


def test_the_front_page_says_that_a_lot_elected_the_winner(held, client):
    held("approval", ["0", "1"])
    (won,) = services.find("Board").report.result.winners
    assert f"Winner by lot: {won}" in text_of(client.get("/").content.decode())
    assert replay.check(table()).first == (), "and the log tells it"


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_only_rankings_compare_candidates_and_leave_some_out(held, signed_in, kind):
    held(kind)
    for name in ("head_to_head", "what_if"):
        assert signed_in("the organiser").get(reverse(name, args=["Board"])).status_code == 404


ON_BALLOTS = {
    "yes-no": ("Yes", ["Yes", "No", "Abstain"], ["1", "0", "0"], {"chosen": ["Yes"]}),
    "choose": ("Ada , Bo", [*NAMES], ["1", "1", "0"], {"chosen": ["Ada", "Bo"]}),
    "approval": ("Bo , Cy", [*NAMES], ["0", "1", "1"], {"chosen": ["Bo", "Cy"]}),
    "score": ("Ada : 5, Bo : 4", [*NAMES], ["5", "4", "0"], {"scores": {"Ada": 5, "Bo": 4}}),
    "points": ("Bo : 3, Ada : 2", [*NAMES], ["2", "3", "0"], {"points": {"Bo": 3, "Ada": 2}}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_single_ballots_are_in_the_words_of_their_kind(held, signed_in, kind):
    held(kind, secret_ballot=False)
    shown, names, cells, as_json = ON_BALLOTS[kind]
    organiser = signed_in("the organiser")
    assert shown in text_of(page(organiser, "follow"))
    head, *rows = csv.reader(io.StringIO(page(organiser, "export", "single-ballots.csv").removeprefix("\ufeff")))
    assert head == ["code", "voter", *names]
    assert cells in [row[2:] for row in rows]
    every = json.loads(page(organiser, "export", "single-ballots.json"))
    assert as_json in [{key: value for key, value in each.items() if key not in ("code", "voter")} for each in every]


MAILED = {
    "yes-no": "Carried: 3 yes, 1 no, 1 abstention; 3 needed.",
    "choose": "Elected: Ada, Bo.",
    "approval": "Bo has won.",
    "score": "Bo has won.",
    "points": "Ada has won.",
}


@pytest.mark.parametrize("kind", KINDS)
def test_mails_lists_news_and_the_api_state_it_too(held, client, kind):
    held(kind)
    found = services.find("Board")
    assert mailing.outcome_sentence(mailed_outcome(found.election)) == MAILED[kind]
    assert re.sub("[\u2068\u2069]", "", announcements.summary([found])).startswith(MAILED[kind])
    heading, said = ANSWERS[kind]
    listed = elections.listed_of(table().get(keys.listed_election("Board")))
    for shown in (newest_shared(), listed):
        assert wording.outcome_line(shown) == f"{heading}: {said}"
    answer = client.get("/api/v1/results/Board").json()
    assert answer["kind"] == kind
    assert answer["outcome"]["answer"] == f"{heading}: {said}"
    if kind == "yes-no":
        assert answer["outcome"]["vote"] == {"yes": 3, "no": 1, "abstain": 1, "needed": 3}
    else:
        votes = {each["name"]: each["votes"] for each in answer["outcome"]["candidates"]}
        assert votes == {name: score(found.report.result, name).shown for name in NAMES}


def test_star_shows_scores_and_then_the_runoff(held, signed_in):
    held("score", method="star")
    first, second = pictures_of(services.find("Board").report.result)
    assert (first.title, second.title) == ("Scores", "Runoff")
    assert first.table.rows[0] == ("Bo", "18", "2", "2", "0", "0", "0", "0")
    assert second.table.rows == (("Bo", "2", "Ada", "2", "0"),)
    words = text_of(page(signed_in("the organiser")))
    assert words.index("Scores") < words.index("Runoff") < words.index("Why")
