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

from live import answer_forms, counting, moderation, repository, rules, scores
from live.answer_forms import InvalidAnswer
from live.counting import MAX_ANSWER_CHARS, last_by_player, one_line
from live.moderation import ModeratedText, Texts
from live.play import (
    Closed,
    Closing,
    CsvLine,
    Fact,
    NameOf,
    Play,
    PlayContext,
    PlayDescription,
    Text,
    TypedQuestion,
    TypedValues,
    cached,
    scored_csv_line,
)
from live.rounds import Entry, GivenAnswer, Round
from live.rules import Game, Phase, State
from live.scores import Answer, Vote
from live.seats import Seat
from live.snapshot import Snapshot
from live.symbols import and_others
from pages.fragments import fragment
from questions.question import Kind, Question, Type
from questions.rules import QuestionSet
from ranking.rankings import RANK_PREFIX, submitted_ranks
from results.pictures.drawing import share
from store.keys import fold

from .robot_texts import robot_sentence

MAX_ANSWERS_IN_RESULT = 50  # with their texts; the entries have all answers
# shown initially, and at most: a thousand phones get the same page
FIRST_ANSWERS_SHOWN, MAX_ANSWERS_SHOWN = 5, 20
MAX_AUTHORS_NAMED = 3  # per answer
ANSWERS_PER_VOTE = 3  # answers ranked by a robot
VOTE_FOR_ONE = gettext_lazy("Rank at least one of the answers.")


# --- counting ---


def count_answers(number: int, index: int, given: Iterable[GivenAnswer]) -> Round:
    """First close: collects the answers. No points yet, and none at all if too few answers are left to vote on."""
    texts = {each.player: one_line(each.said) for each in last_by_player(given)}
    entries = tuple(Entry(player, text) for player, text in texts.items() if text)
    sealed = Round(number, index, len(entries), {}, entries)
    return replace(sealed, result=_answers_result(merged_answers(sealed), None))


def merged_answers(sealed: Round) -> tuple[Answer, ...]:
    """Merges equal texts; an answer's number is its index here."""
    return scores.merged({entry.player: entry.said for entry in sealed.entries})


def count_votes(sealed: Round, given: Iterable[GivenAnswer], unseen: frozenset[int] = frozenset()) -> Round:
    """Second close: scores the answers; all authors of an answer get its points. Answers that are hidden are removed
    from votes as if they had never been shown."""
    found = merged_answers(sealed)
    if not scores.is_voted_on(found):
        return sealed
    cast = list(_without(unseen, _votes(found, given)))
    points = scores.points_of_votes(cast, len(found))
    own = scores.own_answers(found)
    entries = tuple(replace(entry, points=points[own[entry.player]]) for entry in sealed.entries)
    return replace(sealed, result=_answers_result(found, points), entries=entries, votes=len(cast))


def _votes(found: Sequence[Answer], given: Iterable[GivenAnswer]) -> Iterator[Vote]:
    """Skips invalid votes; forms reject them, so this is only a safeguard."""
    own = scores.own_answers(found)
    for each in last_by_player(given):
        try:
            vote = vote_from_item(each.said)
            scores.check_vote(vote, own.get(each.player))
        except (scores.BadVote, LookupError, TypeError, ValueError, AttributeError):
            continue
        if all(0 <= number < len(found) for number in vote.shown):
            yield vote


def _without(unseen: frozenset[int], votes: Iterable[Vote]) -> Iterator[Vote]:
    for vote in votes:
        ranks = {number: rank for number, rank in vote.ranks.items() if number not in unseen}
        if ranks or not vote.ranks:
            yield replace(vote, ranks=ranks, shown=frozenset(vote.shown) - unseen)


def vote_from_item(said: Mapping[str, Any]) -> Vote:
    """Parses a stored vote: {"ranks": {"4": 1, "7": 2}, "shown": [7, 1, 4]}."""
    ranks = {int(number): rank for number, rank in said["ranks"].items()}
    return Vote(ranks, frozenset(map(int, said["shown"])))


def vote_as_item(vote: Vote) -> dict[str, Any]:
    return {"ranks": {str(number): rank for number, rank in sorted(vote.ranks.items())}, "shown": sorted(vote.shown)}


