"""A result in plain sentences: who won, and why.

Each sentence is a template of TEMPLATES with values for its places: `str(sentence)` is English; translations look up
the template and fill in the same values. Values are names, lists of names and exact numbers; no template has plurals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from . import star
from .lots import elected_by_lot
from .majorities import HALF, majority_of
from .methods import KIND_OF
from .result import Result, Round, exact_text


def _(text: str) -> str:
    """Marks a text to be translated; pages translate it."""
    return text


TEMPLATES = {
    "no candidates": _("There were no candidates."),
    "no votes": _("No ballot ranks any candidate, so there is nothing to count."),
    "only one": _("%(name)s was the only candidate."),
    "won": _("%(name)s won."),
    "won by lot": _("%(name)s won by lot."),
    "shared": _("%(names)s share first place; the ballots do not decide between them."),
    "elected": _("Elected: %(names)s."),
    "elected by lot": _("Elected by lot: %(names)s."),
    "elected partly by lot": _("Elected: %(names)s; by lot: %(other)s."),
    "nobody elected": _("Nobody was elected."),
    # head to head
    "beat all": _(
        "%(name)s beat every other candidate head to head; the closest contest was against %(other)s, "
        "%(votes)s to %(against)s."
    ),
    "beat nobody all": _("No candidate beat every other head to head."),
    "unbeaten": _(
        "Nobody beat %(name)s head to head; the contest with %(other)s was a draw, %(votes)s to %(against)s."
    ),
    "cycle": _("There was a cycle in which each candidate beat the next head to head: %(names)s."),
    "link": _("%(name)s beat %(other)s, %(votes)s to %(against)s."),
    "weakest link": _("The weakest link in the cycle was %(name)s against %(other)s, %(votes)s to %(against)s."),
    "no weakest link": _("No single link in the cycle was the weakest."),
    "stronger chain": _(
        "%(other)s beat %(name)s head to head, %(lost)s to %(held)s, but there is a stronger chain of wins the other "
        "way: %(names)s. Its weakest contest was won %(votes)s to %(against)s."
    ),
    "equal chain": _(
        "%(other)s beat %(name)s head to head, %(lost)s to %(held)s, but there is an equally strong chain of wins the "
        "other way: %(names)s. Its weakest contest was won %(votes)s to %(against)s."
    ),
    "left out": _(
        "The win of %(name)s over %(other)s, %(votes)s to %(against)s, was left out because it would have closed a "
        "cycle with stronger wins: %(names)s."
    ),
    "left out among equals": _(
        "The win of %(name)s over %(other)s, %(votes)s to %(against)s, was left out because it would have closed a "
        "cycle with equally strong wins: %(names)s."
    ),
    "never beaten": _("Nobody beat %(name)s head to head."),
    "worst defeat": _(
        "The worst defeat of %(name)s was by %(other)s, %(against)s to %(votes)s; "
        "every other candidate had a worse one."
    ),
    "shared worst defeat": _(
        "The worst defeat of %(name)s was by %(other)s, %(against)s to %(votes)s; no candidate did better."
    ),
    "copeland": _("%(name)s scored %(score)s head to head: %(won)s won, %(drawn)s drawn, %(lost)s lost."),
    # points and first preferences
    "points": _("Points for %(name)s: %(votes)s."),
    "next points": _("Next was %(name)s; points: %(votes)s."),
    "votes": _("First preferences for %(name)s: %(votes)s."),
    "next votes": _("Next was %(name)s; first preferences: %(votes)s."),
    # marks and values
    "no marks": _("No ballot has a mark, so there is no decision."),
    "votes for": _("Votes for %(name)s: %(votes)s."),
    "next votes for": _("Next was %(name)s; votes: %(votes)s."),
    "approvals": _("Votes that approve of %(name)s: %(votes)s of %(total)s."),
    "next approvals": _("Next was %(name)s; votes that approve: %(votes)s of %(total)s."),
    "empty seats": _("Seats left empty because nobody else has a vote: %(seats)s."),
    "lot for a seat": _("%(names)s were tied, so a lot drawn from the election's seed chose %(name)s."),
    # score, then a runoff
    "next seat": _("Seat %(seat)s was filled in the same way from those not yet elected."),
    "finalists": _(
        "%(name)s (points: %(votes)s) and %(other)s (points: %(against)s) had the most and went into the runoff."
    ),
    "one finalist": _("%(name)s (points: %(votes)s) was elected without a runoff, because nobody else had a point."),
    "runoff": _(
        "Runoff: votes that score %(name)s higher: %(votes)s; %(other)s higher: %(against)s; both the same: %(equal)s."
    ),
    "finalists by head to head": _(
        "%(names)s had equal points; the one whom more votes score higher went into the runoff."
    ),
    "finalists by fives": _("%(names)s had equal points; most ratings of five decided who went into the runoff."),
    "runoff by points": _("The runoff was a draw; the higher number of points decided."),
    "runoff by fives": _("The runoff was a draw, and so were the points; most ratings of five decided."),
    "elected in the runoff": _("%(name)s was elected."),
    # yes or no
    "carried": _("Carried: %(yes)s yes, %(no)s no, %(abstain)s abstentions; %(needed)s needed."),
    "not carried": _("Not carried: %(yes)s yes, %(no)s no, %(abstain)s abstentions; %(needed)s needed."),
    "half cast": _(
        "More than half of the votes cast (%(base)s) must be yes: at least %(needed)s. "
        "An abstention is not a vote cast."
    ),
    "half present": _(
        "More than half of the voters taking part (%(base)s) must vote yes: at least %(needed)s. "
        "An abstention counts like a no."
    ),
    "half entitled": _(
        "More than half of all who may vote (%(base)s) must vote yes: at least %(needed)s. "
        "An abstention counts like a no, and so does a vote not cast."
    ),
    "share cast": _(
        "At least %(share)s of the votes cast (%(base)s) must be yes: %(needed)s. An abstention is not a vote cast."
    ),
    "share present": _(
        "At least %(share)s of the voters taking part (%(base)s) must vote yes: %(needed)s. "
        "An abstention counts like a no."
    ),
    "share entitled": _(
        "At least %(share)s of all who may vote (%(base)s) must vote yes: %(needed)s. "
        "An abstention counts like a no, and so does a vote not cast."
    ),
    # rounds
    "eliminated": _("Round %(round)s: %(name)s had the fewest votes (%(votes)s) and was eliminated."),
    "eliminated among equals": _(
        "Round %(round)s: %(name)s was eliminated; %(names)s had just as few votes (%(votes)s)."
    ),
    "went to": _("The largest share of these votes went to %(name)s: %(votes)s."),
    "went to nobody": _("Ballots with no further choice: %(votes)s."),
    "majority": _("Round %(round)s: %(name)s won with %(votes)s of %(total)s votes; %(threshold)s were needed."),
    "quota": _("Round %(round)s: with %(votes)s, %(name)s reached the quota of %(threshold)s and was elected."),
    "last seats": _(
        "Round %(round)s: %(name)s was elected with %(votes)s because there was a seat for every remaining candidate."
    ),
    "surplus": _("Round %(round)s: %(name)s had a surplus of %(votes)s, which was passed on."),
    "keep": _("Round %(round)s: %(name)s kept %(percent)s per cent of each vote; the rest was passed on."),
    # ties and lots
    "earlier round": _("Round %(round)s: %(names)s were tied; an earlier round in which they differed decided."),
    "lot": _("Round %(round)s: %(names)s were still tied, so a lot drawn from the election's seed chose %(name)s."),
    "shared place": _("%(names)s share place %(place)s."),
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A template and what to put in its places."""

    template: str
    values: Mapping[str, str | int]

    def __str__(self) -> str:
        return self.template % self.values


