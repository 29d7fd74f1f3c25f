"""The same ballots read through PynamoDB's models, as we would without our own adapter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.models import Model

from foundation.store.table import DATA

from . import ballots
from .bare_dynamodb import NO_ONE


@dataclass(frozen=True, slots=True)
class Models:
    """The reading half of a contender; its items are model instances."""

    model: Any

    def each(self) -> Iterator[Any]:
        return iter(self.model.query(ballots.LARGE, consistent_read=True))

    def page(self, size: int) -> list[Any]:
        return list(self.model.query(ballots.LARGE, consistent_read=True, limit=size))

    @property
    def client(self) -> Any:
        return self.model._get_connection().connection.client


def models(region: str, endpoint: str, prefix: str) -> Models:
    place = {"table_name": prefix + DATA, "host": endpoint, "region": region, **NO_ONE}

    class Ballot(Model):
        Meta = type("Meta", (), place)

        pk = UnicodeAttribute(hash_key=True, attr_name="PK")
        sk = UnicodeAttribute(range_key=True, attr_name="SK")
        rankings = UnicodeAttribute()
        confirmation = UnicodeAttribute()
        cast_at = UnicodeAttribute()
        version = NumberAttribute()

    return Models(Ballot)
