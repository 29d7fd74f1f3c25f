"""A poll counted by three methods side by side: who leads by each, whether they agree, and why."""

from __future__ import annotations

import json
import lzma
import zlib
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from ranking.explanations import translate
from results.pictures import OF_POLLS, Picture, pictures_of
from results.wording import join_names, method_label
from store.splitting import PART_BYTES
from tally.ballots import Ballots
from tally.explain import explain
from tally.methods import count
from tally.provisional import places_with_first, provisional_result, winners_with_other_lots
from tally.result import Result

from .words import RULES, of_options

METHODS = ("irv", "borda", "schulze")
XZ = b"\xfd7zXZ"  # what lzma writes first
MAX_PLACES_SHOWN = 12  # that the page shows at once
MAX_SENTENCES_SHOWN = 12  # of each method's reasons that the page shows at once


@dataclass(frozen=True, slots=True)
class Counted:
    """What one method says. Whoever would lead with other lots leads as well: a tie is said, not drawn."""

    result: Result
    leaders: tuple[str, ...]

    @property
    def method(self) -> str:
        return self.result.method

    @property
    def hangs_on_a_lot(self) -> bool:
        return set(self.leaders) != set(self.result.winners)

    @property
    def places(self) -> dict[str, int]:
        """Everybody's place, with all leaders in the first."""
        return dict(places_with_first(self.result, self.leaders))


@dataclass(frozen=True, slots=True)
class SideBySide:
    """What all three say of the same votes."""

    counted: tuple[Counted, ...]

    @classmethod
    def of(cls, ballots: Ballots, seed: str) -> SideBySide:
        normal = ballots.normal
        return cls(tuple(_counted(normal, method, seed) for method in METHODS))

    @property
    def total(self) -> int:
        return self.counted[0].result.total

    @property
    def digest(self) -> str:
        return self.counted[0].result.digest

    def by(self, method: str) -> Counted:
        return next(each for each in self.counted if each.method == method)

    def as_bytes(self) -> bytes:
        """Stable, and so short that one item holds it. Of names that are long together zlib sees too few at once."""
        text = self.as_json().encode()
        packed = zlib.compress(text, 9)
        return packed if len(packed) <= PART_BYTES else lzma.compress(text, preset=0)

    def as_json(self) -> str:
        said = [{"result": json.loads(each.result.as_json()), "leaders": each.leaders} for each in self.counted]
        return json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_bytes(cls, packed: bytes) -> SideBySide:
        unpack = lzma.decompress if packed.startswith(XZ) else zlib.decompress
        read = json.loads(unpack(packed))
        return cls(tuple(Counted(Result.from_parsed(each["result"]), tuple(each["leaders"])) for each in read))


def _counted(ballots: Ballots, method: str, seed: str) -> Counted:
    result = count(ballots, method, seed=seed)
    return Counted(result, provisional_result(result, winners_with_other_lots(ballots, result)).result.winners)


# --- in words ---


def agreement(account: SideBySide) -> str:
    """One sentence: whether the methods agree."""
    if not account.total:
        return _("Nobody has voted yet.")
    different = {each.leaders for each in account.counted}
    if len(different) > 1:
        return _("The methods do not agree: it depends on the rule who is ahead.")
    leaders = different.pop()
    if len(leaders) > 1:
        return _("All three methods see a tie: %(names)s.") % {"names": join_names(leaders)}
    return _("All three methods agree: %(name)s.") % {"name": leaders[0]}


def context_of(account: SideBySide) -> dict[str, Any]:
    """What the page shows: each method's leaders, everybody's places, the pictures, and the reasons."""
    shown = [each.result for each in account.counted] if account.total else []
    ordered = places(account)
    return {
        "votes": account.total,
        "agreement": agreement(account),
        "methods": [_method(each) for each in account.counted],
        "labels": [method_label(each.method) for each in account.counted],
        "first_places": ordered[:MAX_PLACES_SHOWN],
        "other_places": ordered[MAX_PLACES_SHOWN:],
        "pictures": [picture for result in shown for picture in _pictures(result)],
    }


def _method(counted: Counted) -> dict[str, Any]:
    result = counted.result
    sentences = _reasons(counted)
    return {
        "key": result.method,
        "label": method_label(result.method),
        "rule": RULES[result.method],
        "leaders": counted.leaders,
        "by_lot": bool(result.lots),
        "hangs_on_a_lot": counted.hangs_on_a_lot,
        "seed": result.seed,
        "sentences": sentences[:MAX_SENTENCES_SHOWN],
        "more": sentences[MAX_SENTENCES_SHOWN:],
    }


def _reasons(counted: Counted) -> list[str]:
    """Where the winner hangs on a lot, the method has none: then the account is that of one draw."""
    sentences = [translate(of_options(each)) for each in explain(counted.result)]
    if not counted.hangs_on_a_lot:
        return sentences
    tie = _("The votes do not decide between these: %(names)s. With another lot another would be ahead.")
    return [tie % {"names": join_names(counted.leaders)}, _("This is how one draw goes:"), *sentences[1:]]


def places(account: SideBySide) -> list[tuple[str, list[int]]]:
    """Everybody's place by each method, in the order of the first."""
    by_method = [each.places for each in account.counted]
    return [(name, [each[name] for each in by_method]) for name in by_method[0]]


def _pictures(result: Result) -> list[Picture]:
    """The pictures that say most; pairs of everybody with everybody are shown once."""
    drawn = pictures_of(result, OF_POLLS)
    return drawn[:1] if result.method == "borda" else drawn
