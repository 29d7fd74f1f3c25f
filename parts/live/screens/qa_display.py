"""What screens show of the Q&A: which questions, in which order, and each player's own.

Questions of removed players are hidden; they reappear if the player is readmitted.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from django.utils import translation
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from foundation.pages.fragments import fragment
from foundation.qa.rules import Fate, Mode, author_id, best_first
from parts.live import moderation
from parts.live.moderation import ModeratedText, QaQuestion
from parts.live.play import play_at, play_of
from parts.live.rules import Phase
from parts.live.screens.formats import Fragment, Role
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot

MAX_QUESTIONS_SHOWN = 100  # per list, best first; the report has the rest

T = TypeVar("T")

FATE_LABELS: dict[Fate, str | Promise] = {
    Fate.WAITING: _("Waiting for the host."),
    Fate.SHOWN: _("Visible to everybody."),
    Fate.ANSWERED: _("Answered."),
    Fate.HIDDEN: _("Hidden by the host."),
}
HELD = _("It contains a word on the host's list and is waiting for the host.")
SENT_MESSAGES: dict[Fate, str | Promise] = {
    Fate.WAITING: _("Your question has been sent. The host reviews it first; you can follow it below."),
    Fate.SHOWN: _("Your question has been sent and is visible to everybody."),
    Fate.ANSWERED: _("You have already sent this question, and it has been answered."),
    Fate.HIDDEN: _("You have already sent this question, and the host has hidden it."),
}
SENT_HELD = _("Your question has been sent. It contains a word on the host's list, so the host reviews it first.")


def sent_message(question: QaQuestion) -> str | Promise:
    return SENT_HELD if question.held and question.fate == Fate.WAITING else SENT_MESSAGES[question.fate]


def _cached(snapshot: Snapshot, what: str, make: Callable[[], T]) -> T:
    """Compute once per snapshot."""
    if what not in snapshot.made:
        snapshot.made[what] = make()
    made: T = snapshot.made[what]
    return made


# --- which ---


def _removed(snapshot: Snapshot) -> frozenset[str]:
    """Author ids of players removed by the host."""
    gone = (each.player for each in snapshot.seats.values() if each.removed)
    return _cached(snapshot, "qa removed", lambda: frozenset(author_id(snapshot.game.id, player) for player in gone))


def is_of_removed(snapshot: Snapshot, question: QaQuestion) -> bool:
    return question.author in _removed(snapshot)


def visible_questions(snapshot: Snapshot) -> list[QaQuestion]:
    """Questions visible to everyone, in display order."""

    def questions() -> list[QaQuestion]:
        some = (each for each in snapshot.qa_questions if each.is_seen and not is_of_removed(snapshot, each))
        return moderation.open_first(some, snapshot.upvotes)

    return _cached(snapshot, "qa visible", questions)


def on_screen(snapshot: Snapshot) -> QaQuestion | None:
    """The question on the big screen, if still visible; none after the end, which every screen shows."""
    up = snapshot.qa.on_screen if accepts_questions(snapshot) else ""
    return next((each for each in visible_questions(snapshot) if each.id == up), None) if up else None


def accepts_questions(snapshot: Snapshot) -> bool:
    """Whether questions can be sent and upvoted."""
    return snapshot.qa.is_on and snapshot.state.phase != Phase.ENDED


def name_of(snapshot: Snapshot, question: QaQuestion) -> str:
    """Author's name, if names are shown now and were when the question was sent; otherwise empty."""
    seat = snapshot.seats.get(question.player) if snapshot.qa.named and question.player else None
    return seat.name if seat else ""


# --- what people wrote in rounds ---


def has_texts(snapshot: Snapshot) -> bool:
    """Whether the current screen may show texts by players."""
    play = play_at(snapshot.state)
    return play is not None and play.has_texts and snapshot.state.phase in (Phase.VOTING, Phase.RESULTS)


def texts_version(snapshot: Snapshot) -> str:
    """Cache key part that changes with the visible texts; empty while all are visible."""
    if not has_texts(snapshot):
        return ""

    def made() -> str:
        gone = sorted(each.player for each in snapshot.seats.values() if each.removed)
        if snapshot.texts.are_all_seen and not gone:
            return ""
        return "-" + _hash(snapshot.qa.decided, str(snapshot.qa.texts), snapshot.qa.words, gone)

    return _cached(snapshot, "texts mark", made)


