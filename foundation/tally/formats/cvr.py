"""Cast vote records in JSON: the common data format of NIST SP 1500-103, https://doi.org/10.6028/NIST.SP.1500-103.

    {"@type": "CVR.CastVoteRecordReport",
     "Election": [{"Candidate": [{"@id": "c1", "Name": "Ada"}, ...],
                   "Contest": [{"@id": "m", "VoteVariation": "rcv", "NumberElected": 1,
                                "ContestSelection": [{"@id": "s1", "CandidateIds": ["c1"]}, ...]}]}],
     "CVR": [{"CurrentSnapshotId": "x", "CVRSnapshot": [{"@id": "x", "CVRContest": [{"ContestId": "m",
              "CVRContestSelection": [{"ContestSelectionId": "s1", "SelectionPosition": [
                 {"HasIndication": "yes", "IsAllocable": "yes", "NumberVotes": 1, "Rank": 1}]}]}]}]}, ...]}

Of each record the current snapshot is read. A position counts if it has an indication and may be allocated; those with
the same rank are equals, and of several ranks of a candidate the best counts. A record without the contest is of
somebody who was not asked. A file holds one contest here; one with more is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..majorities import ABSTAIN, NO, YES
from .file import MAX_SEATS, BadFile, BallotCounter, File, Limits, check_range, clean_title

KINDS = {"rcv": "ranked", "approval": "approval", "cumulative": "points", "range": "score"}
KINDS |= dict.fromkeys(("plurality", "n-of-m", "majority", "super-majority"), "choose")
SHAPE = "This is not a cast vote record as in NIST SP 1500-103."

Marked = tuple[tuple[str, int, int], ...]  # selections, each with its rank, or 0, and its votes


class Records:
    """The records of one contest, counted by what is marked: what that means may come later in the file."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self.counts = Counter[Marked]()
        self.contests: set[str] = set()
        self.elections: Any = []

    def add(self, record: Any, line: int) -> None:
        try:
            for contest, marked in _contests(record):
                self.contests.add(contest)
                self.counts[marked] += 1
        except (LookupError, TypeError, AttributeError):
            raise BadFile(line, SHAPE) from None
        if len(self.contests) > 1:
            raise BadFile(
                line,
                f"This file has several contests: {', '.join(sorted(map(str, self.contests)))}. Leave one of them.",
            )
        if len(self.counts) > self.limits.rankings:
            raise BadFile(line, f"A file has at most {self.limits.rankings} different rankings.")

    def file(self) -> File:
        try:
            names = {
                person["@id"]: person.get("Name", "") for each in self.elections for person in each.get("Candidate", ())
            }
            contests = {contest["@id"]: contest for each in self.elections for contest in each["Contest"]}
            (contest,) = (contests[each] for each in self.contests or contests)
            asked = {each["@id"]: _name(each, names) for each in contest["ContestSelection"]}
            return self._file(contest, asked)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise error if isinstance(error, BadFile) else BadFile(None, SHAPE) from None

    def _file(self, contest: dict[str, Any], asked: dict[str, str]) -> File:
        kind, counter = self._kind(contest, asked), BallotCounter(self.limits)
        numbers = {each: counter.roster.add(name, None) for each, name in asked.items()}
        for marked, count in self.counts.items():
            if kind == "ranked":
                ranks = {numbers[each]: rank for each, rank, _votes in sorted(marked, key=lambda mark: -mark[1])}
                groups = [[each for each in ranks if ranks[each] == rank] for rank in sorted(set(ranks.values()))]
                counter.count_ranking(groups, count, None)
            else:
                votes = Counter({numbers[each]: 0 for each, _rank, _votes in marked})
                for each, _rank, number in marked:
                    votes[numbers[each]] += check_range(number, None, "a number of votes")
                counter.count_values(votes, kind, count, None)
        seats = check_range(contest.get("NumberElected", 1), None, "a number of seats", MAX_SEATS, 1)
        return File(counter.ballots(), seats, clean_title(str(contest.get("Name", ""))), kind=kind)

    def _kind(self, contest: dict[str, Any], asked: dict[str, str]) -> str:
        if {name.casefold() for name in asked.values()} <= {each.casefold() for each in (YES, NO, ABSTAIN)}:
            return "yes-no"
        is_ranked = any(rank for marked in self.counts for _each, rank, _votes in marked)
        return KINDS.get(contest.get("VoteVariation", ""), "ranked" if is_ranked else "approval")


def _name(selection: dict[str, Any], names: dict[str, str]) -> str:
    """Of the candidates of a selection, or the answer to a question; else its number."""
    people = [names.get(each) or each for each in selection.get("CandidateIds", ())]
    return " / ".join(people) or selection.get("Selection") or str(selection["@id"])


def _contests(record: Any) -> Iterator[tuple[str, Marked]]:
    snapshots, current = record["CVRSnapshot"], record.get("CurrentSnapshotId")
    snapshot = next((each for each in snapshots if each.get("@id") == current), snapshots[-1])
    for contest in snapshot.get("CVRContest", ()):
        selections = contest.get("CVRContestSelection", ())
        yield contest["ContestId"], tuple(sorted(mark for each in selections for mark in _marks(each)))


def _marks(selection: Any) -> Iterator[tuple[str, int, int]]:
    for position in selection["SelectionPosition"]:
        if position["HasIndication"] == "yes" and position.get("IsAllocable") != "no":
            rank, votes = position.get("Rank", selection.get("Rank", 0)), position.get("NumberVotes", 1)
            if type(rank) is not int or type(votes) is not int:
                raise TypeError
            yield selection["ContestSelectionId"], rank, votes
