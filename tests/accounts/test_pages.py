"""Journeys through the pages about one's own account."""

from __future__ import annotations

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client

from accounts import repository
from accounts.rules import Role
from accounts.sessions import sessions_of
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Delete
from tests.people import PASSWORD

ODD_NAMES = [
    "Ada",
    "#1/100% \"quoted\" 'n' <b>",
    "عائشة",
    "🦊",
    "..",
    "a/b/role",
    "~2F",
    "x" * 200,
    "C:\\dir",
    "Straße",
]


def register(client, name="Ada", email="ada@example.org", password=PASSWORD):
    return client.post("/register/", {"name": name, "email": email, "password": password})


def events(site):
    return [event["event_type"] for event in EventLog(site).since(0)]


# --- registering ---


def test_people_complete_their_account_by_a_mailed_link(client, site, person, link):
    person("owner", Role.OWNER)
    assert "Check your inbox" in register(client).content.decode()
    assert repository.find("Ada") is None
    address = link("ada@example.org")
    assert repository.find("Ada") is None, "looking at the mail alone makes no account"
    client.logout()
    assert client.get(address).status_code == 200
    assert repository.find("Ada") is None, "a mail scanner that follows the link makes no account"
    assert "Please sign in with your password" in client.post(address, follow=True).content.decode()
    assert repository.find("Ada").role == Role.USER
    assert client.get("/me/").status_code == 302, "whoever can read the mail need not know the password"
    assert client.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD}).status_code == 302
    assert client.get("/me/").status_code == 200
    assert client.post(address).status_code == 410


def test_the_link_signs_in_where_the_password_was_just_chosen_and_for_that_address_only(client, site, person, link):
    person("owner", Role.OWNER)
    register(client)
    register(client, "Bo", "bo@example.org")
    client.post(link("ada@example.org"))
    assert client.get("/me/").status_code == 302, "the browser has registered another address since"
    answer = client.post(link("bo@example.org"), follow=True)
    assert "Welcome, Bo." in answer.content.decode()
    assert "Bo" in client.get("/me/").content.decode()
    session = next(iter(sessions_of("Bo")))
    assert "registered" not in session["contents"]
    assert "bo@example.org" not in str(session["contents"]), "a session holds no address"


def test_the_link_does_not_sign_in_to_an_account_with_a_strangers_password(client, site, person, link):
    person("owner", Role.OWNER)
    register(client)
    register(Client(), "Ada too", "ada@example.org")
    strangers = link("ada@example.org")
    assert "Please sign in with your password" in client.post(strangers, follow=True).content.decode()
    assert client.get("/me/").status_code == 302


def test_on_a_developers_machine_it_is_said_where_mails_are(client, site, person, settings):
    person("owner", Role.OWNER)
    settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = "foundation.mail.files.EmailBackend", "/tmp/mails"
    assert "This server writes mails to files, in /tmp/mails." in register(client).content.decode()
    settings.PRODUCTION = True
    assert "writes mails to files" not in register(client, "Bo", "bo@example.org").content.decode()


def test_the_default_role_is_a_setting(client, site, person, link, settings):
    settings.DEFAULT_ROLE = "NO_ACCESS"
    person("owner", Role.OWNER)
    register(client)
    client.post(link("ada@example.org"))
    assert repository.find("Ada").role == Role.NO_ACCESS
    client.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})
    assert "Waiting for approval" in client.get("/waiting/").content.decode()


@pytest.mark.parametrize("name", ["Ada", "ADA", " ada "])
def test_a_taken_name_is_refused_with_a_sentence_and_nothing_typed_is_lost(client, site, person, name):
    person("Ada", Role.OWNER)
    answer = register(client, name=name, email="other@example.org")
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "name is already taken" in text
    assert "other@example.org" in text


def test_a_name_taken_meanwhile_can_be_chosen_anew_with_the_same_link(client, site, person, link):
    person("owner", Role.OWNER)
    register(client)
    person("ada", email="another@example.org")
    address = link("ada@example.org")
    answer = client.post(address)
    assert answer.status_code == 422
    assert "name is already taken" in answer.content.decode()
    assert client.post(address, {"name": "Ada L."}).status_code == 302
    assert repository.find("ada l.").email == "ada@example.org"


