"""In the place of a server that holds answers open: what is said is kept, for tests with Django's client."""

from __future__ import annotations

from collections.abc import Callable

from foundation.pages.streams import Listener


class Recorder:
    """`client.get(address, **{OPEN_STREAM: recorder})`, and all that the view says is in `said`."""

    def __init__(self) -> None:
        self.said: list[bytes] = []
        self.listener = Listener(self)
        self.is_held = False
        self._end: Callable[[Listener], None] | None = None

    def hold(self, first: bytes, begin: Callable[[Listener], None], end: Callable[[Listener], None]) -> None:
        assert not self.is_held, "each answer has its own"
        self.is_held, self._end = True, end
        self.said.append(first)
        begin(self.listener)

    def take(self, said: list[tuple[Listener, bytes | None]]) -> None:
        for _listener, data in said:
            if data is None:
                self.leave()
            else:
                self.said.append(data)

    def leave(self) -> None:
        """The client goes, as the server would notice; once."""
        self.listener.is_open = False
        end, self._end = self._end, None
        if end:
            end(self.listener)

    @property
    def text(self) -> str:
        return b"".join(self.said).decode()
