"""The highest rate of casts the real server sustains, and whether what it acknowledged is there."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import quantiles

from store import keys

from ..report import MILLISECONDS, Report, Unit
from ..rounds import Comparison
from . import day as days
from .day import CAST, NAME, PAGE, Browser, Day
from .load import Answer, Outcome, Plan, perform
from .server import HOST

CASTS = Unit("casts/s", "casts_per_second")
GOAL = 150.0  # casts a second
LIMIT, SHARE = 0.25, 0.01  # of the answers at most this share takes longer than so many seconds
STEPS, SECONDS = 5, 10.0
WARMING_UP = 3.0  # seconds, at a third of the goal
DONE = f"302 {PAGE}receipt/"


@dataclass(frozen=True, slots=True)
class Step:
    """A rate that was tried, and what came of it."""

    rate: float
    outcome: Outcome

    @property
    def held(self) -> bool:
        return not self.outcome.given_up and not self.wrong and self.milliseconds(99) < LIMIT * 1000

    @property
    def wrong(self) -> list[str]:
        return [each.said for each in self.outcome.answers if each.said != DONE]

    def milliseconds(self, percent: int) -> float:
        times = [each.seconds * 1000 for each in self.outcome.answers]
        return quantiles(times, n=100, method="inclusive")[percent - 1] if len(times) > 1 else times[0]


class Voters:
    """Everybody's browser in turn. After the last the first comes again, to change their ballot."""

    def __init__(self, browsers: Sequence[Browser], port: int):
        self.queue = deque(browsers)
        self.port = port
        self.chance = random.Random(0)  # whom they vote for
        self.voted: set[str] = set()
        self.acknowledged = 0
        self.unknown = 0

    def come(self, rate: float, seconds: float, *, share: float = SHARE) -> Step:
        coming = [self.queue.popleft() for _ in range(min(len(self.queue), max(2, round(rate * seconds))))]
        host = f"{HOST}:{self.port}"
        forms = [each.as_text(CAST, each.form(self.chance), host) for each in coming]
        outcome = perform(Plan(HOST, self.port, rate, LIMIT, share, [[each] for each in forms]))
        self._note(coming, outcome.answers)
        return Step(rate, outcome)

    def _note(self, coming: Sequence[Browser], answers: Sequence[Answer]) -> None:
        """Whoever stayed at home because the others had to wait too long comes first next time."""
        came = len(answers)
        self.queue.extend(coming[:came])
        self.queue.extendleft(reversed(coming[came:]))
        done = [coming[each.visit].user.name for each in answers if each.said == DONE]
        self.voted.update(done)
        self.acknowledged += len(done)
        self.unknown += came - len(done)


class NotWhatWasSaid(AssertionError):
    """What is stored is not what was acknowledged."""


def measure(report: Report, day: Day, voters: Voters, scale: float) -> float:
    """Answers the rate that was sustained."""
    report.heading("Casting, open arrivals at the real server (2 processes, p99 under 250 ms, no error)", "goal")
    voters.come(GOAL / 3, WARMING_UP * min(1.0, scale * 10), share=1.0)
    steps = highest(lambda rate: voters.come(rate, SECONDS * scale), GOAL)
    for step in steps:
        _say(report, step)
    best = max((step for step in steps if step.held), key=lambda step: step.rate, default=None)
    sustained = best.rate if best else 0.0
    report.compare("sustained", "casts sustained", Comparison((sustained,), (GOAL,)), CASTS, peer="goal", at_least=1)
    for percent, limit in ((50, None), (99, 1.0)):
        comparison = Comparison(((best or steps[-1]).milliseconds(percent),), (LIMIT * 1000,))
        label = f"  {percent} of 100 answered within"
        report.compare(f"sustained.p{percent}", label, comparison, MILLISECONDS, peer="goal", at_least=limit)
    check(day, voters)
    report.say(f"  {voters.acknowledged:,} casts acknowledged, {len(voters.voted):,} ballots found, turnout the same.")
    return sustained


def highest(try_: Callable[[float], Step], first: float) -> list[Step]:
    """Double the rate, or halve it, until the highest is between two that were tried; then look between.

    A rate that was not held gets a second try, because a machine may have a bad moment.
    """
    steps: list[Step] = []
    held, lost, rate = 0.0, 0.0, first
    for _ in range(STEPS):
        steps.append(try_(rate))
        if not steps[-1].held:
            steps.append(try_(rate))
        held, lost = (rate, lost) if steps[-1].held else (held, rate)
        rate = (held * lost) ** 0.5 if held and lost else rate * 2 if held else rate / 2
    return steps


def _say(report: Report, step: Step) -> None:
    outcome = step.outcome
    verdict = "held" if step.held else "given up" if outcome.given_up else "not held"
    times = f"p50 {step.milliseconds(50):5.0f} ms, p99 {step.milliseconds(99):5.0f} ms"
    own = f"voters used {outcome.own_share:.0%} of a core and were up to {outcome.late * 1000:.0f} ms late"
    errors = f"; {len(step.wrong)} wrong answers such as {step.wrong[0]!r}" if step.wrong else ""
    report.say(f"  {step.rate:6.0f} a second: {verdict:<9} {times} ({own}{errors})")


def check(day: Day, voters: Voters) -> None:
    """As many ballots as voters who were told so, and the roll and the turnout agree. What got another answer may have
    been carried out or not."""
    from acts.site import table
    from ballots import repository
    from elections.turnout import turnout

    with days.on(day):
        roll = list(table().each(*keys.voters(NAME)))
        ballots, counted = sum(1 for _ in repository.every_ballot(NAME)), turnout(NAME).voted
    voted, acts = {each["voter_name"] for each in roll if each["voted"]}, sum(each["acts"] for each in roll)
    if not ballots == counted == len(voted):
        raise NotWhatWasSaid(f"{len(voted):,} on the roll have voted, {ballots:,} ballots, {counted:,} counted.")
    if not voters.voted <= voted or not voters.acknowledged <= acts <= voters.acknowledged + voters.unknown:
        raise NotWhatWasSaid(f"{voters.acknowledged:,} casts acknowledged, {acts:,} made, {ballots:,} ballots.")
