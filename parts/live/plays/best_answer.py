"""Best answer: people answer in their own words, then rank the answers of others; authors get the points.

A round has two phases. In between, the answers are stored in the table, along with who is shown which, if there are too
many to show all of them to everybody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.pages.fragments import fragment
from foundation.ranking.marks import RANK_PREFIX, submitted_ranks
from foundation.store.keys import fold
from parts.live import answer_forms, moderation, repository, rounds, rules, scores
from parts.live.answer_forms import InvalidAnswer
from parts.live.moderation import ModeratedText, Texts
from parts.live.play import (
    Closed,
    Closing,
    CsvLine,
    NameOf,
    Play,
    PlayContext,
    Text,
    TypedValues,
    cached,
    scored_csv_line,
)
from parts.live.rounds import MAX_ANSWER_CHARS, Entry, GivenAnswer, Round, last_by_player, one_line
from parts.live.rules import Game, Phase, State
from parts.live.scores import Answer, Vote
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.live.symbols import and_others
from parts.questions.question import Kind, Question, Type
from results.pictures.drawing import share

from .robot_texts import robot_sentence

MAX_ANSWERS_IN_RESULT = 50  # with their texts; the entries have all answers
# shown initially, and at most: a thousand phones get the same page
FIRST_ANSWERS_SHOWN, MAX_ANSWERS_SHOWN = 5, 20
MAX_AUTHORS_NAMED = 3  # per answer
VOTE_FOR_ONE = gettext_lazy("Rank at least one of the answers.")


# --- counting ---


def count_answers(number: int, index: int, given: Iterable[GivenAnswer]) -> Round:
    """First close: collects the answers. No points yet, and none at all if too few answers are left to vote on."""
    texts = {each.player: one_line(each.value) for each in last_by_player(given)}
    entries = tuple(Entry(player, text) for player, text in texts.items() if text)
    sealed = Round(number, index, len(entries), {}, entries)
    return replace(sealed, result=_answers_result(merged_answers(sealed), None))


def merged_answers(sealed: Round) -> tuple[Answer, ...]:
    """Merges equal texts; an answer's number is its index here."""
    return scores.merged({entry.player: entry.value for entry in sealed.entries})


def count_votes(sealed: Round, given: Iterable[GivenAnswer], hidden: frozenset[int] = frozenset()) -> Round:
    """Second close: scores the answers; all authors of an answer get its points. Answers that are hidden are removed
    from votes as if they had never been shown."""
    answers = merged_answers(sealed)
    if not scores.is_voted_on(answers):
        return sealed
    cast = list(_votes(answers, given, hidden))
    points = scores.points_of_votes(cast, len(answers))
    own = scores.own_answers(answers)
    entries = tuple(replace(entry, points=points[own[entry.player]]) for entry in sealed.entries)
    return replace(sealed, result=_answers_result(answers, points), entries=entries, votes=len(cast))


def _votes(answers: Sequence[Answer], given: Iterable[GivenAnswer], hidden: frozenset[int]) -> Iterator[Vote]:
    """Votes without hidden answers. Skips invalid ones; forms reject them, so this is only a safeguard."""
    own = scores.own_answers(answers)
    for each in last_by_player(given):
        try:
            vote = vote_from_item(each.value)
            scores.check_vote(vote, own.get(each.player))
        except (scores.BadVote, LookupError, TypeError, ValueError, AttributeError):
            continue
        ranks = {number: rank for number, rank in vote.ranks.items() if number not in hidden}
        if all(0 <= number < len(answers) for number in vote.shown) and (ranks or not vote.ranks):
            yield Vote(ranks, frozenset(vote.shown) - hidden)


def vote_from_item(said: Mapping[str, Any]) -> Vote:
    """Parses a stored vote: {"ranks": {"4": 1, "7": 2}, "shown": [7, 1, 4]}."""
    ranks = {int(number): rank for number, rank in said["ranks"].items()}
    return Vote(ranks, frozenset(map(int, said["shown"])))


def vote_as_item(vote: Vote) -> dict[str, Any]:
    return {"ranks": {str(number): rank for number, rank in sorted(vote.ranks.items())}, "shown": sorted(vote.shown)}


