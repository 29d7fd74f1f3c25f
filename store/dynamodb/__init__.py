"""The DynamoDB adapter: `table` is the port, `schema` makes the tables, and all others are how we speak with DynamoDB.

`connection` asks, `expressions` says what is asked for, `wire` reads and writes DynamoDB's JSON, and `errors` turns
what went wrong into sentences.
"""

from __future__ import annotations

from .table import DynamoDbTable, TableState

__all__ = ["DynamoDbTable", "TableState"]
