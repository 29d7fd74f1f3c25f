"""Digests of a sealed round in the log, which make any later change detectable without revealing content.

| digest | of |
|---|---|
| `digest` | the round, as `live.counting.round_as_bytes` writes it |
| `heard` | the sorted receipts of all answers or votes that count, so that an omission is detectable |
| `asked` | all questions of the round, with their options |

Each is the SHA-256 of JSON with sorted keys and without spaces.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import orjson

from questions.question import Question

from .. import counting
from ..rounds import Round


def digests(round_: Round, asked: Sequence[Question], receipts: Sequence[str]) -> dict[str, str]:
    return {"digest": counting.round_digest(round_), "heard": _sha(heard(receipts)), "asked": _sha(asked_in(asked))}


def heard(receipts: Sequence[str]) -> bytes:
    return orjson.dumps(list(receipts))


def asked_in(asked: Sequence[Question]) -> bytes:
    return orjson.dumps([each.as_item() for each in asked], option=orjson.OPT_SORT_KEYS)


def _sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