def _answers_result(answers: Sequence[Answer], points: Sequence[int] | None) -> dict[str, Any]:
    """Best first; in the order collected if there was no vote."""
    got = dict(enumerate(points or [0] * len(answers)))
    places = scores.places({str(number): each for number, each in got.items()}) if points else {}
    items = [
        {
            "text": answers[number].text,
            "words": len(answers[number].text.split()),
            "points": got[number],
            "place": places.get(str(number), 0),
            "authors": list(answers[number].authors[:MAX_ANSWERS_IN_RESULT]),
            "by": len(answers[number].authors),
        }
        for number in sorted(got, key=lambda number: -got[number])[:MAX_ANSWERS_IN_RESULT]
    ]
    return {"answers": items, "merged": len(answers), "voted": points is not None}


# --- between the two phases ---


@dataclass(frozen=True, slots=True)
class Gathered:
    """The answers, and which of them each player is shown if there are too many to show all."""

    round: Round
    answers: tuple[Answer, ...]
    showings: Mapping[str, Sequence[int]]
    hidden: frozenset[int] = frozenset()  # by the host, or not approved yet

    def shown_to(self, player: str) -> tuple[int, ...]:
        """The numbers of the answers in display order, without the player's own."""
        dealt = self.showings.get(player)
        numbers = scores.shown_late(player, self.answers) if dealt is None else dealt
        return tuple(each for each in numbers if each not in self.hidden)


def parts(round_: Round, answers: Sequence[Answer], voters: Iterable[str]) -> list[dict[str, Any]]:
    """Assigns answers to all seated players up front, so that each answer is shown about equally often."""
    many = len(answers) > scores.MAX_ANSWERS_ALL_SHOWN
    showings = {voter: list(numbers) for voter, numbers in scores.showings(voters, answers).items()} if many else {}
    return [*rounds.round_as_parts(round_), {"showings": showings}]


def read_gathered(game_id: str, round_: int) -> Gathered:
    *items, last = repository.gathered_items(game_id, round_)
    sealed = rounds.round_from_parts(items)
    return Gathered(sealed, merged_answers(sealed), last["showings"])


def hidden_answers(texts: Texts, round_: int, answers: Sequence[Answer], removed: Collection[str]) -> frozenset[int]:
    """Answers that are hidden, awaiting approval, or written only by removed players."""
    if texts.are_all_seen and not removed:
        return frozenset()
    return frozenset(
        number
        for number, answer in enumerate(answers)
        if not texts.is_seen(round_, answer.text) or all(author in removed for author in answer.authors)
    )


# --- vote form ---


def parse_vote(post: QueryDict, gathered: Gathered, player: str) -> dict[str, Any]:
    """Parses a ranking of up to three answers, ties allowed, never the player's own. Which answers were shown comes
    from the session, never from the form."""
    ranks: dict[int, int] = {}
    for name, typed in submitted_ranks(post).items():
        if not any(each.strip() for each in typed):
            continue
        number, rank = answer_forms.parse_number(name, 10_000), answer_forms.parse_number(typed[-1].strip(), 10)
        if number is None:
            raise InvalidAnswer(scores.NOT_SHOWN)
        if len(set(typed)) > 1 or rank is None or rank not in scores.RANKS:
            raise InvalidAnswer(scores.NOT_A_RANK)
        if number not in gathered.hidden:
            ranks[number] = rank
    if not ranks:
        raise InvalidAnswer(VOTE_FOR_ONE)
    vote = Vote(ranks, frozenset(gathered.shown_to(player)))
    scores.check_vote(vote, scores.own_answers(gathered.answers).get(player))
    return vote_as_item(vote)


@dataclass(frozen=True, slots=True)
class BallotRow:
    """An answer on a player's ballot."""

    name: str
    text: str
    rank: str


def ballot_rows(gathered: Gathered, player: str, typed: TypedValues) -> list[BallotRow]:
    """The answers that a player may vote for, in that player's own order."""
    names = ((f"{RANK_PREFIX}{number}", gathered.answers[number].text) for number in gathered.shown_to(player))
    return [BallotRow(name, text, answer_forms.last_value(typed, name)) for name, text in names]


def _render_rows(snapshot: Snapshot, rows: Sequence[BallotRow]) -> SafeString:
    """Rows without a rank are cached, because they look the same to every player."""
    html = (
        _render_row(each) if each.rank else cached(snapshot, each, make=partial(_render_row, each)) for each in rows
    )
    return format_html_join("", "{}", ((each,) for each in html))