@pytest.mark.deep
def test_whoever_tries_very_many_names_is_not_told_which_are_taken(client, site, person, link, settings):
    person("owner", Role.OWNER)
    register(client, "Ada", "ada@example.org")
    person("ada", email="another@example.org")
    address = link("ada@example.org")
    said = [client.post(address, {"name": "ada"}).content.decode() for _ in range(21)]
    assert all("name is already taken" in each for each in said[:20])
    assert "name is already taken" not in said[20]
    assert "tried too often" in said[20]
    assert client.post(address, {"name": "Ada L."}).status_code == 302, "a name that is free is still theirs"


def test_a_taken_address_gives_the_same_page_and_a_mail_to_its_owner(client, site, person, outbox):
    person("owner", Role.OWNER)
    person("bo", email="Bo@example.org")
    free = register(client, "new 1", "free@example.org")
    taken = register(client, "new 2", "bo@EXAMPLE.org")
    assert free.status_code == taken.status_code == 200
    page = free.content.decode().replace("free@example.org", "bo@EXAMPLE.org")
    strip = lambda text: text[text.index("<main") : text.index("</main>")]  # noqa: E731
    assert strip(page) == strip(taken.content.decode())
    subjects = {to: subject for to, subject, _ in outbox()}
    assert subjects == {
        "free@example.org": "Plenum: Complete your account",
        "Bo@example.org": "Plenum: You already have an account",
    }


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"password": "short"}, "too short"),
        ({"password": "1234567890123"}, "entirely numeric"),
        ({"password": "password1234"}, "too common"),
        ({"name": "lovelace", "password": "lovelace1815"}, "too similar"),
        ({"name": "a@b"}, "cannot contain @"),
        ({"name": " "}, "required"),
        ({"name": "x" * 201}, "at most 200 characters"),
        ({"email": "nowhere"}, "valid email"),
    ],
)
def test_what_is_wrong_with_a_registration_is_said(client, site, person, fields, sentence):
    person("owner", Role.OWNER)
    answer = register(client, **{"name": "Ada", **fields})
    assert answer.status_code == 422
    assert sentence in answer.content.decode()


@pytest.mark.few(4)
@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_survive_every_page_and_key(client, site, signed_in, person, name, link):
    owner = signed_in("owner", Role.OWNER)
    person(name, email="odd@example.org")
    assert client.post("/sign-in/", {"name_or_email": name, "password": PASSWORD}).status_code == 302
    assert client.get("/me/").status_code == 200
    from django.urls import reverse

    page = owner.get(reverse("person", args=[name]))
    assert page.status_code == 200
    assert owner.post(reverse("change_role", args=[name]), {"role": "VOTER"}).status_code == 302
    assert repository.find(name).role == Role.VOTER
    client.post("/password/forgotten/", {"name_or_email": name})
    assert client.get(link("odd@example.org")).status_code == 200


# --- signing in and out ---


@pytest.mark.parametrize("typed", ["Ada", "ADA", " ada ", "ada@example.org", "ADA@example.ORG"])
def test_sign_in_by_name_or_email_without_regard_to_case(client, site, person, typed):
    person("Ada", email="Ada@example.org")
    assert client.post("/sign-in/", {"name_or_email": typed, "password": PASSWORD}).status_code == 302
    assert client.get("/me/").status_code == 200


@pytest.mark.parametrize("typed", ["Ada", "nobody", "ada@example.org", "nobody@example.org"])
def test_a_wrong_password_and_an_unknown_person_get_the_same_answer(client, site, person, typed):
    person("Ada", email="ada@example.org")
    answer = client.post("/sign-in/", {"name_or_email": typed, "password": "wrong"})
    assert answer.status_code == 422
    assert "Wrong name or password" in answer.content.decode()
    assert typed in answer.content.decode()


