"""Describes the results of a capacity model in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from textwrap import wrap

from store.capacity_units import READ, READ_UNITS_PER_KEY_SECOND, WRITE, WRITE_UNITS_PER_KEY_SECOND, Charged
from store.limits import MAX_ITEM_BYTES

from .model import (
    GIGABYTE,
    MAX_GATE_UTILISATION,
    MAX_NUMBER_WAIT_SECONDS,
    NUMBERS,
    PARTITIONS_OF_NEW_TABLE,
    SECONDS_PER_HOUR,
    WARMED,
    Load,
    Model,
)
from .rehearsal import Act

LINE_CHARS = 110
MAX_HOT_KEYS = 8
KILOBYTE = 1024


def as_text(model: Model) -> Iterator[str]:
    for part in (_assumptions, _acts, _ceilings, _hottest, _step_lines, _price, _warm):
        yield from (*part(model), "")
    yield from wrap(f"What breaks first: {first_to_break(model)}", LINE_CHARS)


def _assumptions(model: Model) -> Iterator[str]:
    size = model.size
    yield f"{size.voters:,} voters in {model.hours:g} hours, at the peak {model.peak:g} times as many as on average:"
    yield f"{rate(model.at_peak)} voters and {rate(model.requests)} requests a second, for {model.servers} processes."
    mails = "everyone gets an invitation and a confirmation by mail" if size.mail else "no mails"
    kind = "secret" if size.secret else "public"
    yield f"{size.candidates} candidates, {kind} ballots, {mails}. Everyone votes once."


def _acts(model: Model) -> Iterator[str]:
    yield "Units of each act, writes/reads, and their keys ({…}: a voter's own, {nn}: one of several, +: index):"
    for act in model.acts:
        yield f"  {act.name}, {act.per}: {_number(act.total(WRITE))}/{_number(act.total(READ))}"
        yield from wrap(_on_keys(act), LINE_CHARS, initial_indent="      ", subsequent_indent="      ")


def _on_keys(act: Act) -> str:
    units: defaultdict[str, dict[str, float]] = defaultdict(lambda: {WRITE: 0.0, READ: 0.0})
    for charged, each in act.units.items():
        if each >= 0.005:
            units[named(charged)][charged.kind] += each
    rows = sorted(units.items(), key=lambda row: (-sum(row[1].values()), row[0]))
    return ", ".join(f"{key} {_number(each[WRITE])}/{_number(each[READ])}" for key, each in rows)


def named(charged: Charged) -> str:
    return charged.pk if charged.place.startswith("vote_") else f"{charged.pk}+"


def _ceilings(model: Model) -> Iterator[str]:
    layout, most = model.layout, MAX_ITEM_BYTES // KILOBYTE
    yield (
        f"One key can take {WRITE_UNITS_PER_KEY_SECOND:,} write and {READ_UNITS_PER_KEY_SECOND:,} read units a "
        f"second; an item has at most {most} KB."
    )
    yield f"Shards of the election: {layout.shards}; gates: {layout.gates}; partitions of the log: {layout.log}."
    casts, voters = rate(model.most([model.act("casting")])), rate(model.most_voters)
    yield f"They can take {casts} casts a second, or {voters} complete voter journeys a second."
    yield f"At the peak an act waits about {model.number_wait:.2f} seconds for its event number."


def _hottest(model: Model) -> Iterator[str]:
    yield "Busiest keys at the peak, each:"
    rows = [_row(load) for load in model.hottest[:MAX_HOT_KEYS]]
    rows.append(["gates", "time held", f"{model.layout.gates:,} gates", "", percent(model.gates_held)])
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for name, kind, keys, units, full in rows:
        cells = (name.ljust(widths[0]), kind.ljust(widths[1]), keys.rjust(widths[2]), units.rjust(widths[3]))
        yield f"  {'  '.join(cells)}  {full.rjust(widths[4])}"


def _row(load: Load) -> list[str]:
    keys = "1 key" if load.keys == 1 else f"{load.keys} keys"
    units = f"{rate(load.units)} of {load.ceiling:,}"
    return [named(load.charged), f"{load.charged.kind}s", keys, units, percent(load.full)]


def _step_lines(model: Model) -> Iterator[str]:
    yield "Background work for every voter; the fullest key limits its speed:"
    for act, load, seconds in model.steps():
        yield f"  {act.name}: at least {duration(seconds)} ({named(load.charged)})"
    yield f"The largest item written has {max(act.largest for act in model.acts) / KILOBYTE:.1f} KB."


def _price(model: Model) -> Iterator[str]:
    prices, writes, reads = model.prices, millions(model.total(WRITE)), millions(model.total(READ))
    yield f"In total: {writes} million write and {reads} million read units, {model.stored / GIGABYTE:,.2f} GB stored."
    units = f"{prices.writes:g} dollars per million write units, {prices.reads:g} per million read units"
    yield f"At {units} and {prices.stored:g} per GB and month:"
    yield f"{dollars(model.cost)} dollars once, and {dollars(model.cost_a_month)} a month for storage."
    yield "Example prices: US East, on demand, July 2025, second-hand (docs/explanation/scale.md). Use your own."
    yield "Servers, mails, backups, traffic and taxes are not included."


def _warm(model: Model) -> Iterator[str]:
    yield "Chance that no partition is overloaded at the peak, with keys placed at random:"
    for (place, kind), name in WARMED.items():
        new, count = PARTITIONS_OF_NEW_TABLE, model.partitions(place, kind)
        more = f"; {count}: {percent(model.chance(place, kind, count))}" if count > new else ""
        yield f"  {name}: {new} partitions of a new table: {percent(model.chance(place, kind, new))}{more}"
    if warm := model.warm():
        yield "Warm up in advance, with these parameters of deploy/aws/store.json (units a second at the peak):"
        yield f"  {' '.join(f'{name}={units}' for name, units in warm.items())}"
    else:
        yield "Nothing needs to be warmed up: new tables can take it."


def first_to_break(model: Model) -> str:
    """The first bottleneck, in a sentence."""
    load = next(load for load in model.hottest if load.charged != NUMBERS)
    if model.number_wait > MAX_NUMBER_WAIT_SECONDS * max(1, load.full):
        return f"event numbers, for which an act would wait {model.number_wait:.1f} seconds. Use fewer processes."
    if model.gates_held / MAX_GATE_UTILISATION >= load.full:
        what = f"gates, each of which would be held {percent(model.gates_held)} of the time"
        limit = MAX_GATE_UTILISATION * model.layout.gates / model.held
    else:
        what = f"{load.charged.kind}s of {named(load.charged)}, {percent(load.full)} full at the peak"
        limit = model.most_voters
    if model.fullest <= 1:
        return f"{what}. Sufficient for up to {rate(limit)} voters a second."
    return f"{what}. Not sufficient: with more than {rate(limit)} voters a second, some are told to try again."


# --- numbers ---


def _number(units: float) -> str:
    return f"{units:,.2f}".rstrip("0").rstrip(".") if units < 100 else f"{units:,.0f}"


def rate(each: float) -> str:
    return f"{each:,.0f}" if each >= 10 else f"{each:,.2g}"


def percent(part: float) -> str:
    return f"{100 * part:,.0f} %" if part >= 0.01 else "under 1 %"


def millions(units: float) -> str:
    return f"{units / 10**6:,.1f}"


def dollars(amount: float) -> str:
    """Whole dollars from ten up: the size of a stored number varies by a digit, and with it the last cents."""
    return f"{amount:,.2f}" if amount < 10 else f"{amount:,.0f}"


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:,.0f} seconds"
    return (
        f"{seconds / 60:,.0f} minutes" if seconds < 2 * SECONDS_PER_HOUR else f"{seconds / SECONDS_PER_HOUR:,.1f} hours"
    )
