"""Whom the site lets mail others: limits that admins change, and organisers whom they confirm."""

from __future__ import annotations

import pytest

from accounts import mail_quota, repository, rules, services
from accounts.rules import Role
from foundation.acts.storage import now_text
from foundation.mail import outbox as mail
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Exists, Update
from tests.at_once import at_once
from tests.clock import stands_at
from tests.rows import every_row


@pytest.fixture(autouse=True)
def _no_day_ends_meanwhile(monkeypatch):
    """Mails are counted by the day."""
    stands_at(monkeypatch, now_text())


def text_of(answer):
    return answer.content.decode()


def told(site, kind):
    return [event["event_data"] for event in EventLog(site).since(0) if event["event_type"] == kind]


@every_row(
    ("role", "own", "most"),
    [
        (Role.USER, None, 500),
        (Role.USER, 7, 7),
        (Role.USER, 0, 0),
        (Role.ADMIN, None, None),
        (Role.OWNER, None, None),
        (Role.ADMIN, 7, 7),
    ],
)
def test_what_was_set_for_somebody_holds_else_what_is_usual_and_admins_have_none(role, own, most):
    assert rules.mails_a_day(role, own, 500) == most


@every_row(
    ("role", "confirmed", "may"),
    [(Role.USER, False, False), (Role.USER, True, True), (Role.ADMIN, False, True), (Role.OWNER, False, True)],
)
def test_admins_are_confirmed_by_their_role(role, confirmed, may):
    assert rules.is_confirmed(role, confirmed) is may


def test_an_admin_raises_lowers_and_takes_back_a_limit(site, person, signed_in):
    admin = signed_in("admin", Role.ADMIN)
    person("Otto")
    assert "0 of 500 today" in text_of(admin.get("/people/Otto/"))
    for typed, most in (("900", 900), ("0", 0), ("", None)):
        answer = admin.post("/people/Otto/mail-limit/", {"mails_a_day": typed}, follow=True)
        assert "mail limit is changed" in text_of(answer)
        assert repository.find("Otto").mails_a_day == most
        assert f"0 of {500 if most is None else most} today" in text_of(answer)
    admin.post("/people/Otto/mail-limit/", {"mails_a_day": ""})
    assert [each["mails_a_day"] for each in told(site, "MailLimitChanged")] == [900, 0, None], "no change, no event"
    for typed in ("-1", "many", "1000001", "1.5"):
        answer = admin.post("/people/Otto/mail-limit/", {"mails_a_day": typed}, follow=True)
        assert "whole number" in text_of(answer)
    assert repository.find("Otto").mails_a_day is None


def test_an_admin_confirms_an_organiser_and_takes_it_back(site, person, signed_in):
    admin = signed_in("admin", Role.ADMIN)
    person("Otto")
    assert "Not confirmed yet" in text_of(admin.get("/people/Otto/"))
    for _ in range(2):
        assert admin.post("/people/Otto/confirm/").status_code == 302
        assert repository.find("Otto").can_write_to_many
    assert "Withdraw the confirmation" in text_of(admin.get("/people/Otto/"))
    for _ in range(2):
        assert admin.post("/people/Otto/unconfirm/").status_code == 302
        assert not repository.find("Otto").can_write_to_many
    assert len(told(site, "OrganiserConfirmed")) == len(told(site, "OrganiserUnconfirmed")) == 1


def test_a_page_of_somebody_who_cannot_mail_says_nothing_of_mails(site, person, signed_in):
    person("Hypatia", Role.VOTER)
    page = text_of(signed_in("admin", Role.ADMIN).get("/people/Hypatia/"))
    assert "Mails to others" not in page
    assert "Confirm as organiser" not in page


HOOKS = (("mail-limit", {"mails_a_day": "9"}), ("confirm", {}), ("unconfirm", {}))


@pytest.mark.parametrize(("act", "form"), HOOKS)
def test_only_somebody_strictly_below_is_limited_or_confirmed(site, person, signed_in, act, form):
    admin = signed_in("admin", Role.ADMIN)
    person("equal", Role.ADMIN)
    for target in ("equal", "admin"):
        assert admin.post(f"/people/{target}/{act}/", form).status_code == 403
        assert f"/people/{target}/{act}/" not in text_of(admin.get(f"/people/{target}/"))
    assert admin.post(f"/people/nobody/{act}/", form).status_code == 404
    assert repository.find("equal").mails_a_day is None


def test_an_owner_can_limit_an_admin_whose_invitations_count_then(site, person, signed_in):
    services.change_mail_limit(person("owner", Role.OWNER), person("admin", Role.ADMIN), 2)
    admin = signed_in(repository.find("admin"))
    answers = [admin.post("/invitations/new/", {"email": f"{n}@example.org", "role": "VOTER"}) for n in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 422]
    assert "0 of 2 mails are left" in text_of(answers[-1])
    assert len(mail.in_state(mail.QUEUED, 9)[0]) == 2
    assert site.get(keys.invitation("2@example.org")) is None


def test_the_last_mails_of_a_day_are_had_by_as_many_as_there_are(site, person):
    services.change_mail_limit(person("owner", Role.OWNER), person("admin", Role.ADMIN), 3)
    admin = repository.find("admin")
    answers = at_once(*[lambda n=n: services.invite(admin, f"{n}@example.org", Role.VOTER) for n in range(8)])
    assert answers.count(True) == 3
    assert len(mail.in_state(mail.QUEUED, 20)[0]) == mail_quota.quota_today(admin).used == 3


def test_a_person_of_an_earlier_version_has_what_is_usual_and_is_not_confirmed(site, person, settings):
    otto = person("Otto")
    site.write(Update(keys.user("Otto"), remove=("mails_a_day", "confirmed", "lineage"), when=Exists()))
    otto = repository.find("Otto")
    assert mail_quota.daily_limit(otto) == settings.MAILS_A_DAY
    assert not otto.can_write_to_many


def test_the_organisers_of_the_demo_are_confirmed(site, person):
    person("owner", Role.OWNER)
    services.make_demo_person("Emmy", Role.USER, "", "demo-demo-demo")
    services.make_demo_person("Hypatia", Role.VOTER, "", "demo-demo-demo")
    assert repository.find("Emmy").can_write_to_many
    assert not repository.find("Hypatia").can_write_to_many
