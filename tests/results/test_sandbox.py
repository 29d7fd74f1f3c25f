"""The sandbox: any ballots, any method, no account, no trace; and a sentence for whatever is wrong."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from foundation.acts.rate_limits import Limit
from foundation.store import keys
from foundation.tally.formats import read, write
from results import bounded_counting, sandbox_views
from results import sandbox_views as sandbox

PAGE = "/sandbox/"
CAPITAL = sandbox.EXAMPLES["capital"].ballots


def page_of(client: Client, **fields) -> tuple[int, str]:
    answer = client.post(PAGE, fields)
    return answer.status_code, answer.content.decode()


def winners(page: str) -> list[str]:
    listed = re.search(r'class="winners.*?</[uo]l>', page, re.DOTALL)
    return re.findall(r'<span dir="auto">(.*?)</span>', listed[0]) if listed else []


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("method", "winner"), [("schulze", "Nashville"), ("irv", "Knoxville"), ("borda", "Nashville"), ("", "Nashville")]
)
def test_ballots_of_anybody_are_counted_by_any_method(site, client, method, winner):
    status, page = page_of(client, ballots=CAPITAL, method=method)
    assert (status, winners(page)) == (200, [winner])
    assert "How close was it?" in page
    assert "Candidates are compared in pairs" in page or method in ("irv", "borda")


@pytest.mark.parametrize("format", ["csv", "json", "blt", "abif", "cvotes", "preflib", "plain"])
def test_every_format_is_recognised_by_itself(site, client, format):
    text = b"".join(write(read(CAPITAL), format)).decode()
    assert winners(page_of(client, ballots=text)[1]) == ["Nashville"]


def test_a_file_is_counted_in_place_of_the_text_and_then_stands_there(site, client):
    upload = SimpleUploadedFile("votes.txt", "3: Zoë > Bo\n1: Bo > Zoë\n".encode("utf-16"))
    status, page = page_of(client, ballots="1: Ada > Bo", file=upload)
    assert (status, winners(page)) == (200, ["Zoë"])
    assert "3: Zoë &gt; Bo\n1: Bo &gt; Zoë" in page
    assert "1: Ada" not in page


def test_a_text_that_could_be_anything_asks_for_its_format_and_gets_a_field_for_it(site, client):
    status, page = page_of(client, ballots="Ada,Bo\nBo,Ada\nAda\n")
    assert status == 422
    assert "Choose the format." in page
    assert re.search(r'<select name="format"[^>]*aria-invalid="true"', page)
    status, page = page_of(client, ballots="Ada\nBo\nAda\n", format="plain")
    assert (status, winners(page)) == (200, ["Ada"])
    assert '<option value="plain" selected>' in page, "it stays chosen"
    assert page_of(client, ballots="Ada", format="tea leaves")[0] == 422


def test_what_is_left_open_the_file_says(site, client):
    page = page_of(client, ballots='4 2\n3 1 2 0\n2 3 4 0\n1 4 0\n0\n"A" "B" "C" "D"\n"Two seats"\n')[1]
    assert "Two seats</h1>" in page
    assert winners(page) == ["A", "C"]
    assert "Scottish council elections" in page


def test_nothing_is_stored_and_no_session_begun(site, client):
    before = list(site.each(keys.events()))
    answer = client.post(PAGE, {"ballots": CAPITAL})
    assert 'desc="1 trips"' in answer["Server-Timing"], "how often this address has counted, and nothing else"
    assert list(site.each(keys.events())) == before
    assert "plenum_session" not in answer.cookies


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("1: A > B\n2: A > A", "Line 2: “A” is ranked twice"),
        ("1: A > B\n99999999999999: A > B", "Line 2: This is too large for a number of ballots"),
        ("", "This field is required."),
        ("# nothing but a comment", "This file is empty."),
        ("hello there", "was not recognised"),
        ("\n".join(f"0: c{number}" for number in range(101)), "Line 101: A file has at most 100 candidates"),
        (f"1: {'x' * 201} > B", "more than 200 characters"),
        (f"1: A > B\n#{'x' * 1_000_000}", "more than 1000000"),
    ],
)
def test_a_mistake_is_named_with_its_line(site, client, typed, words):
    status, page = page_of(client, ballots=typed)
    assert status == 422
    assert words in page
    assert winners(page) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"method": "schulze", "seats": "2"}, "This method elects one winner."),
        ({"method": "dictator"}, "Select a valid choice."),
        ({"seats": "0"}, "greater than or equal to 1"),
        ({"seats": "many"}, "Enter a whole number."),
        ({"unranked": "above"}, "Select a valid choice."),
        ({"seed": "x" * 201}, "at most 200 characters"),
    ],
)
def test_settings_nobody_offers_are_refused(site, client, fields, words):
    status, page = page_of(client, ballots=CAPITAL, **fields)
    assert status == 422
    assert words in page
    assert "42: Memphis" in page, "what was typed is still there"


def test_what_would_take_too_long_is_refused(site, client, monkeypatch):
    monkeypatch.setattr(bounded_counting, "MAX_STEPS", 100)
    status, page = page_of(client, ballots=CAPITAL)
    assert status == 422
    assert "This takes too long to count here: too many candidates on too many long rankings." in page
    assert "manage.py count FILE" in page
    assert "42: Memphis" in page, "what was typed is still there"


def test_one_address_counts_so_often_and_no_more(site, client, monkeypatch):
    monkeypatch.setattr(sandbox, "COUNTS", Limit("sandbox-address", 2, 600))
    assert [page_of(client, ballots=CAPITAL)[0] for _ in range(3)] == [200, 200, 422]
    assert "tried too often" in page_of(client, ballots=CAPITAL)[1]
    assert client.get(PAGE).status_code == 200


def test_strangers_wait_in_line_for_a_count_that_is_not_small(site, client, monkeypatch):
    monkeypatch.setattr(bounded_counting, "MAX_QUEUE_SECONDS", 0.01)
    with bounded_counting.counting_slot(), bounded_counting.counting_slot():
        assert page_of(client, ballots=CAPITAL)[0] == 200, "what is small waits for nobody"
        monkeypatch.setattr(bounded_counting, "MAX_INLINE_STEPS", 0)
        upload = SimpleUploadedFile("votes.txt", CAPITAL.encode())
        answer = client.post(PAGE, {"ballots": "", "file": upload})
        page = answer.content.decode()
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert "The server is busy with other counts" in page
        assert "42: Memphis" in page, "also what came as a file"
    assert page_of(client, ballots=CAPITAL)[0] == 200


@pytest.mark.few(2)
@pytest.mark.parametrize("name", sandbox.EXAMPLES)
def test_every_example_fills_the_form_and_can_be_counted(site, client, name):
    page = client.get(PAGE, {"example": name}).content.decode()
    example = sandbox.EXAMPLES[name]
    assert example.ballots.splitlines()[1].replace(">", "&gt;") in page
    assert f'value="{example.method}" selected' in page
    assert winners(page) == [], "nothing is counted before somebody asks"
    assert page_of(client, ballots=example.ballots, method=example.method, seed=example.seed)[0] == 200


def test_the_tie_is_settled_by_a_lot_that_names_its_seed(site, client):
    example = sandbox.EXAMPLES["tie"]
    page = page_of(client, ballots=example.ballots, method=example.method, seed=example.seed)[1]
    assert "Lots drawn" in page
    assert "From the seed “a seed that was known before”" in page
    assert "before the first vote" not in page


def test_an_unknown_example_is_an_empty_form(site, client):
    assert client.get(PAGE, {"example": "<b>"}).status_code == 200


def test_a_form_from_another_site_is_refused(site):
    assert Client(enforce_csrf_checks=True).post(PAGE, {"ballots": CAPITAL}).status_code == 403


# --- the example ballot ---

TRY = "/try/"


def tried(client, *numbers: int) -> str:
    return client.get(TRY, {f"rank-{number}": rank for rank, number in enumerate(numbers, 1)}).content.decode()


@pytest.mark.few(1)
@pytest.mark.parametrize(("ranking", "winner"), [((0, 1), "Pizza"), ((4, 1, 0), "Curry"), ((1,), "Curry")])
def test_the_ballot_of_a_visitor_decides_the_example(site, client, ranking, winner):
    page = tried(client, *ranking)
    assert winners(page) == [winner]
    assert "What shall we eat at the summer party?</h1>" in page
    last = " &gt; ".join(str(sandbox_views.EXAMPLE_OPTIONS[number]) for number in ranking)
    assert f"1: {last}" in page, "to change and count again"


def test_who_ranks_neither_of_the_leaders_leaves_a_tie(site, client):
    assert sorted(winners(tried(client, 3))) == ["Curry", "Pizza"]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"rank-0": ""}, "Rank at least one of the options."),
        ({"rank-0": "first"}, "The rank of Pizza must be a whole number"),
        ({"rank-9": "1"}, "not a candidate"),
        ({"rank-<b>": "1"}, "not a candidate"),
    ],
)
def test_an_example_ballot_that_cannot_be_counted_is_shown_again(site, client, typed, words):
    answer = client.get(TRY, typed)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert "rank-4" in answer.content.decode()


def test_the_example_stores_nothing_sets_no_cookie_and_is_limited_like_the_sandbox(site, client, monkeypatch):
    before = list(site.each(keys.events()))
    answer = client.get(TRY)
    assert 'desc="0 trips"' in answer["Server-Timing"]
    answer = client.get(TRY, {"rank-0": "1"})
    assert 'desc="1 trips"' in answer["Server-Timing"], "how often this address has counted, and nothing else"
    assert list(site.each(keys.events())) == before
    assert "plenum_session" not in answer.cookies
    assert client.post(TRY).status_code == 405
    monkeypatch.setattr(sandbox, "COUNTS", Limit("sandbox-address", 1, 600))
    answer = client.get(TRY, {"rank-0": "1"})
    assert answer.status_code == 422
    assert "tried too often" in answer.content.decode()
    assert 'name="rank-0" min="1" max="5" inputmode="numeric" value="1"' in answer.content.decode()


# --- other kinds of ballot ---

YES_OR_NO = "61: Yes\n20: No\n4: Abstain\n"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"ballots": "6: Pizza/5, Salad/4\n5: Soup/5, Salad/4\n"},
            "Runoff: votes that score Salad higher: 5; Pizza higher: 6",
        ),
        ({"ballots": "6: Pizza/5, Salad/4\n5: Soup/5, Salad/4\n", "method": "score"}, "Points for Salad: 44."),
        ({"ballots": "6: Pizza/5, Salad/4\n5: Soup/5, Salad/4\n", "method": "schulze"}, "Pizza beat every other"),
        ({"ballots": "5: Ada = Bo\n3: Bo\n", "kind": "approval"}, "Votes that approve of Bo: 8 of 8."),
        ({"ballots": "5: Ada = Bo\n3: Bo\n", "method": "most-votes", "seats": 2}, "Votes for Bo: 8."),
        ({"ballots": "count of points ballots,Ada,Bo\n5,7,3\n"}, "Points for Ada: 35."),
        ({"ballots": YES_OR_NO, "kind": "yes-no", "majority": "2/3 cast"}, "At least 2/3 of the votes cast (81)"),
        (
            {"ballots": YES_OR_NO, "method": "majority", "majority": "4/5 present"},
            "At least 4/5 of the voters taking part (85)",
        ),
    ],
)
def test_every_kind_of_ballot_is_counted_and_explained(site, client, fields, words):
    status, page = page_of(client, **fields)
    assert status == 200
    assert words in page


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"ballots": "5: Ada = Bo\n", "kind": "approval", "method": "star"}, "does not count this kind of ballot"),
        ({"ballots": "5: Ada > Bo\n", "kind": "approval"}, "not of the kind approval"),
        ({"ballots": "5: Ada\n", "kind": "yes-no"}, "no other candidates than Yes, No and Abstain"),
        ({"ballots": YES_OR_NO, "kind": "yes-no", "seats": 2}, "This method elects one winner."),
        ({"ballots": YES_OR_NO, "kind": "yes-no", "majority": "9/8 cast"}, "9/8 cast"),
    ],
)
def test_a_kind_of_ballot_that_does_not_fit_is_refused(site, client, fields, words):
    status, page = page_of(client, **fields)
    assert status == 422
    assert words in page
