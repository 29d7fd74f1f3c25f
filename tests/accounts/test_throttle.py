"""Throttling: per account and per address, exact under concurrency, right behind proxies."""

from __future__ import annotations

import threading
from ipaddress import ip_network

import pytest

from accounts import throttle
from accounts.throttle import Limit, TooOften
from tests.people import PASSWORD

LIMIT = Limit("test", 3, 600)
START = 1_800_000_000.0


def test_one_try_too_many_says_when_to_try_again(site):
    for _ in range(3):
        throttle.count(LIMIT, "Ada", START)
    with pytest.raises(TooOften, match="Please try again in 10 minutes"):
        throttle.count(LIMIT, " ADA ", START)
    throttle.count(LIMIT, "Bo", START)
    throttle.count(LIMIT, "Ada", START + 600)


def test_of_many_at_once_just_so_many_pass(site):
    passed = []

    def attempt():
        try:
            throttle.count(LIMIT, "Ada", START)
        except TooOften:
            return
        passed.append(1)

    threads = [threading.Thread(target=attempt) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(passed) == 3


def test_who_it_was_is_not_stored(site):
    throttle.count(LIMIT, "ada@example.org")
    rows = site._reader().execute("SELECT pk, body FROM vote_data").fetchall()
    assert rows
    assert "ada" not in str(rows)


def test_sign_in_is_throttled_per_account_also_with_the_right_password(client, site, person):
    person("Ada")
    for _ in range(throttle.SIGN_IN_ACCOUNT.most):
        client.post("/sign-in/", {"name_or_email": "Ada", "password": "wrong"})
    answer = client.post("/sign-in/", {"name_or_email": "ada", "password": PASSWORD})
    assert answer.status_code == 422
    assert "Please try again in" in answer.content.decode()


def test_sign_in_is_throttled_per_address(client, site, person):
    person("Ada")
    for n in range(throttle.SIGN_IN_ADDRESS.most):
        client.post("/sign-in/", {"name_or_email": f"guess {n}", "password": "wrong"})
    assert "Please try again in" in client.post("/sign-in/", {"name_or_email": "x", "password": "y"}).content.decode()
    other = client.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD}, REMOTE_ADDR="10.9.9.9")
    assert other.status_code == 302


def test_registering_and_forgetting_are_throttled(client, site, person):
    person("Ada")
    for _ in range(throttle.RESET_ACCOUNT.most):
        client.post("/password/forgotten/", {"name_or_email": "Ada"})
    assert "Please try again in" in client.post("/password/forgotten/", {"name_or_email": "Ada"}).content.decode()


def test_guessing_ones_own_password_is_throttled(site, signed_in):
    client = signed_in("Ada")
    for _ in range(throttle.PASSWORD_ACCOUNT.most):
        client.post("/me/leave/", {"present": "wrong"})
    answer = client.post("/me/leave/", {"present": PASSWORD})
    assert answer.status_code == 422
    assert "Please try again in" in answer.content.decode()


@pytest.mark.parametrize(
    ("remote", "forwarded", "address"),
    [
        ("203.0.113.7", "", "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),  # not a proxy of ours: what it claims counts for nothing
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.1", "198.51.100.1"),  # the first was made up by the client
        ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "garbage", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.3", "10.0.0.3"),
        ("2001:db8::1", "", "2001:db8::/64"),
        ("", "", "unknown"),
    ],
)
def test_the_address_behind_trusted_proxies(rf, settings, remote, forwarded, address):
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert throttle.address(rf.get("/", REMOTE_ADDR=remote, headers=headers)) == address
