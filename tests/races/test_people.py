"""Races about accounts: what may happen once, for one person, or only as long as nothing has changed."""

from __future__ import annotations

from functools import partial

import pytest

from accounts import api_tokens, repository, services, setup_link
from accounts.rules import Role
from accounts.second_factor import factors
from accounts.second_factor.passkeys import WrongPasskey
from foundation.acts.refusals import LostRace, NameTaken
from foundation.acts.storage import log, table
from foundation.acts.tokens import create_token
from foundation.photos.changing import PictureChange
from foundation.photos.photos import Encoded, Photo
from foundation.store import keys
from foundation.store.log import Event
from tests.accounts.test_factors import NOW, SITE, Authenticator, asked, code_in, with_passkey
from tests.people import PASSWORD, make_owner, somebody

from .overtaken import lost, overtaken_by
from .test_voting import events


def found(name: str):
    user = repository.find(name)
    assert user
    return user


# --- accounts ---


def test_one_name_is_one_account(site):
    make = [partial(services.create_account, somebody("Ada", email=f"{n}@example.org")) for n in range(2)]
    assert isinstance(lost(make[0], to=make[1]), NameTaken)
    assert found("Ada").email == "1@example.org"


def test_one_address_is_one_account(site):
    make = [partial(services.create_account, somebody(name, email="ada@example.org")) for name in ("Ada", "Bo")]
    lost(make[0], to=make[1])
    assert repository.find("Ada") is None
    assert repository.find_by_email("ada@example.org").name == "Bo"


def test_a_link_makes_one_account(site, person, outbox):
    person("owner", Role.OWNER)
    services.register("Ada", "ada@example.org", PASSWORD, "203.0.113.7")
    token = next(text for to, _, text in outbox() if to == "ada@example.org").split("/register/")[1].split("/")[0]
    confirm = partial(services.confirm_registration, token)
    assert isinstance(lost(partial(confirm, "Ada L."), to=confirm), (services.LinkSpent, LostRace))
    assert repository.find("Ada L.") is None


def test_an_invitation_is_accepted_once(site, person):
    services.invite(person("admin", Role.ADMIN), "new@example.org", Role.VOTER)
    token = create_token("invitation", "new@example.org")
    accept = [partial(services.accept_invitation, token, name, PASSWORD) for name in ("One", "Two")]
    lost(accept[0], to=accept[1])
    assert repository.find("One") is None


@pytest.mark.parametrize("role", [Role.ADMIN, Role.OWNER])
def test_of_two_changes_of_a_role_the_first_stays(site, person, role):
    owner, ada, bo = person("owner", Role.OWNER), person("Ada"), person("Bo")
    slow = partial(services.change_role, owner, ada, role)
    quick = partial(services.change_role, owner, bo if role == Role.OWNER else ada, Role.OWNER)
    lost(slow, to=quick)
    assert table().get(keys.OWNER)["name"] == (bo if role == Role.OWNER else ada).name
    assert [each.name for each in repository.people(role=Role.OWNER, limit=9)[0]] == [table().get(keys.OWNER)["name"]]


def test_of_two_who_change_one_role_the_first_is_right(site, person):
    owner, admin, ada = person("owner", Role.OWNER), person("admin", Role.ADMIN), person("Ada")
    lost(
        partial(services.change_role, owner, ada, Role.ADMIN), to=partial(services.change_role, admin, ada, Role.VOTER)
    )
    assert found("Ada").role == Role.VOTER


def test_one_link_makes_one_first_owner(site):
    token = setup_link.new_link().rstrip("/").rpartition("/")[2]
    make = [partial(services.make_owner_by_link, token, name, f"{name}@x.org", PASSWORD) for name in ("one", "two")]
    lost(make[0], to=make[1])
    assert [each.name for each in repository.people(limit=9)[0]] == ["two"]


def test_there_is_one_first_owner(site):
    lost(partial(make_owner, "one", "one@x.org"), to=partial(make_owner, "two", "two@x.org"))
    assert [each.name for each in repository.people(limit=9)[0]] == ["two"]