def explain(result: Result) -> list[Sentence]:
    """Why this is the result, the most important reason first."""
    if not result.candidates:
        return [_sentence("no candidates")]
    if result.method == "majority":
        return _majority(result)
    if result.total == result.blank:
        if KIND_OF[result.method] != "ranked":
            return [_sentence("no marks")]
        has_outcome = result.method.startswith("stv") or len(result.winners) > 1
        return [_sentence("no votes"), *([_outcome(result)] if has_outcome else [])]
    if len(result.candidates) == 1:
        return [_sentence("only one", name=result.candidates[0]), _outcome(result)]
    return [_outcome(result), *_WHY[result.method](result), *_shared_places(result)]


def _sentence(key: str, **values: str | int) -> Sentence:
    return Sentence(TEMPLATES[key], values)


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _chain(names: Iterable[str]) -> str:
    return " > ".join(names)


def _plain(number: str) -> str:
    """Without the zeros that end a decimal."""
    return number.rstrip("0").rstrip(".") if "." in number else number


# --- the outcome ---


def _outcome(result: Result) -> Sentence:
    if result.method.startswith("stv") or (KIND_OF[result.method] != "ranked" and result.seats > 1):
        if not result.winners:
            return _sentence("nobody elected")
        by_lot = [name for lot in elected_by_lot(result) for name in lot.names]
        if not by_lot or len(by_lot) == len(result.winners):
            return _sentence("elected by lot" if by_lot else "elected", names=_list(result.winners))
        return _sentence("elected partly by lot", names=_list(result.winners), other=_list(by_lot))
    if len(result.winners) == 1:
        return _sentence("won by lot" if elected_by_lot(result) else "won", name=result.winners[0])
    return _sentence("shared", names=_list(result.winners))


