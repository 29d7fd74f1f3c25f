"""The play “ideas”: the room writes ideas, the host sorts them while everybody watches, and the room ranks the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from acts.refusals import LostRace, NotNow
from live import answer_forms, moderation, rules
from live.moderation import ModeratedText, Texts
from live.play import Closed, Closing, CsvLine, Fact, NameOf, Play, PlayContext, Text, TypedValues
from live.plays.race import race
from live.plays.ranked_poll import random_ranking, ranking_lines
from live.plays.robot_texts import robot_sentence
from live.qa_rules import Mode
from live.rounds import Round, options_of
from live.rules import Game, Phase, State
from live.seats import Seat
from live.snapshot import Snapshot
from live.symbols import and_others
from pages.fragments import fragment
from questions.question import Kind, Question, Type
from store import keys
from store.keys import fold
from store.table import Key, Write

from . import ideas_order as ideas
from . import ideas_store as orders
from .ideas_order import MAX_IDEA_CHARS, MAX_IDEAS_PER_PERSON, SortedIdeas

MAX_IDEAS_SHOWN = 60  # on one screen: a thousand phones get the same page
NO_IDEA = gettext_lazy("Write an idea first.")
TOO_MANY_IDEAS = gettext_lazy("At most %(most)d ideas per person. Keep your best.")


def parse_ideas(post: QueryDict) -> list[str]:
    """Up to three distinct ideas; empty fields are ignored."""
    typed = (answer_forms.parse_line(each, MAX_IDEA_CHARS) for each in post.getlist(answer_forms.TEXT))
    texts = {fold(text): text for text in typed if fold(text)}
    if not texts:
        raise answer_forms.InvalidAnswer(NO_IDEA)
    if len(texts) > MAX_IDEAS_PER_PERSON:
        raise answer_forms.InvalidAnswer(TOO_MANY_IDEAS % {"most": MAX_IDEAS_PER_PERSON})
    return list(texts.values())


class Ideas(Play):
    name = "ideas"
    label = gettext_lazy("Ideas, then ranked")
    types = (Type.POLL,)
    is_anonymous = is_ranked = has_texts = True
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

    def suits(self, question: Question) -> bool:
        return question.kind == Kind.IDEAS

    # --- ideas and votes ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> Any:
        assert snapshot.question is not None
        return parse_ideas(post) if self._is_written(snapshot) else answer_forms.parse_ranking(post, snapshot.question)

    def form_values(self, said: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        return {answer_forms.TEXT: said} if self._is_written(snapshot) else answer_forms.ranking_fields(said)

    def summary(self, said: Any, snapshot: Snapshot) -> dict[str, Any]:
        assert snapshot.question is not None
        return {"texts": said} if self._is_written(snapshot) else answer_forms.ranking_summary(said, snapshot.question)

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> Any:
        assert snapshot.question is not None
        return (
            [robot_sentence(snapshot, seat)]
            if self._is_written(snapshot)
            else random_ranking(snapshot.question, chance)
        )

    def form_name(self, snapshot: Snapshot) -> str:
        return "ideas" if self._is_written(snapshot) else "rank"

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        assert snapshot.question is not None
        if not self._is_written(snapshot):
            return answer_forms.rank_form(snapshot.question, typed)
        texts = (*typed.get(answer_forms.TEXT, ()), *[""] * MAX_IDEAS_PER_PERSON)
        return {"longest": MAX_IDEA_CHARS, "texts": texts[:MAX_IDEAS_PER_PERSON]}

    @staticmethod
    def _is_written(snapshot: Snapshot) -> bool:
        return snapshot.state.phase == Phase.QUESTION

    def hint(self, snapshot: Snapshot) -> Text:
        return _("Write up to three ideas.") if self._is_written(snapshot) else _("Put the best first, then send.")

    def received_message(self, snapshot: Snapshot) -> Text:
        return _("Your ideas are in.") if self._is_written(snapshot) else _("Your vote is in.")

    def projector_hint(self, snapshot: Snapshot) -> Text:
        if not self._is_written(snapshot):
            return _("Rank them on your phone: the best first.")
        return _("Write up to three ideas on your phone, without names. Then everybody ranks them.")

    def displayed_question(
        self, asked: Question, between: SortedIdeas | None, sealed: Round | None, look: PlayContext
    ) -> Question:
        """The question with the ideas put to the vote as its options."""
        if between is None:
            return replace(asked, options=tuple(sealed.result.get("options", ())) if sealed else ())
        options = between.order.options
        hidden = moderation.hidden_options(look.texts, look.state.round, options)
        return replace(asked, options=moderation.cover_hidden(options, hidden))

    def context(self, snapshot: Snapshot) -> dict[str, Any]:
        """The ideas as everybody sees them: without those left out, and limited to what fits a phone."""
        if snapshot.state.phase != Phase.SORTING or snapshot.phase_data is None:
            return {}
        told = [each for each in snapshot.phase_data.idea_views() if not each.out]
        going, staying = [each for each in told if each.goes], [each for each in told if not each.goes]
        shown = staying[: max(0, MAX_IDEAS_SHOWN - len(going))]
        return {"going_ideas": going, "staying_ideas": shown, "more_ideas": len(staying) - len(shown)}

    def screen_version(self, snapshot: Snapshot) -> str:
        """While the host is sorting, every action changes the screen."""
        is_sorted = snapshot.state.phase == Phase.SORTING and snapshot.phase_data is not None
        return f"-{snapshot.phase_data.order.version}" if is_sorted else ""

    # --- phases ---

    def extra_keys(self, game_id: str, state: State) -> tuple[Key, ...]:
        return (keys.sorted_ideas(game_id, state.round),) if state.phase == Phase.SORTING else ()

    def phase_data(self, look: PlayContext) -> SortedIdeas | None:
        """The ideas are read once; their order is read each time until the vote opens."""
        state, before = look.state, look.before
        if state.phase not in (Phase.SORTING, Phase.VOTING):
            return None
        if before is not None and before.order.settled:
            return before if isinstance(before, SortedIdeas) else None
        if before is None:
            round_ = orders.read_written(look.game_id, state.round)
            if round_ is None:
                return None  # just voided
            written = ideas.ideas_of_round(round_)
        else:
            written = before.ideas
        item = look.items.get(keys.sorted_ideas(look.game_id, state.round))
        order = ideas.order_of(item) if item else orders.find_order(look.game_id, state.round)
        return SortedIdeas(written, order) if order else None

    def read_previous_phase(self, game: Game, state: State) -> tuple[Round, SortedIdeas] | None:
        return None if state.phase == Phase.QUESTION else orders.read(game.id, state.round)

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
            cast = tuple(replace(each, said=moderation.without_options(each.said, hidden)) for each in box.last)
            closing = replace(closing, box=replace(box, last=cast))
        else:
            robots = orders.count_robots(game.id, state.round)
        round_ = self.counted(closing, written, sorted_, robots or 0)
        settled = replace(sorted_.order, settled=True)
        writes = orders.change(game, state.round, sorted_.order, settled)
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
        out = moderation.waiting_texts(closing.texts, state.round, [each.said["text"] for each in written.entries])
        if not ideas.is_sorted(written, robots):
            return Closed(self.too_little(closing, ideas.unvoted(written, robots, out=out)))
        writes = orders.creation(game, state.round, orders.parts(written, robots), len(written.entries), out)
        return Closed(written, rules.sorting(state), tuple(writes), empties=True)

    def open_vote(self, game: Game, state: State) -> tuple[list[Write], dict[str, Any]]:
        """Freezes the order of the ideas; the log gets the number of options and a digest of them."""
        found = orders.read(game.id, state.round)
        if found is None:
            raise NotNow(rules.NOT_NOW)
        try:
            order, options = found[1].order, found[1].options()
        except ideas.CannotSort as refusal:
            raise NotNow(str(refusal)) from None
        settled = replace(order, options=options, settled=True)
        told = {"options": len(options), "digest": ideas.digest(options)}
        return orders.change(game, state.round, order, settled), told

    def dropping(self, game: Game, state: State) -> list[Write]:
        order = orders.find_order(game.id, state.round) if state.is_under_way else None
        return orders.dropping(game, state.round, order) if order else []

    def is_lost(self, game: Game, state: State) -> bool:
        """Ideas cannot be shown without their order."""
        return state.phase in (Phase.SORTING, Phase.VOTING) and orders.read(game.id, state.round) is None

    # --- results ---

    def render_result(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str = ""
    ) -> SafeString:
        """Shows the ranking like a poll's, then the ideas, except those left out."""
        result, question = round_.result, questions[round_.question]
        if "ideas" not in result:
            return super().render_result(round_, questions, seats, own)
        shown = [each for each in result["ideas"] if not each["out"]]
        context = {
            "race": fragment("live/results/poll.html", race(round_, question)) if result.get("rounds") else "",
            "too_few": result.get("too_few", False),
            "people": result["people"],
            "ideas": shown[:MAX_IDEAS_SHOWN],
            "ideas_count": len(shown),
            "left": and_others(max(0, len(shown) - MAX_IDEAS_SHOWN) + result["left"]),
            "out": len(result["ideas"]) - len(shown),
        }
        return fragment("live/results/ideas.html", context)

    def without_hidden(self, texts: Texts, round_: Round, removed: Collection[str]) -> Round:
        number, result = round_.number, round_.result
        if "ideas" not in result:
            return round_
        hidden = moderation.hidden_options(texts, number, result["options"])
        shown = [
            {**each, "texts": [text for text in each["texts"] if not texts.is_hidden(number, text)]}
            for each in result["ideas"]
            if not texts.is_hidden(number, each["text"])
        ]
        if not hidden and shown == list(result["ideas"]):
            return round_
        told = {"options": list(moderation.cover_hidden(result["options"], hidden)), "ideas": shown}
        gone = max(len(hidden), len(result["ideas"]) - len(shown), 1)
        return replace(round_, result={**result, **told, "hidden": gone})

    def texts_to_moderate(self, texts: Texts, round_: Round, removed: Collection[str]) -> list[ModeratedText]:
        return _ballot_texts(texts, round_.number, round_.result.get("options", ()))

    def unsealed_texts(self, snapshot: Snapshot, removed: Collection[str]) -> list[ModeratedText]:
        if snapshot.phase_data is None or snapshot.state.phase != Phase.VOTING:
            return []
        return _ballot_texts(snapshot.texts, snapshot.state.round, snapshot.phase_data.order.options)

    def csv_rows(self, round_: Round, questions: Sequence[Question], name_of: NameOf) -> Iterator[tuple[int, CsvLine]]:
        """The ranking, if there was a vote, then all ideas, with merged texts below the wording used."""
        if "ideas" not in round_.result:
            yield from super().csv_rows(round_, questions, name_of)
            return
        yield from ((round_.question, line) for line in self.csv_lines(round_, questions[round_.question], name_of))

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
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

    def allows_follow_up(self, question: Question, round_: Round) -> bool:
        return True

    def headline_facts(self, question: Question, round_: Round) -> Iterator[Fact]:
        if "winners" in round_.result:
            options = options_of(round_, question)
            yield _("First place"), ", ".join(options[place] for place in round_.result["winners"])

    def answer_text(self, said: Any, question: Question, options: tuple[str, ...]) -> Text:
        return answer_forms.ranking_text(said, options) if said else _("Abstention")

    def is_recountable(self, round_: Round) -> bool:
        """Only if there was a vote."""
        return "rounds" in round_.result and super().is_recountable(round_)


def _ballot_texts(texts: Texts, round_: int, options: Sequence[str]) -> list[ModeratedText]:
    """The host reviewed these texts while sorting, so none awaits approval."""
    return [moderation.moderated_text(replace(texts, mode=Mode.OPEN), round_, text) for text in options]
