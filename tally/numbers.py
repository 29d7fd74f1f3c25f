"""Exact numbers as text, as results show them."""

from __future__ import annotations

from fractions import Fraction


def as_text(number: Fraction | int) -> str:
    """A whole number, a decimal where it is exact (2.5), else a fraction (7/3)."""
    if number.denominator == 1:
        return str(number.numerator)
    twos, rest = _divide_out(number.denominator, 2)
    fives, rest = _divide_out(rest, 5)
    if rest != 1:
        return str(number)
    places = max(twos, fives)
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return ("-" if number < 0 else "") + (f"{whole}.{part}" if part else whole)


def _divide_out(number: int, prime: int) -> tuple[int, int]:
    """How often it can be divided by the prime, and what is left."""
    times = 0
    while number % prime == 0:
        number //= prime
        times += 1
    return times, number
