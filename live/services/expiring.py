"""Sessions whose two weeks are over: the store removes them by itself; then its files are to forget them, too."""

from __future__ import annotations

from datetime import timedelta

from acts.queues import take_each
from acts.site import table
from store import keys
from store.forgetting import to_forget
from store.log import as_text, utc_now
from store.table import Item, Refused

from .. import repository

LATER = timedelta(minutes=10)  # by when nobody reads anything of them
A_SWEEP = 1000


def _upto() -> str:
    return as_text(utc_now() - LATER)


def is_due() -> bool:
    return bool(table().page(keys.games_kept(_upto()), limit=1).items)


def forget_expired() -> int:
    """What the worker has not removed yet is removed first, so that it is forgotten with the rest."""
    gone = repository.expired(_upto())
    while gone and table().sweep(A_SWEEP) == A_SWEEP:
        pass
    return take_each(gone, _forget)


def _forget(line: Item) -> bool:
    try:
        table().write(repository.forgetting(line), to_forget())
    except Refused:  # its host has removed it
        return False
    return True