def _shared_places(result: Result) -> Iterator[Sentence]:
    """Ties that are left, except the one for the first place, which the outcome has named."""
    places = dict(result.places)
    for tie in result.ties:
        if tie.where == "places" and tie.names != tuple(sorted(result.winners)):
            yield _sentence("shared place", names=_list(tie.names), place=places[tie.names[0]])


# --- head to head ---


def _numbers(result: Result, name: str, other: str) -> dict[str, str | int]:
    """The contest of two, as seen by the first."""
    assert result.pairwise is not None
    i, j = result.candidates.index(name), result.candidates.index(other)
    return {"name": name, "other": other, "votes": result.pairwise[i][j], "against": result.pairwise[j][i]}


def _lead(result: Result, name: str, other: str) -> int:
    contest = _numbers(result, name, other)
    return int(contest["votes"]) - int(contest["against"])


def _head_to_head(result: Result) -> Iterator[Sentence]:
    """The winner who beats everyone else; or the cycle, or the draw, that prevents it."""
    first = result.winners[0]
    leads = {other: _lead(result, first, other) for other in result.candidates if other != first}
    closest = min(leads, key=lambda other: leads[other])
    if leads[closest] > 0:
        yield _sentence("beat all", **_numbers(result, first, closest))
        return
    yield _sentence("beat nobody all")
    if leads[closest] == 0:
        yield _sentence("unbeaten", **_numbers(result, first, closest))
        return
    cycle = _shortest_cycle(result, first)
    links = [_numbers(result, name, other) for name, other in pairwise(cycle)]
    if links:
        yield _sentence("cycle", names=_chain(cycle))
        yield from (_sentence("link", **link) for link in links)
        strengths = [(int(link["votes"]), -int(link["against"])) for link in links]
        weakest = [link for link, strength in zip(links, strengths, strict=True) if strength == min(strengths)]
        yield _sentence("weakest link", **weakest[0]) if len(weakest) == 1 else _sentence("no weakest link")


def _shortest_cycle(result: Result, first: str) -> list[str]:
    """From the first by won contests back to the first; empty where there is no way back."""
    ways = [[first]]
    visited = {first}
    for way in ways:
        if len(way) > 1 and _lead(result, way[-1], first) > 0:
            return [*way, first]
        beaten = [name for name in result.candidates if name not in visited and _lead(result, way[-1], name) > 0]
        visited.update(beaten)
        ways += [[*way, name] for name in beaten]
    return []


def _schulze(result: Result) -> Iterator[Sentence]:
    yield from _head_to_head(result)
    names, first = result.candidates, result.winners[0]
    i = names.index(first)
    for j, other in enumerate(names):
        path = result.reasons["paths"][i][j]
        if other != first and _lead(result, other, first) > 0 and path:
            contest = _numbers(result, first, other)
            votes, against = result.reasons["strongest"][i][j]
            yield _sentence(
                "stronger chain" if [first, other] in result.reasons["beats"] else "equal chain",
                name=first,
                other=other,
                lost=contest["against"],
                held=contest["votes"],
                names=_chain(names[each] for each in path),
                votes=votes,
                against=against,
            )


