"""What an election needs before it can open, so that its result can be decided and secret ballots stay secret."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from tally.majorities import Of

from .rules import Election, NotReady, WrongState

MIN_SECRET_GROUP = 3  # voters who may vote on a secret question for some groups: of two, each knows the other's vote
MIN_SHARED_WEIGHT = 5  # voters who must have each weight in a secret election
MAX_WEIGHTS_NAMED = 10  # in a sentence


def lacks_candidates(election: Election, candidates: int) -> bool:
    return candidates < 2 or candidates <= election.seats > 1 or candidates < _choosable(election)


def _choosable(election: Election) -> int:
    """How many candidates a voter may choose, where that is limited."""
    return election.most if election.kind == "choose" else 0


def lacks_voters(election: Election) -> bool:
    """Whether too few of those on its roll are in the groups it is for, or share a weight."""
    return lacks_group(election) or bool(election.rare_weights)


def lacks_group(election: Election) -> bool:
    least = MIN_SECRET_GROUP if election.secret_ballot else 1
    return bool(election.for_groups) and election.voter_count > 0 and election.entitled < least


def check_opening(election: Election, candidates: int, now: str) -> None:
    """Name everything missing at once: two candidates, voters, an end in the future."""
    missing = []
    if candidates < 2:
        missing.append(_("at least two candidates"))
    if election.electorate == "listed" and not election.voter_count:
        missing.append(_("at least one voter on the roll"))
    if election.for_groups and election.electorate != "listed":
        missing.append(_("a list of voters, as it is for some groups"))
    elif lacks_group(election):
        missing.append(
            _("at least three voters in the groups it is for, or else a secret ballot would be no secret")
            if election.secret_ballot
            else _("at least one voter in the groups it is for")
        )
    if election.rare_weights:
        sentence = _("at least %(least)d voters with each weight, as ballots are secret (too few have: %(weights)s)")
        missing.append(sentence % {"least": MIN_SHARED_WEIGHT, "weights": some_weights(election.rare_weights)})
    if election.extra_votes and election.electorate != "listed":
        missing.append(_("a list of voters, as votes have weights"))
    if election.seats > 1 and election.seats >= candidates >= 2:
        missing.append(_("more candidates than seats"))
    if _choosable(election) > candidates >= 2:
        missing.append(_("as many candidates as a voter may choose (%(most)d)") % {"most": election.most})
    if election.majority.endswith(Of.ENTITLED) and election.electorate != "listed":
        missing.append(_("a list of voters, because the majority is a share of everyone on the roll"))
    if election.no_voting_after is not None and election.no_voting_after <= now:
        missing.append(_("an end in the future"))
    if missing:
        raise NotReady(_("Before it can open, it needs %(missing)s.") % {"missing": ", ".join(map(str, missing))})


Sizes = Mapping[tuple[tuple[str, ...], int], int]  # how many are in each combination of groups and have each weight


def as_opened(election: Election, sizes: Sizes) -> Election:
    """A draft as it would open today, with these people on its roll."""
    weights = _entitled_by_weight(election, sizes)
    excluded = sum(sizes.values()) - weights.total()
    extra = sum((weight - 1) * voters for weight, voters in weights.items())
    return replace(election, excluded=excluded, extra_votes=extra, rare_weights=_rare(election, weights))


def _rare(election: Election, weights: Mapping[int, int]) -> tuple[int, ...]:
    """A secret ballot shows its weight, so enough voters must have it; unless all have the same."""
    rare = sorted(weight for weight, voters in weights.items() if voters < MIN_SHARED_WEIGHT)
    return tuple(rare) if election.secret_ballot and len(weights) > 1 else ()


def check_late_weights(election: Election, new: Sizes, sizes: Sizes) -> None:
    """While a secret election is open, new voters may only have a weight that others have who may vote in it."""
    known = _entitled_by_weight(election, sizes)
    if not _entitled_by_weight(election, new).keys() <= known.keys():
        sentence = _(
            "Ballots in “%(election)s” are secret, so new voters can only have a weight that others there have: "
            "%(weights)s."
        )
        raise WrongState(sentence % {"election": election.name, "weights": some_weights(sorted(known))})


def _entitled_by_weight(election: Election, sizes: Sizes) -> Counter[int]:
    counts = Counter[int]()
    for (groups, weight), size in sizes.items():
        counts[weight] += size * election.is_for(groups)
    return +counts


def some_weights(weights: Sequence[int]) -> str:
    return ", ".join(map(str, weights[:MAX_WEIGHTS_NAMED])) + (" …" if len(weights) > MAX_WEIGHTS_NAMED else "")
