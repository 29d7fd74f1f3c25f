"""What came of a round, drawn: fragments of pages for every screen, in the language that is active.

Each is a table or a list that says everything in words, and looks like a picture. They need `live_results.css`; the
race of a poll plays with `live_race.js`, and stands there round by round without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from assembly import pictures as assembly_pictures
from pages.fragments import fragment
from questions.question import RATINGS, Kind, Question, Type
from results.pictures.drawing import exact, isolated, number, share

from . import sankey
from .bars import Bar, others
from .rounds import Round, options_of
from .seats import Seat
from .signs import Sign, sign
from .standings import TOP_LINES, Board, Line

# that are shown at once, and at all: a thousand phones get the same page
FIRST_ANSWERS_SHOWN, MAX_ANSWERS_SHOWN = 5, 20
FIRST_TEXTS_SHOWN, MAX_TEXTS_SHOWN = 12, 60
MAX_AUTHORS_NAMED = 3  # of an answer, and names on a step, that are named
BAR_HEADROOM = Fraction(104, 100)  # so that the longest bar does not touch the edge

Context = dict[str, Any]


def picture(
    type_: Type, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str = ""
) -> SafeString:
    """What came of a round. `own` marks what one player said; without it everybody may see the same."""
    if round_.result.get("kind") == Kind.IDEAS:
        return _drawn("ideas", ideas(round_, questions[round_.question]))
    if round_.result.get("too_few"):
        return _drawn("too_few", {"count": round_.count})
    if type_ == Type.SURVEY:
        return _drawn("survey", survey(round_, questions))
    question = questions[round_.question]
    if type_ == Type.TRIVIA:
        return _drawn("trivia", trivia(round_, question, own))
    if type_ == Type.ASSEMBLY and "outcome" in round_.result:
        return _drawn("resolution", resolution(round_, question, seats))
    if type_ in (Type.POLL, Type.ASSEMBLY):
        return _drawn("poll", poll(round_, question))
    return _drawn("answers", answers(round_, seats, own))


def board(standing: Board, own: str = "") -> SafeString:
    """The best ten, and the line of whoever looks, if they are not among them."""
    mine = standing.place_of(own)
    below = mine if mine not in standing.top else None
    more = others(len(standing.lines) - len(standing.top))
    moves = any(line.moved is not None for line in standing.top)
    return _drawn("board", {"lines": standing.top, "mine": below, "more": more, "moves": moves, "own": own})


def final(standing: Board, own: str = "") -> SafeString:
    """The podium, whoever comes next, and the line of whoever looks."""
    steps = [
        (place, some[:MAX_AUTHORS_NAMED], others(len(some) - MAX_AUTHORS_NAMED), some[0].total)
        for place, some in standing.podium
    ]
    rest, mine = standing.rest[:TOP_LINES], standing.place_of(own)
    below = mine in standing.rest and mine not in rest
    shown = {"steps": steps, "rest": rest, "mine": mine if below else None}
    return _drawn("final", shown | {"more": others(len(standing.rest) - len(rest)), "own": own})


def mine(line: Line | None, of: int) -> SafeString:
    """One player's own place, for their own screen."""
    return _drawn("mine", {"line": line, "of": of})


def _drawn(name: str, context: Context) -> SafeString:
    return fragment(f"live/results/{name}.html", context)


# --- trivia ---


def trivia(round_: Round, question: Question, own: str = "") -> Context:
    chosen, right = round_.result["chosen"], round_.result["right"]
    said = next((entry.said for entry in round_.entries if own and entry.player == own), ())
    bars = [
        Bar(
            label=label,
            length=share(count, max(round_.count, 1)),
            number=str(count),
            sign=sign(option),
            mark="right" if option in right else "",
            word=_("right") if option in right else "",
            own=option in said,
            option=option,
        )
        for option, (label, count) in enumerate(zip(question.options, chosen, strict=True))
    ]
    return {"bars": bars, "count": round_.count, "says": _all_right(round_)}


def _all_right(round_: Round) -> str:
    if not round_.count:
        return _("Nobody answered.")
    told = {"right": round_.result["fully_right"], "count": round_.count}
    return _("Fully right: %(right)d of %(count)d") % told


# --- call and answer ---


def answers(round_: Round, seats: Mapping[str, Seat], own: str = "") -> Context:
    result = round_.result
    most = max((each["points"] for each in result["answers"]), default=0)
    told = [_answer(each, seats, own, most) for each in result["answers"][:MAX_ANSWERS_SHOWN]]
    left = result["merged"] - len(told)
    return {
        "first": told[:FIRST_ANSWERS_SHOWN],
        "others": told[FIRST_ANSWERS_SHOWN:],
        "left": others(left),
        "voted": result["voted"],
        "votes": round_.votes,
        "count": round_.count,
    }


def _answer(told: Mapping[str, Any], seats: Mapping[str, Seat], own: str, most: int) -> Context:
    names = [seats[player].name for player in told["authors"] if player in seats and seats[player].plays]
    return {
        "text": told["text"],
        "place": told["place"],
        "points": told["points"],
        "length": share(told["points"], most),
        "names": names[:MAX_AUTHORS_NAMED],
        "more": others(len(names[MAX_AUTHORS_NAMED:]) + told["by"] - len(told["authors"])),
        "own": bool(own) and own in told["authors"],
    }


