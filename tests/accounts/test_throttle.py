"""Throttling: failures count and nothing else, exactly also when many try at once, and the owner is not kept out."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_network
from random import Random

import pytest
from django.test import Client

from accounts import repository, services, throttle
from accounts.models import User
from accounts.throttle import Limits
from accounts.visitors import COOKIE, MAX_REMEMBERED_ACCOUNTS, Visitor
from foundation.acts.rate_limits import Limit, TooOften, count, count_each
from foundation.pages.client_address import client_network, network
from foundation.store import keys
from tests.chaos import Chaos
from tests.people import PASSWORD, make_owner

LIMIT = Limit("test", 3, 600)
HOME, CAMPUS = "203.0.113.7", "198.51.100.1"
TOO_OFTEN = "Please try again in"


def sign_in(name="Ada", password=PASSWORD, address=HOME, client=None):
    """On a browser that nobody knows, unless one is given."""
    typed = {"name_or_email": name, "password": password}
    return (client or Client()).post("/sign-in/", typed, REMOTE_ADDR=address)


def fail(times, name="Ada", address=HOME, client=None):
    return [sign_in(name, "wrong", address, client) for _ in range(times)][-1]


def is_in(answer):
    return answer.status_code == 302


def is_refused(answer):
    return answer.status_code == 422 and TOO_OFTEN in answer.content.decode()


def tries(site):
    return [item["tries"] for _, item in site.everything() if item["PK"].startswith("THROTTLE#")]


def test_one_try_too_many_says_when_to_try_again(site, hour_of_limits):
    for _ in range(3):
        count(LIMIT, "Ada")
    with pytest.raises(TooOften, match="Please try again in 10 minutes"):
        count(LIMIT, " ADA ")
    count(LIMIT, "Bo")
    count(LIMIT, "Ada", hour_of_limits + 600)


def test_who_it_was_is_not_stored(site):
    count(LIMIT, "olga@example.org")  # none of her letters is a digit of a digest
    rows = site._reader().execute("SELECT pk, body FROM vote_data").fetchall()
    assert rows
    assert "olga" not in str(rows)


def test_who_it_was_cannot_be_found_by_hashing_names(site, settings):
    def places():
        count(LIMIT, "Ada")
        return {item["PK"] for _, item in site.everything()}

    first = places()
    assert places() == first, "one name, one place"
    settings.SECRET_KEY = "another site's"
    assert len(places()) == 2 * len(first), "nobody can tell the place who has not the key"


# --- failures count, and nothing else ---


def test_what_could_not_be_judged_does_not_count(site):
    ada = User(name="Ada")

    def judge():
        with throttle.guess(throttle.SIGN_IN, "Ada", Visitor(HOME), ada):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        judge()
    assert tries(site) == [0, 0]


def test_a_store_that_takes_nothing_back_refuses_nobody(site, monkeypatch):
    weather = Chaos(site, Random(1))
    monkeypatch.setattr("foundation.acts.storage.connect", lambda url: weather)
    with throttle.guess(throttle.SIGN_IN, "Ada", Visitor(HOME), None):
        weather.read_only = True
    assert tries(site) == [1, 1]


def test_guessing_at_once_gains_nothing(site):
    limits = Limits(Limit("here", 3, 600), Limit("anywhere", 100, 600))
    judged, at_work = [], threading.Barrier(30)

    def attempt():
        at_work.wait()
        try:
            with throttle.guess(limits, "Ada", Visitor(HOME), None) as guess:
                judged.append(1)
                guess.wrong()
        except TooOften:
            pass

    threads = [threading.Thread(target=attempt) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(judged) == 3


def test_what_is_right_gives_back_its_own_try_and_no_other(site):
    visitor = Visitor(HOME)
    for is_wrong in (True, False, True, False, False):
        with throttle.guess(throttle.SIGN_IN, "Ada", visitor, None) as guess:
            if is_wrong:
                guess.wrong()
    assert tries(site) == [2, 2]


# --- signing in ---


def test_guessing_is_stopped_also_when_the_last_guess_is_right(site, person):
    person("Ada")
    fail(throttle.SIGN_IN.per_source.most)
    assert is_refused(sign_in())
    assert is_refused(sign_in(" ADA "))


def test_a_strangers_failures_do_not_keep_the_owner_out(site, person):
    person("Ada")
    fail(throttle.SIGN_IN.per_source.most + 5)
    assert is_in(sign_in(address=CAMPUS))


def test_a_device_that_signed_in_before_is_not_kept_out_by_anybody(site, person, monkeypatch):
    few = Limits(Limit("sign-in", 2, 600), Limit("sign-in-account", 3, 600), Limit("sign-in-address", 4, 600))
    monkeypatch.setattr(throttle, "SIGN_IN", few)
    person("Ada")
    known = Client()
    assert is_in(sign_in(client=known))
    known.post("/sign-out/")
    fail(3)
    fail(3, address=CAMPUS)
    fail(3, name="somebody")
    assert is_refused(sign_in()), "this address has guessed too often"
    assert is_refused(sign_in(address="192.0.2.9")), "too many addresses have"
    assert is_in(sign_in(client=known)), "but this is no stranger"
    assert is_in(sign_in("ada@example.org", client=known)), "by whatever name"


def test_a_device_that_is_known_may_not_guess_without_end(site, person):
    person("Ada")
    known = Client()
    sign_in(client=known)
    fail(throttle.SIGN_IN.per_source.most, client=known)
    assert is_refused(sign_in(client=known))
    assert is_refused(sign_in(client=known, address=CAMPUS)), "wherever it goes"
    assert is_in(sign_in()), "others have their own tries"


def test_many_addresses_together_are_stopped_at_one_account(site, person, monkeypatch):
    monkeypatch.setattr(throttle, "SIGN_IN", replace(throttle.SIGN_IN, per_account=Limit("sign-in-account", 6, 600)))
    person("Ada")
    for number in range(6):
        fail(1, address=f"192.0.2.{number}")
    assert is_refused(sign_in(address=CAMPUS))


@pytest.mark.deep
def test_one_address_alone_cannot_use_up_an_accounts_tries(site, person):
    person("Ada")
    fail(throttle.SIGN_IN.per_source.most + 20)
    assert sorted(tries(site)) == [10 - throttle.SIGN_IN.free_tries, 10, 30]


@pytest.fixture
def few_around(monkeypatch):
    monkeypatch.setattr(throttle, "SIGN_IN", replace(throttle.SIGN_IN, per_address=Limit("sign-in-address", 4, 600)))


def test_made_up_names_keep_nobody_behind_the_same_address_out(site, person, few_around):
    person("Ada")
    for number in range(10):
        fail(1, name=f"made up {number}", address=CAMPUS)
    assert is_in(sign_in(address=CAMPUS))
    assert sorted(tries(site)) == [0, 0, *[1] * 20], "the address itself has nothing against it"


def test_the_first_tries_at_an_account_are_judged_whatever_the_address_has_done(site, person, few_around):
    person("Ada")
    for name in ("Bo", "Cy"):
        fail(throttle.SIGN_IN.per_source.most, name=name, address=CAMPUS)
    fail(throttle.SIGN_IN.free_tries - 1, address=CAMPUS)
    assert is_in(sign_in(address=CAMPUS)), "who mistypes it twice gets in with the right one"
    fail(1, address=CAMPUS)
    assert is_refused(sign_in(address=CAMPUS)), "whoever goes on guessing has to wait"
    assert is_in(sign_in())


def test_names_without_end_leave_counters_with_an_end(site, monkeypatch):
    monkeypatch.setattr(throttle, "NAMES_APART", 4)
    for number in range(40):
        with suppress(TooOften):
            throttle.count_try(throttle.SIGN_IN, f"made up {number}", Visitor(CAMPUS), None)
    assert len(tries(site)) == 4 + 4 + 1


def test_whose_number_others_have_used_up_gets_in_from_another_network(site, person, monkeypatch):
    monkeypatch.setattr(throttle, "NAMES_APART", 1)
    person("Ada")
    for number in range(throttle.SIGN_IN.per_source.most):
        fail(1, name=f"made up {number}", address=CAMPUS)
    assert is_refused(sign_in(address=CAMPUS))
    assert is_in(sign_in(address=HOME))


@pytest.mark.deep
def test_one_address_is_stopped_at_many_accounts(site, few_around):
    """A few guesses at each of them it has, and no more."""
    judged = [not is_refused(sign_in(f"name {who}", "wrong")) for _ in range(10) for who in range(5)]
    assert sum(judged) == 5 * throttle.SIGN_IN.free_tries + throttle.SIGN_IN.per_address.most


@pytest.mark.deep
def test_when_an_address_is_stopped_nobody_learns_by_it_who_is_here(site, person, few_around):
    person("Ada")

    def seen(name):
        for other in ("Bo", "Cy"):
            fail(throttle.SIGN_IN.per_source.most, name=other, address=CAMPUS)
        answers = [sign_in(name, "wrong", CAMPUS) for _ in range(throttle.SIGN_IN.free_tries + 2)]
        words = [re.findall(r'class="[^"]*error[^"]*"[^>]*>([^<]+)', answer.content.decode()) for answer in answers]
        return words, [re.findall(r'desc="(\d+) trips"', answer["Server-Timing"]) for answer in answers]

    assert seen("Ada") == seen("Nobody")


def test_spellings_of_an_address_have_the_same_tries(site, person):
    person("Ada", email="ada@bücher.example")
    fail(throttle.SIGN_IN.per_source.most, name="ada@bücher.example")
    assert is_refused(sign_in("ADA@xn--bcher-kva.example"))


@pytest.mark.deep
def test_nobody_learns_by_trying_too_often_who_is_here(site, person):
    """The same words after the same number of tries in the same number of round trips; and a name does not answer for
    the address that belongs to it."""
    person("Ada")

    def seen(name, address):
        answers = [sign_in(name, "wrong", address) for _ in range(throttle.SIGN_IN.per_source.most + 1)]
        words = [re.findall(r'class="[^"]*error[^"]*"[^>]*>([^<]+)', answer.content.decode()) for answer in answers]
        return words, [re.findall(r'desc="(\d+) trips"', answer["Server-Timing"]) for answer in answers]

    assert seen("Ada", HOME) == seen("Nobody", CAMPUS)
    assert not is_refused(sign_in("ada@example.org", "wrong", HOME))
    assert seen("ada@example.org", "192.0.2.1") == seen("nobody@example.org", "192.0.2.2")


# --- devices that are known ---


def mark_of(client):
    return client.cookies[COOKIE]


def test_the_mark_of_a_device_is_for_this_site_alone_and_names_nobody(site, person, settings):
    settings.SESSION_COOKIE_SECURE = True
    ada, client = person("Ada Lovelace"), Client()
    sign_in("Ada Lovelace", client=client)
    mark = client.cookies[f"__Host-{COOKIE}"]
    assert (mark["httponly"], mark["samesite"], mark["secure"], mark["path"]) == (True, "Lax", True, "/")
    assert mark["max-age"] == 365 * 24 * 3600
    assert "lovelace" not in mark.value.lower()
    assert ada.session_salt not in mark.value


def test_a_stranger_gets_no_mark(site, person):
    person("Ada")
    client = Client()
    for path in ("/", "/sign-in/", "/register/", "/password/forgotten/"):
        client.get(path)
    fail(1, client=client)
    assert COOKIE not in client.cookies


def test_several_accounts_are_known_on_one_browser(site, person):
    client, names = Client(), [f"Person {number}" for number in range(MAX_REMEMBERED_ACCOUNTS)]
    users = [person(name) for name in names]
    for name in [*names, names[0]]:
        sign_in(name, client=client)
    visitor = Visitor(HOME, tuple(mark_of(client).value.split("~")))
    devices = [visitor.device(user) for user in users]
    assert all(devices)
    assert len(set(devices)) == MAX_REMEMBERED_ACCOUNTS, "and nothing tells that it is one browser"
    sign_in(person("One more").name, client=client)
    visitor = Visitor(HOME, tuple(mark_of(client).value.split("~")))
    assert [bool(visitor.device(user)) for user in users] == [True, False, True, True, True]


@pytest.mark.parametrize("mark", ["", "x", "abc.def", "~~~", "é", "a" * 5000, "0011223344556677." + "0" * 32])
def test_a_made_up_mark_is_worth_nothing(site, person, mark):
    user = person("Ada")
    assert Visitor(HOME, tuple(mark.split("~"))).device(user) == ""
    client = Client()
    client.cookies[COOKIE] = mark
    assert is_in(sign_in(client=client))


def test_the_mark_of_one_account_is_worth_nothing_for_another(site, person):
    person("Ada")
    bo, client = person("Bo"), Client()
    sign_in("Ada", client=client)
    assert Visitor(HOME, (mark_of(client).value,)).device(bo) == ""


def known_to(client, name="Ada"):
    return bool(Visitor(HOME, tuple(mark_of(client).value.split("~"))).device(repository.find(name)))


def test_signing_out_everywhere_makes_all_devices_strangers(site, person):
    person("Ada")
    here, there = Client(), Client()
    sign_in(client=here)
    sign_in(client=there)
    here.post("/sign-out/")
    assert known_to(here), "who just leaves comes back as the same"
    there.post("/me/sessions/", {"end": "everywhere"})
    assert not known_to(here)
    assert not known_to(there)


def test_a_new_password_makes_all_devices_strangers_but_the_one_at_hand(site, person):
    person("Ada")
    here, there = Client(), Client()
    sign_in(client=here)
    sign_in(client=there)
    here.post("/me/password/", {"present": PASSWORD, "password": "another good password"})
    assert known_to(here)
    assert not known_to(there)


def test_a_name_that_is_given_anew_does_not_know_the_devices_of_the_one_before(site, person):
    person("Owner")
    ada, client = person("Ada"), Client()
    sign_in(client=client)
    services.remove_self(ada)
    person("Ada")
    assert not known_to(client)


# --- resets ---


def ask(name="Ada", address=HOME, client=None):
    return (client or Client()).post("/password/forgotten/", {"name_or_email": name}, REMOTE_ADDR=address)


def links(site):
    return [mail for mail in site.each(keys.mails("queued")) if mail["kind"] == "reset_password"]


def test_whoever_asks_again_and_again_fills_no_mailbox_and_keeps_nobody_from_a_link(site, person):
    person("Ada")
    for number in range(20):
        assert ask(address=f"192.0.2.{number}").status_code == 200
    assert len(links(site)) == 1, "which is good for an hour"
    assert ask(address=CAMPUS).status_code == 200, "and its owner is told so"


def test_another_link_is_mailed_when_the_first_has_lost_its_worth(site, person):
    person("Ada")
    ask()
    ask("ada@example.org")
    assert len(links(site)) == 1
    sign_in()
    ask()
    assert len(links(site)) == 2
    services.change_password(repository.find("Ada"), "another good password")
    ask()
    assert len(links(site)) == 3


def test_asking_is_limited_by_account_and_address_together(site, person):
    person("Ada")
    for _ in range(throttle.RESET.per_source.most):
        assert ask().status_code == 200
    assert is_refused(ask())
    assert ask(address=CAMPUS).status_code == 200
    assert ask("Bo").status_code == 200


def test_a_device_that_is_known_may_ask_though_its_address_has_asked_too_often(site, person):
    person("Ada")
    known = Client()
    sign_in(client=known)
    known.post("/sign-out/")
    for _ in range(throttle.RESET.per_source.most + 1):
        ask()
    assert is_refused(ask())
    assert ask(client=known).status_code == 200


def test_one_device_does_not_keep_a_network_from_links_for_forgotten_passwords(site, person, monkeypatch):
    monkeypatch.setattr(throttle, "RESET", replace(throttle.RESET, per_address=Limit("reset-address", 1, 3600)))
    person("Ada")
    for number in range(3):
        for _ in range(throttle.RESET.free_tries):
            ask(f"made up {number}")
    ask("made up 0")
    assert is_refused(ask("made up 1"))
    assert ask("Ada").status_code == 200
    mails = [item["kind"] for _, item in site.everything() if item["PK"].startswith("MAIL#")]
    assert mails == ["reset_password"]


def test_an_unknown_account_is_asked_for_in_the_same_way(site, person):
    person("Ada")

    def seen(name, address):
        answers = [ask(name, address) for _ in range(throttle.RESET.per_source.most + 1)]
        trips = [re.findall(r'desc="(\d+) trips"', answer["Server-Timing"]) for answer in answers]
        return [answer.status_code for answer in answers], trips

    assert seen("Ada", HOME) == seen("Nobody", CAMPUS)


# --- registering ---


def register(number=0, address=CAMPUS, email=None):
    typed = {"name": f"Student {number}", "email": email or f"s{number}@example.org", "password": "a good pass phrase"}
    return Client().post("/register/", typed, REMOTE_ADDR=address)


@pytest.mark.deep
def test_a_hall_registers_behind_one_address_as_far_as_is_set(site, monkeypatch):
    make_owner()
    assert throttle.REGISTER.per_address.most == 300
    monkeypatch.setattr(
        throttle, "REGISTER", replace(throttle.REGISTER, per_address=Limit("register-address", 25, 3600))
    )
    assert throttle.UNANSWERED.most == 50
    assert [register(number).status_code for number in range(25)] == [200] * 25
    assert is_refused(register(25))
    assert register(26, HOME).status_code == 200


def test_few_strangers_are_mailed_from_one_address_while_no_account_comes_of_it(site, monkeypatch, link):
    make_owner()
    monkeypatch.setattr(throttle, "UNANSWERED", Limit("register-unanswered", 3, 3600))
    monkeypatch.setattr(throttle, "GIVEN_BACK", 2)
    assert [register(number).status_code for number in range(3)] == [200] * 3
    assert is_refused(register(3))
    assert register(4, HOME).status_code == 200
    path = link("s0@example.org")
    assert Client().get(path).status_code == 200
    assert is_refused(register(5)), "opened, as scanners do, but not answered"
    assert Client().post(path, {"name": "Student 0"}).status_code == 302
    assert [is_refused(register(number)) for number in (6, 7, 8)] == [False, False, True]


def test_a_name_that_is_taken_mails_nobody_and_uses_up_nothing(site, monkeypatch):
    make_owner()
    monkeypatch.setattr(throttle, "UNANSWERED", Limit("register-unanswered", 1, 3600))
    taken = Client().post("/register/", {"name": "owner", "email": "x@example.org", "password": "a good pass phrase"})
    assert taken.status_code == 422
    assert register(1).status_code == 200


def test_nobody_is_mailed_without_end_by_strangers_who_register(site):
    make_owner()
    for number in range(throttle.REGISTER.per_source.most):
        assert register(number, email="victim@example.org").status_code == 200
    assert is_refused(register(99, email="victim@example.org"))
    assert register(99, HOME, email="victim@example.org").status_code == 200, "who has the address may register it"


# --- the present password ---


def test_guessing_ones_own_password_is_throttled(site, signed_in):
    client = signed_in("Ada")
    for _ in range(throttle.OWN_PASSWORD.per_source.most):
        client.post("/me/leave/", {"present": "wrong"})
    assert is_refused(client.post("/me/leave/", {"present": PASSWORD}))


def test_the_right_password_may_be_typed_as_often_as_one_likes(site, signed_in):
    client = signed_in("Ada")
    for _ in range(throttle.OWN_PASSWORD.per_source.most + 2):
        answer = client.post("/me/email/", {"present": PASSWORD, "email": "new@example.org"})
        assert answer.status_code == 200


def test_somebody_at_an_open_browser_does_not_keep_the_owner_from_theirs(site, person):
    person("Ada")
    left_open, own = Client(), Client()
    sign_in(client=left_open)
    sign_in(client=own)
    for _ in range(throttle.OWN_PASSWORD.per_source.most + 1):
        left_open.post("/me/email/", {"present": "wrong", "email": "evil@example.org"})
    assert own.post("/me/email/", {"present": PASSWORD, "email": "new@example.org"}).status_code == 200


# --- addresses ---


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
        ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::/64"),
        ("10.0.0.1", "[2001:db8::1]", "2001:db8::/64"),
        ("10.0.0.1", "198.51.100.1:4711, [::ffff:10.0.0.2]:80", "198.51.100.1"),
        ("10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:port", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1:", "10.0.0.1"),
        ("10.0.0.1", "1.2.3.4, unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1,, ", "10.0.0.1"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("::ffff:203.0.113.7", "", "203.0.113.7"),
        ("2001:db8::1", "", "2001:db8::/64"),
        ("", "", "unknown"),
    ],
)
def test_the_address_behind_trusted_proxies(rf, settings, remote, forwarded, address):
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert client_network(rf.get("/", REMOTE_ADDR=remote, headers=headers)) == address


def test_addresses_of_the_old_kind_in_new_clothes_are_not_one_home():
    assert network("::ffff:203.0.113.7") != network("::ffff:198.51.100.1")
    assert network("2001:db8::1") == network("2001:db8::2")


def test_what_one_limit_refuses_leaves_no_counter_for_the_others(site):
    names, network = Limit("name", 5, 600), Limit("network", 1, 600)
    count_each((names, "first"), (network, "here"))
    before = len(list(site.everything()))
    for number in range(3):
        with pytest.raises(TooOften):
            count_each((names, f"made up {number}"), (network, "here"))
    assert len(list(site.everything())) == before
