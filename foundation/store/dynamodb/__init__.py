"""The DynamoDB adapter: `table` implements the port, `schema` creates the tables, and the rest talks to DynamoDB.

`connection` sends requests, `expressions` builds them, `wire` reads and writes DynamoDB's JSON, and `errors` turns
failures into readable messages.
"""

from .table import DynamoDbTable, TableState

__all__ = ["DynamoDbTable", "TableState"]
