"""Who gets the news by mail: nobody who has not confirmed it, and nobody who has left."""

from __future__ import annotations

import io
import json
import logging
import re
import time
import zipfile
from types import SimpleNamespace

import pytest
from django.core import mail as sent
from django.test import Client

from accounts import services as accounts
from accounts.personal_data import export_personal_data
from accounts.rules import Role
from accounts.visitors import Visitor
from foundation.acts import tokens
from foundation.acts.rate_limits import SECONDS_PER_DAY, TooOften
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.mail import outbox as mails
from foundation.store import keys
from foundation.store.table import DATA, Span
from operations.audit.tables import masks
from parts.news import mailing

ANN = "ann@example.org"
PAGE = "/news/by-mail/"


@pytest.fixture
def stranger(site) -> Client:
    return Client()


def signed_ago(monkeypatch, seconds: int, make):
    """What was signed so long ago."""
    with monkeypatch.context() as patched:
        then = time.time() - seconds
        patched.setattr(tokens, "time", SimpleNamespace(time=lambda: then))
        return make()


def queued() -> list[tuple[str, str]]:
    return [(mail.kind, mail.to) for mail in mails.in_state(mails.QUEUED, 99)[0]]


# --- coming ---


def test_only_the_button_behind_the_mailed_link_makes_a_subscriber(stranger, link):
    answer = stranger.post(PAGE, {"email": ANN})
    assert "Check your inbox" in answer.content.decode()
    assert mailing.count_subscribers() == 0
    path = link(ANN)
    for look in (stranger.get, stranger.head):  # as a mail scanner does
        assert look(path).status_code == 200
    assert mailing.count_subscribers() == 0
    assert "You will now get every new post by mail" in stranger.post(path).content.decode()
    first = mailing.find("ANN@example.org")
    stranger.post(path)
    assert mailing.find(ANN) == first
    assert mailing.count_subscribers() == 1


def test_who_is_signed_in_finds_their_address_there(signed_in):
    assert 'value="Ada@example.org"' in signed_in("Ada").get(PAGE).content.decode()


@pytest.mark.parametrize("typed", ["", "no address", "a@example.org\r\nBcc: b@example.org", "x" * 400 + "@example.org"])
def test_what_is_no_address_is_refused(stranger, typed):
    assert stranger.post(PAGE, {"email": typed}).status_code == 422
    assert queued() == []


def test_a_link_that_is_wrong_too_old_or_for_something_else_confirms_nothing(stranger, monkeypatch):
    good = mailing.confirm_token(ANN, "en")
    old = signed_ago(monkeypatch, 3 * SECONDS_PER_DAY + 60, lambda: mailing.confirm_token(ANN, "en"))
    for token in ("made-up", good[:-1], old, mailing.leave_token(ANN)):
        for ask in (stranger.get, stranger.post):
            assert ask(f"{PAGE}confirm/{token}/").status_code == 410
    assert mailing.count_subscribers() == 0
    assert stranger.get(f"{PAGE}confirm/{good}/").status_code == 200


def test_nobody_learns_whether_an_address_gets_the_news(stranger, outbox):
    mailing.confirm("known@example.org", "de")
    known, new = (stranger.post(PAGE, {"email": f"{name}@example.org"}) for name in ("known", "fresh"))
    assert said(known).replace("known@", "fresh@") == said(new)
    texts = {to: text for to, _, text in outbox()}
    assert "/news/by-mail/leave/" in texts["known@example.org"]
    assert "Hallo," in texts["known@example.org"], "in the language they have chosen"
    assert "/news/by-mail/confirm/" in texts["fresh@example.org"]


def said(answer) -> str:
    return re.sub(r'csrfmiddlewaretoken" value="\w+"', "", answer.content.decode())


def test_nobody_is_flooded_by_who_types_their_address(site):
    mailing.confirm("known@example.org", "en")
    for address in (ANN, "known@example.org"):
        for number in range(5):
            mailing.request_subscription(address, Visitor(f"192.0.2.{number}"))
    assert sorted(queued()) == [("confirm_news", ANN)] * 3 + [("news_known", "known@example.org")]


