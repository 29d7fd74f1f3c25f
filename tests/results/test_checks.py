"""Checking a result oneself: what the pages say, to whom, and that they tell and take no more than they must."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from ballots import repository as ballots
from ballots import services as casting
from elections import repository as elections
from elections.lifecycle import closing
from foundation.acts.caches import SizedCache
from foundation.ranking import codes
from foundation.ranking.codes import prefix_length
from foundation.store import keys, splitting
from foundation.store.table import Span
from foundation.tally.ballots import Ballots
from foundation.tally.methods import count
from results import bounded_counting, checks, in_browser, repository, services
from results.in_browser import ballot_story, decisive_contests
from results.repository import Position, build_report
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture

PAGES = ("recount", "follow", "head_to_head", "what_if")
FILES = ("recount_ballots", "follow_ballots")
SIX = ({"Ada": 1, "Bo": 2}, {"Ada": 1}, {"Bo": 1, "Cy": 2}, {"Bo": 1, "Cy": 1}, {"Cy": 1, "Ada": 2}, {})


@pytest.fixture
def closed(opened, person):  # noqa: F811
    """An election of these rankings that is closed; each voter is called by a number."""

    def close(*rankings: dict[str, int], **settings):
        names = [f"voter {number}" for number in range(len(rankings))]
        election = opened("somebody", *names, **settings)
        for name, ranking in zip(names, rankings, strict=True):
            casting.cast(person(name), election.name, ranks(**ranking), name)
        closing.close(people.find("the organiser"), elections.find(election.name))
        return services.find(election.name)

    return close


@pytest.fixture
def look(signed_in):
    """The text of a page as somebody who only looks on reads it."""
    client = signed_in("onlooker", Role.OBSERVER)

    def look(name: str, query: str = "", status: int = 200, words: tuple[str, ...] = ("Board",)) -> str:
        answer = client.get(f"{reverse(name, args=words)}{query}")
        assert answer.status_code == status, answer.content.decode()[:500]
        return html.unescape(re.sub(r"\s+", " ", answer.content.decode()))

    look.client = client
    return look


def address(name: str, found) -> str:
    return reverse(name, args=["Board", found.seal.stamp])


# --- who may see it, and when ---


@pytest.mark.parametrize("secret", [True, False])
def test_nothing_is_shown_before_the_close_not_even_to_the_organiser(opened, signed_in, secret):  # noqa: F811
    opened("Eve", secret_ballot=secret)
    client = signed_in(people.find("the organiser"))
    for name in PAGES + FILES:
        answer = client.get(reverse(name, args=["Board"] if name in PAGES else ["Board", "0" * 64]))
        assert answer.status_code == 403, name
        assert "once the election has closed" in answer.content.decode()


def trips(answer) -> int:
    return int(re.search(r'desc="(\d+) trips"', answer["Server-Timing"])[1])


def remembering() -> SizedCache:
    """Nothing yet."""
    return SizedCache(1_000_000, lambda summary: summary.weight)


# --- recount ---


def test_the_ballots_to_recount_are_all_there_with_what_came_out(closed, look):
    found = closed(*SIX, method="irv")
    answer = look.client.get(address("recount_ballots", found))
    said = answer.json()
    counted = Ballots(tuple(said["candidates"]), dict(said["rankings"]))
    assert counted.digest == said["digest"] == found.seal.digest
    assert counted.total == len(SIX)
    assert said["settings"] == {"method": "irv", "seats": 1, "unranked": "below", "seed": found.seal.seed}
    assert said["lots"] == {"commitment": found.election.lots_commitment, "secret": found.seal.lots_secret}
    assert said["result"]["winners"] == list(found.report.result.winners)
    assert said["others"]["borda"]["winners"] == list(count(counted, "borda").winners)
    assert "reasons" not in said["result"]


def test_a_file_of_a_sealed_result_never_changes_and_says_so(closed, look):
    found = closed(*SIX)
    for name in FILES:
        answer = look.client.get(address(name, found))
        assert answer["Cache-Control"] == "private, max-age=31536000, immutable"
        again = look.client.get(address(name, found), headers={"If-None-Match": answer["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert look.client.get(reverse(name, args=["Board", "0" * 64])).status_code == 404


def test_an_election_sealed_later_has_another_address_even_with_the_same_ballots(closed):
    seal = closed(*SIX).seal
    assert seal.stamp == replace(seal).stamp
    assert seal.stamp != replace(seal, sealed_at="2031-01-01T00:00:00.000000Z").stamp


def test_the_recount_page_names_what_was_published(closed, look):
    found = closed(*SIX)
    text = look("recount")
    assert address("recount_ballots", found) in text
    assert found.seal.digest in text
    assert 'data-method="stv-meek"' in text


# --- the list of ballots ---


def codes_in(text: str) -> list[str]:
    return re.findall(r"<code>(?:<mark>)?([0-9A-Z-]{19})", text)


def all_codes() -> list[str]:
    return [each["confirmation"] for each in ballots.every_published("Board")]


def test_all_ballots_are_listed_by_code_and_only_public_ones_with_their_voters(closed, look):
    closed(*SIX)
    text = look("follow")
    assert codes_in(text) == sorted(all_codes())
    assert len(all_codes()) == len(SIX)
    assert "<bdi>Bo</bdi> = <bdi>Cy</bdi>" in text
    assert "voter 3" not in text


def test_in_a_public_election_the_list_says_whose_each_is(closed, look):
    closed(*SIX, secret_ballot=False)
    text = look("follow")
    assert all(f"voter {number}" in text for number in range(len(SIX)))


@pytest.fixture
def in_small_parts(monkeypatch):
    monkeypatch.setattr(splitting, "PART_BYTES", 100)
    monkeypatch.setattr(in_browser, "PAGE_ROWS", 2)


def test_leafing_through_the_list_meets_every_ballot_once(in_small_parts, closed, look):
    found = closed(*SIX, {"Ada": 1})
    met, query = [], ""
    while True:
        text = look("follow", query)
        met += codes_in(text)
        onward = re.search(r'href="(\?part=\d+&row=\d+)"', text)
        if not onward:
            break
        query = onward[1]
    assert repository.count_published_parts(found.election) > 2
    assert met == sorted(all_codes())


@pytest.fixture
def crowd_of_one(monkeypatch):
    """As in an election of half a million, where two characters are those of hundreds of ballots."""
    monkeypatch.setattr(codes, "prefix_length", lambda votes: 2)


def test_a_beginning_leads_to_the_place_and_shows_those_beside_it(in_small_parts, crowd_of_one, closed, look):
    closed(*SIX, {"Ada": 1})
    codes = sorted(all_codes())
    for code in codes:
        text = look("follow", f"?code={code[:2].lower()}")
        at = next(place for place, each in enumerate(codes) if each[:2] == code[:2])
        assert codes_in(text) == codes[at : at + 2]
        assert f"<mark>{codes[at]}</mark>" in text


def test_what_is_easily_misread_is_found_all_the_same(crowd_of_one, closed, look):
    closed(*SIX)
    for typed, meant in (("o", "0"), ("I", "1"), ("l", "1")):
        assert codes_in(look("follow", f"?code={typed}")) == codes_in(look("follow", f"?code={meant}"))


def test_among_few_ballots_no_character_of_a_code_is_asked_for_or_taken(closed, look):
    """Among six ballots one character is one ballot, in every proxy's log."""
    closed(*SIX)
    text = look("follow")
    assert 'name="code"' not in text
    assert "single-ballots.csv" in text
    last = sorted(all_codes())[-1]
    assert codes_in(look("follow", f"?code={last[:2]}")) == sorted(all_codes()), "whoever sends one all the same"
    assert "<mark>" not in look("follow", f"?code={last[:2]}")


