"""Passkeys (WebAuthn): the options a browser's authenticator gets, and the verification of its answer.

The library takes a fifth of a second to import and few requests need it, so it is imported inside functions.
"""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from foundation.acts.branding import site_name
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text

if TYPE_CHECKING:
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

TIMEOUT_SECONDS = 600
MAX_ANSWER_CHARS = 20_000  # of an authenticator; a longer one is cut and so not accepted
WRONG_PASSKEY = _("That passkey was not accepted. Please try again.")


class WrongPasskey(Refusal):
    pass


@dataclass(frozen=True, slots=True)
class Passkey:
    """What an authenticator reported about itself."""

    id: str
    public_key: bytes
    sign_count: int
    name: str
    added_at: str
    used_at: str = ""
    challenge: str = ""  # digest of the last one answered: none counts twice
    transports: tuple[str, ...] = ()

    @property
    def short_id(self) -> str:
        """Identifies it in a URL: ids have up to 1,364 characters."""
        return hashlib.sha256(self.id.encode()).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """This site as an authenticator knows it: a passkey works only there."""

    id: str
    origin: str


def relying_party(request: HttpRequest) -> RelyingParty | None:
    """The site's own address, or localhost for trying it out. A bare IP address cannot have passkeys."""
    address = urlsplit(settings.SITE_URL)
    if not settings.PRODUCTION and request.get_host().partition(":")[0] == "localhost":
        address = urlsplit(f"{request.scheme}://{request.get_host()}")
    host = address.hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return RelyingParty(host, f"{address.scheme}://{address.netloc}") if host else None
    return None


def new_challenge() -> str:
    return secrets.token_urlsafe(32)


def creation_options(user: User, challenge: str, site: RelyingParty, known: Iterable[Passkey]) -> str:
    """What a browser needs to create a passkey, as JSON. The user handle reveals nothing about the person."""
    import webauthn
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = webauthn.generate_registration_options(
        rp_id=site.id,
        rp_name=site_name(),
        user_id=salted_hmac("accounts.passkey", user.name + user.created_at, algorithm="sha256").digest(),
        user_name=user.name,
        challenge=webauthn.base64url_to_bytes(challenge),
        timeout=TIMEOUT_SECONDS * 1000,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED,
            user_verification=UserVerificationRequirement.PREFERRED,
        ),
        exclude_credentials=_descriptors(known),
    )
    return webauthn.options_to_json(options)


def request_options(challenge: str, site: RelyingParty, known: Iterable[Passkey]) -> str:
    """What a browser needs to use one of these passkeys, as JSON."""
    import webauthn
    from webauthn.helpers.structs import UserVerificationRequirement

    options = webauthn.generate_authentication_options(
        rp_id=site.id,
        challenge=webauthn.base64url_to_bytes(challenge),
        timeout=TIMEOUT_SECONDS * 1000,
        allow_credentials=_descriptors(known),
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return webauthn.options_to_json(options)


def _descriptors(passkeys: Iterable[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    from webauthn import base64url_to_bytes
    from webauthn.helpers.structs import AuthenticatorTransport, PublicKeyCredentialDescriptor

    return [
        PublicKeyCredentialDescriptor(
            id=base64url_to_bytes(each.id), transports=[AuthenticatorTransport(how) for how in each.transports]
        )
        for each in passkeys
    ]


def verify_new_passkey(answer: str, challenge: str, site: RelyingParty, name: str) -> Passkey:
    """The new passkey, if the browser made it for this site and this challenge."""
    import webauthn

    try:
        credential = webauthn.helpers.parse_registration_credential_json(answer)
        verified = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=webauthn.base64url_to_bytes(challenge),
            expected_rp_id=site.id,
            expected_origin=site.origin,
        )
    except Exception as error:  # whatever error a forged answer causes in the parsers, it is not a passkey
        raise WrongPasskey(WRONG_PASSKEY) from error
    return Passkey(
        id=webauthn.helpers.bytes_to_base64url(verified.credential_id),
        public_key=verified.credential_public_key,
        sign_count=verified.sign_count,
        name=name,
        added_at=now_text(),
        transports=tuple(how.value for how in credential.response.transports or ()),
    )


def verify_use(passkeys: Iterable[Passkey], answer: str, challenge: str, site: RelyingParty) -> Passkey:
    """The passkey that was used, with its count and time updated."""
    import webauthn

    answered = hashlib.sha256(challenge.encode()).hexdigest()
    try:
        credential = webauthn.helpers.parse_authentication_credential_json(answer)
        passkey = next(each for each in passkeys if each.id == credential.id and each.challenge != answered)
        verified = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=webauthn.base64url_to_bytes(challenge),
            expected_rp_id=site.id,
            expected_origin=site.origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
        )
    except Exception as error:  # as above; `next` found none of this person's
        raise WrongPasskey(WRONG_PASSKEY) from error
    return replace(passkey, sign_count=verified.new_sign_count, used_at=now_text(), challenge=answered)
