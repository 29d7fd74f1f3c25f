"""A client that is allowed no more than a policy of deploy/aws/store.json allows, as AWS would judge it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from botocore.exceptions import ClientError

from config.settings import BASE_DIR
from foundation.store.connect import connect
from foundation.store.dynamodb import DynamoDbTable, wire
from foundation.store.sqlite import SqliteTable

TEMPLATE = json.loads((BASE_DIR / "deploy" / "aws" / "store.json").read_text())
ARN = "arn:aws:dynamodb:us-east-1:111111111111:table/"
OF_PARTS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


class Need(NamedTuple):
    """One permission that a call needs."""

    action: str
    resource: str
    leading_key: str | None = None
    enclosing: str | None = None  # the transaction it is part of


@dataclass
class Policy:
    """Statements of the template, resolved for the stack of one prefix. `asked` is all that was needed so far, and
    `calls` every call by the table it went to."""

    statements: list[dict[str, Any]]
    asked: set[Need] = field(default_factory=set)
    calls: set[tuple[str, str]] = field(default_factory=set)

    def allows(self, need: Need) -> bool:
        return any(_allows(statement, need) for statement in self.statements)

    @property
    def permissions(self) -> set[tuple[str, str]]:
        return {(each.action, each.resource) for each in self.each_permission()}

    def each_permission(self) -> Iterator[Need]:
        for statement in self.statements:
            yield from (Need(action, arn) for action in statement["Action"] for arn in statement["Resource"])

    def check(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        for need in needs_of(model.name, params):
            self.asked.add(need)
            self.calls.add((model.name, need.resource))
            if not self.allows(need):
                words = f"User is not authorized to perform: {need.action} on resource: {need.resource}"
                raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": words}}, model.name)


@dataclass
class Roles:
    """The roles of a site. Each call is judged by the policy of the one that acts."""

    policies: dict[str, Policy]
    acting: str = "Web"

    def check(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        self.policies[self.acting].check(params, model)

    @contextmanager
    def acting_as(self, name: str) -> Iterator[Policy]:
        before, self.acting = self.acting, name
        try:
            yield self.policies[name]
        finally:
            self.acting = before


def roles_of(prefix: str) -> Roles:
    return Roles({name: policy_of(prefix, name) for name in ("Web", "Worker")})


def policy_of(prefix: str, *names: str) -> Policy:
    resolve = Resolved(prefix)
    documents = [resolve(TEMPLATE["Resources"][name]["Properties"]["PolicyDocument"]) for name in names]
    return Policy([statement for document in documents for statement in document["Statement"]])


@contextmanager
def enforced(policy: Policy | Roles) -> Iterator[None]:
    """Every client that is made inside asks the policy first."""
    make = wire.client

    def client(*given: Any, **named: Any) -> Any:
        made = make(*given, **named)
        made.meta.events.register("before-parameter-build.dynamodb", policy.check)
        return made

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(wire, "client", client)
        yield


@contextmanager
def judged(roles: Roles, folder: Path, url: str) -> Iterator[DynamoDbTable]:
    """The table that this address leads to from now on."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("foundation.store.dynamodb.DynamoDbTable", partial(JudgedTable, folder, roles))
        table = connect(url)
    yield table
    table.close()


# --- the store of a site that is judged ---


class Allowed(Exception):
    """A request that the policy has nothing against, and that goes no further."""


@dataclass
class Judge:
    """In place of a client: judges each request, and answers none."""

    roles: Roles

    def __getattr__(self, method: str) -> Callable[..., Any]:
        operation = method.title().replace("_", "")
        return lambda **params: self._judge(operation, params)

    def _judge(self, operation: str, params: dict[str, Any]) -> None:
        self.roles.check(params, SimpleNamespace(name=operation))
        raise Allowed

    def close(self) -> None:
        """Nothing is open."""


class JudgedTable(DynamoDbTable):
    """What the adapter would ask DynamoDB is judged by a policy, and the embedded store answers: a whole day of a site
    takes a second then."""

    def __init__(self, folder: Path, roles: Roles, **given: Any) -> None:
        super().__init__(**given)
        self._connection._own_client = os.getpid(), Judge(roles)
        self.embedded = SqliteTable(str(folder / "plenum.sqlite3"))
        self.embedded.create()

    def close(self) -> None:
        self.embedded.close()


def _judged(name: str) -> Callable[..., Any]:
    def method(table: JudgedTable, *given: Any, **named: Any) -> Any:
        asked = list(given[0]) if name == "get_many" else None
        with suppress(Allowed):
            answer = getattr(DynamoDbTable, name)(table, *(given if asked is None else [asked]), **named)
            if name == "values":
                next(answer)
        return getattr(table.embedded, name)(*(given if asked is None else [asked]), **named)

    return method


