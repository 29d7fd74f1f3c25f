"""A result in plain sentences: who won, and why.

Each sentence is a template of TEMPLATES with values for its places: `str(sentence)` is English; translations
look up the template and fill in the same values. Values are names, lists of names put side by side,
and exact numbers; no template needs a plural.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from .result import Result, Round, Tie


def _(text: str) -> str:
    """Marks a text for those who gather texts to translate; the translation itself is the reader's business."""
    return text


TEMPLATES = {
    "nobody stood": _("Nobody stood."),
    "no votes": _("No ballot ranks anybody, so there is nothing to count."),
    "only one": _("%(name)s was the only candidate."),
    "won": _("%(name)s won."),
    "shared": _("%(names)s share the first place: the ballots do not decide between them."),
    "elected": _("Elected: %(names)s."),
    "nobody elected": _("Nobody was elected."),
    # one to one
    "beat all": _(
        "%(name)s beat every other candidate one to one; the closest was %(other)s, %(votes)s to %(against)s."
    ),
    "beat nobody all": _("Nobody beat every other candidate one to one."),
    "unbeaten": _("Nobody beat %(name)s one to one; the contest with %(other)s was drawn, %(votes)s to %(against)s."),
    "cycle": _("There was a cycle, in which each beat the next one to one: %(names)s."),
    "link": _("%(name)s beat %(other)s, %(votes)s to %(against)s."),
    "weakest link": _("The weakest link of the cycle was %(name)s against %(other)s, %(votes)s to %(against)s."),
    "no weakest link": _("No link of the cycle was weaker than every other."),
    "stronger chain": _(
        "%(other)s beat %(name)s one to one, %(lost)s to %(held)s, but the chain of won contests the other way is "
        "stronger: %(names)s; its weakest contest was won %(votes)s to %(against)s."
    ),
    "equal chain": _(
        "%(other)s beat %(name)s one to one, %(lost)s to %(held)s, but the chain of won contests the other way is as "
        "strong: %(names)s; its weakest contest was won %(votes)s to %(against)s."
    ),
    "left out": _(
        "The contest that %(name)s won against %(other)s, %(votes)s to %(against)s, was left out: "
        "with stronger ones it would have closed a cycle, %(names)s."
    ),
    "left out among equals": _(
        "The contest that %(name)s won against %(other)s, %(votes)s to %(against)s, was left out: "
        "with others as strong as it would have closed a cycle, %(names)s."
    ),
    "never beaten": _("%(name)s was never beaten one to one."),
    "worst defeat": _(
        "The worst defeat of %(name)s was against %(other)s, %(against)s to %(votes)s; "
        "the worst defeat of everybody else is worse."
    ),
    "shared worst defeat": _(
        "The worst defeat of %(name)s was against %(other)s, %(against)s to %(votes)s; nobody's worst defeat is weaker."
    ),
    "copeland": _("%(name)s scored %(score)s: contests won %(won)s, drawn %(drawn)s, lost %(lost)s."),
    # points and votes
    "points": _("Points of %(name)s: %(points)s."),
    "next points": _("Next came %(name)s; points: %(points)s."),
    "first votes": _("First preferences of %(name)s: %(votes)s."),
    "next votes": _("Next came %(name)s; first preferences: %(votes)s."),
    # rounds
    "eliminated": _("Round %(round)s: %(name)s had the fewest votes, %(votes)s, and was eliminated."),
    "eliminated among equals": _(
        "Round %(round)s: %(name)s, with %(votes)s, was eliminated; %(names)s had as few votes."
    ),
    "went to": _("The largest part of them went to %(name)s: %(votes)s."),
    "went to nobody": _("Ballots with nobody left on them: %(votes)s."),
    "majority": _(
        "Round %(round)s: %(name)s had %(votes)s of %(total)s votes, more than half, and won; "
        "%(threshold)s were needed."
    ),
    "quota": _("Round %(round)s: %(name)s reached the quota of %(threshold)s with %(votes)s and was elected."),
    "last seats": _(
        "Round %(round)s: %(name)s was elected with %(votes)s: no more candidates were left than seats to fill."
    ),
    "surplus": _("Round %(round)s: what %(name)s had above the quota, %(votes)s, was passed on."),
    "keep": _("Round %(round)s: %(name)s kept %(percent)s percent of each vote; the rest was passed on."),
    # ties and lots
    "earlier round": _("Round %(round)s: %(names)s were tied; an earlier round, where they differed, decided."),
    "lot": _(
        "Round %(round)s: %(names)s were tied, and no earlier round decided; a lot drawn from the seed of the election "
        "chose %(name)s."
    ),
    "shared place": _("%(names)s share place %(place)s."),
}