def test_of_two_new_passwords_the_first_stays(site, person):
    ada = person("Ada")
    lost(
        partial(services.change_password, ada, "first " + PASSWORD), to=partial(services.change_password, ada, PASSWORD)
    )
    assert found("Ada").check_password(PASSWORD)


@pytest.mark.parametrize("same", [True, False])
def test_an_address_goes_to_one_account(site, person, same):
    """Two people who ask for it, or one who asks for two."""
    ada = person("Ada")
    other, wanted = (ada, "other@example.org") if same else (person("Bo"), "new@example.org")

    def change(user, address: str) -> None:
        log().record(Event(user.name, "UserEmailChanged"), *repository.email_change(user, address))

    lost(partial(change, ada, "new@example.org"), to=partial(change, other, wanted))
    assert repository.find_by_email(wanted).name == other.name
    assert same == (repository.find_by_email("new@example.org") is None)


def test_who_was_given_another_role_is_not_removed_by_who_looked_before(site, person):
    owner, ada = person("owner", Role.OWNER), person("Ada")
    lost(partial(services.remove, owner, ada), to=partial(services.change_role, owner, ada, Role.ADMIN))
    assert found("Ada").role == Role.ADMIN


def test_of_two_limits_of_mails_the_first_stays(site, person):
    limit = partial(services.change_mail_limit, person("owner", Role.OWNER), person("Otto"))
    lost(partial(limit, 1), to=partial(limit, 2))
    assert found("Otto").mails_a_day == 2


def test_two_presses_that_save_a_profile_are_one_change(person):
    save = partial(services.change_profile, person("Ada"), "Ada L.", "Words.")
    with overtaken_by(save):
        save()
    assert len(events("ProfileChanged")) == 1


def test_who_is_removed_while_they_save_their_profile_stays_removed(person):
    owner, ada = person("owner", Role.OWNER), person("Ada")
    lost(partial(services.change_profile, ada, "Ada L.", ""), to=partial(services.remove, owner, ada))
    assert table().get(keys.user("Ada")) is None


def test_of_two_new_pictures_one_is_left(person):
    ada = person("Ada")
    first, second = (
        PictureChange(Encoded(Photo(name, "", 320, 240, (320,), "webp", ("d",)), (b"bytes",)))
        for name in ("first", "second")
    )
    with overtaken_by(partial(services.change_picture, ada, first)):
        services.change_picture(ada, second)
    assert found("Ada").photo.id == "second"
    assert [bool(table().get(keys.photo(name, 320))) for name in ("first", "second")] == [False, True]


# --- what works once ---


def test_a_token_is_revoked_once(person):
    ada = person("Ada")
    api_tokens.create(ada, "A program", ["read"], 30)
    (token,) = api_tokens.tokens_of(ada)
    lost(*[partial(api_tokens.revoke, ada, token.id)] * 2)


def test_a_code_of_an_app_is_used_once(site, ada, has_app):
    use = partial(factors.use_code, ada, code_in(has_app, 1), NOW)
    assert isinstance(lost(use, to=use), factors.WrongCode)


def test_a_recovery_code_is_used_once(site, ada, has_app):
    use = partial(factors.use_code, ada, factors.make_codes(ada)[0], NOW)
    assert isinstance(lost(use, to=use), factors.WrongCode)
    assert len(factors.load_factors(ada).codes) == 9


def test_an_answer_of_a_passkey_is_used_once(site, ada):
    key = with_passkey(ada, Authenticator(counts=False))
    challenge, options = asked(ada)
    use = partial(factors.use_passkey, ada, key.get(options), challenge, SITE)
    assert isinstance(lost(use, to=use), WrongPasskey)


def test_of_two_changes_of_ones_factors_none_is_lost(site, ada, has_app):
    """A passkey that comes while a code is used stays."""
    with overtaken_by(partial(with_passkey, ada)):
        factors.use_code(ada, code_in(has_app, 1), NOW)
    kept = factors.load_factors(ada)
    assert len(kept.passkeys) == 1
    with pytest.raises(factors.WrongCode):
        factors.use_code(ada, code_in(has_app, 1), NOW)