def _ranked_pairs(result: Result) -> Iterator[Sentence]:
    """The contests that speak of the winners: those they lost, where these did not count."""
    yield from _head_to_head(result)
    for contest in (each for each in result.reasons["skipped"] if each["loser"] in result.winners):
        yield _sentence(
            "left out among equals" if contest["equals"] else "left out",
            name=contest["winner"],
            other=contest["loser"],
            votes=contest["for"],
            against=contest["against"],
            names=_chain(contest["cycle"]),
        )


def _copeland(result: Result) -> Iterator[Sentence]:
    yield from _head_to_head(result)
    for name in [*result.winners, *_next_after_winners(result)]:
        yield _sentence("copeland", name=name, **result.reasons["scores"][name])


def _minimax(result: Result) -> Iterator[Sentence]:
    yield from _head_to_head(result)
    for name in result.winners:
        worst = result.reasons["worst"][name]
        if worst is None:
            yield _sentence("never beaten", name=name)
        else:
            key = "worst defeat" if len(result.winners) == 1 else "shared worst defeat"
            yield _sentence(key, name=name, other=worst["by"], votes=worst["against"], against=worst["for"])


def _next_after_winners(result: Result) -> list[str]:
    """Who shares the place after the winners'."""
    rest = [(place, name) for name, place in result.places if name not in result.winners]
    return [name for place, name in rest if place == rest[0][0]]


# --- points and first preferences ---


def _scores(result: Result) -> Iterator[Sentence]:
    kind = "points" if result.method == "borda" else "votes"
    for key, names in ((kind, result.winners), (f"next {kind}", _next_after_winners(result))):
        yield from (_sentence(key, name=name, votes=result.reasons[kind][name]) for name in names)


# --- marks and values ---


def _marks(result: Result) -> Iterator[Sentence]:
    key, unit = {"most-votes": ("votes for", "votes"), "approval": ("approvals", "votes")}.get(
        result.method, ("points", "points")
    )
    values = {"total": result.total} if key == "approvals" else {}
    yield from (_sentence(key, name=name, votes=result.reasons[unit][name], **values) for name in result.winners)
    yield from _lots_for_seats(result, "election")
    if len(result.winners) < min(result.seats, len(result.candidates)):
        yield _sentence("empty seats", seats=result.seats - len(result.winners))
    for name in _next_after_winners(result):
        yield _sentence(f"next {key}", name=name, votes=result.reasons[unit][name], **values)


def _lots_for_seats(result: Result, where: str, seat: int | None = None) -> Iterator[Sentence]:
    for lot in result.lots:
        if lot.where == where and seat in (None, lot.round):
            yield _sentence("lot for a seat", names=_list(lot.names), name=lot.chosen)


def _star(result: Result) -> Iterator[Sentence]:
    points = result.reasons["points"]
    for seat, each in enumerate(star.rounds_of(result), 1):
        if seat > 1:
            yield _sentence("next seat", seat=seat)
        yield from _star_ties(result, "finalists", seat)
        name, *others = each["finalists"]
        if not others:
            yield _sentence("one finalist", name=name, votes=points[name])
            continue
        yield _sentence("finalists", name=name, other=others[0], votes=points[name], against=points[others[0]])
        votes, against = each["runoff"].values()
        values = {"name": name, "other": others[0], "votes": votes, "against": against, "equal": each["equal"]}
        yield _sentence("runoff", **values)
        yield from _star_ties(result, "runoff", seat)
        if "elected" in each:
            yield _sentence("elected in the runoff", name=each["elected"])
    if len(result.winners) < min(result.seats, len(result.candidates)):
        yield _sentence("empty seats", seats=result.seats - len(result.winners))


