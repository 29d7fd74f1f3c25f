"""Sending to a real mail server on good and bad days: what becomes of a mail, and how often the server is asked."""

from __future__ import annotations

import logging
import threading
import time

import pytest
from django.core.mail import EmailMessage

from foundation.mail import outages as mail_server
from foundation.mail import outbox as mail
from foundation.mail import smtp
from foundation.mail.emails import compose
from foundation.mail.outages import BULK, URGENT
from foundation.mail.outbox import reason_text
from foundation.mail.sending import GIVE_UP_SECONDS, anything_due, backoff, send_waiting
from foundation.mail.smtp import redact_address
from foundation.store import keys
from foundation.store.table import Put
from operations.upkeep import jobs
from operations.upkeep.jobs import MAIL, URGENT_MAIL, Job, Leases, Worker
from tests.mail.servers import DRIP, DROP, HANG


def later(seconds: float):
    then = time.time() + seconds
    return lambda: then


def states(*numbers: str) -> list[str]:
    return [mail.find(number).state for number in numbers]


# --- taken ---


def test_many_mails_go_through_one_connection_and_say_what_the_server_said(serves, queue):
    server, numbers = serves(), queue("ann", "bob", "cyd")
    assert send_waiting(compose) == 3
    assert (server.connections, sorted(server.receivers)) == (
        1,
        [f"{name}@example.org" for name in ("ann", "bob", "cyd")],
    )
    assert {mail.find(number).detail for number in numbers} == {"250 2.0.0 taken as 4711"}
    assert server.heard[-1] == "quit", "closed when nothing is left to send"


def test_a_line_that_begins_with_a_dot_arrives_as_it_is(serves, site):
    server = serves()
    site.write(mail.queued("checkpoint", "ann@example.org", event_id="7", hash="x"))
    send_waiting(lambda email: EmailMessage("s", "x\n.\n..b.", to=[email.to]))
    assert "\r\n.\r\n..b." in server.taken[0][1]


def test_a_connection_the_server_has_had_enough_of_is_made_anew_and_no_mail_waits_for_that(serves, queue):
    said = []

    def enough(line: str) -> str:
        said.append(line)
        return "421 4.7.0 enough for one connection" if len(said) % 3 == 0 else "250 ok"

    server = serves(mail=enough)
    assert send_waiting(compose) == 0
    numbers = queue("ann", "bob", "cyd", "dee", "eve")
    assert send_waiting(compose) == 5
    assert set(states(*numbers)) == {mail.SENT}
    assert server.connections == 3
    assert mail_server.all_outages(mail.table()) == []


def test_resets_go_before_what_goes_to_many(serves, queue):
    server = serves()
    queue("ann", "bob")
    queue("zoe", kind="already_registered")
    send_waiting(compose)
    assert server.receivers[0] == "zoe@example.org"


def test_a_domain_in_any_script_is_said_to_the_server_in_ascii(serves, site, settings):
    settings.DEFAULT_FROM_EMAIL = "Straßenwahl <wahl@straße.example>"
    server = serves()
    site.write(mail.queued("already_registered", "ada@bücher.example", name="Ada"))
    assert send_waiting(compose) == 1
    assert server.receivers == ["ada@xn--bcher-kva.example"]


# --- not now ---


@pytest.mark.parametrize("verb", ["mail", "rcpt", "data", "dot"])
def test_a_4xx_is_tried_again_later_and_then_sent_once(serves, queue, verb):
    server = serves(**{verb: "451 4.7.1 <ann@example.org>: greylisted, ann, come again"})
    (number,) = queue("ann")
    assert send_waiting(compose) == 0
    found = mail.find(number)
    assert (found.state, found.tries) == (mail.QUEUED, 1)
    assert reason_text(found) == "The mail server asked to try again later: 451 4.7.1 <…>: greylisted, …, come again"
    assert found.not_before > time.time()
    assert not anything_due(BULK, time.time()), "a mail that waits costs nothing meanwhile"
    server.answers[verb] = {"data": "354 go on"}.get(verb, "250 ok")
    assert send_waiting(compose, later(400)) == 1
    assert server.receivers == ["ann@example.org"]


def test_one_mail_that_is_greylisted_holds_up_none_of_the_others(serves, queue):
    server = serves(rcpt=lambda line: "451 later" if "ann" in line else "250 ok")
    queue("ann", "bob", "cyd")
    assert send_waiting(compose) == 2
    assert server.connections == 1


def test_pauses_grow_and_are_not_the_same_for_all():
    longest = [backoff(tries, max) for tries in range(6)]
    shortest = [backoff(tries, min) for tries in range(6)]
    assert longest == sorted(longest)
    assert [round(each / 1.2) for each in longest] == [300, 900, 3600, 14400, 14400, 14400]
    assert all(short < long for short, long in zip(shortest, longest, strict=True))