class CountedHasher(MD5PasswordHasher):
    """Notes each password it hashes."""

    hashed: list[str] = []

    def encode(self, password: str, salt: str) -> str:
        self.hashed.append("hash")
        return super().encode(password, salt)


@pytest.fixture
def hashed(settings, monkeypatch) -> list[str]:
    """One entry for each password hashed since the last `clear`."""
    monkeypatch.setattr(CountedHasher, "hashed", [])
    settings.PASSWORD_HASHERS = [f"{__name__}.CountedHasher"]
    return CountedHasher.hashed


def test_an_unknown_person_costs_one_hash_too(client, site, person, hashed):
    person("Ada")
    for typed in ("Ada", "nobody", "ada@example.org", "nobody@example.org"):
        hashed.clear()
        client.post("/sign-in/", {"name_or_email": typed, "password": "wrong"})
        assert len(hashed) == 1, typed


def test_sign_in_by_email_finds_the_account_in_the_index(client, site, person):
    """The item that guards the address is gone, and the address is typed in another case."""
    person("Ada", email="Ada.L@example.org")
    site.write(Delete(keys.email("Ada.L@example.org")))
    answer = client.post("/sign-in/", {"name_or_email": "aDA.l@Example.org", "password": PASSWORD})
    assert answer.status_code == 302
    assert "Ada" in client.get("/me/").content.decode()


def test_sign_in_leads_where_the_person_wanted_to_go_but_only_here(client, site, person):
    person("Ada")
    answer = client.get("/me/")
    assert answer["Location"] == "/sign-in/?next=/me/"
    form = {"name_or_email": "Ada", "password": PASSWORD}
    assert client.post("/sign-in/", {**form, "next": "/me/sessions/"})["Location"] == "/me/sessions/"
    assert Client().post("/sign-in/", {**form, "next": "https://evil.example/"})["Location"] == "/"
    assert Client().post("/sign-in/", {**form, "next": "//evil.example/"})["Location"] == "/"


def test_the_session_key_changes_at_sign_in_and_ends_at_sign_out(site, person, signed_in):
    client = signed_in("Ada")
    cookie = client.cookies["plenum_session"].value
    client.post("/sign-out/")
    assert client.get("/me/").status_code == 302
    stale = Client()
    stale.cookies["plenum_session"] = cookie
    assert stale.get("/me/").status_code == 302


def test_sign_in_over_a_session_that_has_ended_elsewhere(site, person, signed_in):
    from accounts import services

    user = person("Ada")
    client = signed_in(user)
    services.sign_out_everywhere(user)
    assert client.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD}).status_code == 302
    assert client.get("/me/").status_code == 200


@pytest.mark.parametrize("cookie", ["", "x", "QWRh.", "QWRh.forged", "!!.x", "." * 300, "QWRh.x.y", "\u00e9"])
def test_a_forged_cookie_is_nobody(site, person, cookie):
    person("Ada")
    client = Client()
    client.cookies["plenum_session"] = cookie
    assert client.get("/me/").status_code == 302


def test_a_session_of_one_person_is_no_session_of_another(site, signed_in, person):
    import base64

    client = signed_in("Ada")
    person("Bo")
    secret = client.cookies["plenum_session"].value.partition(".")[2]
    thief = Client()
    thief.cookies["plenum_session"] = base64.urlsafe_b64encode(b"Bo").decode().rstrip("=") + "." + secret
    assert thief.get("/me/").status_code == 302


# --- passwords ---


def test_reset_by_a_mailed_link_works_once(client, site, person, signed_in, link):
    elsewhere = signed_in(person("Ada", email="ada@example.org"))
    client.post("/password/forgotten/", {"name_or_email": "ada@EXAMPLE.org"})
    address = link("ada@example.org")
    assert client.get(address).status_code == 200
    assert client.post(address, {"password": "a brand new pass"}).status_code == 302
    assert elsewhere.get("/me/").status_code == 302, "a new password ends other sessions"
    assert client.post(address, {"password": "another new pass"}).status_code == 410
    assert client.post("/sign-in/", {"name_or_email": "Ada", "password": "a brand new pass"}).status_code == 302
    assert events(site)[-1] == "UserPasswordChanged"


