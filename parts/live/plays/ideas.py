"""The play “ideas”: the room writes ideas, the host sorts them while everybody watches, and the room ranks the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.acts.refusals import LostRace, NotNow
from foundation.pages.fragments import fragment
from foundation.qa.rules import Mode
from foundation.store import keys
from foundation.store.table import Key, Write
from parts.live import answer_forms, moderation, rules
from parts.live.moderation import ModeratedText, Texts
from parts.live.play import Closed, Closing, CsvLine, NameOf, Play, PlayContext, Text, TypedValues
from parts.live.plays.ranked_poll import race, random_ranking, ranking_lines
from parts.live.plays.robot_texts import robot_sentence
from parts.live.rounds import Round, options_of
from parts.live.rules import Game, Phase, State
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.live.symbols import and_others
from parts.questions.question import Kind, Question, Type

from . import ideas_order
from . import ideas_order as ideas
from .ideas_order import MAX_IDEA_CHARS, MAX_IDEAS_PER_PERSON, SortedIdeas

MAX_IDEAS_SHOWN = 60  # on one screen: a thousand phones get the same page
NO_IDEA = gettext_lazy("Write an idea first.")
TOO_MANY_IDEAS = gettext_lazy("At most %(most)d ideas per person. Keep your best.")


class Ideas(Play):
    name = "ideas"
    label = gettext_lazy("Ideas, then ranked")
    types = (Type.POLL,)
    kinds = (Kind.IDEAS,)
    is_anonymous = is_ranked = has_texts = allows_follow_up = True
    templates = {
        "player/sorting": "live/plays/ideas/player_sorting.html",
        "projector/sorting": "live/plays/ideas/projector_sorting.html",
        "player/voting": "live/screens/player/question.html",
        "projector/voting": "live/screens/projector/question.html",
    }
    closes = {
        Phase.QUESTION: gettext_lazy("Stop collecting ideas"),
        Phase.SORTING: gettext_lazy("Close without a vote"),
        Phase.VOTING: gettext_lazy("Close the voting"),
    }

    # --- ideas and votes ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> Any:
        if self._is_written(snapshot):
            return answer_forms.parse_texts(post, MAX_IDEAS_PER_PERSON, MAX_IDEA_CHARS, NO_IDEA, TOO_MANY_IDEAS)
        return answer_forms.parse_ranking(post, snapshot.open_question)

    def form_values(self, answer: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        return {answer_forms.TEXT: answer} if self._is_written(snapshot) else answer_forms.ranking_fields(answer)

    def summary(self, answer: Any, snapshot: Snapshot) -> dict[str, Any]:
        if self._is_written(snapshot):
            return {"texts": answer}
        return answer_forms.ranking_summary(answer, snapshot.open_question)

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> Any:
        if self._is_written(snapshot):
            return [robot_sentence(snapshot, seat)]
        return random_ranking(snapshot.open_question, chance)

    def form_name(self, snapshot: Snapshot) -> str:
        return "ideas" if self._is_written(snapshot) else "rank"

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        if self._is_written(snapshot):
            return answer_forms.texts_form(typed, MAX_IDEAS_PER_PERSON, MAX_IDEA_CHARS)
        return answer_forms.rank_form(snapshot.open_question, typed)

    @staticmethod
    def _is_written(snapshot: Snapshot) -> bool:
        return snapshot.state.phase == Phase.QUESTION

    def hints(self, snapshot: Snapshot) -> dict[str, Text]:
        own = {
            "hint": _("Put the best first, then send."),
            "projector_hint": _("Rank them on your phone: the best first."),
        }
        if self._is_written(snapshot):
            own = {
                "hint": _("Write up to three ideas."),
                "projector_hint": _("Write up to three ideas on your phone, without names. Then everybody ranks them."),
                "received": _("Your ideas are in."),
            }
        return super().hints(snapshot) | own

    def displayed_question(
        self, question: Question, phase_data: SortedIdeas | None, sealed: Round | None, context: PlayContext
    ) -> Question:
        """The question with the ideas put to the vote as its options."""
        if phase_data is None:
            return replace(question, options=tuple(sealed.result.get("options", ())) if sealed else ())
        options = phase_data.order.options
        hidden = moderation.hidden_options(context.texts, context.state.round, options)
        return replace(question, options=moderation.cover_hidden(options, hidden))

    def screen(self, snapshot: Snapshot) -> dict[str, Any]:
        """While they are sorted, the ideas without those left out, and limited to what fits a phone."""
        screen = super().screen(snapshot)
        if snapshot.state.phase != Phase.SORTING or snapshot.phase_data is None:
            return screen
        ideas = [each for each in snapshot.phase_data.idea_views() if not each.out]
        going, staying = [each for each in ideas if each.goes], [each for each in ideas if not each.goes]
        visible = staying[: max(0, MAX_IDEAS_SHOWN - len(going))]
        return screen | {"going_ideas": going, "staying_ideas": visible, "more_ideas": len(staying) - len(visible)}

    def screen_version(self, snapshot: Snapshot) -> str:
        """While the host is sorting, every action changes the screen."""
        is_sorted = snapshot.state.phase == Phase.SORTING and snapshot.phase_data is not None
        return f"-{snapshot.phase_data.order.version}" if is_sorted else ""

    # --- phases ---

    def extra_keys(self, game_id: str, state: State) -> tuple[Key, ...]:
        return (keys.sorted_ideas(game_id, state.round),) if state.phase == Phase.SORTING else ()

    def phase_data(self, context: PlayContext) -> SortedIdeas | None:
        """The ideas are read once; their order is read each time until the vote opens."""
        state, game_id = context.state, context.game_id
        before: SortedIdeas | None = context.before
        if state.phase not in (Phase.SORTING, Phase.VOTING):
            return None
        if before is not None and before.order.settled:
            return before
        if before is None:
            round_ = ideas_order.read_written(game_id, state.round)
            if round_ is None:
                return None  # just voided
            written = ideas.ideas_of_round(round_)
        else:
            written = before.ideas
        item = context.items.get(keys.sorted_ideas(game_id, state.round))
        order = ideas.order_of(item) if item else ideas_order.find_order(game_id, state.round)
        return SortedIdeas(written, order) if order else None

    def read_previous_phase(self, game: Game, state: State) -> tuple[Round, SortedIdeas] | None:
        return None if state.phase == Phase.QUESTION else ideas_order.read(game.id, state.round)

    def close(self, closing: Closing) -> Closed:
        game, state, box = closing.game, closing.state, closing.box
        if state.phase == Phase.QUESTION:
            return self._collect(closing)
        if closing.gathered is None:
            raise LostRace  # another host has just voided it
        written, sorted_ = closing.gathered
        robots = None
        if state.phase == Phase.VOTING:
            hidden = moderation.hidden_options(closing.texts, state.round, sorted_.order.options)
            cast = tuple(replace(each, value=moderation.without_options(each.value, hidden)) for each in box.last)
            closing = replace(closing, box=replace(box, last=cast))
        else:
            robots = ideas_order.count_robots(game.id, state.round)
        round_ = self.counted(closing, written, sorted_, robots or 0)
        settled = replace(sorted_.order, settled=True)
        writes = ideas_order.change(game, state.round, sorted_.order, settled)
        return Closed(round_, writes=tuple(writes), robots=robots)

    def counted(self, closing: Closing, written: Round, sorted_: SortedIdeas, robots: int) -> Round:
        """The result of sorted ideas, whether voted on or closed without a vote."""
        if closing.state.phase == Phase.VOTING:
            return ideas.voted(written, sorted_, closing.question, closing.box.last, closing.game.id)
        return ideas.unvoted(written, robots, sorted_)

    def too_little(self, closing: Closing, round_: Round) -> Round:
        """The result if there were too few ideas to vote on."""
        return round_

    def _collect(self, closing: Closing) -> Closed:
        """First close: opens sorting if there are enough ideas."""
        game, state, box = closing.game, closing.state, closing.box
        written = ideas.collected(state.round, state.question, box.last)
        robots = box.by_robots(each.player for each in box.last)
        out = moderation.waiting_texts(closing.texts, state.round, [each.value["text"] for each in written.entries])
        if not ideas.is_sorted(written, robots):
            return Closed(self.too_little(closing, ideas.unvoted(written, robots, out=out)))
        writes = ideas_order.creation(game, state.round, ideas_order.parts(written, robots), len(written.entries), out)
        return Closed(written, rules.sorting(state), tuple(writes), empties=True)

    def open_vote(self, game: Game, state: State) -> tuple[list[Write], dict[str, Any]]:
        """Freezes the order of the ideas; the log gets the number of options and a digest of them."""
        found = ideas_order.read(game.id, state.round)
        if found is None:
            raise NotNow(rules.NOT_NOW)
        try:
            order, options = found[1].order, found[1].options()
        except ideas.CannotSort as refusal:
            raise NotNow(str(refusal)) from None
        settled = replace(order, options=options, settled=True)
        event_data = {"options": len(options), "digest": ideas.digest(options)}
        return ideas_order.change(game, state.round, order, settled), event_data

    def moving_on(self, game: Game, state: State, after: State | None = None) -> list[Write]:
        """Discards the ideas of a voided round."""
        is_voided = state.is_under_way and after is not None and not after.counts(state.round)
        order = ideas_order.find_order(game.id, state.round) if is_voided else None
        return ideas_order.dropping(game, state.round, order) if order else []

    def is_lost(self, game: Game, state: State) -> bool:
        """Ideas cannot be shown without their order."""
        return state.phase in (Phase.SORTING, Phase.VOTING) and ideas_order.read(game.id, state.round) is None

    # --- results ---

    def is_withheld(self, round_: Round) -> bool:
        """Ideas are shown even if too few people voted on them."""
        return "ideas" not in round_.result

    def result_context(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str
    ) -> tuple[str, dict[str, Any]]:
        """Shows the ranking like a poll's, then the ideas, except those left out."""
        result, question = round_.result, questions[round_.question]
        visible = [each for each in result["ideas"] if not each["out"]]
        return "ideas", {
            "race": fragment("live/results/poll.html", race(round_, question)) if result.get("rounds") else "",
            "too_few": result.get("too_few", False),
            "people": result["people"],
            "ideas": visible[:MAX_IDEAS_SHOWN],
            "ideas_count": len(visible),
            "left": and_others(max(0, len(visible) - MAX_IDEAS_SHOWN) + result["left"]),
            "out": len(result["ideas"]) - len(visible),
        }

    def without_hidden(self, texts: Texts, round_: Round, removed: Collection[str]) -> Round:
        number, result = round_.number, round_.result
        if "ideas" not in result:
            return round_
        hidden = moderation.hidden_options(texts, number, result["options"])
        visible = [
            {**each, "texts": [text for text in each["texts"] if not texts.is_hidden(number, text)]}
            for each in result["ideas"]
            if not texts.is_hidden(number, each["text"])
        ]
        if not hidden and visible == list(result["ideas"]):
            return round_
        options = list(moderation.cover_hidden(result["options"], hidden))
        gone = max(len(hidden), len(result["ideas"]) - len(visible), 1)
        return replace(round_, result={**result, "options": options, "ideas": visible, "hidden": gone})

    def texts_to_moderate(self, texts: Texts, round_: Round, removed: Collection[str]) -> list[ModeratedText]:
        return _ballot_texts(texts, round_.number, round_.result.get("options", ()))

    def unsealed_texts(self, snapshot: Snapshot, removed: Collection[str]) -> list[ModeratedText]:
        if snapshot.phase_data is None or snapshot.state.phase != Phase.VOTING:
            return []
        return _ballot_texts(snapshot.texts, snapshot.state.round, snapshot.phase_data.order.options)

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
        """The ranking, if there was a vote, then all ideas, with merged texts below the wording used."""
        if round_.result.get("too_few"):
            yield {"row": "too few", "number": round_.count}
        if round_.result.get("rounds"):
            yield from ranking_lines(round_, question)
        for idea in round_.result["ideas"]:
            yield {"row": "idea left out" if idea["out"] else "idea", "answer": idea["text"], "number": idea["by"]}
            yield from ({"row": "written", "answer": text} for text in idea["texts"])

    def options(self, round_: Round, question: Question, texts: Texts) -> tuple[str, ...]:
        every = options_of(round_, question)
        hidden = moderation.hidden_options(texts, round_.number, every)
        return tuple(text for place, text in enumerate(every) if place not in hidden)

    def answer_text(self, answer: Any, question: Question, options: tuple[str, ...]) -> Text:
        return answer_forms.ranking_text(answer, options) if answer else _("Abstention")


def _ballot_texts(texts: Texts, round_: int, options: Sequence[str]) -> list[ModeratedText]:
    """The host reviewed these texts while sorting, so none awaits approval."""
    return [moderation.moderated_text(replace(texts, mode=Mode.OPEN), round_, text) for text in options]
