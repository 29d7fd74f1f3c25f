"""Renaming a draft: its items move to the keys of the new name.

One transaction creates the election under the new name and removes the old one; a background task moves candidates and
voters. Until then `renamed_from` is set, the election cannot be changed, and the old name stays taken.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from acts.background import Batch, Task, finished
from acts.storage import table
from acts.versions import unchanged
from elections import repository
from elections.repository import RENAMING
from elections.rules import Election
from pages import markdown_cache
from store import keys, sharded_reads
from store.table import Delete, Equals, Exists, Item, Key, Missing, Put, Update, Write

ITEMS_PER_BATCH = 30  # of one transaction: each is made there, removed here, and may have a task


def rename(election: Election, name: str, stored: Item) -> list[Write]:
    """Refused in part 0 or the last two if the name is taken; elsewhere, if the election has changed since."""
    after = replace(election, name=name, renamed_from=election.name, version=election.version + 1)
    created, *others = repository.creation(after)
    people = {keys.fold(each): each for each in (election.owner_name, *election.managers)}
    helpers = [each for folded, each in people.items() if folded != keys.fold(election.owner_name)]
    *listed, moved_out, cleared = others
    return [
        Put({**stored, **created.item}, when=Missing()),
        *listed,
        *(repository.manager_entry(after, each) for each in helpers),
        Delete(keys.election(election.name), when=unchanged(election)),
        Delete(keys.listed_election(election.name)),
        *(Delete(keys.manager(election.name, each)) for each in people.values()),
        _rename_task(after),
        moved_out,
        cleared,
    ]


def _rename_task(renamed: Election) -> Put:
    old, created_at, shards = renamed.renamed_from, renamed.created_at, renamed.shards
    return RENAMING.begin(old, new_name=renamed.name, created_at=created_at, shards=shards)


@RENAMING.step
def rename_batch(task: Task) -> Batch:
    old, shards = task.subject, task.data["shards"]
    partitions = [keys.all_of_election(old), *keys.all_in_shards(old, shards)]
    left = list(islice(sharded_reads.each(table(), partitions), ITEMS_PER_BATCH))
    if left:
        return Batch([write for item in left for write in _moving(item, task)])
    arrived = Equals("renamed_from", old)
    return finished(Update(keys.election(task.data["new_name"]), set={"renamed_from": ""}, when=arrived))


def _moving(item: Item, task: Task) -> list[Write]:
    """Move an item to the new name. Cached HTML is dropped: a batch of it would exceed one transaction."""
    old, new, created_at = task.subject, task.data["new_name"], task.data["created_at"]
    moved = {**markdown_cache.without_long_html(item), "PK": keys.under_new_name(item["PK"], old, new)}
    if "election_name" in item:
        moved["election_name"] = new
    if item.get("GSI1SK") == keys.by_date(created_at, old):
        moved["GSI1SK"] = keys.by_date(created_at, new)
    is_import = {"digest", "asked_by"} <= item.keys()
    tasks = [repository.import_task(new, item["digest"], item["asked_by"])] if is_import else []
    return [Put(moved), Delete(Key(item["PK"], item["SK"]), when=Exists()), *tasks]
