"""Template context of a ranked count as a race, round by round, and of a before-and-after comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from parts.live.rounds import Round, options_of
from parts.live.symbols import Bar, symbol
from parts.questions.question import Question
from results.pictures.drawing import isolated, number, rounded, share

from . import sankey

BAR_HEADROOM = Fraction(104, 100)  # so that the longest bar does not touch the edge

Context = dict[str, Any]


def race(round_: Round, question: Question) -> Context:
    """Context of `live/results/poll.html`."""
    result, names = round_.result, options_of(round_, question)
    laps = result["rounds"]
    scale = _scale(laps)
    return {
        "says": _winner(result, names),
        "between": result["between"],
        "votes": round_.count,
        "blank": result["blank"],
        "ranked": result["method"] != "plurality",
        "laps": [_lap(result, names, at, scale) for at in range(len(laps))],
        "moved": moved(result, names, round_.count) if "moved" in result else None,
    }


# --- the same ranking before and after ---


UNTOLD = {
    "few": gettext_lazy("Who moved where is not shown: so few people took part that their choices could be guessed."),
    "lost": gettext_lazy("Who moved where cannot be shown: the link between the two votes is gone."),
}


def moved(result: Mapping[str, Any], names: Sequence[str], votes: int) -> Context:
    moves, earlier = result["moved"], result["moved"]["earlier"]
    flows = moves.get("flows", ())
    return {
        "before": _verdict(earlier, names, earlier["close"], earlier["count"]) if earlier else {},
        "after": _verdict(result, names, moves["close"], votes),
        "picture": sankey.sankey(flows, names) if flows else "",
        "ways": [
            (sankey.choice_label(one, names), sankey.choice_label(other, names), number) for one, other, number in flows
        ],
        "gains": _gains(result["rounds"][0]["tally"], earlier["firsts"], names) if earlier else [],
        "untold": UNTOLD.get(moves.get("untold", ""), ""),
    }


def _verdict(result: Mapping[str, Any], names: Sequence[str], close: Mapping[str, Any], votes: int) -> Context:
    return {"says": _winner(result, names), "close": _close(close, votes)}


def _close(close: Mapping[str, Any], votes: int) -> str:
    """Describes how many votes would have had to differ to change the outcome, where that is known."""
    changed = close["ballots"]
    if changed is None:
        return ""
    if close["exact"] and changed >= max(3, -(-votes // 4)):  # from a quarter of all votes upwards
        return _("by a lot")
    sentence = ngettext(
        "%(count)d other vote would have changed it", "%(count)d other votes would have changed it", changed
    )
    found = ngettext(
        "%(count)d other vote, or fewer, would have changed it",
        "%(count)d other votes, or fewer, would have changed it",
        changed,
    )
    return (sentence if close["exact"] else found) % {"count": changed}


def _gains(after: Sequence[str | None], before: Sequence[str | None], names: Sequence[str]) -> list[Context]:
    """First choices before and after, largest gain first."""
    counts = [(Fraction(before[option] or 0), Fraction(after[option] or 0), option) for option in range(len(names))]
    gains = []
    for then, now, option in sorted(counts, key=lambda each: (each[0] - each[1], each[2])):
        sign = "+" if now > then else "\N{MINUS SIGN}" if now < then else ""
        change = f"{sign}{number(abs(rounded(now) - rounded(then)))}"
        numbers = {"before": number(then), "after": number(now), "change": change}
        gains.append({"label": names[option], "sign": symbol(option), **numbers})
    return gains


def _scale(laps: Sequence[Mapping[str, Any]]) -> Fraction:
    """One scale for all rounds, so that bars can be compared."""
    votes = [each for lap in laps for each in (*lap["tally"], lap["threshold"] or "0") if each is not None]
    return (max(map(Fraction, votes)) or Fraction(1)) * BAR_HEADROOM


def _winner(result: Mapping[str, Any], names: Sequence[str]) -> str:
    first = [names[option] for option in result["winners"]]
    if len(first) == 1:
        return _("%(name)s wins") % {"name": isolated(first[0])}
    return _("A tie: %(names)s") % {"names": _listed(first)}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(isolated, names))


def _lap(result: Mapping[str, Any], names: Sequence[str], at: int, scale: Fraction) -> Context:
    lap = result["rounds"][at]
    before = result["rounds"][at - 1] if at else None
    order = sorted(range(len(names)), key=lambda option: _turn(result, lap, option))
    bars = [_runner(result, names[option], option, at, scale) for option in order]
    needed = share(Fraction(lap["threshold"]), scale) if lap["threshold"] else ""
    return {
        "number": at + 1,
        "bars": bars,
        "says": _story(result, names, at),
        "needed": needed,
        "first": before is None,
    }


def _turn(result: Mapping[str, Any], lap: Mapping[str, Any], option: int) -> tuple[int, Fraction, int]:
    """Leaders first, then eliminated options, the latest first; ties by final place."""
    places = [each for each, _place in result["places"]]
    votes = lap["tally"][option]
    return int(votes is None), -Fraction(votes or 0), places.index(option)


def _runner(result: Mapping[str, Any], label: str, option: int, at: int, scale: Fraction) -> Bar:
    lap = result["rounds"][at]
    votes = lap["tally"][option]
    if votes is None:
        return Bar(label, "0", "", symbol(option), "out", _("out"), option=option)
    gain = _gain(result, option, at)
    is_won = len(result["winners"]) == 1
    mark = "leaving" if option in lap["eliminated"] else "elected" if option in lap["elected"] else ""
    return Bar(
        label=label,
        length=share(Fraction(votes), scale),
        number=number(votes),
        sign=symbol(option),
        mark=mark,
        word={"leaving": _("out"), "elected": _("wins") if is_won else _("ahead"), "": ""}[mark],
        option=option,
        since=share(Fraction(votes) - gain, scale),
        gain=f"+{number(rounded(votes) - rounded(Fraction(votes) - gain))}" if gain else "",
        gained=share(gain, scale),
    )


def _gain(result: Mapping[str, Any], option: int, at: int) -> Fraction:
    """Votes transferred from the option eliminated in the previous round."""
    moves = result["rounds"][at - 1]["transfers"] if at else ()
    return sum((Fraction(votes) for _source, to, votes in moves if to == option), Fraction(0))


def _story(result: Mapping[str, Any], names: Sequence[str], at: int) -> list[str]:
    """Describes a round in sentences."""
    lap = result["rounds"][at]
    if not lap["threshold"]:
        return []
    needed = number(lap["threshold"])
    for winner in lap["elected"]:
        values = {"name": isolated(names[winner]), "votes": number(lap["tally"][winner]), "needed": needed}
        return [_("%(name)s has %(votes)s votes. %(needed)s were needed.") % values]
    loser = lap["eliminated"][0]
    out = _("Nobody has the %(needed)s votes needed. %(name)s has the fewest and is out.")
    sentences = [out % {"needed": needed, "name": isolated(names[loser])}, *_by_lot(result, names, at)]
    return [*sentences, _moves(lap, names)] if lap["transfers"] else sentences


def _by_lot(result: Mapping[str, Any], names: Sequence[str], at: int) -> list[str]:
    drawn = [among for number_, _chosen, among in result["lots"] if number_ == at + 1]
    said = _("Tie broken by lot: %(names)s.")
    return [said % {"names": _listed([names[option] for option in among])} for among in drawn]


def _moves(lap: Mapping[str, Any], names: Sequence[str]) -> str:
    went = [f"{isolated(names[to])} +{number(votes)}" for _source, to, votes in lap["transfers"] if to is not None]
    lost = [
        _("no further choice %(votes)s") % {"votes": number(votes)}
        for _source, to, votes in lap["transfers"]
        if to is None
    ]
    return _("Transfers: %(names)s.") % {"names": ", ".join([*went, *lost])}
