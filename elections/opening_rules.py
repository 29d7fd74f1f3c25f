"""What an election needs before it can open, so that its result can be decided and secret ballots stay secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from foundation.tally.majorities import Of

from .rules import Election, NotReady

MIN_SECRET_GROUP = 3  # voters who may vote on a secret question for some groups: of two, each knows the other's vote


def lacks_candidates(election: Election, candidates: int) -> bool:
    return candidates < 2 or candidates <= election.seats > 1 or candidates < _choosable(election)


def _choosable(election: Election) -> int:
    """How many candidates a voter may choose, where that is limited."""
    return election.most if election.kind == "choose" else 0


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
    if election.has_secret_weights:
        missing.append(
            _(
                "public ballots or one vote for each voter, because a secret ballot that counts several times would "
                "show whose it is"
            )
        )
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
    entitled = {each: size for each, size in sizes.items() if election.is_for(each[0])}
    extra = sum((weight - 1) * size for (_groups, weight), size in entitled.items())
    return replace(election, excluded=sum(sizes.values()) - sum(entitled.values()), extra_votes=extra)
