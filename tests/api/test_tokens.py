"""Personal API tokens: their page, what ends them, and that nobody can read them again."""

from __future__ import annotations

import io
import json
import logging
import re
import zipfile
from datetime import datetime, timedelta

import pytest
from django.utils.formats import date_format

from accounts import api_tokens, repository, services
from accounts.api_tokens import Scope
from accounts.rules import Role
from elections.drafts import services as drafts
from foundation.acts.refusals import NotAllowed, NotThere, TooMany
from foundation.acts.storage import log, table
from foundation.store import keys
from foundation.store.log import as_text, utc_now
from foundation.store.table import Put, Update
from tests.api.program import Program
from tests.background import finish_background
from tests.people import PASSWORD

FORM = {"label": "Roll sync <b>", "scopes": ["read", "organise"], "days": "90", "present": PASSWORD}


def answers(token: str) -> int:
    return Program(token).get("elections").status_code


@pytest.fixture
def ann(person):
    return person("Ann")


@pytest.fixture
def token(ann) -> str:
    return api_tokens.create(ann, "A program", ["read"], 30)


def shown_in(page) -> str:
    return re.findall(r"plenum_[0-9a-f]{72}", page.content.decode())[0]


def test_a_token_is_shown_once_listed_and_revoked(ann, signed_in, outbox):
    browser, began = signed_in(ann), utc_now()
    page = browser.post("/me/tokens/new/", FORM)
    token = shown_in(page)
    assert page["Cache-Control"] == "private, no-store"
    assert answers(token) == 200
    found = browser.get("/me/tokens/").content.decode()
    assert "Roll sync &lt;b&gt;" in found
    assert token not in found
    (listed,) = api_tokens.tokens_of(ann)
    assert listed.scopes == ("read", "organise")
    assert as_text(began)[:10] <= listed.used_on <= as_text(utc_now())[:10]
    ends = datetime.fromisoformat(listed.expires_at)
    assert as_text(began) <= as_text(ends - timedelta(days=90)) <= as_text(utc_now())
    assert f">{date_format(ends, 'DATE_FORMAT')}</time>" in found, "as dates are written elsewhere"
    assert [subject for _to, subject, _text in outbox()] == ["Plenum: An API token was created for your account"]
    assert browser.post(f"/me/tokens/{listed.id}/revoke/").status_code == 302
    assert answers(token) == 401
    assert browser.post(f"/me/tokens/{listed.id}/revoke/").status_code == 404
    with pytest.raises(NotThere):
        api_tokens.revoke(ann, listed.id)


@pytest.mark.parametrize(
    "wrong",
    [
        {"present": "wrong"},
        {"scopes": []},
        {"scopes": ["audit"]},
        {"days": "1000"},
        {"label": ""},
        {"label": "x" * 101},
    ],
)
def test_a_form_that_is_wrong_creates_nothing(ann, signed_in, wrong):
    assert signed_in(ann).post("/me/tokens/new/", FORM | wrong).status_code == 422
    assert api_tokens.tokens_of(ann) == []


def test_only_ones_own_tokens_are_listed_and_revoked(ann, token, signed_in):
    (own,) = api_tokens.tokens_of(ann)
    other = signed_in("Uwe")
    assert own.id not in other.get("/me/tokens/").content.decode()
    assert other.post(f"/me/tokens/{own.id}/revoke/").status_code == 404
    assert answers(token) == 200


def test_scopes_are_offered_by_role(person):
    assert api_tokens.offered_scopes(person("Voter", Role.VOTER)) == [Scope.READ, Scope.PEOPLE]
    assert api_tokens.offered_scopes(person("Auditor", Role.AUDITOR)) == list(Scope)
    with pytest.raises(NotAllowed):
        api_tokens.create(person("Voter", Role.VOTER), "x", ["organise"], 7)


def test_there_are_so_many_tokens_and_no_more(ann):
    for number in range(api_tokens.MAX_TOKENS):
        api_tokens.create(ann, str(number), ["read"], 7)
    with pytest.raises(TooMany):
        api_tokens.create(ann, "more", ["read"], 7)


# --- what ends a token ---


