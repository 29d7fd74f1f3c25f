"""Counts a poll by every method of its kind side by side: live while it is open, and sealed once it is over."""

from __future__ import annotations

import hashlib
import json
import logging
import lzma
import zlib
from dataclasses import dataclass, replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.acts.queues import ExplainedError, log_failure, process_each
from foundation.acts.refusals import LostRace
from foundation.acts.storage import SITE, now_text, table, try_write
from foundation.store import keys
from foundation.store.splitting import PART_BYTES
from foundation.store.table import Conflict, Item, Unavailable
from foundation.tally.ballots import Ballots
from foundation.tally.explain import TEMPLATES, explain
from foundation.tally.methods import KIND_OF, count
from foundation.tally.provisional import places_with_first, provisional_result, winners_with_other_lots
from foundation.tally.result import Result
from results.pictures import OF_POLLS, Picture, contest_rows, pictures_of
from results.running_count import BallotSource, CountCache, KnownBallot, WatchedCount
from results.wording import join_names, method_label, translate

from . import repository
from .rules import Poll
from .services import record, with_end_recorded

METHODS = {  # by kind of ballot
    "ranked": ("irv", "borda", "schulze"),
    "choose": ("most-votes",),
    "approval": ("approval",),
    "score": ("score", "star"),
}
CHARTED = ("borda", "score", "approval", "most-votes")  # the methods whose chart goes with the answer
XZ = b"\xfd7zXZ"  # what lzma writes first
MAX_PLACES_SHOWN = 12  # that the page shows at once
MAX_SENTENCES_SHOWN = 12  # of each method's reasons that the page shows at once
METHOD_RULES = {
    "schulze": gettext_lazy(
        "Options are compared in pairs; where that goes round in circles, the weakest wins are ignored."
    ),
    "irv": gettext_lazy(
        "Every vote counts for its favourite of the remaining options; each round eliminates the "
        "option with the fewest votes, until one has more than half."
    ),
    "borda": gettext_lazy(
        "Every vote gives its last option no points, the next one point, and so on; tied options share their points."
    ),
    "most-votes": gettext_lazy("Every option that a voter chooses gets one vote."),
    "approval": gettext_lazy("Every option that suits a voter gets one vote."),
    "score": gettext_lazy("The scores of all votes are added up."),
    "star": gettext_lazy(
        "The two options with the most points meet in a runoff: every vote counts for the one it scores higher."
    ),
}
OPTION_TEMPLATES = {  # sentences about candidates, reworded for options
    TEMPLATES["only one"]: gettext_noop("%(name)s was the only option."),
    TEMPLATES["beat all"]: gettext_noop(
        "%(name)s beat every other option head to head; the closest contest was against %(other)s, "
        "%(votes)s to %(against)s."
    ),
    TEMPLATES["beat nobody all"]: gettext_noop("No option beat every other head to head."),
    TEMPLATES["lot for a seat"]: gettext_noop("%(names)s were tied; a lot chose %(name)s."),
    TEMPLATES["approvals"]: gettext_noop("Votes for %(name)s: %(votes)s of %(total)s."),
    TEMPLATES["next approvals"]: gettext_noop("Next was %(name)s; votes: %(votes)s of %(total)s."),
    TEMPLATES["one finalist"]: gettext_noop(
        "%(name)s (points: %(votes)s) won without a runoff, because no other option had a point."
    ),
}


@dataclass(frozen=True, slots=True)
class MethodResult:
    """The result by one method. Everyone who would lead with other lots leads, too: ties are shown, not drawn."""

    result: Result
    leaders: tuple[str, ...]

    @property
    def method(self) -> str:
        return self.result.method

    @property
    def depends_on_lot(self) -> bool:
        return set(self.leaders) != set(self.result.winners)

    @property
    def places(self) -> dict[str, int]:
        """Places, with all leaders first."""
        return dict(places_with_first(self.result, self.leaders))