def test_a_whole_code_is_not_taken_by_the_list(crowd_of_one, closed, look):
    closed(*SIX)
    refusals = {
        all_codes()[0]: "Only the first 2 characters",
        "K7Q": "Only the first 2 characters",
        "K!": "digits and",
        "ä": "digits",
    }
    for typed, sentence in refusals.items():
        text = look("follow", f"?code={typed}", status=422)
        assert sentence in text
        assert "<mark>" not in text


def test_a_place_that_is_none_is_not_found(closed, look):
    closed(*SIX)
    for query in ("?part=-1", "?part=x", "?row=1.5", "?part=99999999"):
        look("follow", query, status=404)


def test_after_the_last_ballot_the_list_is_empty(closed, look):
    closed({"Ada": 1})
    for query in ("?part=7", "?row=700"):
        assert "No later codes." in look("follow", query)


def test_a_list_without_ballots(closed, look):
    closed()
    assert "Nobody has voted." in look("follow")


@pytest.mark.parametrize(
    ("ballots", "letters"), [(0, 0), (1, 0), (15_999, 0), (16_000, 1), (511_999, 1), (512_000, 2), (10**7, 2)]
)
def test_a_browser_tells_so_little_of_a_code_that_hundreds_fit(ballots, letters):
    assert prefix_length(ballots) == letters


