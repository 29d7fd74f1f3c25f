"""What an election needs before it can open, so that its result can be decided and secret ballots stay secret."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.tally.majorities import Of

from .rules import Election, NotReady

MIN_SECRET_GROUP = 3  # voters who may vote on a secret question for some groups: of two, each knows the other's vote


def lacks_candidates(election: Election, candidates: int) -> bool:
    least = max(2, election.most) if election.kind == "choose" else 2
    return candidates < least or candidates <= election.seats > 1


def lacks_group(election: Election) -> bool:
    least = MIN_SECRET_GROUP if election.secret_ballot else 1
    return bool(election.for_groups) and election.voter_count > 0 and election.entitled < least


def check_opening(election: Election, candidates: Mapping[int, int], now: str) -> None:
    """Name everything missing at once: two candidates, voters, an end in the future. `candidates` says how many each
    question has."""
    missing = [each for question in election.questions for each in _lacking(question, candidates)]
    if election.electorate == "listed" and not election.voter_count:
        missing.append(_("at least one voter on the roll"))
    if election.has_secret_weights:
        missing.append(
            _(
                "public ballots or one vote for each voter, because a secret ballot that counts several times would "
                "show whose it is"
            )
        )
    if election.no_voting_after is not None and election.no_voting_after <= now:
        missing.append(_("an end in the future"))
    if missing:
        raise NotReady(_("Before it can open, it needs %(missing)s.") % {"missing": ", ".join(map(str, missing))})


def _lacking(question: Election, candidate_counts: Mapping[int, int]) -> list[str | Promise]:
    """What a question needs; where there are several, with its title."""
    candidates, missing = candidate_counts.get(question.number, 0), list[str | Promise]()
    if candidates < 2:
        missing.append(_("at least two candidates"))
    if question.for_groups and question.electorate != "listed":
        missing.append(_("a list of voters, as it is for some groups"))
    elif lacks_group(question):
        missing.append(
            _("at least three voters in the groups it is for, or else a secret ballot would be no secret")
            if question.secret_ballot
            else _("at least one voter in the groups it is for")
        )
    if question.extra_votes and question.electorate != "listed":
        missing.append(_("a list of voters, as votes have weights"))
    if question.seats > 1 and question.seats >= candidates >= 2:
        missing.append(_("more candidates than seats"))
    if question.kind == "choose" and question.most > candidates >= 2:
        missing.append(_("as many candidates as a voter may choose (%(most)d)") % {"most": question.most})
    if question.majority.endswith(Of.ENTITLED) and question.electorate != "listed":
        missing.append(_("a list of voters, because the majority is a share of everyone on the roll"))
    if not question.more:
        return missing
    return [_("%(missing)s for “%(title)s”") % {"missing": each, "title": question.title} for each in missing]
