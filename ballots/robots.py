"""Random but plausible ballots of every kind, for the demo and for rehearsals."""

from __future__ import annotations

import random
from collections.abc import Sequence

from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import ANSWERS, BallotRules, Ranks
from foundation.tally.ballots import MAX_SCORE

TRUNCATION_PROBABILITY = 0.35  # how likely a robot stops ranking after a candidate,
TIE_PROBABILITY = 0.12  # and how likely it ranks the next one as an equal


def random_marks(rules: BallotRules, candidates: Sequence[Candidate], chance: random.Random) -> Ranks:
    """What a robot's form sends: marks that follow from a ranking, some of them fewer than allowed."""
    ranks = random_ranks(candidates, chance)
    if rules.kind == "ranked":
        return ranks
    liked = sorted(ranks, key=lambda number: int(ranks[number][0]))
    if rules.kind == "yes-no":
        return {str(chance.choices(range(len(ANSWERS)), (6, 3, 1))[0]): ["1"]}
    if rules.kind == "approval":
        return {number: ["1"] for number in liked[: chance.randint(1, len(liked))]}
    if rules.kind == "choose":
        chosen = [*liked, *(str(each.number) for each in candidates if str(each.number) not in ranks)]
        return {number: ["1"] for number in chosen[: chance.randint(max(1, rules.fewest), rules.most)]}
    if rules.kind == "score":
        return {number: [str(max(0, MAX_SCORE + 1 - int(ranks[number][0])))] for number in liked}
    points, left = {}, rules.most
    for number in liked:
        points[number] = [str(chance.randint(0, left))]
        left -= int(points[number][0])
    return points


def random_ranks(candidates: Sequence[Candidate], chance: random.Random) -> Ranks:
    """Some candidates are liked better than others, some are left out, some are equals: as rank boxes say it."""
    liking = {each.number: chance.expovariate(1) * (place + 1) for place, each in enumerate(candidates)}
    order = sorted(liking, key=liking.__getitem__)
    ranks, rank = {str(order[0]): ["1"]}, 1
    for number in order[1:]:
        if chance.random() < TRUNCATION_PROBABILITY / len(order) * len(ranks):
            break
        rank += chance.random() >= TIE_PROBABILITY
        ranks[str(number)] = [str(rank)]
    return ranks
