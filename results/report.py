"""The report on a result, made once from the ballots: the count, the other methods, how close it was, and why."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from elections.rules import Election
from foundation.tally.ballots import Ballots
from foundation.tally.closeness import Closeness
from foundation.tally.count_job import CountJob, CountOutcome
from foundation.tally.explain import Sentence, explain
from foundation.tally.result import Result

VERSION = 1


@dataclass(frozen=True, slots=True)
class OtherMethod:
    """What another method makes of the same ballots."""

    method: str
    winners: tuple[str, ...]
    places: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Report:
    result: Result
    sentences: tuple[Sentence, ...]
    others: tuple[OtherMethod, ...]  # every method, the election's own among them
    closeness: Closeness

    def as_json(self) -> str:
        """Stable: the same ballots and rules give the same bytes."""
        payload = {
            "version": VERSION,
            "result": json.loads(self.result.as_json()),
            "sentences": [[each.template, dict(each.values)] for each in self.sentences],
            "others": [asdict(each) for each in self.others],
            # With what earlier versions wrote too, so that a report is written again as it was sealed.
            "closeness": asdict(self.closeness) | {"winners": self.result.winners, "changes": ()},
        }
        return json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Report:
        read = json.loads(text)
        if read["version"] != VERSION:
            raise ValueError(f"This report has version {read['version']}, which this program does not know.")
        return cls(
            Result.from_parsed(read["result"]),
            tuple(Sentence(template, values) for template, values in read["sentences"]),
            tuple(_other(each) for each in read["others"]),
            Closeness.of(read["closeness"]),
        )


def _other(read: dict[str, Any]) -> OtherMethod:
    places = tuple((name, place) for name, place in read["places"])
    return OtherMethod(read["method"], tuple(read["winners"]), places)


def settings_of(election: Election, seed: str, entitled: int | None = None) -> dict[str, Any]:
    """What decides a count besides the ballots: fixed when the election opened, but for the seed of the lots and, in a
    vote on yes or no, how many are on the roll."""
    settings = {"seats": election.seats, "unranked": election.unranked, "seed": seed}
    if election.kind != "yes-no":
        return settings
    return settings | {
        "majority": election.majority,
        "entitled": election.entitled if entitled is None else entitled,
    }


def report_on(ballots: Ballots, method: str, **settings: Any) -> Report:
    """`settings` are those that `foundation.tally.methods.count` takes."""
    return build_report(CountJob(ballots, method, settings).run())


def build_report(outcome: CountOutcome) -> Report:
    """A count with its explanation."""
    others = tuple(OtherMethod(method, *found) for method, found in outcome.methods.items())
    return Report(outcome.result, tuple(explain(outcome.result)), others, outcome.closeness)