def test_after_days_a_mail_is_given_up_with_the_last_words(serves, queue):
    serves(rcpt="451 4.7.1 greylisted")
    (number,) = queue("ann")
    send_waiting(compose)
    assert send_waiting(compose, later(GIVE_UP_SECONDS + 60)) == 0
    found = mail.find(number)
    assert (found.state, found.reason, found.detail) == (mail.FAILED, "later", "451 4.7.1 greylisted")


def test_a_link_that_would_be_of_no_use_is_not_sent(serves, site, person):
    server = serves(rcpt="451 later")
    person("Ada", email="ada@example.org")
    write = mail.queued("reset_password", "ada@example.org", name="Ada")
    site.write(write)
    send_waiting(compose)
    server.answers["rcpt"] = "250 ok"
    assert send_waiting(compose, later(3601)) == 0
    found = mail.find(write.item["number"])
    assert (found.state, found.reason) == (mail.FAILED, "expired")
    assert server.taken == []


# --- never ---


@pytest.mark.parametrize("verb", ["mail", "rcpt", "data", "dot"])
def test_a_5xx_fails_at_once_with_the_servers_words_and_a_line_in_the_log(serves, queue, verb, caplog):
    serves(**{verb: "550 5.1.1 Ann@example.org: nobody here"})
    (number,) = queue("ann")
    assert send_waiting(compose) == 0
    found = mail.find(number)
    assert (found.state, reason_text(found)) == (mail.FAILED, "The mail server refused it: 550 5.1.1 <…>: nobody here")
    (line,) = [record for record in caplog.records if record.name == "plenum.mail"]
    assert (line.kind, line.code, line.number, line.levelno) == ("checkpoint", 550, number, logging.WARNING)
    assert "ann" not in str(vars(line)).lower()


def test_words_are_told_without_addresses_and_on_one_line():
    words = "550 5.1.1 <Ann.Lee@Example.org>: user ann.lee unknown\r\nsee postmaster@mx.example.org"
    assert redact_address(words, "ann.lee@example.org") == "550 5.1.1 <…>: user … unknown see <…>"


# --- nobody knows ---


def test_a_mail_that_may_have_been_taken_is_left_to_a_person(serves, queue):
    server, (number,) = serves(dot=DROP), queue("ann")
    assert send_waiting(compose) == 0
    found = mail.find(number)
    assert (found.state, found.reason) == (mail.UNKNOWN, "unanswered")
    server.answers["dot"] = "250 ok"
    assert send_waiting(compose, later(GIVE_UP_SECONDS)) == 0
    assert server.receivers == ["ann@example.org"], "and never a second time by itself"


def test_a_server_that_keeps_silent_after_the_dot_takes_no_more_mails_with_it(serves, queue):
    """Otherwise all that wait would be sent into the same uncertainty."""
    serves(dot=DROP)
    numbers = queue("ann", "bob", "cyd")
    send_waiting(compose)
    assert sorted(states(*numbers)) == [mail.QUEUED, mail.QUEUED, mail.UNKNOWN]


@pytest.mark.parametrize("verb", ["mail", "rcpt", "data"])
def test_a_line_lost_before_the_end_of_the_mail_is_safe_to_try_again(serves, queue, verb):
    server, (number,) = serves(**{verb: DROP}), queue("ann")
    send_waiting(compose)
    assert (states(number), server.taken) == ([mail.QUEUED], [])
    del server.answers[verb]
    server.answers |= {"data": "354 go on"}
    assert send_waiting(compose, later(400)) == 1
    assert server.receivers == ["ann@example.org"]


@pytest.mark.parametrize(("verb", "state"), [("rcpt", mail.QUEUED), ("dot", mail.UNKNOWN)])
@pytest.mark.parametrize("how", [HANG, DRIP])
def test_a_mail_has_a_time_limit_in_all_however_the_server_draws_it_out(serves, queue, monkeypatch, verb, state, how):
    monkeypatch.setattr(smtp, "TIMEOUT_SECONDS", 0.15)
    serves(**{verb: how})
    (number,) = queue("ann")
    assert send_waiting(compose) == 0
    assert states(number) == [state]
    assert mail.find(number).detail == "no answer in time"


# --- a dead door ---