def test_who_types_one_address_again_and_again_is_asked_to_wait(stranger):
    answers = [stranger.post(PAGE, {"email": ANN}) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [422]
    assert "tried too often" in answers[-1].content.decode()


def test_who_types_many_addresses_is_asked_to_wait(site, monkeypatch):
    assert mailing.REQUEST_LIMITS.per_address.most == 20
    around = mailing.Limit("news-address", 2, 3600)
    monkeypatch.setattr(mailing, "REQUEST_LIMITS", mailing.throttle.Limits(*_narrow(), around))
    for number in range(2):
        mailing.request_subscription(f"{number}@example.org", Visitor("192.0.2.1"))
    with pytest.raises(TooOften):
        mailing.request_subscription("2@example.org", Visitor("192.0.2.1"))


def _narrow():
    return mailing.REQUEST_LIMITS.per_source, mailing.REQUEST_LIMITS.per_account


# --- leaving ---


def test_one_click_of_a_mail_program_is_enough(site):
    """RFC 8058: a POST without cookies, from nowhere, whose body says what it is; and the same again."""
    mailing.confirm(ANN, "en")
    path = f"{PAGE}leave/{mailing.leave_token(ANN)}/"
    for _time in range(2):
        answer = Client(enforce_csrf_checks=True).post(path, {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert "You are unsubscribed" in answer.content.decode()
    assert list(table().each(keys.SUBSCRIBERS)) == []


def test_a_link_that_is_only_opened_ends_nothing(stranger, monkeypatch):
    mailing.confirm(ANN, "en")
    old = signed_ago(monkeypatch, 5 * 365 * SECONDS_PER_DAY, lambda: mailing.leave_token(ANN))
    path = f"{PAGE}leave/{old}/"
    assert stranger.get(path).status_code == stranger.head(path).status_code == 200
    assert stranger.put(path).status_code == 405
    for token in ("made-up", old[:-1], mailing.confirm_token(ANN, "en")):
        assert stranger.post(f"{PAGE}leave/{token}/").status_code == 410
    assert mailing.count_subscribers() == 1
    assert stranger.post(path).status_code == 200
    assert mailing.count_subscribers() == 0


def test_nothing_is_left_of_who_has_left(site):
    mailing.confirm(ANN, "en")
    mailing.leave(ANN)
    assert not [item for _, item in table().everything() if "ann@" in str(item)]


def test_an_admin_sees_how_many_and_ends_it_for_one(signed_in):
    mailing.confirm(ANN, "en")
    admin = signed_in("Boss", Role.OWNER)
    page = admin.get("/news/subscribers/").content.decode()
    assert "1 address gets the news by mail." in page
    assert ANN not in page
    assert admin.post("/news/subscribers/", {"email": "other@example.org"}).status_code == 422
    assert admin.post("/news/subscribers/", {"email": "no address"}).status_code == 422
    assert admin.post("/news/subscribers/", {"email": "Ann@Example.org"}).status_code == 302
    assert mailing.count_subscribers() == 0


def test_who_has_lost_their_role_ends_it_for_nobody(person):
    mailing.confirm(ANN, "en")
    boss, admin = person("Boss", Role.OWNER), person("Adam", Role.ADMIN)
    accounts.change_role(boss, admin, Role.VOTER)
    with pytest.raises(Refusal):
        mailing.remove(admin, ANN)
    assert mailing.count_subscribers() == 1


def test_with_an_account_goes_the_news_to_its_address(person):
    person("Boss", Role.OWNER)
    ada = person("Ada")
    for address in (ada.email, ANN):
        mailing.confirm(address, "en")
    accounts.remove_self(ada)
    assert [each["address"] for each in table().each(keys.SUBSCRIBERS)] == [ANN]


# --- who is told ---


def test_people_are_told_since_when_they_get_the_news(person):
    ada = person("Ada")
    mailing.confirm("ada@example.org", "de")
    packed = zipfile.ZipFile(io.BytesIO(export_personal_data(ada).read()))
    (entry,) = json.loads(packed.read("news_by_mail.json"))
    assert entry == {"address": "ada@example.org", "since": mailing.find(ada.email).since, "language": "de"}
    assert "news_by_mail.json" in packed.read("README.txt").decode()
    mailing.leave(ada.email)
    assert json.loads(zipfile.ZipFile(io.BytesIO(export_personal_data(ada).read())).read("news_by_mail.json")) == []


def test_auditors_are_shown_no_address(site):
    assert not masks.may_open(Span(keys.SUBSCRIBERS.pk))
    assert masks.type_of(keys.subscriber(ANN)) is None
    mailing.request_subscription(ANN, Visitor("192.0.2.1"))
    (item,) = table().each(keys.mails(mails.QUEUED))
    assert ANN not in str({name: str(value) for name, value in masks.mask_item(DATA, item).items()})


def test_no_address_is_in_the_logs(stranger, link, caplog):
    caplog.set_level(logging.DEBUG)
    stranger.post(PAGE, {"email": ANN})
    stranger.post(link(ANN))
    stranger.post(f"{PAGE}leave/{mailing.leave_token(ANN)}/")
    lines = [record.__dict__ for record in caplog.records if record.name.startswith("plenum")]
    assert lines
    assert "ann@" not in str(lines)
    assert sent.outbox
