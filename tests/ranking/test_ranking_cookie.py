"""What a browser carries of a ranking: the longest there can be, for an hour, readable for nobody else."""

from __future__ import annotations

import random

from django.http import HttpRequest, HttpResponse, QueryDict
from django.test import override_settings

from foundation.pages.lists import MAX_CANDIDATES
from foundation.ranking import ranking_cookie


def fields(**more: str) -> QueryDict:
    return QueryDict("&".join(f"{name}={value}" for name, value in more.items()))


def sent(answer: HttpResponse) -> HttpRequest:
    request = HttpRequest()
    request.COOKIES = {name: cookie.value for name, cookie in answer.cookies.items()}
    return request


def after(whose: str, what: QueryDict) -> HttpResponse:
    answer = HttpResponse()
    ranking_cookie.save(answer, "/a/", whose, what)
    return answer


def test_what_is_carried_comes_back_for_whose_it_is():
    answer = after("eve", QueryDict("rank-1=2&rank-1=3&rank-7=%231"))
    assert ranking_cookie.load(sent(answer), "eve").getlist("rank-1") == ["2", "3"]
    assert ranking_cookie.load(sent(answer), "eve")["rank-7"] == "#1"
    assert ranking_cookie.load(sent(answer), "bob") is None
    assert ranking_cookie.load(HttpRequest(), "eve") is None


def test_the_longest_ballot_fits():
    ranks = list(range(MAX_CANDIDATES))
    random.Random(1).shuffle(ranks)
    longest = QueryDict("&".join(f"rank-{9000 + number}={rank}" for number, rank in enumerate(ranks)))
    assert ranking_cookie.load(sent(after("e" * 32, longest)), "e" * 32) == longest


def test_what_is_no_ballot_is_left():
    assert not after("eve", fields(acts="".join(map(chr, random.Random(2).choices(range(60, 122), k=9000))))).cookies
    assert not after("eve", fields(acts="0" * 900_000)).cookies


def test_what_others_made_up_is_nothing():
    for cookie in ("", "x", "é", "AAAA", "A" * 60):
        request = HttpRequest()
        request.COOKIES = {ranking_cookie.COOKIE: cookie}
        assert ranking_cookie.load(request, "eve") is None


def test_it_is_of_this_site_and_of_this_hour(monkeypatch):
    answer = after("eve", fields(acts="1"))
    with override_settings(SECRET_KEY="another" * 10):
        assert ranking_cookie.load(sent(answer), "eve") is None
    monkeypatch.setattr(ranking_cookie, "COOKIE_SECONDS", -1)  # as if an hour had passed
    assert ranking_cookie.load(sent(answer), "eve") is None
