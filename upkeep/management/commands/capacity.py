"""Estimate what an election of a given size needs on DynamoDB. Needs neither a site nor a store."""

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
        "Estimates what an election needs on DynamoDB: units of every act, the busiest keys and their limits, the "
        "price, what to warm up, and what breaks first. Rehearses a small election on a temporary store to find out."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--voters", type=_whole, default=10_000, help="on the roll; everyone votes")
        parser.add_argument("--hours", type=_positive, default=10, help="how long voting lasts")
        parser.add_argument(
            "--peak", type=_positive, default=5, help="voters per second at the peak, as a multiple of the average"
        )
        parser.add_argument("--candidates", type=partial(_whole, least=2, most=MAX_CANDIDATES), default=5)
        parser.add_argument(
            "--public", action="store_false", dest="secret", help="public ballots instead of secret ones"
        )
        parser.add_argument("--mail", action="store_true", help="everyone gets an invitation and a confirmation")
        parser.add_argument("--hold", type=_positive, default=10, help="duration of a transaction in milliseconds")
        text = "server processes; by default as many as the requests need, at 100 a second each"
        parser.add_argument("--processes", type=_whole, default=0, help=text)
        usual = Prices()
        parser.add_argument("--write-price", type=_price, default=usual.writes, help="dollars per million write units")
        parser.add_argument("--read-price", type=_price, default=usual.reads, help="dollars per million read units")
        parser.add_argument("--stored-price", type=_price, default=usual.stored, help="dollars per GB and month")

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
        raise ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most:,}")
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
        raise ArgumentTypeError(f"{text!r} is not a valid number")
    return number
