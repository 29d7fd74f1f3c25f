"""The play “poll”: options are ranked, or one is chosen, and the count is shown as a race.

A ranking may be asked twice: first choices are stored under pseudonyms until the second count has compared them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.store.table import Write
from parts.live import answer_forms, counting, repository
from parts.live.counting import anonymous_entries, last_by_player, ranking_of, too_few
from parts.live.play import Closed, Closing, CsvLine, NameOf, Play, Text, TypedQuestion, TypedValues
from parts.live.pseudonyms import new_salt, pseudonym
from parts.live.rounds import GivenAnswer, Round, may_be_shown, options_of
from parts.live.rules import Game, State
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.questions.question import RANKED, Kind, Question, Type

from . import before_after
from .race import race

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
    return Round(number, index, len(rankings), counting.race(question, rankings, method, seed), entries)


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
        earlier = counting.round_from_parts(items) if items else None
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
        for one, other, number in round_.result.get("moved", {}).get("flows", ()):
            yield {"row": "moved", "answer": f"{_first(one, options)} > {_first(other, options)}", "number": number}

    def answer_text(self, answer: Any, question: Question, options: tuple[str, ...]) -> Text:
        return answer_forms.ranking_text(answer, options) if answer else _("Abstention")


def _first(first: before_after.FirstChoice, options: tuple[str, ...]) -> str:
    """A first choice as text; if it is not a single option, the word used in the data."""
    return first if isinstance(first, str) else options[first]
