"""Translates failures of DynamoDB, botocore and the network into the port's own errors, with readable messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    NoCredentialsError,
    PartialCredentialsError,
    ReadTimeoutError,
)
from botocore.parsers import ResponseParserError

from ..table import Conflict, Crowded, InDoubt, Invalid, Refused, StoreError, TokenReused, Unavailable

FAILURES = (BotoCoreError, ClientError, ResponseParserError)  # everything a request can fail with
CONFLICTS = {"TransactionConflict", "TransactionConflictException"}
THROTTLES = {
    "ThrottlingError",
    "ThrottlingException",
    "Throttling",
    "ProvisionedThroughputExceeded",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
}
BAD_CREDENTIALS = {
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "IncompleteSignature",
    "IncompleteSignatureException",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "InvalidClientTokenId",
    "ExpiredToken",
    "ExpiredTokenException",
    "NotAuthorized",
    "OptInRequired",
}
MISTAKES = {
    "ValidationException",
    "ValidationError",
    "SerializationException",
    "ItemCollectionSizeLimitExceeded",
    "ItemCollectionSizeLimitExceededException",
}
UNREACHABLE = (EndpointConnectionError, ConnectTimeoutError)
LOST = (ReadTimeoutError, ConnectionClosedError)
MIN_SERVER_ERROR_STATUS = 500  # from this status on, a reply tells nothing about the request
NO_CREDENTIALS = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError)

IN_THE_WAY = "Other transactions kept getting in the way; nothing was written."
IN_DOUBT = "whether a write has happened is not known"
TOO_BUSY = "DynamoDB is throttling our requests; try again a little later."
OVER = "DynamoDB has kept this request waiting for as long as it may wait, and is not asked again."
SHED = "DynamoDB has not answered for a while; it is asked again in a moment."


class Passing(Unavailable):
    """Temporary trouble that a retry may overcome; a write has not happened."""


class NotAsked(Unavailable):
    """The request was never sent."""


class Silent(Unavailable):
    """A read got no reply."""


def translated(error: Exception, tables: str, writes: bool = False) -> StoreError:
    """The error as one of ours; `tables` names the tables concerned. If it `writes`, the write may have happened and
    only the reply be lost."""
    unanswered = InDoubt if writes else Silent
    if isinstance(error, ClientError):
        return _of_reply(error.response, tables, unanswered)
    if isinstance(error, UNREACHABLE):
        return Passing(f"DynamoDB cannot be reached: {error}")
    if isinstance(error, LOST):
        return unanswered(f"DynamoDB did not answer in time{f'; {IN_DOUBT}' * writes}: {error}")
    if isinstance(error, NO_CREDENTIALS):
        return Unavailable(f"There are no credentials for AWS: {error}")
    return Unavailable(f"DynamoDB could not be asked: {error}")


def is_silence(error: StoreError) -> bool:
    """Whether there was no meaningful reply: DynamoDB was unreachable, did not reply, or replied with a server
    error."""
    return isinstance(error, Passing | Silent | InDoubt)


def _of_reply(reply: dict[str, Any], tables: str, unanswered: type[Unavailable]) -> StoreError:
    code, message = reply["Error"].get("Code", ""), reply["Error"].get("Message", "")
    if code == "TransactionCanceledException":
        return _cancelled(reply.get("CancellationReasons") or [], message)
    if code == "ConditionalCheckFailedException":  # of a write outside a transaction
        return Refused([0])
    if code == "IdempotentParameterMismatchException":
        return TokenReused("This idempotency token already stands for another write.")
    if code in MISTAKES:
        return Invalid(message)
    if code == "TransactionInProgressException":
        return InDoubt(f"DynamoDB is still at work on this same write; {IN_DOUBT}.")
    if (
        code not in THROTTLES
        and reply.get("ResponseMetadata", {}).get("HTTPStatusCode", 400) >= MIN_SERVER_ERROR_STATUS
    ):
        return unanswered(f"DynamoDB failed with {code}: {message}")
    return Conflict(IN_THE_WAY) if code in CONFLICTS else _unavailable(code, message, tables)


def _unavailable(code: str, message: str, tables: str) -> Unavailable:
    if code == "ResourceNotFoundException":
        return Unavailable(f"The table {tables} is not there yet; run: python manage.py create_tables")
    if code in THROTTLES:
        return Crowded(TOO_BUSY)
    if code in BAD_CREDENTIALS:
        return Unavailable(f"AWS does not accept our credentials: {message or code}")
    if code in ("AccessDeniedException", "AccessDenied"):
        return Unavailable(f"AWS does not allow us to use {tables}: {message}")
    return Unavailable(f"DynamoDB failed with {code}: {message}")


def _cancelled(reasons: Sequence[dict[str, str]], message: str) -> StoreError:
    """The reasons are in the order of the writes. Those the caller can act on come first."""
    codes = [reason.get("Code", "None") for reason in reasons]
    if refused := [position for position, code in enumerate(codes) if code == "ConditionalCheckFailed"]:
        return Refused(refused)
    for code, reason in zip(codes, reasons, strict=True):
        if code in MISTAKES:
            return Invalid(reason.get("Message", message))
    if THROTTLES.intersection(codes):
        return Crowded(TOO_BUSY)
    return Conflict(IN_THE_WAY) if CONFLICTS.intersection(codes) else Unavailable(f"DynamoDB failed: {message}")
