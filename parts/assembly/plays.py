"""Plays of an assembly: each agenda item is discussed, voted on openly or in secret, and decided. With the charts of
decisions: bars with the majority line, and who voted how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.pages.names import natural_sort_key
from parts.live import answer_forms
from parts.live.play import CHANGE_UNTIL_OVER, Closed, Closing, CsvLine, NameOf, Play, Text, TypedValues
from parts.live.plays import ideas_order as ideas
from parts.live.plays.ideas import Ideas
from parts.live.plays.ideas_order import SortedIdeas
from parts.live.plays.ranked_poll import race, random_ranking
from parts.live.rounds import GivenAnswer, Round, options_of
from parts.live.rules import Game, Phase, State, Step
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.live.symbols import Bar, and_others, symbol
from parts.questions.question import Kind, Question, Type
from results.pictures.drawing import share

from . import attendance, resolutions, wording
from .resolutions import ABSTAIN, NO, YES, Outcome, weights_of

YES_PROBABILITY, ABSTENTION_PROBABILITY = 0.75, 0.12  # of robots
MAX_VOTERS_NAMED = 200  # of an open vote: a thousand phones get the same page
STEPS: dict[Step, str | Promise] = {
    Step.NEXT: gettext_lazy("Next item"),
    Step.CLOSE: gettext_lazy("Close the vote"),
    Step.REPEAT: gettext_lazy("Call it again"),
    Step.END: gettext_lazy("End the assembly"),
}


class Decided(Play):
    """What sealed items and ideas of an assembly have in common: an outcome, a quorum, and votes in words."""

    def seal_event_data(self, game: Game, present: int) -> dict[str, Any]:
        return attendance.quorum_data(game, present)

    def is_suppressed(self, round_: Round) -> bool:
        return bool(round_.result.get("too_few")) or round_.result.get("outcome") == Outcome.TOO_FEW

    def answer_text(self, answer: Any, question: Question, options: tuple[str, ...]) -> Text:
        return wording.vote_text(answer, question, options)


class Item(Decided):
    """What all items share; on its own, an assembly before its first item."""

    kind: ClassVar[Kind | None] = None
    name = Type.ASSEMBLY.value
    label = gettext_lazy("Assembly")
    types = (Type.ASSEMBLY,)
    description = gettext_lazy(
        "People check in with an account or a code, discuss each agenda item, and then decide it."
    )
    privacy = gettext_lazy(
        "Everyone sees how many are present, what majority is needed and what was decided. Only "
        "open votes show who voted how."
    )
    first_phase = Phase.SHOWN
    phase_labels = {Phase.SHOWN: gettext_lazy("Discussion")}
    min_voting_seconds = 0  # it was discussed before
    is_revealed = is_ranked = allows_follow_up = True
    without_a_vote: ClassVar[Text] = gettext_lazy("Close without a vote")
    how_to_vote: ClassVar[Text] = ""
    templates = {
        "projector/voting": "assembly/plays/projector.html",
        "projector/talking": "assembly/plays/projector.html",
        "player/voting": "assembly/plays/player_voting.html",
        "player/talking": "assembly/plays/player_talking.html",
    }
    results = "assembly/results"

    def __init_subclass__(cls) -> None:
        cls.description = ""
        if cls.kind is not None:
            cls.name, cls.label = cls.kind.value, wording.KIND_LABELS[cls.kind]

    def suits(self, question: Question) -> bool:
        return question.kind == self.kind

    def step_label(self, step: Step, state: State) -> Text | None:
        if step == Step.NEXT and not state.round:
            return _("Call the first item")
        return self.without_a_vote if step == Step.CLOSE and state.phase == Phase.SHOWN else STEPS.get(step)

    # --- votes ---

    def form_values(self, answer: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        return {answer_forms.OPTION: [answer or ABSTAIN]}

    def summary(self, answer: Any, snapshot: Snapshot) -> dict[str, Any]:
        if answer in ("", YES, NO, ABSTAIN):
            return {"text": str(wording.VOTE_LABELS[answer or ABSTAIN])}
        return self.cast_summary(answer, snapshot.open_question)

    def cast_summary(self, vote: str, question: Question) -> dict[str, Any]:
        return answer_forms.options_summary([int(vote)], question)

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> str:
        """A few abstain."""
        if chance.random() < ABSTENTION_PROBABILITY:
            return self.abstention
        return self.random_vote(snapshot.open_question, chance)

    abstention = ABSTAIN

    def random_vote(self, question: Question, chance: Random) -> str:
        return random_ranking(question, chance)

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        abstains = {"may_abstain": True, "abstains": ABSTAIN in typed.get(answer_forms.OPTION, ())}
        return abstains | self.vote_form(snapshot.open_question, typed)

    def vote_form(self, question: Question, typed: TypedValues) -> dict[str, Any]:
        return {"options": answer_forms.option_fields(question, typed)}

    def form_name(self, snapshot: Snapshot) -> str:
        return "tap"

    def hints(self, snapshot: Snapshot) -> dict[str, Text]:
        is_secret, is_timed = snapshot.question and snapshot.question.secret, snapshot.state.clock.seconds
        return super().hints(snapshot) | {
            "hint": _("Nobody will find out how you vote.") if is_secret else _("Everyone will see how you vote."),
            "until": CHANGE_UNTIL_OVER if is_timed else _("You can change it until the vote is closed."),
        }

    def screen(self, snapshot: Snapshot) -> dict[str, Any]:
        item = wording.item_context(snapshot.question) if snapshot.question else {}
        return super().screen(snapshot) | item | {"how_to_vote": self.how_to_vote, "has_vote": self.is_answered}

    # --- what came of it ---

    def close(self, closing: Closing) -> Closed:
        return Closed(_resolve(closing, closing.question, closing.box.last))

    def result_context(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str
    ) -> tuple[str, dict[str, Any]]:
        question = questions[round_.question]
        context = resolution_context(round_, question, seats)
        ranking = race(round_, question) if round_.result.get("rounds") else {}
        return "resolution", ranking | context

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
        """The outcome, the numbers with the one needed and its base, who was present and how each person voted, without
        names if secret."""
        result, options, weights = round_.result, options_of(round_, question), resolutions.weights_of(round_)
        yield {"row": "outcome", "answer": wording.headline(question, round_), "number": round_.count}
        places = dict(result.get("places", ()))
        first = result["rounds"][0]["tally"] if result.get("rounds") else result.get("chosen", ())
        for place, label in enumerate(options if places or first else ()):
            number = {"number": first[place] or 0} if first else {}
            yield {"row": "option", "answer": label, **number, "place": places.get(place, "")}
        for name in ("yes", "no", "abstain", "needed", "of", "present_count", "entitled", "voters", "votes"):
            if name in result:
                yield {"row": "number", "answer": name, "number": result[name]}
        for player in result["present"]:
            yield {"row": "present", "player": name_of(player) or player}
        for entry in round_.entries:
            row: CsvLine = {"row": "ballot"} if result["secret"] else {"row": "vote", "player": name_of(entry.player)}
            row |= {"number": weights.get(entry.player, 1)} if "weights" in result else {}
            yield {**row, "answer": wording.vote_text(entry.value, question, options)}


class Topic(Item):
    kind = Kind.TOPIC
    is_answered = allows_follow_up = False
    without_a_vote = gettext_lazy("Close the item")


class Motion(Item):
    kind = Kind.MOTION
    allows_follow_up = False
    how_to_vote = gettext_lazy("Voting is open: vote yes, no or abstain on your phone.")

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> str:
        chosen = post.getlist(answer_forms.OPTION)
        if len(chosen) != 1 or chosen[0] not in (YES, NO, ABSTAIN):
            raise answer_forms.InvalidAnswer(_("Vote yes or no, or abstain."))
        return chosen[0]

    def random_vote(self, question: Question, chance: Random) -> str:
        return YES if chance.random() < YES_PROBABILITY else NO

    def form_name(self, snapshot: Snapshot) -> str:
        return "yes_no"

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        return {
            "ballot": [
                (vote, label, vote in typed.get(answer_forms.OPTION, ())) for vote, label in wording.VOTE_LABELS.items()
            ]
        }


class OneOfSeveral(Item):
    """A choice of one option, by a majority or by most votes."""

    kind = Kind.CHOICE
    how_to_vote = gettext_lazy("Voting is open: choose one on your phone, or abstain.")

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> str:
        chosen = post.getlist(answer_forms.OPTION)
        return ABSTAIN if chosen == [ABSTAIN] else str(answer_forms.parse_one_option(chosen, snapshot.open_question))


class Ranked(Item):
    """A ranking, counted by instant runoff."""

    kind = Kind.RANKING
    how_to_vote = gettext_lazy("Voting is open: rank the options on your phone, best first, or abstain.")
    abstention = ""

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> str:
        if post.getlist(answer_forms.OPTION) == [ABSTAIN]:
            return ""
        return answer_forms.parse_ranking(post, snapshot.open_question, _("Rank at least one option, or abstain."))

    def form_values(self, answer: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        return answer_forms.ranking_fields(answer) if answer else super().form_values(answer, snapshot)

    def cast_summary(self, vote: str, question: Question) -> dict[str, Any]:
        return answer_forms.ranking_summary(vote, question)

    def form_name(self, snapshot: Snapshot) -> str:
        return "ballot"

    def vote_form(self, question: Question, typed: TypedValues) -> dict[str, Any]:
        return answer_forms.rank_form(question, typed)


class Alternatives(Ranked):
    """A motion and its amendments, ranked against no change."""

    kind = Kind.ALTERNATIVES


class IdeasOfAnAssembly(Decided, Ideas):
    """Ideas that those present write and rank in secret, with attendance and a quorum."""

    name = "assembly-ideas"
    types = (Type.ASSEMBLY,)
    is_anonymous = False
    is_revealed = True
    min_voting_seconds = 0

    def is_secret(self, question: Question) -> bool:
        return True

    def step_label(self, step: Step, state: State) -> Text | None:
        return super().step_label(step, state) or STEPS.get(step)

    def screen(self, snapshot: Snapshot) -> dict[str, Any]:
        return super().screen(snapshot) | (wording.item_context(snapshot.question) if snapshot.question else {})

    def counted(self, closing: Closing, written: Round, sorted_: SortedIdeas, robots: int) -> Round:
        ranking = replace(ideas.as_ranking(closing.question, sorted_.order.options), secret=True)
        return ideas.with_ideas(_resolve(closing, ranking, closing.box.last), written, sorted_)

    def too_little(self, closing: Closing, round_: Round) -> Round:
        """Attendance is recorded nevertheless."""
        recorded = _resolve(closing, replace(closing.question, secret=True), ())
        return replace(round_, result={**recorded.result, **round_.result})


# --- what items and ideas have in common ---


def _resolve(closing: Closing, question: Question, votes: Iterable[GivenAnswer]) -> Round:
    return resolutions.resolve_item(
        closing.game, closing.state, question, votes, closing.box.present, closing.now, closing.box.weights
    )


# --- charts ---


def resolution_context(round_: Round, question: Question, seats: Mapping[str, Seat]) -> dict[str, Any]:
    """A ranking's race is drawn like a poll's."""
    result, options = round_.result, options_of(round_, question)
    return {
        "says": wording.headline(question, round_),
        "is_good": result["outcome"] in (Outcome.CARRIED, Outcome.ELECTED),
        "next_step": wording.next_step(round_),
        "why": wording.why(question, round_),
        "numbers": wording.numbers(question, result),
        "was_voted": result["outcome"] != Outcome.TALKED,
        "is_secret": result["secret"],
        **(BARS[question.kind](result, options) if YES in result and question.kind in BARS else {}),
        "versions": wording.versions(question, round_),
        "voters": _voters(round_, question, options, seats),
        "unnamed": and_others(len(round_.entries) - MAX_VOTERS_NAMED) if not result["secret"] else "",
    }


# --- bars, all on one scale: those who could vote, or the base of the majority ---


def _motion(result: Mapping[str, Any], options: Sequence[str]) -> dict[str, Any]:
    scale = _scale(result)
    carried = {YES: "elected"} if result["outcome"] == Outcome.CARRIED else {}
    bars = [
        Bar(label, share(result[vote], scale), str(result[vote]), mark=carried.get(vote, ""))
        for vote, label in {YES: _("Yes"), NO: _("No"), ABSTAIN: _("Abstentions")}.items()
    ]
    return {"bars": bars, "line": share(result["needed"], scale)}


def _choice(result: Mapping[str, Any], options: Sequence[str]) -> dict[str, Any]:
    scale = _scale(result)
    bars = list[Bar]()
    for place, votes in enumerate(result["chosen"]):
        is_chosen = result["outcome"] == Outcome.ELECTED and place in result["leaders"]
        mark, word = ("elected", _("chosen")) if is_chosen else ("", "")
        label = options[place]
        bars.append(Bar(label, share(votes, scale), str(votes), symbol(place), mark, word, option=place))
    bars.append(Bar(_("Abstentions"), share(result[ABSTAIN], scale), str(result[ABSTAIN])))
    return {"bars": bars, "line": share(result["needed"], scale) if "needed" in result else "", "on_all": True}


def _scale(result: Mapping[str, Any]) -> int:
    return max(1, result.get("present_votes", result["present_count"]), result.get("of", 0), result.get("needed", 0))


BARS = {Kind.MOTION: _motion, Kind.CHOICE: _choice}


# --- who voted how ---


def _voters(
    round_: Round, question: Question, options: Sequence[str], seats: Mapping[str, Seat]
) -> list[tuple[str, str]]:
    """By name; empty for a secret vote."""
    if round_.result["secret"]:
        return []
    names, weights = {player: seat.name for player, seat in seats.items()}, weights_of(round_)
    votes = ((each.player, wording.vote_text(each.value, question, options)) for each in round_.entries)
    voters = ((names.get(player, player), weights.get(player, 1), vote) for player, vote in votes)
    listed = sorted(voters, key=lambda each: natural_sort_key(each[0]))[:MAX_VOTERS_NAMED]
    return [(wording.voter_text(name, weight), vote) for name, weight, vote in listed]


PLAYS = (Item(), Topic(), Motion(), OneOfSeveral(), Ranked(), Alternatives(), IdeasOfAnAssembly())