@pytest.mark.parametrize("greeting", ["421 4.3.2 too busy", "554 5.7.1 not you", DROP])
def test_a_server_out_of_reach_is_asked_once_for_all_and_then_left_alone(serves, queue, greeting):
    server, numbers = serves(greeting=greeting), queue("ann", "bob", "cyd")
    for _ in range(3):
        assert send_waiting(compose) == 0
    assert server.connections == 1
    assert set(states(*numbers)) == {mail.QUEUED}
    assert {mail.find(number).tries for number in numbers} == {0}, "it was no mail's fault"
    (outage,) = mail_server.all_outages(mail.table())
    assert (outage.lane, outage.failures) == (BULK, 1)
    assert not anything_due(BULK, time.time())
    assert send_waiting(compose, lambda: outage.until + 1) == 0
    (outage,) = mail_server.all_outages(mail.table())
    assert (server.connections, outage.failures) == (2, 2)
    server.answers["greeting"] = "220 here"
    assert send_waiting(compose, lambda: outage.until + 1) == 3
    assert mail_server.all_outages(mail.table()) == []


def test_a_password_nobody_accepts_fails_no_mail(serves, queue, settings):
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "plenum", "wrong"
    serves(ehlo="250-here\r\n250 AUTH PLAIN", auth="535 5.7.8 bad credentials")
    (number,) = queue("ann")
    send_waiting(compose)
    assert states(number) == [mail.QUEUED]
    assert "535 5.7.8 bad credentials" in mail_server.all_outages(mail.table())[0].words


def test_pauses_before_knocking_again_grow_up_to_a_quarter_of_an_hour():
    pauses = [mail_server.backoff(failures, min) / 0.8 for failures in (1, 2, 3, 8, 1000)]
    assert pauses == [10, 20, 40, 900, 900]


def test_mails_that_waited_too_long_for_a_dead_server_fail_as_well(serves, queue):
    serves(greeting="421 no")
    (number,) = queue("ann")
    send_waiting(compose, later(GIVE_UP_SECONDS + 60))
    assert (states(number), mail.find(number).reason) == ([mail.FAILED], "unreachable")


# --- lanes ---


def until(holds) -> None:
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("still not so after 30 seconds")


@pytest.mark.deep
def test_a_server_that_hangs_over_mails_to_many_delays_no_reset_and_no_other_job(serves, queue, site, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_WAIT_SECONDS", 0.01)
    server = serves(rcpt=lambda line: HANG if "many" in line else "250 ok")
    (stuck,), stop, closed = queue("many"), threading.Event(), []
    ends = Job("ends", 0, lambda: closed.append(1) or 1)
    worker = Worker([ends, URGENT_MAIL, MAIL], Leases(site), lambda: not stop.is_set())
    running = threading.Thread(target=worker.run)
    running.start()
    try:
        until(lambda: "rcpt" in server.heard)
        before = len(closed)
        (reset,) = queue("ada", kind="already_registered")
        until(lambda: states(reset) == [mail.SENT] and len(closed) > before + 2)
        assert states(stuck) == [mail.SENDING]
    finally:
        stop.set()
        server.__exit__()
        running.join()


def test_a_worker_told_to_stop_does_so_between_two_mails(serves, queue, site, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_WAIT_SECONDS", 0.01)
    server = serves()
    queue("ann", "bob", "cyd", "dee")
    Worker([MAIL], Leases(site), lambda: not server.taken).run()
    assert len(server.taken) == 1, "the one at hand is finished, no other is begun"
    assert len(mail.in_state(mail.QUEUED, 9)[0]) == 3


def test_a_lane_that_breaks_ends_the_worker(site, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_WAIT_SECONDS", 0.01)

    class Broken(BaseException):
        pass

    def work() -> int:
        raise Broken

    with pytest.raises(Broken):
        Worker([Job("a", 0, lambda: 0), Job("b", 0, work, lane="b")], Leases(site), lambda: True).run()


# --- from before ---


def test_mails_that_an_earlier_version_has_queued_are_sent(serves, site):
    server = serves()
    for number, not_before in (("a" * 32, 0), ("b" * 32, int(time.time()) + 600)):
        place = keys.mail(number)
        words = {"number": number, "kind": "checkpoint", "to": f"{number[0]}@example.org", "state": "queued"}
        words |= {"about": {"event_id": "7", "hash": "0f"}, "language": "en", "tries": 0, "not_before": not_before}
        at = mail.as_text(mail.datetime.now(mail.UTC))
        index = {"GSI1PK": "MAIL#queued", "GSI1SK": f"{at}#{number}", "queued_at": at}
        site.write(Put({"PK": place.pk, "SK": place.sk, **words, **index}))
    assert send_waiting(compose, lanes=[URGENT]) == 0
    assert send_waiting(compose) == 1
    assert send_waiting(compose, later(700)) == 1
    assert server.receivers == ["a@example.org", "b@example.org"]
