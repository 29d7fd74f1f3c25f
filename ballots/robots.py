"""Random but plausible rankings for the demo and for rehearsals."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ranking.candidates import Candidate
from ranking.rankings import Ranks

TRUNCATION_PROBABILITY = 0.35  # how likely a robot stops ranking after a candidate,
TIE_PROBABILITY = 0.12  # and how likely it ranks the next one as an equal


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
