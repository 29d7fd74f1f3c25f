"""A store tells its format on every engine, in both of its tables."""

from __future__ import annotations

from foundation.store import formats, keys
from foundation.store.table import LOG, Put


def test_a_format_is_told_by_both_tables_and_never_goes_back(table):
    assert formats.format_of(table) is None
    formats.prepare(table)
    assert formats.format_of(table) == formats.FORMAT
    formats.mark_step(table, formats.FORMAT, ("one",))
    formats.mark_step(table, formats.FORMAT + 1, ("one", "two"))  # of another format, so that it says nothing
    assert formats.steps_done(table) == ("one",)
    formats.mark(table, formats.FORMAT + 1)
    assert formats.steps_done(table) == ()
    assert formats.is_too_new(table.get_many(formats.PLACES))


def test_if_its_tables_differ_a_store_has_the_older_format(table):
    formats.mark(table, 1)
    table.write(Put({"PK": keys.LOG_FORMAT.pk, "SK": keys.LOG_FORMAT.sk, "number": 0}, table=LOG))
    assert formats.format_of(table) == 0