for _name in ("get", "get_many", "page", "count", "values", "write", "put_all", "increment"):
    setattr(JudgedTable, _name, _judged(_name))


# --- what a call needs ---


def needs_of(operation: str, params: dict[str, Any]) -> Iterator[Need]:
    """As "Using IAM with DynamoDB transactions" says: each part of a transaction needs what it would need alone."""
    if operation == "TransactWriteItems":
        for part in params["TransactItems"]:
            ((kind, content),) = part.items()
            yield _need(OF_PARTS[kind], content)._replace(enclosing=operation)
    elif operation == "BatchGetItem":
        for name in params["RequestItems"]:
            yield Need(f"dynamodb:{operation}", ARN + name)
    elif operation == "BatchWriteItem":
        for name, requests in params["RequestItems"].items():
            for content in (content for each in requests for content in each.values()):
                yield _need(operation, {"TableName": name, **content})
    else:
        yield _need(operation, params)


def _need(operation: str, params: dict[str, Any]) -> Need:
    index = f"/index/{params['IndexName']}" if "IndexName" in params else ""
    key = (params.get("Key") or params.get("Item") or {}).get("PK", {}).get("S")
    return Need(f"dynamodb:{operation}", ARN + params["TableName"] + index, key)


def _allows(statement: dict[str, Any], need: Need) -> bool:
    is_named = need.action in statement["Action"] and need.resource in statement["Resource"]
    return is_named and all(_holds(how, told, need) for how, told in statement.get("Condition", {}).items())


def _holds(how: str, told: dict[str, Any], need: Need) -> bool:
    ((key, wanted),) = told.items()
    value = {"dynamodb:LeadingKeys": need.leading_key, "dynamodb:EnclosingOperation": need.enclosing}[key]
    if how == "Null":
        return (value is None) == (wanted == "true")
    if how == "ForAnyValue:StringEquals":
        return value in wanted
    if value is None:
        return True  # "for all values" holds where there are none
    is_like = any(fnmatchcase(value, pattern) for pattern in wanted)
    return {"ForAllValues:StringLike": is_like, "ForAllValues:StringNotLike": not is_like}[how]


# --- what the template says for one site ---


class Resolved:
    """The template for the stack of one prefix, and other parameters."""

    def __init__(self, prefix: str, **parameters: Any) -> None:
        usual = {name: each.get("Default", f"the {name}") for name, each in TEMPLATE["Parameters"].items()}
        stack = {"Prefix": prefix, "AWS::StackName": f"{prefix}stack", "AWS::NoValue": None}
        self.parameters = usual | stack | parameters

    def __call__(self, thing: Any) -> Any:
        if isinstance(thing, list):
            return [each for each in map(self, thing) if each is not None]
        if not isinstance(thing, dict):
            return thing
        if len(thing) == 1 and (how := FUNCTIONS.get(next(iter(thing)))):
            return how(self, next(iter(thing.values())))
        return {name: found for name, each in thing.items() if (found := self(each)) is not None}

    def resource(self, name: str) -> Any:
        return self(TEMPLATE["Resources"][name]["Properties"])

    def ref(self, name: str) -> Any:
        if name in self.parameters:
            return self.parameters[name]
        found = self.resource(name)
        return found.get("TableName", found.get("BackupVaultName"))

    def sub(self, text: str) -> str:
        return re.sub(r"\$\{([\w:.]+)\}", lambda found: str(self._named(found[1])), text)

    def _named(self, name: str) -> Any:
        resource, _, attribute = name.partition(".")
        return self.arn([resource, attribute]) if attribute else self.ref(name)

    def arn(self, place: list[str]) -> str:
        name, attribute = place
        assert attribute == "Arn"
        return ARN + str(self.ref(name))

    def chosen(self, parts: list[Any]) -> Any:
        condition, then, otherwise = parts
        return self(then if self.holds({"Condition": condition}) else otherwise)

    def holds(self, condition: dict[str, Any]) -> bool:
        ((how, told),) = condition.items()
        if how == "Condition":
            return self.holds(TEMPLATE["Conditions"][told])
        if how == "Fn::Not":
            return not self.holds(told[0])
        if how == "Fn::Or":
            return any(map(self.holds, told))
        assert how == "Fn::Equals"
        one, other = map(self, told)
        return str(one) == str(other)


FUNCTIONS: dict[str, Callable[[Resolved, Any], Any]] = {
    "Ref": Resolved.ref,
    "Fn::Sub": Resolved.sub,
    "Fn::GetAtt": Resolved.arn,
    "Fn::If": Resolved.chosen,
}
