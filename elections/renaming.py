"""A draft under another name: its items follow it there, whoever dies on the way.

One recorded transaction makes the election under its new name and removes it under the old one, where it leaves a mark
behind. Candidates and voters are more than fit one transaction, so they follow a handful at a time. Whoever comes by
takes that to its end: the one who renamed it, a worker, or the next organiser to look. Until then the election says
where it came from (`renamed_from`) and nothing about it can be changed; and nobody can take the old name.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from acts.again import go_on
from acts.queues import take_each
from acts.site import table
from acts.versions import unchanged
from pages import rendered
from store import keys
from store.table import Delete, Equals, Exists, Item, Key, Missing, Put, Span, Update, Write

from . import repository
from .rules import Election

A_HANDFUL = 45  # items of one transaction: each is made there and removed here


def rename(election: Election, name: str, stored: Item) -> list[Write]:
    """Refused in part 0 or the last two if the name is taken; elsewhere, if anybody changed the election since."""
    after = replace(election, name=name, renamed_from=election.name, version=election.version + 1)
    created, *others = repository.creation(after)
    people = {keys.fold(each): each for each in (election.owner_name, *election.managers)}
    helpers = [each for folded, each in people.items() if folded != keys.fold(election.owner_name)]
    *listed, moved_out, cleared = others
    return [
        Put({**stored, **created.item}, when=Missing()),
        *listed,
        *(repository.runner(after, each) for each in helpers),
        Delete(keys.election(election.name), when=unchanged(election)),
        Delete(keys.listed_election(election.name)),
        *(Delete(keys.manager(election.name, each)) for each in people.values()),
        _mark(election, name),
        moved_out,
        cleared,
    ]


def _mark(election: Election, name: str) -> Put:
    place = keys.renamed(election.name)
    index = {"GSI1PK": keys.RENAMED.pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    words: Item = {"name": election.name, "renamed_to": name, "created_at": election.created_at}
    words |= {"shards": election.shards} if election.shards > 1 else {}
    return Put({"PK": place.pk, "SK": place.sk, **index, **words})


# --- what follows ---


def finish_all() -> int:
    """Take every renaming that was cut short to its end; answers how many there were."""
    return take_each(list(table().each(keys.RENAMED)), lambda mark: finish(mark["name"]))


def finish(old: str) -> bool:
    """Bring what is left under the old name to the new one. Any number may do this at once."""
    return go_on(partial(_step, old))


def _step(old: str) -> bool | None:
    """The next handful; answers whether that was the last one, once nothing is left."""
    mark = table().get(keys.renamed(old))
    if mark is None:
        return False
    left = _left(old, mark.get("shards", 1))
    if not left:
        table().write(*_end(mark))
        return True
    table().write(*(write for item in left for write in _brought(item, mark)))
    return None


def _left(old: str, shards: int) -> list[Item]:
    """The next of what is still under the old name, besides the mark."""
    for span in (keys.all_of_election(old), *keys.all_in_shards(old, shards)):
        if left := _left_in(span, keys.renamed(old).sk):
            return left
    return []


def _left_in(span: Span, mark: str) -> list[Item]:
    cursor = None
    while True:
        page = table().page(span, limit=A_HANDFUL + 1, cursor=cursor)
        left = [item for item in page.items if item["SK"] != mark][:A_HANDFUL]
        if left or (cursor := page.cursor) is None:
            return left


def _brought(item: Item, mark: Item) -> list[Write]:
    """The item under the new name, and no longer under the old; all it holds stays as it is, but long HTML is left
    behind: a handful of that is too much for one transaction, and it is made again for whoever looks."""
    moved = {**rendered.lightened(item), "PK": keys.under_new_name(item["PK"], mark["name"], mark["renamed_to"])}
    if "election_name" in item:
        moved["election_name"] = mark["renamed_to"]
    if item.get("GSI1SK") == keys.by_date(mark["created_at"], mark["name"]):
        moved["GSI1SK"] = keys.by_date(mark["created_at"], mark["renamed_to"])
    return [Put(moved), Delete(Key(item["PK"], item["SK"]), when=Exists())]


def _end(mark: Item) -> list[Write]:
    here = Equals("renamed_from", mark["name"])
    return [
        Delete(keys.renamed(mark["name"]), when=Exists()),
        Update(keys.election(mark["renamed_to"]), set={"renamed_from": ""}, when=here),
    ]


def found(name: str) -> Election | None:
    """The election of that name, with everything it had under another."""
    election = repository.find(name)
    if election is None or not election.renamed_from:
        return election
    finish(election.renamed_from)
    return repository.find(name)