# --- polls ---


def poll(round_: Round, question: Question) -> Context:
    result, names = round_.result, options_of(round_, question)
    laps = result["rounds"]
    whole = _whole(laps)
    return {
        "says": _winner(result, names),
        "between": result["between"],
        "votes": round_.count,
        "blank": result["blank"],
        "ranked": result["method"] != "plurality",
        "laps": [_lap(result, names, at, whole) for at in range(len(laps))],
        "moved": moved(result, names, round_.count) if "moved" in result else None,
    }


def ideas(round_: Round, question: Question) -> Context:
    """What was ranked as a poll's ranking is, and what the room wrote; what was left out is nobody's to see."""
    result = round_.result
    shown = [each for each in result["ideas"] if not each["out"]]
    return {
        "race": _drawn("poll", poll(round_, question)) if result.get("rounds") else "",
        "too_few": result.get("too_few", False),
        "people": result["people"],
        "ideas": shown[:MAX_TEXTS_SHOWN],
        "ideas_count": len(shown),
        "left": others(max(0, len(shown) - MAX_TEXTS_SHOWN) + result["left"]),
        "out": len(result["ideas"]) - len(shown),
    }


# --- the same ranking before and after ---


UNTOLD = {
    "few": gettext_lazy(
        "Who moved where is not shown: so few took part both times, or only once, that everybody could guess whose "
        "choice it was."
    ),
    "lost": gettext_lazy("Who moved where cannot be told: what linked the two answers of a person is gone."),
}


def moved(result: Mapping[str, Any], names: Sequence[str], votes: int) -> Context:
    told, earlier = result["moved"], result["moved"]["earlier"]
    flows = told.get("flows", ())
    return {
        "before": _time(earlier, names, earlier["close"], earlier["count"]) if earlier else {},
        "after": _time(result, names, told["close"], votes),
        "picture": sankey.sankey(flows, names) if flows else "",
        "ways": [(sankey.called(one, names), sankey.called(other, names), number) for one, other, number in flows],
        "gains": _gains(result["rounds"][0]["tally"], earlier["firsts"], names) if earlier else [],
        "untold": UNTOLD.get(told.get("untold", ""), ""),
    }


def _time(result: Mapping[str, Any], names: Sequence[str], close: Mapping[str, Any], votes: int) -> Context:
    return {"says": _winner(result, names), "close": _close(close, votes)}


def _close(close: Mapping[str, Any], votes: int) -> str:
    """In words: how many other votes another outcome would have taken."""
    changed = close["ballots"]
    if changed is None or _a_lot(votes) <= changed:
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