def _render_row(row: BallotRow) -> SafeString:
    return fragment("live/parts/ballot_row.html", {"row": row})


class BestAnswer(Play):
    name = Type.CALL_AND_ANSWER.value
    label = gettext_lazy("Best answer")
    description = gettext_lazy("People answer in their own words, then rank the answers they like best.")
    privacy = gettext_lazy("Nobody sees who wrote what until the results; authors get the points.")
    kinds = (Kind.TEXT,)
    is_scored = has_texts = True
    own_form_phase = Phase.VOTING
    templates = {
        "player/voting": "live/plays/best_answer/player_voting.html",
        "projector/voting": "live/plays/best_answer/projector_voting.html",
    }
    closes = {
        Phase.QUESTION: gettext_lazy("Close the answers"),
        Phase.VOTING: gettext_lazy("Close the voting"),
    }

    # --- answers and votes ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> Any:
        if snapshot.phase_data is not None:
            return parse_vote(post, snapshot.phase_data, player)
        return answer_forms.parse_text(post)

    def form_values(self, answer: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        if snapshot.state.phase == Phase.VOTING:
            return {f"{RANK_PREFIX}{number}": [str(rank)] for number, rank in answer["ranks"].items()}
        return {answer_forms.TEXT: [answer]}

    def summary(self, answer: Any, snapshot: Snapshot) -> dict[str, Any]:
        return {"text": answer}

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> Any:
        if snapshot.state.phase == Phase.QUESTION:
            return robot_sentence(snapshot, seat)
        answers = snapshot.phase_data.shown_to(seat.player) if snapshot.phase_data else ()
        if not answers:
            return None
        best = chance.sample(sorted(answers), min(len(scores.RANKS), len(answers)))
        return {"ranks": {str(place): rank for rank, place in enumerate(best, 1)}, "shown": list(answers)}

    def form_name(self, snapshot: Snapshot) -> str:
        return "write"

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        return {"longest": MAX_ANSWER_CHARS, "text": answer_forms.last_value(typed, answer_forms.TEXT)}

    def own_form(self, snapshot: Snapshot, player: str, typed: TypedValues) -> dict[str, Any]:
        return {"ballot_rows": _render_rows(snapshot, ballot_rows(snapshot.phase_data, player, typed))}

    def hints(self, snapshot: Snapshot) -> dict[str, Text]:
        own = {
            "hint": _("Answer in your own words."),
            "projector_hint": _("Answer in your own words on your phone."),
        }
        if snapshot.state.phase == Phase.VOTING:
            own = {"hint": _("Pick a 1st, 2nd and 3rd place, or fewer; ties are fine."), "until": ""}
        return super().hints(snapshot) | own

    def screen(self, snapshot: Snapshot) -> dict[str, Any]:
        given = len(snapshot.phase_data.answers) if snapshot.phase_data else 0
        return super().screen(snapshot) | {"answers_given": given}

    # --- phases ---

    def phase_data(self, context: PlayContext) -> Gathered | None:
        state = context.state
        if state.phase != Phase.VOTING:
            return None
        gathered: Gathered = context.before or read_gathered(context.game_id, state.round)
        hidden = hidden_answers(context.texts, state.round, gathered.answers, context.removed)
        return gathered if gathered.hidden == hidden else replace(gathered, hidden=hidden)

    def read_previous_phase(self, game: Game, state: State) -> Gathered | None:
        return read_gathered(game.id, state.round) if state.phase == Phase.VOTING else None

    def close(self, closing: Closing) -> Closed:
        game, state, box = closing.game, closing.state, closing.box
        if state.phase == Phase.VOTING:
            sealed = closing.gathered.round
            gone = {each.player for each in sealed.entries} - box.percents.keys()
            hidden = hidden_answers(closing.texts, state.round, closing.gathered.answers, gone)
            return Closed(count_votes(sealed, box.last, hidden))
        round_ = count_answers(state.round, state.question, box.last)
        answers = merged_answers(round_)
        if not scores.is_voted_on(answers):
            return Closed(round_)
        waits = bool(moderation.waiting_texts(closing.texts, state.round, [each.text for each in answers]))
        after = rules.voting(state, self.voting_seconds(closing.question), closing.now, waits=waits)
        writes = repository.gathering(game, state.round, parts(round_, answers, box.percents))
        return Closed(round_, after, tuple(writes))

    # --- results ---

    def result_context(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str
    ) -> tuple[str, dict[str, Any]]:
        result = round_.result
        most = max((each["points"] for each in result["answers"]), default=0)
        answers = [_answer_context(each, seats, own, most) for each in result["answers"][:MAX_ANSWERS_SHOWN]]
        return "answers", {
            "first": answers[:FIRST_ANSWERS_SHOWN],
            "others": answers[FIRST_ANSWERS_SHOWN:],
            "left": and_others(result["merged"] - len(answers)),
            "voted": result["voted"],
            "votes": round_.votes,
            "count": round_.count,
        }

    def verdict(self, round_: Round, entry: Entry) -> str:
        return "voted" if round_.result["voted"] else "unvoted"

    def without_hidden(self, texts: Texts, round_: Round, removed: Collection[str]) -> Round:
        """Authors of hidden answers get no points, and the others move up."""
        number, result = round_.number, round_.result
        answers = [_without_removed(each, removed) for each in result["answers"] if texts.is_seen(number, each["text"])]
        answers = [each for each in answers if each["by"]]
        entries = tuple(
            replace(entry, value="", points=0, bonus=0)
            if entry.player in removed or not texts.is_seen(number, entry.value)
            else entry
            for entry in round_.entries
        )
        gone = len(result["answers"]) - len(answers)
        if entries == round_.entries and not gone:
            return round_
        if result["voted"]:
            places = scores.places({str(at): each["points"] for at, each in enumerate(answers)})
            answers = [each | {"place": places[str(at)]} for at, each in enumerate(answers)]
        changed = {"answers": answers, "merged": result["merged"] - gone, "hidden": gone}
        return replace(round_, result={**result, **changed}, entries=entries)

    def texts_to_moderate(self, texts: Texts, round_: Round, removed: Collection[str]) -> list[ModeratedText]:
        by_fold = {fold(each.value): each.value for each in round_.entries if each.value}
        remaining = {fold(each.value) for each in round_.entries if each.player not in removed}
        return [
            moderation.moderated_text(texts, round_.number, text, is_of_removed=folded not in remaining)
            for folded, text in by_fold.items()
        ]

    def unsealed_texts(self, snapshot: Snapshot, removed: Collection[str]) -> list[ModeratedText]:
        return self.texts_to_moderate(snapshot.texts, snapshot.phase_data.round, removed) if snapshot.phase_data else []

    def own_text(self, snapshot: Snapshot, player: str) -> str | None:
        sealed = snapshot.phase_data.round if snapshot.phase_data else snapshot.as_sealed.get(snapshot.state.round)
        entries = sealed.entries if sealed else ()
        texts = cached(snapshot, "own texts", make=lambda: {each.player: str(each.value) for each in entries})
        return texts.get(player)

    def lists_answers(self, round_: Round) -> bool:
        """With only a few texts, the chart already shows everything."""
        return bool(round_.result["merged"] > FIRST_ANSWERS_SHOWN)

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
        for entry in round_.entries:
            yield scored_csv_line(entry, entry.value, name_of) | ({} if entry.value else {"row": "answer hidden"})

    def answer_text(self, answer: Any, question: Question, options: tuple[str, ...]) -> Text:
        return str(answer)


def _answer_context(answer: Mapping[str, Any], seats: Mapping[str, Seat], own: str, most: int) -> dict[str, Any]:
    authors = answer["authors"]
    names = [seats[player].name for player in authors if player in seats and seats[player].plays]
    return {
        **{name: answer[name] for name in ("text", "place", "points")},
        "length": share(answer["points"], most),
        "names": names[:MAX_AUTHORS_NAMED],
        "more": and_others(len(names[MAX_AUTHORS_NAMED:]) + answer["by"] - len(authors)),
        "own": bool(own) and own in authors,
    }


def _without_removed(answer: Mapping[str, Any], removed: Collection[str]) -> dict[str, Any]:
    authors = [each for each in answer["authors"] if each not in removed]
    return {**answer, "authors": authors, "by": answer["by"] - len(answer["authors"]) + len(authors)}