def texts_to_moderate(snapshot: Snapshot) -> list[ModeratedText]:
    """Texts of the current and earlier rounds for the host: waiting ones first, then the newest."""

    def texts() -> list[ModeratedText]:
        turn = {Fate.WAITING: 0, Fate.SHOWN: 1, Fate.HIDDEN: 2}
        every = sorted(_all_texts(snapshot), key=lambda each: (each.is_of_removed, turn[each.fate], -each.round))
        return every[: 3 * MAX_QUESTIONS_SHOWN]

    return _cached(snapshot, "texts written", texts)


def _all_texts(snapshot: Snapshot) -> Iterator[ModeratedText]:
    if (play := play_at(snapshot.state)) is not None:
        yield from play.unsealed_texts(snapshot, snapshot.removed)
    for number, sealed in snapshot.as_sealed.items():
        if snapshot.state.counts(number) and not sealed.result.get("too_few"):
            play = play_of(snapshot.game, snapshot.questions[sealed.question])
            yield from play.texts_to_moderate(snapshot.texts, sealed, snapshot.removed)


def count_waiting_texts(snapshot: Snapshot) -> int:
    """Number of texts the host has to review."""
    if snapshot.texts.mode == Mode.OPEN:
        return 0
    return sum(each.fate == Fate.WAITING and not each.is_of_removed for each in texts_to_moderate(snapshot))


def own_fate(snapshot: Snapshot, player: str) -> Fate | None:
    """Moderation status of a player's own answer, unless it is anonymous."""
    play = play_at(snapshot.state)
    text = play.own_text(snapshot, player) if play is not None and has_texts(snapshot) else None
    return None if text is None else snapshot.texts.fate(snapshot.state.round, text)


TEXT_FATE_LABELS: dict[Fate, str | Promise] = {
    Fate.WAITING: _("Your answer is waiting for the host. Nobody else can see it yet."),
    Fate.HIDDEN: _("The host has hidden your answer. Nobody sees it, and it gets no points."),
}


# --- as templates have them ---


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """A question as a list shows it."""

    question: QaQuestion
    upvotes: int
    name: str = ""
    is_up: bool = False  # on the big screen
    acts: tuple[str, ...] = ()
    is_of_removed: bool = False
    is_own: bool = False
    is_upvoted: bool = False

    @property
    def status(self) -> str | Promise:
        is_held = self.question.held and self.question.fate == Fate.WAITING
        return HELD if is_held else FATE_LABELS[self.question.fate]

    @property
    def mark(self) -> str:
        """Changes with anything but the number of upvotes."""
        return repr((self.question, self.name, self.is_up, self.is_of_removed))


def question_line(snapshot: Snapshot, question: QaQuestion, **more: Any) -> QuestionLine:
    up = snapshot.qa.on_screen == question.id
    return QuestionLine(question, snapshot.upvotes.get(question.id, 0), name_of(snapshot, question), up, **more)


def question_lines(snapshot: Snapshot) -> list[QuestionLine]:
    return _cached(
        snapshot,
        "qa lines",
        lambda: [question_line(snapshot, each) for each in visible_questions(snapshot)[:MAX_QUESTIONS_SHOWN]],
    )


def player_lines(snapshot: Snapshot, seat: Seat, upvoted: frozenset[str]) -> list[QuestionLine]:
    """Lines as one player sees them when the page loads."""
    return [
        question_line(snapshot, each, is_own=is_own(snapshot, seat, each), is_upvoted=each.id in upvoted)
        for each in visible_questions(snapshot)[:MAX_QUESTIONS_SHOWN]
    ]


def is_own(snapshot: Snapshot, seat: Seat, question: QaQuestion) -> bool:
    """Whether the question came from this seat while its current device held it."""
    return seat.had_it(question.at) and question.author == author_id(snapshot.game.id, seat.player)


