"""The play “poll”: options are ranked, or one is chosen, and the count is shown as a race.

A ranking may be asked twice: first choices are stored under pseudonyms until the second count has compared them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from foundation.store.table import Write
from parts.live import answer_forms, repository, rounds
from parts.live.play import Closed, Closing, CsvLine, NameOf, Play, Text, TypedQuestion, TypedValues
from parts.live.rounds import (
    GivenAnswer,
    Round,
    anonymous_entries,
    last_by_player,
    may_be_shown,
    new_salt,
    options_of,
    pseudonym,
    ranking_of,
    too_few,
)
from parts.live.rules import Game, State
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.live.symbols import Bar, symbol
from parts.questions.question import RANKED, Kind, Question, Type
from results.pictures.drawing import isolated, number, rounded, share

from . import before_after

NO_OPTIONS = gettext_lazy("Leave the options empty: the room will write them.")
NOT_BOTH = gettext_lazy("Options written by the room cannot be asked twice.")


def count(number: int, index: int, question: Question, given: Iterable[GivenAnswer], seed: str) -> Round:
    """Counts rankings by instant runoff, and single choices by plurality. Ties are broken by a reproducible lot. The
    result has `method`, `total`, `blank`, `winners`, `places`, `rounds`, `lots`; its entries are sorted rankings
    without names."""
    cast = [replace(each, value=ranking_of(each.value, question)) for each in last_by_player(given)]
    ranked = [each for each in cast if each.value]
    if not may_be_shown(len(ranked), sum(each.robot for each in ranked)):
        return too_few(number, index, len(cast))
    entries = anonymous_entries(cast)
    rankings = [entry.value for entry in entries]
    method = "irv" if question.kind == Kind.RANKING else "plurality"
    return Round(number, index, len(rankings), rounds.race(question, rankings, method, seed), entries)


def ranking_lines(round_: Round, question: Question) -> Iterator[CsvLine]:
    """The final ranking, then each ballot."""
    options, result = options_of(round_, question), round_.result
    first = result["rounds"][0]["tally"]
    for option, place in result["places"]:
        yield {"row": "option", "answer": options[option], "number": first[option] or 0, "place": place}
    for entry in round_.entries:
        yield {"row": "ballot", "answer": answer_forms.ranking_text(entry.value, options)}


def random_ranking(question: Question, chance: Random) -> str:
    """Favours the first options slightly, so that there is a race to see."""
    options = len(question.options)
    if question.kind not in RANKED:
        return str(min(chance.randrange(options), chance.randrange(options)))
    return ">".join(map(str, sorted(range(options), key=lambda place: place + chance.uniform(0, 2 * options))))


class RankedPoll(Play):
    name = Type.POLL.value
    label = gettext_lazy("Poll")
    description = gettext_lazy(
        "People rank the options, or write them first; the ranked votes are counted, round by round."
    )
    privacy = gettext_lazy("Everybody sees the count as a race. Nobody learns who voted how, not even you.")
    kinds = (Kind.CHOICE, Kind.RANKING)
    is_anonymous = is_ranked = is_comparable = allows_follow_up = True

    def typed_question(self, typed: TypedQuestion) -> Question:
        """A ranking that may be asked twice, or whose options the room may write."""
        if typed.ideas:
            return Question(typed.title, Kind.IDEAS, seconds=typed.seconds)
        return Question(typed.title, Kind.RANKING, options=typed.lines, seconds=typed.seconds, twice=typed.twice)

    def flaws(self, question: Question, typed: TypedQuestion) -> Iterator[tuple[str, Text]]:
        if typed.ideas and typed.lines:
            yield "options", NO_OPTIONS
        if typed.ideas and typed.twice:
            yield "twice", NOT_BOTH

    # --- votes ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> str:
        if self.form_name(snapshot) == "tap":
            return str(answer_forms.parse_one_option(post.getlist(answer_forms.OPTION), snapshot.open_question))
        return answer_forms.parse_ranking(post, snapshot.open_question)

    def form_values(self, answer: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        if self.form_name(snapshot) == "tap":
            return {answer_forms.OPTION: [answer]}
        return answer_forms.ranking_fields(answer)

    def summary(self, answer: Any, snapshot: Snapshot) -> dict[str, Any]:
        if self.form_name(snapshot) == "tap":
            return answer_forms.options_summary([int(answer)], snapshot.open_question)
        return answer_forms.ranking_summary(answer, snapshot.open_question)

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> Any:
        return random_ranking(snapshot.open_question, chance)

    def form_name(self, snapshot: Snapshot) -> str:
        return "rank" if snapshot.question and snapshot.question.kind in RANKED else "tap"

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        if self.form_name(snapshot) == "tap":
            return {"options": answer_forms.option_fields(snapshot.open_question, typed)}
        return answer_forms.rank_form(snapshot.open_question, typed)

    def hints(self, snapshot: Snapshot) -> dict[str, Text]:
        is_tap = self.form_name(snapshot) == "tap"
        return super().hints(snapshot) | {
            "hint": _("Tap your answer.") if is_tap else _("Put the best first, then send."),
            "projector_hint": _("Rank them on your phone: the best first."),
        }

    # --- results ---

    def close(self, closing: Closing) -> Closed:
        game, state, box, question = closing.game, closing.state, closing.box, closing.question
        round_ = count(state.round, state.question, question, box.last, game.id)
        if not state.twice:
            return Closed(round_)
        if not state.before:
            salt = new_salt()
            before = before_after.Before(salt, before_after.firsts(box.last, box.players, question, salt))
            writes = [] if round_.result.get("too_few") else before_after.linking(game, state.round, before)
            return Closed(round_, writes=tuple(writes))
        found, flows = before_after.find(game.id, state.before), {"untold": "lost"}
        if found is not None:
            robots = {pseudonym(found.salt, box.players[name]) for name in box.robots}
            after = before_after.firsts(box.last, box.players, question, found.salt)
            flows = before_after.flows(found.firsts, after, robots)
        items = repository.round_items(game.id, state.before)
        earlier = rounds.round_from_parts(items) if items else None
        compared = before_after.compared(round_, question, earlier, flows)
        return Closed(compared, writes=tuple(before_after.unlinking(game, state.before)))

    def moving_on(self, game: Game, state: State, after: State | None = None) -> list[Write]:
        """Deletes the link between first and second answers as soon as there will be no second one."""
        before = before_after.linked_round(state)
        return (
            before_after.unlinking(game, before)
            if before and (not after or before_after.linked_round(after) != before)
            else []
        )

    def result_context(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str
    ) -> tuple[str, dict[str, Any]]:
        return "poll", race(round_, questions[round_.question])

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
        yield from ranking_lines(round_, question)
        options = options_of(round_, question)
        for one, other, people in round_.result.get("moved", {}).get("flows", ()):
            yield {"row": "moved", "answer": f"{_first(one, options)} > {_first(other, options)}", "number": people}

    def answer_text(self, answer: Any, question: Question, options: tuple[str, ...]) -> Text:
        return answer_forms.ranking_text(answer, options) if answer else _("Abstention")


def _first(first: before_after.FirstChoice, options: tuple[str, ...]) -> str:
    """A first choice as text; if it is not a single option, the word used in the data."""
    return first if isinstance(first, str) else options[first]


# --- the race ---

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
        "picture": before_after.sankey(flows, names) if flows else "",
        "ways": [
            (before_after.choice_label(one, names), before_after.choice_label(other, names), number)
            for one, other, number in flows
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