@pytest.mark.parametrize(
    ("path", "known", "unknown"),
    [
        ("/sign-in/", {"name_or_email": "Ada"}, {"name_or_email": "nobody"}),
        ("/sign-in/", {"name_or_email": "ada@example.org"}, {"name_or_email": "nobody@example.org"}),
        ("/password/forgotten/", {"name_or_email": "Ada"}, {"name_or_email": "nobody"}),
        ("/password/forgotten/", {"name_or_email": "ada@example.org"}, {"name_or_email": "nobody@example.org"}),
        ("/register/", {"name": "new", "email": "ada@example.org"}, {"name": "new", "email": "free@example.org"}),
    ],
)
def test_the_work_done_does_not_tell_whether_somebody_is_known(site, person, hashed, monkeypatch, path, known, unknown):
    """The same hashes, the same number of round trips, and a write in both cases: time tells nothing either."""
    from foundation.store import round_trips

    person("owner", Role.OWNER)
    person("Ada", email="ada@example.org")
    monkeypatch.setattr("foundation.acts.pause.cache.seconds", 3600)
    Client().get("/")  # whether the site is paused is asked once for all requests, and known by now
    work = hashed  # in one list, as their order counts
    monkeypatch.setattr(round_trips, "_listeners", [lambda operation, outcome, seconds: work.append(operation)])
    done = []
    for form in (known, unknown):
        work.clear()
        Client().post(path, {**form, "password": "a wrong password"})
        done.append([each for each in work if each in ("hash", "write")] + [len(work)])
    assert done[0] == done[1]


def test_forgotten_says_the_same_of_somebody_unknown(client, site, person, outbox):
    person("Ada")
    known = client.post("/password/forgotten/", {"name_or_email": "Ada"})
    unknown = client.post("/password/forgotten/", {"name_or_email": "nobody"})
    strip = lambda answer: answer.content.decode().partition("<main")[2].partition("</main>")[0]  # noqa: E731
    assert strip(known) == strip(unknown)
    assert len(outbox()) == 1


def test_password_managers_find_the_page_to_change_a_password(site, client, signed_in):
    address = "/.well-known/change-password"
    assert client.get(address)["Location"] == "/me/password/"
    assert client.get(address, follow=True).redirect_chain[-1] == ("/sign-in/?next=/me/password/", 302)
    assert signed_in("Ann").get(address, follow=True).status_code == 200
    assert client.post(address).status_code == 405
    assert client.get("/.well-known/resource-that-should-not-exist").status_code == 404


def test_changing_the_password_keeps_this_session_and_ends_the_others(site, person, signed_in):
    user = person("Ada")
    here, there = signed_in(user), signed_in(user)
    wrong = here.post("/me/password/", {"present": "wrong", "password": "a brand new pass"})
    assert wrong.status_code == 422
    assert "Wrong password" in wrong.content.decode()
    assert here.post("/me/password/", {"present": PASSWORD, "password": "a brand new pass"}).status_code == 302
    assert here.get("/me/").status_code == 200
    assert there.get("/me/").status_code == 302


def test_the_hash_is_made_anew_at_sign_in_when_its_cost_changed(client, site, person, settings):
    person("Ada")
    settings.PASSWORD_HASHERS = ["accounts.backends.Argon2id", "django.contrib.auth.hashers.MD5PasswordHasher"]
    assert client.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD}).status_code == 302
    item = site.get(keys.user("Ada"))
    assert item["hash"].startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")
    assert client.get("/me/").status_code == 200
    assert Client().post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD}).status_code == 302


# --- addresses ---


def test_a_new_address_is_confirmed_by_a_link_and_the_old_one_is_told(site, person, signed_in, link, outbox):
    client = signed_in(person("Ada", email="old@example.org"))
    client.post("/me/email/", {"email": "New@example.org", "present": PASSWORD})
    address = link("New@example.org")
    assert repository.find("Ada").email == "old@example.org"
    assert client.post(address).status_code == 302
    assert repository.find_by_email("new@example.org").name == "Ada"
    assert repository.find_by_email("old@example.org") is None
    assert client.post(address).status_code == 410
    assert ("old@example.org", "Plenum: Your address was changed") in [(to, subject) for to, subject, _ in outbox()]
    assert events(site)[-1] == "UserEmailChanged"