def test_a_new_password_ends_it(ann, token):
    services.change_password(repository.find("Ann"), "another horse battery")
    assert answers(token) == 401
    assert api_tokens.tokens_of(repository.find("Ann")) == []


def test_signing_out_everywhere_ends_it(ann, token):
    services.sign_out_everywhere(ann)
    assert answers(token) == 401


def test_it_expires(ann, token):
    (item,) = table().each(keys.api_tokens("Ann"))
    table().write(Put(item | {"ttl": item["ttl"] - 31 * 24 * 3600}))
    assert answers(token) == 401


def test_it_goes_with_its_owner(ann, token, person):
    (own,) = api_tokens.tokens_of(ann)
    services.remove_self(ann)
    finish_background()
    assert list(table().each(keys.api_tokens("Ann"))) == []
    assert table().get(keys.api_token_owner(own.id)) is None
    person("Ann")
    assert answers(token) == 401


def test_a_lower_role_lowers_it(ann, token, person):
    owner = person("Olga", Role.OWNER)
    services.change_role(owner, repository.find("Ann"), Role.NO_ACCESS)
    assert answers(token) == 403


def test_an_admin_without_a_second_factor_cannot_use_it_where_one_is_demanded(person, settings):
    token = api_tokens.create(person("Ada", Role.ADMIN), "x", ["read"], 7)
    drafts.create(person("Otto"), "Board")
    table().write(Update(keys.election("Board"), set={"allow_vote": True}))
    assert Program(token).get("results/Board").status_code == 200
    settings.SECOND_FACTOR_FOR_ADMINS = True
    assert answers(token) == 403
    assert Program(token).get("results/Board").status_code == 404, "as to a stranger"


@pytest.mark.parametrize("change", ["upper", "longer", "checksum", "other", "basic"])
def test_another_text_is_no_token(token, change):
    other = {
        "upper": token.upper(),
        "longer": f"{token}0",
        "checksum": token[:-1] + ("0" if token[-1] != "0" else "1"),
        "other": f"plenum_{'0' * 64}{api_tokens._checksum('0' * 64)}",
        "basic": "",
    }[change]
    client = Program(other)
    if change == "basic":
        client.client.defaults["HTTP_AUTHORIZATION"] = "Basic QW5uOnBhc3N3b3Jk"
    answer = client.get("elections")
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")


# --- secrets ---


def test_a_token_is_in_no_log_and_no_store(ann, signed_in, caplog, capfd, site):
    with caplog.at_level(logging.DEBUG):
        token = shown_in(signed_in(ann).post("/me/tokens/new/", FORM))
        assert answers(token) == 200
        assert answers(token[:-1]) == 401
        Program(token).post("elections", {"name": token})
    secret = token.removeprefix("plenum_")[:-8]
    lines = [json.dumps(record.__dict__, default=str) for record in caplog.records] + list(capfd.readouterr())
    assert not [line for line in lines if secret[:20] in line and "caplog" not in line]
    requests = [record for record in caplog.records if record.message == "request" and hasattr(record, "token")]
    (listed,) = api_tokens.tokens_of(ann)
    assert {record.token for record in requests} == {listed.id}
    assert secret not in json.dumps(list(table().each(keys.api_tokens("Ann"))))


def test_events_and_exports_have_no_secret(ann, token, signed_in):
    said = [event for event in log().since(0) if event["event_type"] == "ApiTokenCreated"]
    (listed,) = api_tokens.tokens_of(ann)
    assert said[0]["event_data"] == {
        "name": "Ann", "token": listed.id, "scopes": ["read"], "expires_at": listed.expires_at,
    }  # fmt: skip
    file = b"".join(signed_in(ann).post("/me/data/", {"present": PASSWORD}).streaming_content)
    exported = json.loads(zipfile.ZipFile(io.BytesIO(file)).read("api_tokens.json"))
    assert [each["name"] for each in exported] == ["A program"]
    assert "digest" not in str(exported)


def test_the_digest_is_of_256_bits_and_the_id_opens_nothing(ann, token):
    (item,) = table().each(keys.api_tokens("Ann"))
    assert len(item["digest"]) == 64
    assert answers(f"plenum_{item['digest']}{api_tokens._checksum(item['digest'])}") == 401
