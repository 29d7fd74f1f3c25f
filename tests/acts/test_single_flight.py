"""Concurrent calls for one key share one execution, its result and, each by a copy, its error."""

from __future__ import annotations

import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from foundation.acts.refusals import LostRace
from foundation.acts.retry import SingleFlight
from foundation.store.table import Refused, Unavailable


class Key:
    """Tells when somebody else's equal key is compared with it, as one does who comes while it is in use."""

    def __init__(self) -> None:
        self.compared = Event()

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        self.compared.set()
        return True


@pytest.mark.parametrize("error", [Unavailable("away"), Refused([3]), LostRace("moved on", [1]), OSError(28, "full")])
def test_everybody_who_waited_has_an_error_of_their_own(error):
    flights, key, late = SingleFlight[int](), Key(), list[Future[int]]()

    def fails() -> int:
        late.append(pool.submit(flights.run, Key(), lambda: 1))
        assert key.compared.wait(60)
        raise error

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(type(error)) as first:
            flights.run(key, fails)
        second = late[0].exception(60)
    assert len({id(each) for each in (error, first.value, second)}) == 3
    assert (str(second), second.args, second.__dict__) == (str(error), error.args, error.__dict__)
    assert "fails" in "".join(traceback.format_tb(second.__traceback__)), "The log says where it went wrong."
