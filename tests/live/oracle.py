"""The host as an attacker: opens every page of a session and does everything a host can, while a secret vote is open
and after it, and comes in somebody's place. Everything that was answered is kept, to be compared with another world in
which that person voted otherwise.

In both worlds the same votes were cast in the same order, but two people have changed roles, and receipts go with what
was voted. As receipts are random, each world is as likely as the other; so whatever differs tells how somebody voted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from django.test import Client
from django.urls import URLPattern, URLResolver, reverse

from parts.live import repository, seats
from parts.live.page_urls import urlpatterns as below_live
from parts.live.rules import Game, Step
from parts.live.screens.formats import Role
from parts.live.seats import Seat
from parts.live.services.seating import SeatAction

Answer = tuple[str, int, str, str]  # what was asked, status, address, body

CHANCE = re.compile(  # what is made anew for every page, or tells the time
    r"""name="(?:csrfmiddlewaretoken|form|token)"\ value="[^"]+"
    | this\ request\ number:\ <code>\w+
    | "event_digest":"\w+
    | nonce\\":\\"\w+
    | \d{4}-\d\d-\d\dT[\d:.]+Z
    | /seat/[\w:-]+/<
    | aria-label="The\ link\ as\ a\ QR\ code">.*""",
    re.VERBOSE,
)


def pages() -> Iterator[URLPattern]:
    """Every address that belongs to one session; one that is added later is among them."""
    return (each for each in _all(below_live) if "game_id" in each.pattern.converters)


def _all(patterns: Sequence[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for each in patterns:
        if isinstance(each, URLPattern):
            yield each
        else:
            yield from _all(each.url_patterns)


class Host:
    """Whoever runs the assembly, with a second device on which they try to be somebody else."""

    def __init__(self, game: Game, client: Client, victim: str):
        self.game, self.client, self.victim = game, client, victim
        self.device = Client()
        self.seen: list[Answer] = []

    @property
    def seat(self) -> Seat:
        return next(each for each in seats.read_seats(self.game.id) if each.name == self.victim)

    def keep(self, what: str, answer) -> None:
        body = CHANCE.sub("", answer.getvalue().decode())
        self.seen.append((what, answer.status_code, answer.get("Location", ""), body))

    # --- looking ---

    def addresses(self) -> Iterator[str]:
        game = self.game
        known = {"game_id": game.id, "player": self.seat.player}
        for page in pages():
            token = game.screen_token if page.name in ("screen", "scoreboard") else game.token
            words = {name: {**known, "token": token}.get(name, 1) for name in page.pattern.converters}
            for role in Role if "role" in words else ("",):
                yield reverse(page.name, kwargs={**words, "role": role} if role else words)

    def look_at_everything(self, when: str, client: Client | None = None) -> None:
        for address in self.addresses():
            answer = (client or self.client).get(address, {"token": self.game.screen_token})
            self.keep(f"{when}: {address}", answer)

    # --- acting ---

    def post(self, what: str, page: str, args: list, client: Client | None = None, **data) -> str:
        answer = (client or self.client).post(reverse(page, args=args), data)
        self.keep(what, answer)
        return answer.getvalue().decode()

    def check_in_as_victim(self, code: str, form: str) -> None:
        args = [self.game.id, self.game.token]
        self.post("check in", "check_in", args, self.device, form=form * 22, by="code", code=code)
        for page in ("play", "seat", "qa"):
            self.keep(f"as the victim: {page}", self.device.get(reverse(page, args=[self.game.id]), follow=True))
        vote = {"round": repository.read_state(self.game.id).round, "option": "0"}
        self.post("vote as the victim", "give_vote", [self.game.id], self.device, **vote)

    def new_code(self) -> str:
        page = self.post("renew", "game_roll", [self.game.id], act="renew", name=self.victim)
        found = re.search(r'class="card-code" dir="ltr">([^<]+)<', page)
        return found[1] if found else ""

    def do_everything(self) -> None:
        """All that can be done with somebody, and undone again, while a vote is open."""
        one = [self.game.id]
        for act in ("cards", "renew_missing", "remove", "look", "add", "entitled"):
            self.post(f"roll: {act}", "game_roll", one, act=act, name=self.victim, names=self.victim)
        self.check_in_as_victim(self.new_code(), "a")
        for act in ("allow", "refuse", "here", "leave", "rename"):
            self.post(f"seat: {act}", "seat", one, self.device, act=act, number="0000")
        undone = (SeatAction.CHECK_OUT, SeatAction.CHECK_IN, SeatAction.REMOVE, SeatAction.READMIT, SeatAction.APPROVE)
        for act in (*undone, SeatAction.RENAME, SeatAction.TIME):
            self.post(f"player: {act}", "change_player", [*one, self.seat.player], act=act, name="Other", percent="150")
            if act in (SeatAction.CHECK_OUT, SeatAction.READMIT):
                self.check_in_as_victim(self.new_code(), "b")
        for name in ("speakers", "qa", "manage_qa", "agenda", "sort_ideas", "game_hosts"):
            self.post(name, name, one, act="remove", name=self.victim)

    def step(self, step: Step) -> None:
        version = repository.read_state(self.game.id).version
        self.post(f"step: {step}", "drive", [self.game.id], act=f"{step} {version}")