def _answers_result(found: Sequence[Answer], points: Sequence[int] | None) -> dict[str, Any]:
    """Best first; in the order collected if there was no vote."""
    got = dict(enumerate(points or [0] * len(found)))
    places = scores.places({str(number): each for number, each in got.items()}) if points else {}
    best = sorted(got, key=lambda number: -got[number])[:MAX_ANSWERS_IN_RESULT]
    told = [_answer_item(found[number], got[number], places.get(str(number), 0)) for number in best]
    return {"answers": told, "merged": len(found), "voted": points is not None}


def _answer_item(answer: Answer, points: int, place: int) -> dict[str, Any]:
    few = list(answer.authors[:MAX_ANSWERS_IN_RESULT])
    told = {"text": answer.text, "words": answer.words, "points": points, "place": place}
    return told | {"authors": few, "by": len(answer.authors)}


# --- between the two phases ---


@dataclass(frozen=True, slots=True)
class Gathered:
    """The answers, and which of them each player is shown if there are too many to show all."""

    round: Round
    answers: tuple[Answer, ...]
    showings: Mapping[str, Sequence[int]]
    unseen: frozenset[int] = frozenset()  # hidden, or not approved yet

    def shown_to(self, player: str) -> tuple[int, ...]:
        """The numbers of the answers in display order, without the player's own."""
        found = self.showings.get(player)
        numbers = scores.shown_late(player, self.answers) if found is None else found
        return tuple(each for each in numbers if each not in self.unseen)


def parts(round_: Round, answers: Sequence[Answer], voters: Iterable[str]) -> list[dict[str, Any]]:
    """Assigns answers to all seated players up front, so that each answer is shown about equally often."""
    many = len(answers) > scores.MAX_ANSWERS_ALL_SHOWN
    shown = {voter: list(numbers) for voter, numbers in scores.showings(voters, answers).items()} if many else {}
    return [*counting.round_as_parts(round_), {"showings": shown}]


def read_gathered(game_id: str, round_: int) -> Gathered:
    *items, shown = repository.gathered_items(game_id, round_)
    sealed = counting.round_from_parts(items)
    return Gathered(sealed, merged_answers(sealed), shown["showings"])


def unseen_answers(texts: Texts, round_: int, answers: Sequence[Answer], removed: Collection[str]) -> frozenset[int]:
    """Answers that are hidden, awaiting approval, or written only by removed players."""
    if texts.are_all_seen and not removed:
        return frozenset()
    return frozenset(
        number
        for number, answer in enumerate(answers)
        if not texts.is_seen(round_, answer.text) or all(author in removed for author in answer.authors)
    )


# --- vote form ---


def parse_vote(post: QueryDict, shown: Gathered, player: str) -> dict[str, Any]:
    """Parses a ranking of up to three answers, ties allowed, never the player's own. Which answers were shown comes
    from the session, never from the form."""
    ranks = {
        _parse_answer_number(number): _parse_rank(typed)
        for number, typed in submitted_ranks(post).items()
        if any(each.strip() for each in typed)
    }
    ranks = {number: rank for number, rank in ranks.items() if number not in shown.unseen}
    if not ranks:
        raise InvalidAnswer(VOTE_FOR_ONE)
    vote = Vote(ranks, frozenset(shown.shown_to(player)))
    scores.check_vote(vote, scores.own_answers(shown.answers).get(player))
    return vote_as_item(vote)


def _parse_answer_number(number: str) -> int:
    found = answer_forms.parse_number(number, 10_000)
    if found is None:
        raise InvalidAnswer(scores.NOT_SHOWN)
    return found


def _parse_rank(typed: list[str]) -> int:
    found = answer_forms.parse_number(typed[-1].strip(), 10)
    if len(set(typed)) > 1 or found is None or found not in scores.RANKS:
        raise InvalidAnswer(scores.NOT_A_RANK)
    return found


@dataclass(frozen=True, slots=True)
class BallotRow:
    """An answer on a player's ballot."""

    name: str
    text: str
    rank: str
    ranks: tuple[int, ...] = tuple(scores.RANKS)


def ballot_rows(shown: Gathered, player: str, typed: TypedValues) -> list[BallotRow]:
    """The answers that a player may vote for, in that player's own order."""
    names = ((f"{RANK_PREFIX}{number}", number) for number in shown.shown_to(player))
    return [BallotRow(name, shown.answers[number].text, answer_forms.last_value(typed, name)) for name, number in names]


def _render_rows(snapshot: Snapshot, papers: Sequence[BallotRow]) -> SafeString:
    """Rows without a rank are cached, because they look the same to every player."""
    drawn = (_render_row(each) if each.rank else cached(snapshot, each, partial(_render_row, each)) for each in papers)
    return format_html_join("", "{}", ((each,) for each in drawn))