@dataclass(frozen=True, slots=True)
class MethodComparison:
    """The results of all methods of a kind of ballot for the same votes."""

    counted: tuple[MethodResult, ...]

    @classmethod
    def of(cls, ballots: Ballots, seed: str, kind: str = "ranked") -> MethodComparison:
        normal = ballots.normal
        return cls(tuple(_count_method(normal, method, seed) for method in METHODS[kind]))

    @property
    def total(self) -> int:
        return self.counted[0].result.total

    @property
    def digest(self) -> str:
        return self.counted[0].result.digest

    @property
    def kind(self) -> str:
        return KIND_OF[self.counted[0].method]

    @property
    def charted(self) -> MethodResult:
        return next(each for each in self.counted if each.method in CHARTED)

    @property
    def agrees(self) -> bool:
        return len({each.leaders for each in self.counted}) == 1

    def by(self, method: str) -> MethodResult:
        return next(each for each in self.counted if each.method == method)

    def as_bytes(self) -> bytes:
        """Deterministic, and short enough for one item. For very long names lzma compresses better than zlib."""
        text = self.as_json().encode()
        packed = zlib.compress(text, 9)
        return packed if len(packed) <= PART_BYTES else lzma.compress(text, preset=0)

    def as_json(self) -> str:
        results = [{"result": json.loads(each.result.as_json()), "leaders": each.leaders} for each in self.counted]
        return json.dumps(results, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_bytes(cls, packed: bytes) -> MethodComparison:
        unpack = lzma.decompress if packed.startswith(XZ) else zlib.decompress
        read = json.loads(unpack(packed))
        return cls(tuple(MethodResult(Result.from_parsed(each["result"]), tuple(each["leaders"])) for each in read))


def _count_method(ballots: Ballots, method: str, seed: str) -> MethodResult:
    result = count(ballots, method, seed=seed)
    return MethodResult(result, provisional_result(result, winners_with_other_lots(ballots, result)).result.winners)


# --- in words ---


AGREEMENTS: dict[int, tuple[str | Promise, str | Promise]] = {  # by how many methods: of one leader, and of a tie
    2: (gettext_lazy("Both methods agree"), gettext_lazy("Both methods give a tie")),
    3: (gettext_lazy("All three methods agree"), gettext_lazy("All three methods give a tie")),
}


def heading(comparison: MethodComparison) -> str:
    """Whether the methods agree; of a single one, what decides."""
    if not comparison.agrees:
        return _("The methods disagree")
    only = comparison.counted[0]
    alone, tied = AGREEMENTS.get(len(comparison.counted), (method_label(only.method), _("A tie")))
    return str(tied if len(only.leaders) > 1 else alone)


def agreement(comparison: MethodComparison) -> str:
    """One sentence: the leader, or that the methods disagree."""
    if not comparison.total:
        return _("Nobody has voted yet.")
    if not comparison.agrees:
        return _("The methods disagree: which option leads depends on the rule.")
    return f"{heading(comparison)}: {join_names(comparison.counted[0].leaders)}."


def chart(comparison: MethodComparison) -> Picture | None:
    """The one that goes with the answer, with a tick for every leader."""
    counted = comparison.charted
    return next(iter(pictures_of(replace(counted.result, winners=counted.leaders), OF_POLLS)), None)


def results_context(comparison: MethodComparison) -> dict[str, Any]:
    """The answer with one chart, and each method's leaders, places, charts and reasons."""
    first, ordered = chart(comparison), places(comparison)
    other_results = [each.result for each in comparison.counted if each is not comparison.charted]
    pictures = [each for result in other_results for each in pictures_of(result, OF_POLLS)]
    return {
        "votes": comparison.total,
        "agreement": agreement(comparison),
        "agrees": comparison.agrees,
        "methods": [_method(each) for each in comparison.counted],
        "labels": [method_label(each.method) for each in comparison.counted],
        "first_places": ordered[:MAX_PLACES_SHOWN],
        "other_places": ordered[MAX_PLACES_SHOWN:],
        "chart": first,
        "pictures": [each for each in pictures if first and each.title != first.title],  # STAR draws the scores, too
        "contests": contest_rows(comparison.by("schulze").result) if comparison.kind == "ranked" else [],
    }


def _method(counted: MethodResult) -> dict[str, Any]:
    result = counted.result
    sentences = _reasons(counted)
    return {
        "key": result.method,
        "label": method_label(result.method),
        "rule": METHOD_RULES[result.method],
        "leaders": counted.leaders,
        "by_lot": bool(result.lots),
        "depends_on_lot": counted.depends_on_lot,
        "seed": result.seed,
        "sentences": sentences[:MAX_SENTENCES_SHOWN],
        "more": sentences[MAX_SENTENCES_SHOWN:],
    }


def _reasons(counted: MethodResult) -> list[str]:
    """If the winner depends on a lot, the reasons describe one possible draw."""
    explained = explain(counted.result)
    reworded = (replace(each, template=OPTION_TEMPLATES.get(each.template, each.template)) for each in explained)
    sentences = [translate(each) for each in reworded]
    if not counted.depends_on_lot:
        return sentences
    tie = _("These are tied: %(names)s. A different draw would put another one ahead.")
    return [tie % {"names": join_names(counted.leaders)}, _("Here is one possible draw:"), *sentences[1:]]


def places(comparison: MethodComparison) -> list[tuple[str, list[int]]]:
    """Places by each method, in the order of the first."""
    by_method = [each.places for each in comparison.counted]
    return [(name, [each[name] for each in by_method]) for name in by_method[0]]


# --- sealing a poll that is over ---

_log = logging.getLogger("plenum.polls")


class Disagreement(ExplainedError):
    """The votes and the gates do not match: something was lost or added."""


def seal(poll_id: str) -> bool:
    """Count a poll that is over from its votes and seal the result; returns whether it is sealed. Safe to run
    concurrently."""
    found = repository.with_gates(poll_id)
    if found is None or found[0].is_open(now_text()):
        return False
    if found[2] is not None:
        try_write(repository.marking_sealed(found[0]))  # in case it was changed since it was sealed
        return True
    try:
        _count_and_seal(with_end_recorded(found[0]))
    except LostRace:
        return False  # another is at it, or it was opened again at the last moment
    return True


def _count_and_seal(poll: Poll) -> None:
    found, counted = repository.with_gates(poll.id), repository.read_ballots(poll).normal
    voted = found[1] if found else 0
    if counted.total != voted:
        raise Disagreement(f"There are {counted.total} votes, but the gates have counted {voted}.")
    repository.write_counted(poll, counted)
    report, now = MethodComparison.of(counted, poll.seed, poll.kind).as_bytes(), now_text()
    head = repository.sealing(poll, report, counted.total, counted.digest, now)
    event_data = {"votes": counted.total, "digest": counted.digest, "report_digest": hashlib.sha256(report).hexdigest()}
    event_data["sealedAt"] = now
    record(SITE, "PollResultSealed", poll, event_data, head, repository.marking_sealed(poll))


def anything_over() -> bool:
    """A cheap check for the worker."""
    page = table().page(keys.polls_ending(now_text()), limit=1)
    return bool(page.items or page.cursor)


def seal_what_is_over() -> int:
    """Record the end of polls that are over and seal them. Returns how many."""
    return process_each(list(table().each(keys.polls_ending(now_text()))), lambda item: _seal_or_log(item["id"]))


def try_seal(poll_id: str) -> bool:
    """As `seal`; whatever is wrong with the votes or the count is logged for the operator, and the page still works."""
    try:
        return _seal_or_log(poll_id)
    except (Conflict, Unavailable):
        raise
    except Disagreement:
        return False
    except Exception as error:
        log_failure(error)
        return False


def _seal_or_log(poll_id: str) -> bool:
    try:
        return seal(poll_id)
    except Disagreement as error:
        _log.error("not sealed", extra={"words": str(error)})
        raise


# --- the live count, cached in each process, which reads only new votes ---
# Each look reads the poll, its gates and its sealed result; while it is open, also the votes since the last look, by
# time. Votes are never withdrawn, so there must be as many as the gates have counted; if the index lags behind, all are
# read again.

# votes that are counted and sealed within a request; more are left to the worker
MAX_VOTES_COUNTED_IN_REQUEST = 1_000
CACHE_BYTES = 60_000_000  # of all polls that are being watched


@dataclass(frozen=True, slots=True)
class PollSnapshot:
    """A poll as of a moment ago. Without a result, it is over and being counted."""

    poll: Poll
    result: MethodComparison | None
    ballots: Ballots | None = None  # how often each vote was given, while it is open
    is_sealed: bool = False

    @property
    def stamp(self) -> str:
        """Lets a page know whether it already shows this."""
        return f"{self.result.digest[:16]}{self.poll.version}{'s' * self.is_sealed}" if self.result else ""


class PollWatch(CountCache):
    def load(self, name: str, watched: WatchedCount) -> PollSnapshot | None:
        found = repository.with_gates(name)
        if found is None:
            return None
        poll, voted, head = found
        if not poll.is_open(now_text()):
            watched.forget()
            return _closed_snapshot(poll, voted, head)
        votes = BallotSource(
            poll.created_at,
            poll.candidates,
            every=lambda: repository.each_vote(poll),
            since=lambda moment: repository.votes_since(poll, moment),
            can_hold=lambda total: total >= voted,
            # the number of acts distinguishes a changed vote from the one before
            ballot_from=lambda vote: KnownBallot(vote["votedAt"], str(vote["acts"]), vote["rankings"]),
            kind=poll.kind,
        )
        self.bring_up_to_date(watched, votes)
        return _counted_snapshot(poll, watched)


def _counted_snapshot(poll: Poll, watched: WatchedCount) -> PollSnapshot:
    """Recounts only if something is new; most looks find nothing."""
    before = watched.latest
    if before and before.ballots is not None and before.ballots.normal.summary is watched.running.summary:
        return replace(before, poll=poll)
    ballots = watched.running.ballots
    if before and before.result and before.ballots and before.result.digest == ballots.digest:
        return replace(before, poll=poll)
    return PollSnapshot(poll, MethodComparison.of(ballots, poll.seed, poll.kind), ballots)


def _closed_snapshot(poll: Poll, voted: int, head: Item | None) -> PollSnapshot:
    """The sealed result; a small poll is sealed now."""
    if head is None and voted <= MAX_VOTES_COUNTED_IN_REQUEST and try_seal(poll.id):
        poll, _voted, head = repository.with_gates(poll.id) or (poll, voted, None)
    if head is None:
        return PollSnapshot(poll, None)
    return PollSnapshot(poll, MethodComparison.from_bytes(head["report"]), is_sealed=True)


watched_polls = PollWatch(most=CACHE_BYTES)