def test_an_address_that_only_changes_its_case_is_a_change(site, person, signed_in, link):
    client = signed_in(person("Ada", email="ada@example.org"))
    client.post("/me/email/", {"email": "ADA@example.org", "present": PASSWORD})
    assert client.post(link("ADA@example.org")).status_code == 302
    assert repository.find_by_email("ada@example.org").email == "ADA@example.org"


def test_somebody_elses_address_is_not_told_and_not_taken(site, person, signed_in, outbox):
    person("Bo", email="bo@example.org")
    client = signed_in("Ada")
    page = client.post("/me/email/", {"email": "BO@example.org", "present": PASSWORD}).content.decode()
    assert "We sent a mail to BO@example.org" in page
    assert [(to, subject) for to, subject, _ in outbox()] == [("bo@example.org", "Plenum: You already have an account")]


# --- sessions, profile, leaving ---


def test_my_sessions_are_listed_and_can_be_ended(site, person, signed_in):
    user = person("Ada")
    here, there, third = signed_in(user), signed_in(user), signed_in(user)
    page = here.get("/me/sessions/").content.decode()
    assert page.count("<tr>") == 4
    assert there.post("/me/sessions/", {"end": "others"}).status_code == 302
    assert here.get("/me/").status_code == third.get("/me/").status_code == 302
    assert there.get("/me/").status_code == 200


def test_signing_out_everywhere_ends_this_one_too(site, person, signed_in):
    user = person("Ada")
    here, there = signed_in(user), signed_in(user)
    here.post("/me/sessions/", {"end": "everywhere"})
    assert here.get("/me/").status_code == there.get("/me/").status_code == 302


def test_nobody_ends_another_persons_session(site, person, signed_in):
    ada, bo = signed_in("Ada"), signed_in("Bo")
    (session,) = site.each(keys.sessions("Bo"))
    ada.post("/me/sessions/", {"end": session["SK"]})
    assert bo.get("/me/").status_code == 200


def test_a_session_ended_elsewhere_is_not_brought_back_by_a_running_request(site, person, signed_in):
    from accounts.sessions import SessionStore

    client = signed_in("Ada")
    running = SessionStore(client.cookies["plenum_session"].value)
    running["x"] = 1
    (session,) = site.each(keys.sessions("Ada"))
    from foundation.store.table import Delete

    site.write(Delete(keys.session("Ada", session["SK"])))
    from django.contrib.sessions.backends.base import UpdateError

    with pytest.raises(UpdateError):
        running.save()
    assert client.get("/me/").status_code == 302


def test_the_profile_is_saved_as_typed(site, signed_in):
    client = signed_in("Ada")
    client.post("/me/", {"display_name": "Ada <i>Lovelace</i>", "about": "first\nprogrammer"})
    page = client.get("/me/").content.decode()
    assert "Ada &lt;i&gt;Lovelace&lt;/i&gt;" in page
    assert repository.find("Ada").about == "first\nprogrammer"
    assert events(site)[-1] == "ProfileChanged"


def test_leaving_asks_for_the_password_and_is_final(site, signed_in, client):
    leaver = signed_in("Ada")
    assert leaver.post("/me/leave/", {"present": "wrong"}).status_code == 422
    assert "Goodbye" in leaver.post("/me/leave/", {"present": PASSWORD}).content.decode()
    assert repository.find("Ada") is None
    assert repository.find_by_email("Ada@example.org") is None
    assert leaver.get("/me/").status_code == 302
    assert events(site)[-1] == "UserRemoved"


def test_the_owner_cannot_leave(site, signed_in):
    owner = signed_in("owner", Role.OWNER)
    answer = owner.post("/me/leave/", {"present": PASSWORD})
    assert "Transfer the ownership first" in answer.content.decode()
    assert repository.find("owner")