def test_the_ballots_of_a_small_election_are_fetched_together(closed, look):
    found = closed(*SIX)
    said = look.client.get(address("follow_ballots", found)).json()["ballots"]
    assert [code for code, _ in said] == sorted(all_codes())
    assert look.client.get(f"{address('follow_ballots', found)}?begins=K").status_code == 400


def test_of_a_large_election_those_that_begin_alike_and_never_fewer(in_small_parts, closed, look, monkeypatch):
    monkeypatch.setattr(codes, "prefix_length", lambda votes: 1)
    found = closed(*SIX)
    place = address("follow_ballots", found)
    for code in all_codes():
        said = look.client.get(f"{place}?begins={code[0]}").json()["ballots"]
        assert [each for each, _ in said] == [each for each in sorted(all_codes()) if each[0] == code[0]]
    for begins in ("", "K7", "!", "k", all_codes()[0]):
        answer = look.client.get(f"{place}?begins={begins}")
        assert answer.status_code == 400
        assert "immutable" not in answer.get("Cache-Control", "")


def test_a_ballot_is_found_in_whichever_part_it_lies(in_small_parts, closed):
    election = closed(*SIX, {"Ada": 1}).election
    for place, ballot in repository.ballots_from(election, Position()):
        assert repository.find_prefix(election, ballot["confirmation"]) == place
    assert repository.find_prefix(election, "") == Position()


# --- the story of a count ---

CYCLE = Ballots(("Ada", "Bo", "Cy"), {"0>1>2": 4, "1>2>0": 3, "2>0>1": 2})


def test_the_contests_told_of_are_the_winners_and_those_on_their_chains():
    told = decisive_contests(count(CYCLE, "schulze"))
    assert {(each["one"], each["other"]) for each in told} == {(0, 1), (0, 2), (1, 2)}
    assert told[0] == {"one": 0, "other": 1, "for": 6, "against": 3}
    skipped = decisive_contests(count(CYCLE, "ranked-pairs"))
    assert {(each["one"], each["other"]) for each in skipped} == {(0, 1), (0, 2)}


def test_rounds_are_told_by_numbers():
    story = ballot_story(count(CYCLE, "irv"))
    assert story["rounds"] == [{"elected": [], "eliminated": [2]}, {"elected": [0], "eliminated": []}]
    assert story["contests"] == []


def test_of_a_surplus_it_is_told_who_gave_how_much():
    result = count(Ballots(("Ada", "Bo", "Cy"), {"0>1": 7, "2": 2, "1": 1}), "stv-scottish", seats=2)
    first = ballot_story(result)["rounds"][0]
    assert first["surplus"] == {"giver": 0, "held": "7.00000", "quota": "4.00000"}


def test_keep_values_are_told_where_somebody_does_not_keep_everything():
    result = count(Ballots(("Ada", "Bo", "Cy"), {"0>1": 7, "2": 2, "1": 1}), "stv-meek", seats=2)
    rounds = ballot_story(result)["rounds"]
    assert rounds[0]["keep"] == {}
    assert rounds[-1]["keep"] == {0: result.rounds[-1].keep["Ada"]}