def _star_ties(result: Result, where: str, seat: int) -> Iterator[Sentence]:
    for tie in result.ties:
        if (tie.where, tie.round) == (where, seat) and tie.settled != "lot":
            yield _sentence(
                f"{where} by {tie.settled}", **({"names": _list(tie.names)} if where == "finalists" else {})
            )
    yield from _lots_for_seats(result, where, seat)


def _majority(result: Result) -> list[Sentence]:
    numbers = {name: result.reasons[name] for name in ("yes", "no", "abstain", "needed")}
    rule = majority_of(result.reasons["majority"])
    values = {"base": result.reasons["base"], "needed": result.reasons["needed"]}
    if Fraction(rule.share) == HALF:
        why = _sentence(f"half {rule.of}", **values)
    else:
        why = _sentence(f"share {rule.of}", share="100%" if rule.share == "1/1" else rule.share, **values)
    return [_sentence("carried" if result.reasons["carried"] else "not carried", **numbers), why]


# --- rounds ---


def _rounds(result: Result) -> Iterator[Sentence]:
    keep: Mapping[str, str] | None = None  # in the round before
    for each in result.rounds or ():
        has_reached = {name: Fraction(each.tally[name]) >= Fraction(each.threshold) for name in each.elected}
        for name, kept in (each.keep or {}).items():
            if keep and kept != keep.get(name):  # less of each vote (Meek)
                hundredths = round(Fraction(kept) * 10_000)
                percent = _plain(f"{hundredths // 100}.{hundredths % 100:02d}")
                yield _sentence("keep", round=each.number, name=name, percent=percent)
        yield from (_elected(result, each, name) for name in each.elected if has_reached[name])
        for tie in result.ties:
            if tie.round == each.number and tie.settled == "earlier round":
                yield _sentence("earlier round", round=each.number, names=_list(tie.names))
        for lot in result.lots:
            if lot.round == each.number:
                yield _sentence("lot", round=each.number, names=_list(lot.names), name=lot.chosen)
        yield from _passed_on(each)
        yield from (_elected(result, each, name) for name in each.elected if not has_reached[name])
        keep = each.keep


def _elected(result: Result, each: Round, name: str) -> Sentence:
    values: dict[str, str | int] = {"round": each.number, "name": name, "votes": _plain(each.tally[name])}
    if Fraction(each.tally[name]) < Fraction(each.threshold):
        return _sentence("last seats", **values)
    values["threshold"] = _plain(each.threshold)
    if result.method == "irv":
        return _sentence("majority", total=str(sum(map(Fraction, each.tally.values()))), **values)
    return _sentence("quota", **values)


def _passed_on(each: Round) -> Iterator[Sentence]:
    """Who went, or whose surplus moved, and where most of it went."""
    for name in each.eliminated:
        votes = each.tally[name]
        equals = [other for other in each.tally if other != name and each.tally[other] == votes]
        values: dict[str, str | int] = {"round": each.number, "name": name, "votes": _plain(votes)}
        if equals:
            yield _sentence("eliminated among equals", names=_list(equals), **values)
        else:
            yield _sentence("eliminated", **values)
    if each.transfers and not each.eliminated:
        name = each.transfers[0].source
        surplus = exact_text(Fraction(each.tally[name]) - Fraction(each.threshold))
        yield _sentence("surplus", round=each.number, name=name, votes=surplus)
    moved = [transfer for transfer in each.transfers if transfer.destination is not None]
    if moved:
        most = max(moved, key=lambda transfer: Fraction(transfer.votes))
        yield _sentence("went to", name=str(most.destination), votes=_plain(most.votes))
    for transfer in each.transfers:
        if transfer.destination is None:
            yield _sentence("went to nobody", votes=_plain(transfer.votes))


_WHY: dict[str, Callable[[Result], Iterator[Sentence]]] = {
    "schulze": _schulze,
    "ranked-pairs": _ranked_pairs,
    "copeland": _copeland,
    "minimax": _minimax,
    "borda": _scores,
    "plurality": _scores,
    "irv": _rounds,
    "stv-scottish": _rounds,
    "stv-meek": _rounds,
    "most-votes": _marks,
    "approval": _marks,
    "score": _marks,
    "cumulative": _marks,
    "star": _star,
}
