"""Single transferable vote, by the rules of Scottish councils and by Meek's.

Both share, besides the order in which people are elected:
- Places: the elected in the order in which they reached their seats, those of one stage by their votes in it; then
  those still in when the last seat was filled, by their votes in the last stage; then the excluded, the last to go
  first. Equals share a place.
- If all ballots are blank there is nothing to count: no one is elected, unless there are seats for all.
- What an unranked candidate means makes no difference: a ballot never counts for a candidate it does not rank.
- `reasons` is empty: the rounds say everything.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from math import lcm
from typing import Any

from .ballots import Ballots, Groups, Prefix, PrefixIndex
from .lots import Choose, Tally, TieBreaker
from .result import Result, Round, Transfer, group_by_score, result_of

SCOTTISH_DIGITS, MEEK_DIGITS = 5, 9
SCOTTISH_VOTE, MEEK_VOTE = 10**SCOTTISH_DIGITS, 10**MEEK_DIGITS  # one vote, in units of the last decimal
OMEGA = MEEK_VOTE // 10**6


class _Count:
    """The candidates who are still hopeful, elected or excluded, in order, and the rounds so far."""

    def __init__(self, ballots: Ballots, method: str, seats: int, unranked: str, seed: str) -> None:
        self.ballots, self.seats, self.unranked = ballots, seats, unranked
        self.tie_breaker = TieBreaker(method, seed)
        self.hopeful = list(ballots.candidates)
        self.elected: list[list[str]] = []  # groups of equals, first elected first
        self.excluded: list[str] = []
        self.rounds: list[Round] = []
        self.tallies: list[Tally] = []

    @property
    def winners(self) -> tuple[str, ...]:
        return tuple(name for group in self.elected for name in group)

    @property
    def seats_left(self) -> int:
        return self.seats - len(self.winners)

    @property
    def has_seats_for_all(self) -> bool:
        return len(self.hopeful) <= self.seats_left

    @property
    def is_complete(self) -> bool:
        return not self.seats_left or not self.hopeful

    def elect(self, names: list[str], votes: Mapping[str, int]) -> tuple[str, ...]:
        """Elect these together; those with more votes come first."""
        groups = group_by_score({name: votes[name] for name in names})
        self.elected += groups
        self.hopeful = [name for name in self.hopeful if name not in names]
        return tuple(name for group in groups for name in group)

    def exclude(self, lowest: list[str], within: int = 0) -> str:
        """Exclude one of these: by earlier rounds, else by lot."""
        chosen = self.settle(lowest, "elimination", min, within)
        self.hopeful.remove(chosen)
        self.excluded.append(chosen)
        return chosen

    def settle(self, tied: list[str], where: str, choose: Choose, within: int = 0) -> str:
        number = len(self.rounds) + 1
        return self.tie_breaker.settle(
            tied, where=where, round=number, earlier=self.tallies, choose=choose, within=within
        )

    def end_round(
        self, votes: Mapping[str, int], quota: int, exhausted: int, residue: int, digits: int, **events: Any
    ) -> None:
        tally = {name: _decimal(held, digits) for name, held in votes.items()}
        needed, lost, cut = (_decimal(each, digits) for each in (quota, exhausted, residue))
        self.rounds.append(Round(len(self.rounds) + 1, tally, needed, lost, residue=cut, **events))
        self.tallies.append(votes)

    def result(self) -> Result:
        last = {name: self.tallies[-1][name] for name in self.hopeful}
        groups = self.elected + group_by_score(last) + [[name] for name in reversed(self.excluded)]
        return self._result(groups, self.winners)

    def result_without_votes(self) -> Result:
        names = self.ballots.candidates
        return self._result([list(names)], names if self.has_seats_for_all else ())

    def _result(self, groups: list[list[str]], winners: tuple[str, ...]) -> Result:
        return result_of(
            self.ballots,
            self.tie_breaker.method,
            groups,
            winners=winners,
            ties=self.tie_breaker.ties,
            lots=tuple(self.tie_breaker.lots),
            rounds=tuple(self.rounds),
            seats=self.seats,
            unranked=self.unranked,
            seed=self.tie_breaker.seed,
        )


def _decimal(units: int, digits: int) -> str:
    """A number of units of the last decimal place, as text: 123456 with 5 digits is 1.23456."""
    whole, rest = divmod(units, 10**digits)
    return f"{whole}.{rest:0{digits}d}"


# --- Scottish rules ---


class _Piles:
    """Papers by the candidate who holds them, and the votes they are worth.

    Papers of rankings that begin alike always move together (foundation/tally/ballots.py), so a pile holds each prefix
    at most once, with what one paper of it is worth: parts of the same papers that come together again are one part.
    """

    def __init__(self, ballots: Ballots) -> None:
        self.names = ballots.candidates
        self.prefixes = PrefixIndex(ballots)
        self.votes = dict.fromkeys(self.names, 0)
        self.piles: dict[str, dict[Prefix, int]] = {name: {} for name in self.names}
        self.exhausted = 0
        everything = self.prefixes.all
        first = self._pass_on({everything: SCOTTISH_VOTE}, SCOTTISH_VOTE, SCOTTISH_VOTE, set(range(len(self.names))))
        self.residue = SCOTTISH_VOTE * everything.ballots - sum(first.values())

    def _pass_on(self, pile: dict[Prefix, int], part: int, of: int, still_in: set[int]) -> dict[str | None, int]:
        """Give papers, each worth part/of its value, to those they rank next; the answer is who got how much."""
        got: defaultdict[str | None, int] = defaultdict(int)
        for prefix, worth in pile.items():
            value, left = worth * part // of, prefix.ballots
            # First to the equals of the candidate it leaves, then to the next group.
            is_left = still_in.isdisjoint(prefix.group)
            for onward in self.prefixes.split_next([prefix], still_in) if is_left else [prefix]:
                nexts = [each for each in onward.group if each in still_in]
                share = value // len(nexts)
                left -= onward.ballots
                for each in nexts:
                    name = self.names[each]
                    self.piles[name][onward] = self.piles[name].get(onward, 0) + share
                    got[name] += share * onward.ballots
            got[None] += value * left
        for to, votes in got.items():
            if to is None:
                self.exhausted += votes
            else:
                self.votes[to] += votes
        return got

    def move(self, name: str, keeps: int, still_in: list[str]) -> tuple[Transfer, ...]:
        """Pass a pile on, leaving its owner this many votes: the quota, or none."""
        held, pile = self.votes[name], self.piles[name]
        self.votes[name], self.piles[name] = keeps, {}
        numbers = {number for number, each in enumerate(self.names) if each in still_in}
        got = self._pass_on(pile, held - keeps, held, numbers) if held else {}
        self.residue += held - keeps - sum(got.values())
        ordered = sorted((to for to in got if to is not None and got[to]), key=self.names.index)
        nobody = [None] if got.get(None) else []
        return tuple(Transfer(name, to, _decimal(got[to], SCOTTISH_DIGITS)) for to in [*ordered, *nobody])


def scottish(ballots: Ballots, *, seats: int = 1, unranked: str = "below", seed: str = "") -> Result:
    """As Scotland's councils count: weighted inclusive Gregory, five decimals.

    Source: The Scottish Local Government Elections Order 2007 (SSI 2007/42), Schedule 1, rules 45 to 52; kept unchanged
    in the Order of 2011 (SSI 2011/399). Numbers in brackets are its rules.

    - Quota [46]: valid ballots divided by one more than the seats, decimals ignored, plus one.
    - A candidate with the quota is elected [47]. While one has more than the quota and seats are left, the largest
      surplus is transferred, one a stage [48, 49]: every paper moves to the next candidate on it who is still in, with
      the value it had times the surplus divided by the votes of the one it leaves, cut after five decimals. Surpluses
      of equals: the one who had more votes in the latest earlier stage where they differ, else by lot
      (foundation/tally/lots.py).
    - Without a surplus the candidate with the fewest votes is excluded [50], one a stage, and the papers move on with
      the value they came with. Of several with the fewest: the one with fewer votes in the latest earlier stage where
      they differ, else by lot [51].
    - As soon as those still in are no more than the seats left, they are elected [52]. That is asked at the end of each
      stage, and the papers of an excluded candidate move within the stage, as in the published counts.
    - Equal ranks: Scottish ballots have none. Here a paper that ranks several still in as equals next is cut into equal
      papers, one for each, cut after five decimals; when one of the equals goes, that part moves to the others first.
      It is the same as counting every strict order of the equals with an equal part of the paper.

    A stage shows the votes, who was elected on them and who is excluded next, and the transfers that lead to the next
    stage. `exhausted` is the value of papers with no one left on them, `residue` what the cut decimals lost: votes,
    exhausted and residue add up to the valid ballots, exactly.
    """
    ballots = ballots.normal
    count = _Count(ballots, "stv-scottish", seats, unranked, seed)
    valid = ballots.total - ballots.blank
    if not valid:
        return count.result_without_votes()
    quota = (valid // (seats + 1) + 1) * SCOTTISH_VOTE
    piles = _Piles(ballots)
    surpluses: list[str] = []  # elected with more than the quota, not yet transferred
    while not count.is_complete:
        votes = {name: piles.votes[name] for name in piles.names if name not in count.excluded}
        exhausted, residue = piles.exhausted, piles.residue
        elected = count.elect([name for name in count.hopeful if votes[name] >= quota], votes)
        if count.has_seats_for_all:
            elected += count.elect(count.hopeful, votes)
        surpluses += [name for name in elected if votes[name] > quota]
        events: dict[str, Any] = {"elected": elected}
        if not count.is_complete and surpluses:
            most = max(votes[name] for name in surpluses)
            chosen = count.settle([name for name in surpluses if votes[name] == most], "transfer", max)
            surpluses.remove(chosen)
            events["transfers"] = piles.move(chosen, quota, count.hopeful)
        elif not count.is_complete:
            fewest = min(votes[name] for name in count.hopeful)
            chosen = count.exclude([name for name in count.hopeful if votes[name] == fewest])
            events |= {"eliminated": (chosen,), "transfers": piles.move(chosen, 0, count.hopeful)}
        count.end_round(votes, quota, exhausted, residue, SCOTTISH_DIGITS, **events)
    return count.result()


# --- Meek's rules ---


class _Dealing:
    """Deals the ballots out by the present keep values.

    What can matter of a ballot in a round ends at the first who keeps everything. Few such heads differ, however many
    ballots do, and a round deals them out many times. What has ended, or comes before the last group of a head, are
    people who are elected, and stays as it is: so a round goes on from the heads of the one before.
    """

    def __init__(self, ballots: Ballots) -> None:
        self.names = ballots.candidates
        self.prefixes = PrefixIndex(ballots)
        self.keep = [MEEK_VOTE] * len(self.names)
        self.votes = [0] * len(self.names)
        self.exhausted = self.residue = 0
        self.heads: Counter[Groups] = Counter()
        self.ended: Counter[Groups] = Counter()
        self.going: list[tuple[Groups, Prefix]] = [
            ((), self.prefixes.all)
        ]  # what comes before a prefix's group, and the prefix

    def start_round(self, hopeful: list[str]) -> None:
        """Extend the heads in which no candidate keeps everything any longer."""
        keeping = {number for number, keep in enumerate(self.keep) if keep}
        everything = {number for number, name in enumerate(self.names) if name in hopeful}
        heads: Counter[Groups] = Counter()
        going, self.going = self.going, []
        for before, prefix in going:
            remaining = tuple(each for each in prefix.group if each in keeping)
            head = (*before, remaining) if remaining else before
            if everything.isdisjoint(remaining):
                onward = self.prefixes.split_next([prefix], keeping)
                going += [(head, each) for each in onward]
                self.ended[head] += prefix.ballots - sum(each.ballots for each in onward)
            else:
                self.going.append((before, prefix))
                heads[head] += prefix.ballots
        self.heads = heads + self.ended

    def deal(self) -> None:
        self.votes = [0] * len(self.names)
        self.exhausted = self.residue = 0
        for head, count in self.heads.items():
            weight = MEEK_VOTE
            for group in head:
                weight = self._keep(group, weight, count)
                if not weight:
                    break
            self.exhausted += weight * count

    def _keep(self, group: tuple[int, ...], weight: int, count: int) -> int:
        """Let the equals of a group keep their parts of this many ballots; returns the weight that goes on."""
        keeps = [self.keep[each] for each in group]
        parts = [_up(weight * keeps[0], MEEK_VOTE)] if len(group) == 1 else shares(weight, keeps)
        for each, part in zip(group, parts, strict=True):
            self.votes[each] += part * count
        rest = weight - sum(parts)
        if rest and MEEK_VOTE in keeps:
            self.residue += rest * count
            return 0
        return rest

    def lower_keep_values(self, elected: list[int], quota: int) -> None:
        for each in elected:
            self.keep[each] = min(MEEK_VOTE, _up(_up(self.keep[each] * quota, MEEK_VOTE) * MEEK_VOTE, self.votes[each]))


def _up(number: int, by: int) -> int:
    """Divided, rounded up."""
    return -(-number // by)


def shares(weight: int, keeps: list[int]) -> list[int]:
    """What each of several equals keeps of a weight, as `meek` says; in units of the ninth decimal."""
    if min(keeps) == MEEK_VOTE:  # none of them is elected: they share equally, as they do through most of a count
        return [weight // len(keeps)] * len(keeps)
    bottom = lcm(*range(1, len(keeps) + 1))
    product = [1]
    for keep in keeps:  # times (MEEK_VOTE - t * keep)
        product = [a * MEEK_VOTE - b * keep for a, b in zip([*product, 0], [0, *product], strict=True)]
    means = {keep: _mean(product, keep, bottom) for keep in set(keeps)}
    return [weight * keep * means[keep] // (bottom * MEEK_VOTE ** len(keeps)) for keep in keeps]


def _mean(product: list[int], keep: int, bottom: int) -> int:
    """The integral of all factors but that of one keep value, times bottom * MEEK_VOTE ** (n - 1).

    The factor is divided out of the product of all, which leaves no rest: a polynomial times (MEEK_VOTE - t * keep).
    """
    factor = total = 0
    for power, whole in enumerate(product[:-1]):
        factor = (whole + factor * keep) // MEEK_VOTE
        total += factor * (bottom // (power + 1))
    return total


def meek(ballots: Ballots, *, seats: int = 1, unranked: str = "below", seed: str = "") -> Result:
    """By Meek's method: the elected keep just what they need, the rest flows on.

    Source: the PR Foundation's "Reference Meek Rule" (prfound.org, 2011), after B. L. Meek (1969, 1970) and Hill,
    Wichmann and Woodall, "Algorithm 123", The Computer Journal 30 (1987). Letters in brackets are the Reference Rule's
    steps.

    - Every candidate has a keep value, 1 at first. A ballot starts with weight 1; each candidate in its order keeps the
      weight that arrives times the keep value, rounded up in the ninth decimal, and the rest goes on [B.2.a].
    - The quota is the votes that all hold divided by one more than the seats, cut after nine decimals, plus 0.000000001
      [B.2.b]. It falls as ballots run out. A candidate who holds the quota is elected, and the round ends [B.2.c, e].
    - Otherwise the keep value of each elected candidate is multiplied by quota and divided by votes, rounded up both
      times, and the votes are dealt out again [B.2.f], until the surplus of the elected is less than 0.000001 or no
      longer falls. Then the candidate with the fewest votes is excluded: the keep value becomes 0, and the round ends
      [B.3].
    - It ends when all seats are filled, or no more candidates are left than seats: those are elected [C].
    - Ties for exclusion [T]: candidates whose votes differ by no more than the surplus that is left count as tied. Of
      these goes the one with fewer votes in the latest earlier round where they differ by more than 0.000001, else one
      by lot (foundation/tally/lots.py); the Reference Rule leaves that choice to its users.
    - Equal ranks: the Reference Rule has none. Here a ballot that ranks several as equals counts as if every strict
      order of them had an equal part of it. Each gets weight * k * (integral from 0 to 1 of the product of (1 - t * k')
      over the other equals), their keep values being k': the mean, over all orders, of what arrives. It is cut after
      nine decimals; what is cut where one of them keeps everything is the residue.

    A round shows votes, quota and keep values as the round ended, and who was elected or excluded on them. There are no
    transfers from one candidate to another: the keep values say what flows on. `exhausted` is what no candidate kept;
    votes, exhausted and residue add up exactly to the ballots that are not blank.
    """
    ballots = ballots.normal
    count = _Count(ballots, "stv-meek", seats, unranked, seed)
    if ballots.total == ballots.blank:
        return count.result_without_votes()
    dealing = _Dealing(ballots)
    numbers = {name: number for number, name in enumerate(ballots.candidates)}
    while not count.is_complete:
        dealing.start_round(count.hopeful)
        surplus = (ballots.total - ballots.blank) * MEEK_VOTE
        seated = [numbers[name] for name in count.winners]
        while True:
            dealing.deal()
            votes = {name: dealing.votes[each] for name, each in numbers.items() if name not in count.excluded}
            quota = sum(votes.values()) // (seats + 1) + 1
            reached = [name for name in count.hopeful if votes[name] >= quota]
            before, surplus = surplus, max(0, sum(dealing.votes[each] - quota for each in seated))
            if reached or count.has_seats_for_all or surplus < OMEGA or surplus >= before:
                break
            dealing.lower_keep_values(seated, quota)
        events: dict[str, Any] = {
            "elected": count.elect(reached, votes),
            "keep": {name: _decimal(dealing.keep[numbers[name]], MEEK_DIGITS) for name in votes},
        }
        if not reached and not count.has_seats_for_all:
            fewest = min(votes[name] for name in count.hopeful)
            lowest = [name for name in count.hopeful if votes[name] <= fewest + surplus]
            chosen = count.exclude(lowest, within=OMEGA)
            dealing.keep[numbers[chosen]] = 0
            events["eliminated"] = (chosen,)
        if count.has_seats_for_all:
            events["elected"] += count.elect(count.hopeful, votes)
        count.end_round(votes, quota, dealing.exhausted, dealing.residue, MEEK_DIGITS, **events)
    return count.result()
