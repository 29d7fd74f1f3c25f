"""What Amazon's library does by itself when it is throttled: it waits and asks again, before the adapter hears of it.

So the waiting counts, and passes in whatever time the engine has. It is botocore's standard mode: at most
`wire.ATTEMPTS` times, and before the next a random part of 1, 2, 4 seconds. A client that retries a lot runs out of
retries: each takes five of five hundred, and each success gives some back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

from botocore.exceptions import ClientError

from store import trips
from store.dynamodb import wire

RETRIED = {"ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"}
RETRIES, ONE = 500, 5
LONGEST = 20.0


class Sdk:
    """As a boto3 client, before another that throttles."""

    def __init__(self, client: Any, *, sleep: Callable[[float], None] = time.sleep, chance: Random) -> None:
        self.client = client
        self.sleep = sleep
        self.chance = chance
        self.left = RETRIES

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)
        if name not in wire.CHARGED:
            return method
        return lambda **request: self._ask(method, request)

    def _ask(self, method: Callable[..., Any], request: dict[str, Any]) -> Any:
        for attempt in range(wire.ATTEMPTS):
            try:
                answer = method(**request)
            except ClientError as error:
                if error.response["Error"]["Code"] not in RETRIED or not self._may_retry(attempt):
                    raise
                trips.retried("sdk")
                self.sleep(min(LONGEST, self.chance.random() * 2**attempt))
            else:
                self.left = min(RETRIES, self.left + (ONE if attempt else 1))
                return answer
        raise AssertionError("the last attempt answers or raises")

    def _may_retry(self, attempt: int) -> bool:
        if attempt + 1 == wire.ATTEMPTS or self.left < ONE:
            return False
        self.left -= ONE
        return True