def host_lines(snapshot: Snapshot) -> list[QuestionLine]:
    """Waiting questions first, oldest first; then visible ones, then hidden ones."""

    def lines() -> list[QuestionLine]:
        turn = {Fate.WAITING: 0, Fate.SHOWN: 1, Fate.ANSWERED: 2, Fate.HIDDEN: 3}
        best = best_first(
            snapshot.qa_questions,
            {each.id: snapshot.upvotes.get(each.id, 0) for each in snapshot.qa_questions if each.is_seen},
        )
        some = sorted(best, key=lambda each: (is_of_removed(snapshot, each), turn[each.fate]))
        return [host_line(each) for each in some[: 3 * MAX_QUESTIONS_SHOWN]]

    def host_line(question: QaQuestion) -> QuestionLine:
        gone = is_of_removed(snapshot, question)
        acts = () if gone else tuple(each.name for each in moderation.offered(snapshot.qa, question))
        return question_line(snapshot, question, acts=acts, is_of_removed=gone)

    return _cached(snapshot, "qa lines of host", lines)


def own_lines_of_player(snapshot: Snapshot, player: str) -> list[QuestionLine]:
    """A player's own questions, newest first."""
    seat = snapshot.seats.get(player)

    def by_author() -> dict[str, list[QaQuestion]]:
        found: dict[str, list[QaQuestion]] = {}
        for each in snapshot.qa_questions:
            found.setdefault(each.author, []).append(each)
        return found

    own = _cached(snapshot, "qa by author", by_author).get(author_id(snapshot.game.id, player), ())
    return own_lines(snapshot, seat, own) if seat else []


def own_lines(snapshot: Snapshot, seat: Seat, own: Iterable[QaQuestion]) -> list[QuestionLine]:
    own = [each for each in own if seat.had_it(each.at)]
    newest = sorted(own, key=lambda each: each.at, reverse=True) if snapshot.qa.is_on else ()
    return [question_line(snapshot, each, is_own=True) for each in newest]


# --- as screens show it ---


def qa_context(snapshot: Snapshot) -> dict[str, Any]:
    """What screens of every role show of it."""
    up, visible = on_screen(snapshot), visible_questions(snapshot)
    waiting = [each for each in snapshot.qa_questions if each.fate == Fate.WAITING]
    return {
        "texts_waiting": count_waiting_texts(snapshot),
        "takes_questions": accepts_questions(snapshot),
        "questions_open": sum(each.fate == Fate.SHOWN for each in visible),
        "questions_waiting": sum(not is_of_removed(snapshot, each) for each in waiting),
        "questions_more": max(0, len(visible) - MAX_QUESTIONS_SHOWN),
        "question_up": question_line(snapshot, up) if up else None,
    }


def _list_values(role: Role, snapshot: Snapshot) -> dict[str, Any]:
    is_of_host = role == Role.MANAGE_QA
    return {
        "role": role,
        "game": snapshot.game,
        "qa": snapshot.qa,
        "lines": host_lines(snapshot) if is_of_host else question_lines(snapshot),
        "texts": texts_to_moderate(snapshot) if is_of_host else [],
        **qa_context(snapshot),
    }


def render_questions(role: Role, snapshot: Snapshot, **own: Any) -> Fragment:
    """Renders the questions from the room; `own` are values for one player, when their page is reloaded. The key
    depends on the questions and their order but not on upvotes, which are in the status, so that the list stays still
    while people read."""
    values = _list_values(role, snapshot)
    mark = _hash(
        snapshot.qa.is_on,
        snapshot.qa.named,
        accepts_questions(snapshot),
        len(visible_questions(snapshot)),
        *(each.mark for each in values["lines"]),
        *((each.id, each.fate, each.is_of_removed) for each in values["texts"]),
    )
    return Fragment(f"{translation.get_language()}-{mark}", fragment(f"live/qa/{role}_list.html", values | own))


def render_status(role: Role, snapshot: Snapshot) -> SafeString:
    return fragment(f"live/qa/{role}_status.html", _list_values(role, snapshot))


def render_own_questions(snapshot: Snapshot, seat: Seat, lines: list[QuestionLine] | None = None) -> Fragment:
    """The state of a player's own questions; pass `lines` if they have just been read."""
    lines = own_lines_of_player(snapshot, seat.player) if lines is None else lines
    html = fragment("qa/own.html", {"game": snapshot.game, "lines": lines})
    return Fragment(own_questions_key(snapshot, seat), html)


def own_questions_key(snapshot: Snapshot, seat: Seat) -> str:
    marks = (each.mark for each in own_lines_of_player(snapshot, seat.player))
    return f"{translation.get_language()}-{_hash(snapshot.qa.is_on, accepts_questions(snapshot), *marks)}"


def _hash(*values: Any) -> str:
    return f"{zlib.crc32(repr(values).encode()):08x}"