def _render_row(paper: BallotRow) -> SafeString:
    return fragment("live/parts/paper.html", {"paper": paper})


class BestAnswer(Play):
    name = Type.CALL_AND_ANSWER.value
    label = gettext_lazy("Best answer")
    types = (Type.CALL_AND_ANSWER,)
    story = PlayDescription(
        gettext_lazy("People answer in their own words, then rank the answers they like best."),
        gettext_lazy("Nobody sees who wrote what until the results; authors get the points."),
    )
    is_scored = has_texts = True
    templates = {
        "player/voting": "live/plays/best_answer/player_voting.html",
        "projector/voting": "live/plays/best_answer/projector_voting.html",
    }
    closes = {
        Phase.QUESTION: gettext_lazy("Close the answers"),
        Phase.VOTING: gettext_lazy("Close the voting"),
    }

    def suits(self, question: Question) -> bool:
        return question.kind == Kind.TEXT

    def count_suiting(self, set_: QuestionSet) -> int:
        return set_.suits(Type.CALL_AND_ANSWER)

    def typed_question(self, typed: TypedQuestion) -> Question:
        return Question(typed.title, Kind.TEXT, seconds=typed.seconds)

    # --- answers and votes ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> Any:
        if snapshot.phase_data is not None:
            return parse_vote(post, snapshot.phase_data, player)
        return answer_forms.parse_text(post)

    def form_values(self, said: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        if snapshot.state.phase == Phase.VOTING:
            return {f"{RANK_PREFIX}{number}": [str(rank)] for number, rank in said["ranks"].items()}
        return {answer_forms.TEXT: [said]}

    def summary(self, said: Any, snapshot: Snapshot) -> dict[str, Any]:
        return {"text": said}

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> Any:
        if snapshot.state.phase == Phase.QUESTION:
            return robot_sentence(snapshot, seat)
        shown = snapshot.phase_data.shown_to(seat.player) if snapshot.phase_data else ()
        if not shown:
            return None
        best = chance.sample(sorted(shown), min(ANSWERS_PER_VOTE, len(shown)))
        return {"ranks": {str(place): rank for rank, place in enumerate(best, 1)}, "shown": list(shown)}

    def form_name(self, snapshot: Snapshot) -> str:
        return "write"

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        return {"longest": MAX_ANSWER_CHARS, "text": answer_forms.last_value(typed, answer_forms.TEXT)}

    def has_own_form(self, snapshot: Snapshot) -> bool:
        return snapshot.state.phase == Phase.VOTING and snapshot.phase_data is not None

    def own_form(self, snapshot: Snapshot, player: str, typed: TypedValues) -> dict[str, Any]:
        return {"papers": _render_rows(snapshot, ballot_rows(snapshot.phase_data, player, typed))}

    def hint(self, snapshot: Snapshot) -> Text:
        if snapshot.state.phase == Phase.VOTING:
            return _("Pick a 1st, 2nd and 3rd place, or fewer; ties are fine.")
        return _("Answer in your own words.")

    def change_hint(self, snapshot: Snapshot) -> Text:
        return "" if snapshot.state.phase == Phase.VOTING else super().change_hint(snapshot)

    def projector_hint(self, snapshot: Snapshot) -> Text:
        return _("Answer in your own words on your phone.")

    def context(self, snapshot: Snapshot) -> dict[str, Any]:
        return {"answers_given": len(snapshot.phase_data.answers) if snapshot.phase_data else 0}

    # --- phases ---

    def phase_data(self, look: PlayContext) -> Gathered | None:
        if look.state.phase != Phase.VOTING:
            return None
        found: Gathered | None = look.before
        if found is None or found.round.number != look.state.round:
            found = read_gathered(look.game_id, look.state.round)
        unseen = unseen_answers(look.texts, look.state.round, found.answers, look.removed)
        return found if found.unseen == unseen else replace(found, unseen=unseen)

    def read_previous_phase(self, game: Game, state: State) -> Gathered | None:
        return read_gathered(game.id, state.round) if state.phase == Phase.VOTING else None

    def close(self, closing: Closing) -> Closed:
        game, state, box = closing.game, closing.state, closing.box
        if state.phase == Phase.VOTING:
            sealed = closing.gathered.round
            gone = {each.player for each in sealed.entries} - box.percents.keys()
            return Closed(
                count_votes(sealed, box.last, unseen_answers(closing.texts, state.round, merged_answers(sealed), gone))
            )
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
        shown = [_answer_context(each, seats, own, most) for each in result["answers"][:MAX_ANSWERS_SHOWN]]
        return "answers", {
            "first": shown[:FIRST_ANSWERS_SHOWN],
            "others": shown[FIRST_ANSWERS_SHOWN:],
            "left": and_others(result["merged"] - len(shown)),
            "voted": result["voted"],
            "votes": round_.votes,
            "count": round_.count,
        }

    def verdict(self, round_: Round, entry: Entry) -> str:
        return "voted" if round_.result["voted"] else "unvoted"

    def without_hidden(self, texts: Texts, round_: Round, removed: Collection[str]) -> Round:
        """Authors of hidden answers get no points, and the others move up."""
        number, result = round_.number, round_.result
        shown = [_without_removed(each, removed) for each in result["answers"] if texts.is_seen(number, each["text"])]
        shown = [each for each in shown if each["by"]]
        entries = tuple(
            replace(entry, said="", points=0, bonus=0)
            if entry.player in removed or not texts.is_seen(number, entry.said)
            else entry
            for entry in round_.entries
        )
        gone = len(result["answers"]) - len(shown)
        if entries == round_.entries and not gone:
            return round_
        if result["voted"]:
            places = scores.places({str(at): each["points"] for at, each in enumerate(shown)})
            shown = [each | {"place": places[str(at)]} for at, each in enumerate(shown)]
        told = {"answers": shown, "merged": result["merged"] - gone, "hidden": gone}
        return replace(round_, result={**result, **told}, entries=entries)

    def texts_to_moderate(self, texts: Texts, round_: Round, removed: Collection[str]) -> list[ModeratedText]:
        by_fold = {fold(each.said): each.said for each in round_.entries}
        authors: dict[str, list[str]] = {}
        for each in round_.entries:
            authors.setdefault(fold(each.said), []).append(each.player)
        gone = {folded for folded, who in authors.items() if all(each in removed for each in who)}
        return [
            moderation.moderated_text(texts, round_.number, text, is_of_removed=folded in gone)
            for folded, text in by_fold.items()
            if text
        ]

    def unsealed_texts(self, snapshot: Snapshot, removed: Collection[str]) -> list[ModeratedText]:
        return self.texts_to_moderate(snapshot.texts, snapshot.phase_data.round, removed) if snapshot.phase_data else []

    def own_text(self, snapshot: Snapshot, player: str) -> str | None:
        sealed = snapshot.phase_data.round if snapshot.phase_data else snapshot.as_sealed.get(snapshot.state.round)
        texts = cached(
            snapshot, "own texts", lambda: {each.player: each.said for each in sealed.entries} if sealed else {}
        )
        found: str | None = texts.get(player)
        return found

    def lists_answers(self, round_: Round) -> bool:
        """With only a few texts, the chart already shows everything."""
        return bool(round_.result["merged"] > FIRST_ANSWERS_SHOWN)

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
        for entry in round_.entries:
            yield scored_csv_line(entry, entry.said, name_of) | ({} if entry.said else {"row": "answer hidden"})

    def headline_facts(self, question: Question, round_: Round) -> Iterator[Fact]:
        if round_.result["answers"] and round_.result["voted"]:
            yield _("Best answer"), round_.result["answers"][0]["text"]

    def answer_text(self, said: Any, question: Question, options: tuple[str, ...]) -> Text:
        return str(said)

    def is_recountable(self, round_: Round) -> bool:
        return False


def _answer_context(told: Mapping[str, Any], seats: Mapping[str, Seat], own: str, most: int) -> dict[str, Any]:
    names = [seats[player].name for player in told["authors"] if player in seats and seats[player].plays]
    return {
        "text": told["text"],
        "place": told["place"],
        "points": told["points"],
        "length": share(told["points"], most),
        "names": names[:MAX_AUTHORS_NAMED],
        "more": and_others(len(names[MAX_AUTHORS_NAMED:]) + told["by"] - len(told["authors"])),
        "own": bool(own) and own in told["authors"],
    }


def _without_removed(told: Mapping[str, Any], removed: Collection[str]) -> dict[str, Any]:
    authors = [each for each in told["authors"] if each not in removed]
    return {**told, "authors": authors, "by": told["by"] - len(told["authors"]) + len(authors)}