@pytest.mark.deep
def test_a_long_story_is_cut_and_says_so():
    names = tuple(f"c{number:03}" for number in range(300))
    result = count(Ballots(names, {"0>1": 2}), "schulze")
    story = ballot_story(result)
    assert (len(story["contests"]), story["more"]) == (200, True)


# --- head to head ---


def table_in(text: str) -> dict[str, int]:
    found = re.findall(r'<th scope="row" dir="auto">([^<]+)</th><td class="number">(\d+)</td>', text)
    return {sentence: int(votes) for sentence, votes in found}


def test_two_are_compared_and_every_ballot_is_in_one_number(closed, look):
    closed(*SIX)
    said = table_in(look("head_to_head", "?one=0&other=1"))
    assert said == {"Ada above Bo": 3, "Bo above Ada": 2, "both equally": 0, "neither of them": 1}
    said = table_in(look("head_to_head", "?one=1&other=2"))
    assert said["both equally"] == 1
    assert sum(said.values()) == len(SIX)


def test_where_the_unranked_are_no_opinion_half_a_pair_says_nothing(closed, look):
    closed(*SIX, unranked="no-opinion")
    said = table_in(look("head_to_head", "?one=0&other=1"))
    assert list(said.values()) == [1, 0, 0, 4, 1]
    assert said["only one of them, which counts as no opinion"] == 4


@pytest.mark.parametrize("unranked", ["below", "no-opinion"])
def test_the_numbers_are_the_people(closed, unranked):
    found = closed(*SIX, secret_ballot=False, unranked=unranked)
    counted = ballots.read_ballots(found.election).normal
    for one, other in ((0, 1), (1, 2), (2, 0)):
        each = [checks.opinion(ballot["rankings"], one, other, unranked) for ballot in ballots.every_published("Board")]
        numbers = checks.opinions(counted.summary, one, other, unranked)
        assert {said: each.count(said) for said in numbers} == numbers
        assert sum(numbers.values()) == found.seal.ballots


def test_a_public_election_names_the_people_page_by_page(closed, look, monkeypatch):
    monkeypatch.setattr(checks, "PAGE_ROWS", 2)
    closed(*SIX, secret_ballot=False)
    first = look("head_to_head", "?one=0&other=1&said=above")
    assert re.findall(r"voter \d", first) == ["voter 0", "voter 1"]
    onward = re.search(r'href="(\?[^"]+from=2)"', first)[1]
    assert re.findall(r"voter \d", look("head_to_head", onward)) == ["voter 4"]
    assert "Nobody" in look("head_to_head", "?one=0&other=1&said=equal")


def test_a_secret_election_names_nobody(closed, look):
    closed(*SIX)
    text = look("head_to_head", "?one=0&other=1&said=above")
    assert "voter" not in re.sub(r"voters?_|<[^>]*>", "", text.partition('id="duel"')[2])
    assert 'id="people"' not in text


def test_of_too_many_people_it_says_so(closed, look, monkeypatch):
    monkeypatch.setattr(checks, "MAX_BALLOTS_READ", 5)
    closed(*SIX, secret_ballot=False)
    text = look("head_to_head", "?one=0&other=1")
    assert "up to 5 ballots" in text
    assert "voter 0" not in text


def test_two_that_are_not_two_are_refused(closed, look):
    closed(*SIX)
    for query in ("?one=0&other=0", "?one=0", "?one=0&other=9", "?one=x&other=1", "?one=-1&other=1"):
        assert table_in(look("head_to_head", query, status=422)) == {}


def test_people_who_are_none_are_not_found(closed, look):
    closed(*SIX, secret_ballot=False)
    for query in ("from=x", "from=-1", "from=1.5", "said=nothing"):
        look("head_to_head", f"?one=0&other=1&{query}", status=404)


# --- what if ---


def test_without_the_winner_another_wins_and_nothing_is_stored(site, closed, look):
    found = closed(*SIX)
    before = list(site.each(Span(keys.election("Board").pk)))
    text = look("what_if", "?without=0")
    assert "hypothetical, not the result" in text
    assert "Without these candidates: <bdi>Ada</bdi>" in text
    assert "How close was it?" in text
    assert services.find("Board") == found
    assert list(site.each(Span(keys.election("Board").pk))) == before