def _a_lot(votes: int) -> int:
    """From a quarter of all votes on, nobody calls it close."""
    return max(3, -(-votes // 4))


def _gains(after: Sequence[str | None], before: Sequence[str | None], names: Sequence[str]) -> list[Context]:
    """First choices each time, who gained most first."""
    found = [(Fraction(after[option] or 0), Fraction(before[option] or 0), option) for option in range(len(names))]
    found.sort(key=lambda each: (each[1] - each[0], each[2]))
    return [_gain_of(now, then, option, names[option]) for now, then, option in found]


def _gain_of(now: Fraction, then: Fraction, option: int, label: str) -> Context:
    change = now - then
    sign_of = "+" if change > 0 else "\N{MINUS SIGN}" if change < 0 else ""
    told = {"before": number(then), "after": number(now), "change": f"{sign_of}{number(abs(change))}"}
    return {"label": label, "sign": sign(option), **told}


def _whole(laps: Sequence[Mapping[str, Any]]) -> Fraction:
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


def _lap(result: Mapping[str, Any], names: Sequence[str], at: int, whole: Fraction) -> Context:
    lap = result["rounds"][at]
    before = result["rounds"][at - 1] if at else None
    order = sorted(range(len(names)), key=lambda option: _turn(result, lap, option))
    bars = [_runner(result, names[option], option, at, whole) for option in order]
    needed = share(Fraction(lap["threshold"]), whole) if lap["threshold"] else ""
    return {
        "number": at + 1,
        "bars": bars,
        "says": _story(result, names, at),
        "needed": needed,
        "first": before is None,
    }


def _turn(result: Mapping[str, Any], lap: Mapping[str, Any], option: int) -> tuple[int, Fraction, int]:
    """The leaders first, then whoever is out, the last to go first; equals by their place in the end."""
    places = [each for each, _place in result["places"]]
    votes = lap["tally"][option]
    return int(votes is None), -Fraction(votes or 0), places.index(option)


def _runner(result: Mapping[str, Any], label: str, option: int, at: int, whole: Fraction) -> Bar:
    lap = result["rounds"][at]
    votes = lap["tally"][option]
    if votes is None:
        return Bar(label, "0", "", sign(option), "out", _("out"), option=option)
    gain = _gain(result, option, at)
    mark = "leaving" if option in lap["eliminated"] else "elected" if option in lap["elected"] else ""
    return Bar(
        label=label,
        length=share(Fraction(votes), whole),
        number=number(votes),
        sign=sign(option),
        mark=mark,
        word={"leaving": _("out"), "elected": _ahead(result), "": ""}[mark],
        option=option,
        since=share(Fraction(votes) - gain, whole),
        gain=f"+{number(gain)}" if gain else "",
        gained=share(gain, whole),
    )


def _ahead(result: Mapping[str, Any]) -> str:
    return _("wins") if len(result["winners"]) == 1 else _("ahead")


def _gain(result: Mapping[str, Any], option: int, at: int) -> Fraction:
    """What it got from whoever went in the round before."""
    moves = result["rounds"][at - 1]["transfers"] if at else ()
    return sum((Fraction(votes) for _source, to, votes in moves if to == option), Fraction(0))


def _story(result: Mapping[str, Any], names: Sequence[str], at: int) -> list[str]:
    """What happens in a round, in sentences."""
    lap = result["rounds"][at]
    if not lap["threshold"]:
        return []
    needed = number(lap["threshold"])
    for winner in lap["elected"]:
        words = {"name": isolated(names[winner]), "votes": number(lap["tally"][winner]), "needed": needed}
        return [_("%(name)s has %(votes)s votes. %(needed)s were needed.") % words]
    loser = lap["eliminated"][0]
    out = _("Nobody has the %(needed)s votes that are needed. %(name)s has the fewest and is out.")
    told = [out % {"needed": needed, "name": isolated(names[loser])}, *_by_lot(result, names, at)]
    return [*told, _moves(lap, names)] if lap["transfers"] else told


def _by_lot(result: Mapping[str, Any], names: Sequence[str], at: int) -> list[str]:
    drawn = [among for number_, _chosen, among in result["lots"] if number_ == at + 1]
    said = _("A lot decided between these: %(names)s.")
    return [said % {"names": _listed([names[option] for option in among])} for among in drawn]


def _moves(lap: Mapping[str, Any], names: Sequence[str]) -> str:
    went = [f"{isolated(names[to])} +{number(votes)}" for _source, to, votes in lap["transfers"] if to is not None]
    lost = [_("nobody %(votes)s") % {"votes": number(votes)} for _source, to, votes in lap["transfers"] if to is None]
    return _("Where these votes go: %(names)s.") % {"names": ", ".join([*went, *lost])}


# --- assemblies ---


def resolution(round_: Round, question: Question, seats: Mapping[str, Seat]) -> Context:
    """An item that was decided, or only talked about; a ranking with its race."""
    told = assembly_pictures.resolution(round_, question, seats)
    return told | (poll(round_, question) | {"says": told["says"]} if round_.result.get("rounds") else {})


# --- surveys ---


def survey(round_: Round, questions: Sequence[Question]) -> Context:
    told = round_.result["questions"]
    sheets = [_sheet(round_, place, question, told[place]) for place, question in enumerate(questions[: len(told)])]
    return {"sheets": sheets, "count": round_.count}


def _sheet(round_: Round, place: int, question: Question, told: Mapping[str, Any]) -> Context:
    sheet: Context = {"title": question.title, "kind": str(question.kind), "count": told["count"], "bars": []}
    if told.get("too_few"):
        return sheet | {"too_few": True}
    if question.kind == Kind.TEXT:
        texts = [entry.said["text"] for entry in round_.entries if entry.said["question"] == place]
        left = others(told["count"] - told.get("hidden", 0) - min(len(texts), MAX_TEXTS_SHOWN))
        return sheet | {
            "first": texts[:FIRST_TEXTS_SHOWN],
            "others": texts[FIRST_TEXTS_SHOWN:MAX_TEXTS_SHOWN],
            "left": left,
        }
    if question.kind == Kind.RATING:
        mean = {"mean": exact(told["mean"]), "most": RATINGS[-1]}
        return sheet | mean | {"bars": _ratings(told), "short": True}
    if question.kind == Kind.YES_NO:
        return sheet | {"bars": _yes_no(told), "short": True}
    return sheet | {"bars": _choices(told, question)}


def _ratings(told: Mapping[str, Any]) -> list[Bar]:
    """The best at the top."""
    counts = dict(zip(RATINGS, told["values"], strict=True))
    return [_counted(str(value), counts[value], told) for value in reversed(RATINGS)]


def _yes_no(told: Mapping[str, Any]) -> list[Bar]:
    return [_counted(_("Yes"), told["yes"], told), _counted(_("No"), told["no"], told)]


def _choices(told: Mapping[str, Any], question: Question) -> list[Bar]:
    rows = enumerate(zip(question.options, told["chosen"], strict=True))
    return [_counted(label, count, told, sign(option)) for option, (label, count) in rows]


def _counted(label: str, count: int, told: Mapping[str, Any], sign_: Sign | None = None) -> Bar:
    return Bar(label, share(count, told["count"]), str(count), sign_)
