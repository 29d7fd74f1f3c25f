"""Say what an election of some size takes on DynamoDB. Needs no site and no store: it plays a small one and reckons."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand

from upkeep.capacity.model import Prices, rehearsed
from upkeep.capacity.rehearsal import Size
from upkeep.capacity.report import as_text

MAX_VOTERS = 10**10
MAX_CANDIDATES = 50


class Command(BaseCommand):
    help = (
        "Says what an election takes on DynamoDB: units of every act, hottest keys, what they can take, the price, "
        "what to warm up, and what breaks first. Plays a small election on a temporary store to find out; asks nobody."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--voters", type=_whole, default=10_000, help="on the roll; all of them vote")
        parser.add_argument("--hours", type=_positive, default=10, help="in which they vote")
        parser.add_argument("--peak", type=_positive, default=5, help="times the average, when most come")
        parser.add_argument("--candidates", type=partial(_whole, least=2, most=MAX_CANDIDATES), default=5)
        parser.add_argument("--public", action="store_false", dest="secret", help="ballots; else they are secret")
        parser.add_argument("--mail", action="store_true", help="everybody is invited, and told of their ballot")
        parser.add_argument("--hold", type=_positive, default=10, help="milliseconds that a transaction takes")
        words = "of the server; else as many as the requests need, at 100 a second each"
        parser.add_argument("--processes", type=_whole, default=0, help=words)
        self._add_prices(parser)

    def _add_prices(self, parser: ArgumentParser) -> None:
        """Of one region, in dollars."""
        usual = Prices()
        parser.add_argument("--write-price", type=_price, default=usual.writes, help="dollars a million write units")
        parser.add_argument("--read-price", type=_price, default=usual.reads, help="dollars a million read units")
        parser.add_argument("--stored-price", type=_price, default=usual.stored, help="dollars a GB and month")

    def handle(self, **options: Any) -> None:
        size = Size(options["voters"], options["candidates"], options["secret"], options["mail"])
        prices = Prices(options["write_price"], options["read_price"], options["stored_price"])
        more = {"held": options["hold"] / 1000, "processes": options["processes"]}
        model = rehearsed(size, options["hours"], options["peak"], prices=prices, **more)
        self.stdout.write("\n".join(as_text(model)))


def _whole(text: str, least: int = 1, most: int = MAX_VOTERS) -> int:
    try:
        number = int(text.replace("_", "").replace(",", ""))
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise ArgumentTypeError(f"{text!r} is no whole number from {least} to {most:,}")
    return number


def _positive(text: str) -> float:
    if (number := _price(text)) == 0:
        raise ArgumentTypeError("it cannot be 0")
    return number


def _price(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 10**9:
        raise ArgumentTypeError(f"{text!r} is no such number")
    return number