@dataclass(frozen=True)
class Sentence:
    """A template and what to put in its places."""

    template: str
    values: Mapping[str, str | int]

    def __str__(self) -> str:
        return self.template % self.values


def explain(result: Result) -> list[Sentence]:
    """Why this is the result, the most important reason first."""
    if not result.candidates:
        return [_sentence("nobody stood")]
    if result.total == result.blank:
        return [_sentence("no votes"), *_outcome_without_votes(result)]
    if len(result.candidates) == 1:
        return [_sentence("only one", name=result.candidates[0]), *_outcome(result)]
    return [*_outcome(result), *_WHY[result.method](result), *_shared_places(result)]


def _sentence(key: str, **values: str | int) -> Sentence:
    return Sentence(TEMPLATES[key], values)


def _list(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(names)


def _chain(names: list[str]) -> str:
    return " > ".join(names)


def _plain(number: str) -> str:
    """Without the zeros that end a decimal."""
    return number.rstrip("0").rstrip(".") if "." in number else number


# --- the outcome ---


def _outcome(result: Result) -> list[Sentence]:
    if result.method.startswith("stv"):
        return [_sentence("elected", names=_list(result.winners))]
    if len(result.winners) == 1:
        return [_sentence("won", name=result.winners[0])]
    return [_sentence("shared", names=_list(result.winners))]


def _outcome_without_votes(result: Result) -> list[Sentence]:
    if result.method.startswith("stv"):
        return _outcome(result) if result.winners else [_sentence("nobody elected")]
    return _outcome(result) if len(result.winners) > 1 else []


def _shared_places(result: Result) -> Iterator[Sentence]:
    """Ties that are left, except the one for the first place, which the outcome has named."""
    places = dict(result.places)
    for tie in result.ties:
        if tie.where == "places" and tie.names != tuple(sorted(result.winners)):
            yield _sentence("shared place", names=_list(tie.names), place=places[tie.names[0]])


# --- one to one ---


def _numbers(result: Result, name: str, other: str) -> dict[str, str | int]:
    """The contest of two, as seen by the first."""
    assert result.pairwise is not None
    i, j = result.candidates.index(name), result.candidates.index(other)
    return {"name": name, "other": other, "votes": result.pairwise[i][j], "against": result.pairwise[j][i]}


def _won(result: Result, name: str, other: str) -> int:
    contest = _numbers(result, name, other)
    return int(contest["votes"]) - int(contest["against"])


def _one_to_one(result: Result) -> Iterator[Sentence]:
    """The winner who beats everyone else; or the cycle, or the draw, that prevents it."""
    first = result.winners[0]
    others = [name for name in result.candidates if name != first]
    if all(_won(result, first, other) > 0 for other in others):
        closest = min(others, key=lambda other: _won(result, first, other))
        yield _sentence("beat all", **_numbers(result, first, closest))
        return
    yield _sentence("beat nobody all")
    drawn = [other for other in others if _won(result, first, other) == 0]
    if drawn and all(_won(result, first, other) >= 0 for other in others):
        yield _sentence("unbeaten", **_numbers(result, first, drawn[0]))
    else:
        yield from _cycle(result, first)


def _cycle(result: Result, first: str) -> Iterator[Sentence]:
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
    seen = {first}
    for way in ways:
        if len(way) > 1 and _won(result, way[-1], first) > 0:
            return [*way, first]
        beaten = [name for name in result.candidates if name not in seen and _won(result, way[-1], name) > 0]
        seen.update(beaten)
        ways += [[*way, name] for name in beaten]
    return []


def _schulze(result: Result) -> Iterator[Sentence]:
    yield from _one_to_one(result)
    names, first = result.candidates, result.winners[0]
    i = names.index(first)
    for j, other in enumerate(names):
        path = result.reasons["paths"][i][j]
        if other != first and _won(result, other, first) > 0 and path:
            contest = _numbers(result, first, other)
            votes, against = result.reasons["strongest"][i][j]
            key = "stronger chain" if [first, other] in result.reasons["beats"] else "equal chain"
            yield _sentence(
                key,
                name=first,
                other=other,
                lost=contest["against"],
                held=contest["votes"],
                names=_chain([names[each] for each in path]),
                votes=votes,
                against=against,
            )


def _ranked_pairs(result: Result) -> Iterator[Sentence]:
    """The contests that speak of the winners: those they lost, where these did not count."""
    yield from _one_to_one(result)
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
    yield from _one_to_one(result)
    for name in [*result.winners, *_next_after_winners(result)]:
        scored = result.reasons["scores"][name]
        yield _sentence("copeland", name=name, **{key: scored[key] for key in ("score", "won", "drawn", "lost")})


def _minimax(result: Result) -> Iterator[Sentence]:
    yield from _one_to_one(result)
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


# --- points and votes ---


def _borda(result: Result) -> Iterator[Sentence]:
    points = result.reasons["points"]
    yield from (_sentence("points", name=name, points=points[name]) for name in result.winners)
    yield from (_sentence("next points", name=name, points=points[name]) for name in _next_after_winners(result))


def _plurality(result: Result) -> Iterator[Sentence]:
    votes = result.reasons["votes"]
    yield from (_sentence("first votes", name=name, votes=votes[name]) for name in result.winners)
    yield from (_sentence("next votes", name=name, votes=votes[name]) for name in _next_after_winners(result))


# --- rounds ---


def _rounds(result: Result) -> Iterator[Sentence]:
    before: Round | None = None
    for each in result.rounds or ():
        if result.method == "irv":
            yield from (_majority(each, name) for name in each.elected)
        else:
            yield from _keep_values(each, before)
            yield from (_elected(each, name) for name in each.elected if _has_quota(each, name))
        yield from _settled(result, each)
        yield from _passed_on(each)
        if result.method != "irv":
            yield from (_elected(each, name) for name in each.elected if not _has_quota(each, name))
        before = each


def _has_quota(each: Round, name: str) -> bool:
    return Fraction(each.tally[name]) >= Fraction(each.threshold)


def _majority(each: Round, name: str) -> Sentence:
    total = sum(Fraction(votes) for votes in each.tally.values())
    return _sentence(
        "majority",
        round=each.number,
        name=name,
        votes=_plain(each.tally[name]),
        total=str(total),
        threshold=_plain(each.threshold),
    )


def _elected(each: Round, name: str) -> Sentence:
    values: dict[str, str | int] = {"round": each.number, "name": name, "votes": _plain(each.tally[name])}
    if _has_quota(each, name):
        return _sentence("quota", threshold=_plain(each.threshold), **values)
    return _sentence("last seats", **values)


def _keep_values(each: Round, before: Round | None) -> Iterator[Sentence]:
    """Who kept less of each vote than in the round before (Meek)."""
    for name, keep in (each.keep or {}).items():
        if before and before.keep and keep != before.keep.get(name):
            yield _sentence("keep", round=each.number, name=name, percent=_percent(keep))


def _percent(keep: str) -> str:
    """A keep value in percent, to two decimals."""
    hundredths = round(Fraction(keep) * 10_000)
    return _plain(f"{hundredths // 100}.{hundredths % 100:02d}")


def _settled(result: Result, each: Round) -> Iterator[Sentence]:
    """Ties of the round, and how they were settled."""
    ties = [tie for tie in result.ties if tie.round == each.number]
    lots = [lot for lot in result.lots if lot.round == each.number]
    yield from (_tie(tie) for tie in ties if tie.settled == "earlier round")
    for lot in lots:
        yield _sentence("lot", round=each.number, names=_list(lot.names), name=lot.chosen)


def _tie(tie: Tie) -> Sentence:
    return _sentence("earlier round", round=tie.round or 0, names=_list(tie.names))


def _passed_on(each: Round) -> Iterator[Sentence]:
    """Who went, or whose surplus moved, and where most of it went."""
    for name in each.eliminated:
        votes = each.tally[name]
        equals = [other for other in each.tally if other != name and each.tally[other] == votes]
        values: dict[str, str | int] = {"round": each.number, "name": name, "votes": _plain(votes)}
        yield (
            _sentence("eliminated among equals", names=_list(equals), **values)
            if equals
            else _sentence("eliminated", **values)
        )
    moved = [transfer for transfer in each.transfers if transfer.destination is not None]
    if each.transfers and not each.eliminated:
        name = each.transfers[0].source
        surplus = Fraction(each.tally[name]) - Fraction(each.threshold)
        yield _sentence("surplus", round=each.number, name=name, votes=_decimal(surplus))
    if moved:
        most = max(moved, key=lambda transfer: Fraction(transfer.votes))
        yield _sentence("went to", name=str(most.destination), votes=_plain(most.votes))
    for transfer in each.transfers:
        if transfer.destination is None:
            yield _sentence("went to nobody", votes=_plain(transfer.votes))


def _decimal(number: Fraction) -> str:
    """A number of at most nine decimals as text."""
    units = int(number * 10**9)
    return _plain(f"{units // 10**9}.{units % 10**9:09d}")


_WHY: dict[str, Callable[[Result], Iterator[Sentence]]] = {
    "schulze": _schulze,
    "ranked-pairs": _ranked_pairs,
    "copeland": _copeland,
    "minimax": _minimax,
    "borda": _borda,
    "plurality": _plurality,
    "irv": _rounds,
    "stv-scottish": _rounds,
    "stv-meek": _rounds,
}
