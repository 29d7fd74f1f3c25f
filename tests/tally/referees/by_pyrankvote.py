"""What pyrankvote says: instant runoff of ballots without equal ranks."""

from __future__ import annotations

from pyrankvote import Ballot, Candidate, instant_runoff_voting

from foundation.tally import irv
from foundation.tally.ballots import groups_of

from .elections import Election
from .known import last_equal_the_next, possible_winners
from .verdict import DIFFERENT, Verdict, compared, not_asked

LIBRARY = "pyrankvote"
MAX_BALLOTS = 2_000  # ballots; it wants each as a value of its own
TIE = (
    "Ties: in some round the last one, two or more have as many votes as the next. pyrankvote then elects with exactly "
    "half of the votes (its majority is half, rounded up), eliminates a group that could still have come up, breaks "
    "ties by second choices and then at random; ours looks back to earlier rounds, then draws the published lot. "
    "All winners must be possible ones."
)
EQUALS = "Equal ranks, which its ballots cannot have."
MANY = f"More than {MAX_BALLOTS} ballots, each of which it wants as a value of its own."


def instant_runoff(election: Election) -> Verdict:
    if election.has_equals:
        return not_asked(EQUALS)
    if election.ballots.total > MAX_BALLOTS:
        return not_asked(MANY)
    ours = irv.count(election.ballots)
    tied = last_equal_the_next(ours.rounds or ())
    verdict = compared(ours, winners(election), TIE if tied else "")
    if tied and not {*verdict.ours, *verdict.theirs} <= possible_winners(election.ballots):
        return Verdict(DIFFERENT, "Not a possible winner.", verdict.ours, verdict.theirs)
    return verdict


def winners(election: Election) -> list[str]:
    candidates = [Candidate(name) for name in election.ballots.candidates]
    ballots = [
        Ballot(ranked_candidates=[candidates[each] for (each,) in groups_of(ranking)])
        for ranking, count in election.ballots.counts.items()
        for _ in range(count)
    ]
    return [each.name for each in instant_runoff_voting(candidates, ballots).get_winners()]


JUDGES = {"irv": instant_runoff}
