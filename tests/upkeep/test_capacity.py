"""The capacity model: what a small election costs, act by act, and what a large one needs."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from acts.storage import table
from store.capacity_units import INDEX, READ, WRITE, Bill, Charged
from store.connect import connect
from store.table import DATA, LOG
from tests.aws.engine import ours
from tests.aws.ledger import Ledger
from tests.aws.memory import MemoryEngine
from tests.aws.rules import Latency, Limits, Rules
from tests.rows import every_row
from upkeep.backups import drill
from upkeep.capacity.model import MAX_GATE_UTILISATION, Layout, Model, Prices, rehearsed
from upkeep.capacity.rehearsal import Act, Per, Play, Size, on, pattern_of, patterns, quietly
from upkeep.capacity.report import as_text, first_to_break


@pytest.fixture(scope="module")
def small() -> Model:
    return rehearsed(Size(10_000), 10, 5)


@pytest.fixture(scope="module")
def mailed() -> Model:
    """Of an election whose voters are mailed."""
    return rehearsed(Size(100_000, mail=True), 10, 5)


def units(model: Model, name: str) -> dict[str, float]:
    """Of an act, by kind and key; what is in the index is marked."""
    marks = {DATA: "", LOG: "", INDEX: "+"}
    return {f"{each.kind} {each.pk}{marks[each.place]}": n for each, n in model.act(name).units.items()}


def test_casting_costs_what_its_transaction_holds(small):
    """The gate, the roll under two names and the ballot; the event, its number and its void; the form and the account:
    two units each in the transaction, one for the number and one for the roll in the index."""
    told = units(small, "casting")
    assert {
        key: told.pop(f"write {key}") for key in ("ELECTION#{election}#{nn}", "EVENTS#{nn}", "VOID#{…}", "ONCE#{…}")
    } == {
        "ELECTION#{election}#{nn}": 8,
        "EVENTS#{nn}": 2,
        "VOID#{…}": 2,
        "ONCE#{…}": 2,
    }
    assert (told.pop("write USER#{…}"), told.pop("write SEQUENCE"), told.pop("write VOTER#{…}+")) == (2, 1, 1)
    assert not [key for key in told if key.startswith("write")]
    assert (small.act("casting").total(WRITE), small.act("changing").total(WRITE)) == (18, 11)


def test_pages_write_nothing_and_every_act_of_a_voter_is_there(small):
    journey = [act.name for act in small.acts if act.in_journey]
    pages = ["ballot page", "sending the ranking", "review page"]
    assert journey == ["signing in", "home page", *pages, "casting", "receipt page"]
    for page in ("ballot page", "sending the ranking", "review page", "receipt page", "result page"):
        assert small.act(page).total(WRITE) == 0 < small.act(page).total(READ)
    others = {act.name for act in small.acts} - set(journey)
    assert others >= {"putting on the roll", "opening", "closing", "withdrawing", "sealing and counting"}
    assert others >= {"sealing its event", "sealing a batch of events"}
    assert others >= {"worker at rest", "waiting for the result", "what pages remember of it", "result page"}
    assert "queueing the invitation" not in others


def test_nothing_of_the_rehearsal_is_on_the_site(site, small):
    assert table() is connect("sqlite://" + site.path) or table().path == site.path
    assert not [item for _, item in site.everything() if "sample" in item["PK"]]


def test_mails_are_acts_of_their_own(mailed):
    assert (mailed.layout.shards, mailed.layout.gates) == (48, 240)
    told = units(mailed, "queueing the invitation")
    assert (told["write MAIL#{…}"], told["write MAIL#queued#{nn}+"]) == (2, 1)
    assert mailed.act("sending the invitation").total(WRITE) > 4
    assert units(mailed, "casting")["write MAIL#queued#{nn}+"] == 1
    assert mailed.keys_of(Charged(WRITE, INDEX, "MAIL#queued#{nn}")) == mailed.layout.mail == 8
    assert "sending the confirmation" in {act.name for act, _load, _seconds in mailed.steps()}, "after the peak"


# --- what an engine with AWS's rules charges for the same ---


class Counted:
    """What the engine has put down in its ledger since it was last asked, as a meter."""

    def __init__(self, rules: Rules, prefix: str):
        self.rules, self.prefix = rules, prefix

    def take_bill(self) -> Bill:
        ledger, self.rules.ledger, bill = self.rules.ledger, Ledger(), Bill()
        for (kind, partition), seconds in ledger.seconds.items():
            place = INDEX if partition.index else partition.table.removeprefix(self.prefix)
            bill.units[Charged(kind, place, partition.pk)] += sum(seconds.values())
        return bill


def without_chance(act: Act) -> dict[Charged, float]:
    """Of mails that wait, how many lie under which key is chance, and with it how full the last unit of a page is."""
    return {each: n for each, n in act.units.items() if (each.kind, each.pk) != (READ, "MAIL#queued#{nn}")}


def test_units_are_those_that_an_engine_with_the_rules_of_aws_counts(mailed):
    """Two reckonings: the model's, from items that an embedded store has kept; the engine's, from what the adapter for
    DynamoDB has sent. Every act is the same, key by key."""
    rules = Rules(MemoryEngine(), latency=Latency(0, 0, 0), limits=Limits(None, None))
    with drill.temporary_site(), quietly(), ours(rules) as engine:
        table = engine.table()
        table.create()
        with on(table):
            counted = Play(table, Counted(rules, table.prefix), mailed.size).all()
    assert [act.name for act in counted] == [act.name for act in mailed.acts]
    for reckoned, theirs in zip(mailed.acts, counted, strict=True):
        assert without_chance(reckoned) == without_chance(theirs), reckoned.name
    assert not rules.counts.refused.total()


# --- patterns ---


@pytest.mark.parametrize(
    ("pk", "pattern"),
    [
        ("ELECTION#sample", "ELECTION#{election}"),
        ("ELECTION#sample 2#03", "ELECTION#{election}#{nn}"),
        ("EVENTS#15", "EVENTS#{nn}"),
        ("VOID#000000000029", "VOID#{…}"),
        ("voter.0000003@example.org", "{…}"),
        ("BY#type#ballotcast", "BY#type#ballotcast"),
    ],
)
def test_a_pattern_is_a_key_without_names(pk, pattern):
    assert pattern_of(pk) == pattern


def test_a_partition_of_which_each_has_one_is_nobody_elses():
    bill = Bill()
    for pk in ("SESSIONS#a", "SESSIONS#b", "MAIL#queued", "METADATA"):
        bill.units[Charged(WRITE, DATA, pk)] = 1
    assert [each.pk for each in patterns(bill, 2)] == ["SESSIONS#{…}", "MAIL#queued", "METADATA"]
    assert patterns(bill, 2)[Charged(WRITE, DATA, "SESSIONS#{…}")] == 2


# --- what follows from it, without a stage ---

SHARED, SPREAD, OWN = (Charged(WRITE, DATA, pk) for pk in ("HOT", "ELECTION#{election}#{nn}", "OWN#{…}"))
NUMBERS = Charged(WRITE, LOG, "SEQUENCE")


def model(voters: int = 36_000, *, peak: float = 1, **more) -> Model:
    """Ten an hour a voter at a time: 36,000 voters in ten hours are one a second."""
    casting = Act("casting", Per.VOTER, {SHARED: 2.0, SPREAD: 8.0, OWN: 5.0}, 1000.0, 2000, True, True)
    opening = Act("opening", Per.ONCE, {SHARED: 100.0})
    listing = Act("listing", Per.VOTER, {SPREAD: 2.0})
    acts = [casting, opening, listing]
    return Model(Size(voters), 10, peak, acts, Layout(4, 64, 16), **more)


def test_what_falls_on_a_key_follows_from_the_rate_and_from_how_it_is_spread():
    busy = model(peak=100)
    assert busy.at_peak == busy.requests == 100
    assert [(load.charged, load.units, load.keys, load.full) for load in busy.hottest] == [
        (SPREAD, 200, 4, 0.2),
        (SHARED, 200, 1, 0.2),
    ]
    assert busy.most([busy.act("casting")]) == busy.most_voters == 500, (
        "both are full then, and what one has alone never is"
    )
    assert busy.gates_held == pytest.approx(100 * 0.01 / 64)


def test_what_breaks_first_is_a_sentence():
    assert first_to_break(model(peak=100)).endswith("Sufficient for up to 500 voters a second.")
    assert "writes of ELECTION#{election}#{nn}, 200 % full at the peak. Not sufficient" in first_to_break(
        model(peak=1000)
    )
    slow = model(peak=100, held=0.5)
    assert slow.fullest == slow.gates_held / MAX_GATE_UTILISATION > 1
    assert first_to_break(slow).startswith("gates, each of which would be held 78 % of the time. Not sufficient")


def test_numbers_are_asked_for_no_oftener_than_processes_can_ask():
    acts = [Act("casting", Per.VOTER, {NUMBERS: 1.0}, in_journey=True, at_peak=True)]
    many = replace(model(peak=5000), acts=acts, layout=Layout(4, 1000, 16))
    assert (many.servers, many.hottest[0].units, many.number_wait) == (50, 1000, 0.1), "by turns"
    few = replace(many, processes=4, held=0.005)
    assert (few.hottest[0].units, few.number_wait) == (800, 0.005), "each asks for all of its acts that wait"
    assert many.most_voters == few.most_voters == float("inf")
    assert many.fullest == 1 < replace(many, processes=750).fullest == 1.5, "seconds, which is too long"
    spread_too = Act("listing", Per.VOTER, {SPREAD: 0.1}, at_peak=True)
    too_many = replace(many, acts=[*acts, spread_too], processes=750)
    assert first_to_break(too_many).startswith("event numbers, for which an act would wait 1.5 seconds")
    assert too_many.chance(LOG, WRITE, 4) == 1, "they do with what is left"


def test_sums_prices_and_what_to_warm_up():
    priced = model(prices=Prices(1.0, 0.0, 2.0))
    assert priced.total(WRITE) == 36_000 * (15 + 2) + 100
    assert priced.cost == pytest.approx(0.6121)
    assert priced.cost_a_month == pytest.approx(36_000 * 1000 / 10**9 * 2)
    assert [(act.name, seconds) for act, _load, seconds in priced.steps()] == [("listing", 36_000 * 2 / 4 / 1000)]
    assert priced.warm() == {}
    assert model(peak=1000).warm() == {"DataWarmWrites": 15_000}, "by the name that deploy/aws/store.json has for it"


# --- keys on partitions ---


def spread(units: float, own: float = 0.0) -> Model:
    """Sixteen shards of so many units a second each, and what single voters have."""
    casting = Act("casting", Per.VOTER, {SPREAD: 16 * units, OWN: own}, in_journey=True, at_peak=True)
    return Model(Size(36_000), 10, 1, [casting], Layout(16, 256, 16))


def test_where_keys_happen_to_lie_decides_what_a_table_takes():
    """On four partitions sixteen keys lie so that one has eight or more every sixth time or so; on many hardly ever."""
    exactly = 1 - 0.1 / 16  # of what a key may have, so that nothing hangs on rounding
    assert spread(1000 * exactly / 16).chance(DATA, WRITE, 4) == 1, "all of them fit into one"
    some = spread(1000 * exactly / 7).chance(DATA, WRITE, 4)
    assert 0.6 < some < 0.95
    assert spread(1000 * exactly / 7).chance(DATA, WRITE, 40) > 0.99
    assert spread(1000 * exactly / 4).chance(DATA, WRITE, 4) < 0.05, "the bare sum would have said that it suffices"
    assert spread(1001).chance(DATA, WRITE, 1000) == 0, "no partition takes more"
    assert spread(1, own=3900).chance(DATA, WRITE, 4) == 1 > spread(1, own=4100).chance(DATA, WRITE, 4)


def test_what_is_advised_suffices_nearly_always():
    busy = spread(400, own=1000)
    count = busy.partitions(DATA, WRITE)
    assert count > 9, "more than the sum"
    assert busy.chance(DATA, WRITE, count) >= 0.95
    assert busy.warm() == {"DataWarmWrites": 1000 * count}
    text = "\n".join(as_text(busy))
    assert f"DataWarmWrites: 4 partitions of a new table: under 1 %; {count}: " in text
    assert spread(600).partitions(DATA, WRITE) == 10, "no two such keys can share one: only the sum is left"
    assert busy.chance(DATA, WRITE, 4) == 0


def test_by_the_clock_costs_by_processes_and_seconds(small):
    told = {name: small._times(small.act(name)) for name in ("worker at rest", "what pages remember of it")}
    assert told == {"worker at rest": 36_000, "what pages remember of it": 36_000 * small.servers}
    assert small._times(small.act("waiting for the result")) == small.servers * 9
    assert small._times(small.act("result page")) == 10_000
    assert units(small, "waiting for the result") == {"read ELECTION#{election}": 4}


# --- the command ---


def run(*words: str) -> str:
    output = StringIO()
    call_command("capacity", *words, stdout=output)
    return output.getvalue()


def test_it_is_said_in_words(small):
    text = "\n".join(as_text(small))
    assert text.startswith("10,000 voters in 10 hours, at the peak 5 times as many as on average:\n1.4 voters and 9.7")
    assert "  casting, a voter: 18/7\n      ELECTION#{election}#{nn} 8/3, " in text
    assert "Shards of the election: 48; gates: 240; partitions of the log: 16." in text
    assert first_to_break(small) in text.replace("\n", " ")
    assert "Nothing needs to be warmed up" in text
    assert "Example prices: US East, on demand, July 2025, second-hand" in text


@pytest.mark.parametrize("mails", [False, True])
def test_one_election_serves_five_thousand_voters_a_second(small, mailed, mails):
    """By its keys, and every other key on their way: to sign in, the home page, the log, mails."""
    rehearsal = mailed if mails else small
    busy = replace(rehearsal, size=Size(18_000_000), hours=5, peak=5)
    assert (busy.at_peak, busy.servers, busy.number_wait) == (5000, 350, 0.7)
    assert [load for load in busy.hottest if load.full > 1] == []
    assert busy.most_voters > 5000
    assert busy.fullest <= 1


def test_the_command_takes_prices_and_sizes(monkeypatch):
    asked = {}
    monkeypatch.setattr(
        "upkeep.management.commands.capacity.rehearsed",
        lambda size, hours, peak, **more: asked.update(size=size, hours=hours, peak=peak, **more) or model(**more),
    )
    words = ["--voters", "1_000_000", "--hours", "8", "--peak", "3.5", "--candidates", "7", "--public", "--mail"]
    run(*words, "--write-price", "1.5", "--hold", "20", "--processes", "9")
    assert asked["size"] == Size(1_000_000, 7, secret=False, mail=True)
    assert (asked["hours"], asked["peak"], asked["held"], asked["processes"]) == (8, 3.5, 0.02, 9)
    assert asked["prices"] == Prices(1.5, 0.125, 0.25)


@every_row(
    "words",
    [
        *(("--voters", "0"), ("--voters", "many"), ("--hours", "0"), ("--peak", "-1"), ("--candidates", "1")),
        *(("--read-price", "nan"), ("--hold", "inf")),
    ],
)
def test_a_wrong_number_is_a_sentence(words):
    with pytest.raises(CommandError):
        run(*words)