def test_the_supposed_result_is_that_of_the_ballots_without_them(closed):
    found = closed(*SIX, method="borda")
    counted = repository.counted(found.election, found.seal.candidates)
    report = build_report(checks.job_of(found, counted.without(["Bo"])).run())
    assert report.result == count(counted.without(["Bo"]), "borda")
    assert {each.method for each in report.others} == {each.method for each in found.report.others}


def test_without_the_ballots_of_some_voters_in_a_public_election(closed, look):
    closed(*SIX, secret_ballot=False)
    text = look("what_if", "?voters=VOTER+0%0Avoter+1%0A%0Avoter+1")
    assert "Without the ballots of: <bdi>VOTER 0</bdi>, <bdi>voter 1</bdi>." in text
    counted, strangers = checks._counted_without(services.find("Board"), ["voter 0", "voter 1"])
    assert strangers == []
    assert dict(counted.counts) == {"1>2": 1, "1=2": 1, "2>0": 1, "": 1}


def test_what_cannot_be_supposed_is_said(closed, look):
    closed(*SIX, secret_ballot=False)
    refusals = {
        "?without=0&without=1&without=2": "Keep at least one candidate",
        "?without=7": "not one of the available choices",
        "?without=x": "not one of the available choices",
        "?voters=nobody": "These people have not voted: nobody.",
        "?voters=" + "%0A".join(f"v{number}" for number in range(51)): "at most 50 voters",
        "?voters=" + "v" * 4001: "at most 4000 characters",
    }
    for query, sentence in refusals.items():
        text = look("what_if", query, status=422)
        assert sentence in text
        assert "hypothetical, not the result" not in text


def test_whose_ballot_is_whose_cannot_be_supposed_in_a_secret_election(closed, look):
    closed(*SIX)
    text = look("what_if", "?voters=voter+0")
    assert "hypothetical, not the result" not in text
    assert "voters" not in re.findall(r'name="(\w+)"', text)


def test_what_would_take_too_long_is_not_begun(closed, look, monkeypatch):
    closed(*SIX)
    monkeypatch.setattr(checks, "summaries", remembering())
    for modules, limit in (((checks,), "MAX_BALLOTS_RECOUNTED"), ((bounded_counting,), "MAX_STEPS")):
        with monkeypatch.context() as small:
            for module in modules:
                small.setattr(module, limit, 2)
            assert "too large to recount" in look("what_if", "?without=0", status=422)
            assert "too large to recount" in look("head_to_head", "?one=0&other=1", status=422)


def _main(page: str) -> str:
    return page.partition("<main")[2].partition("</main>")[0]


@pytest.mark.deep
def test_what_if_and_head_to_head_say_the_same_when_they_are_counted_apart(closed, look, monkeypatch):
    closed(*SIX)
    asked = (("what_if", "?without=0"), ("head_to_head", "?one=0&other=1"))
    monkeypatch.setattr(checks, "summaries", remembering())
    here = [_main(look(*each)) for each in asked]
    monkeypatch.setattr(bounded_counting, "MAX_INLINE_STEPS", 0)
    monkeypatch.setattr(checks, "summaries", remembering())
    assert [_main(look(*each)) for each in asked] == here


def test_while_others_count_one_is_asked_to_come_again(closed, look, monkeypatch):
    closed(*SIX)
    monkeypatch.setattr(bounded_counting, "MAX_INLINE_STEPS", 0)
    monkeypatch.setattr(bounded_counting, "MAX_QUEUE_SECONDS", 0.01)
    with bounded_counting.counting_slot(), bounded_counting.counting_slot():
        text = look("what_if", "?without=0", status=503)
    assert "The server is busy with other counts" in text
    assert re.search(r'value="0"[^>]* checked', text), "what was chosen is still chosen"


def test_the_bare_page_supposes_nothing(closed, look):
    closed(*SIX)
    assert "hypothetical, not the result" not in look("what_if")
