"""Requests to organisers in the table: the inbox, a person's own, and the writes that keep both."""

from __future__ import annotations

from dataclasses import asdict, replace

from django.utils.translation import gettext_lazy as _

from elections.rules import Election
from foundation.acts.background import OVERWRITE, TaskType
from foundation.acts.storage import table, unchanged
from foundation.store import keys
from foundation.store.table import AllOf, Check, Delete, Equals, Item, Less, Missing, Put, Update, Write

from . import rules
from .rules import Asker, HelpRequest, Reply

TELLING = TaskType("tell of requests", _("Mailing organisers that requests wait"))
FORGETTING = TaskType("forget requests", _("Deleting requests of elections that closed long ago"))
MAX_OWN = 10  # of somebody's requests in one election, on the page where they ask


def find(name: str, request_id: str) -> HelpRequest | None:
    item = table().get(keys.help_request(name, request_id))
    return request_of(item) if item else None


def list_requests(
    election_name: str, state: str, *, limit: int, cursor: str | None = None
) -> tuple[list[HelpRequest], str | None]:
    """A page of the inbox: the longest waiting first, or the latest that were answered."""
    backwards = state == rules.ANSWERED
    page = table().page(keys.requests_in(election_name, state), limit=limit, cursor=cursor, backwards=backwards)
    return [request_of(item) for item in page.items], page.cursor


def own_requests(election_name: str, asker: str, account_made: str) -> list[HelpRequest]:
    """The latest that an account has sent; those of an earlier account of that name are not its own."""
    entries = table().page(keys.requests_sent_in(election_name, asker), limit=10 * MAX_OWN).items
    places = [keys.help_request(election_name, entry["request"]) for entry in entries]
    found = map(request_of, table().get_many(places).values()) if places else ()
    own = [each for each in found if each.asker.account_made == account_made]
    return sorted(own, key=lambda each: each.asked_at, reverse=True)[:MAX_OWN]


def waiting(election_name: str) -> int:
    return waiting_in(table().get(keys.help_desk(election_name)))


def waiting_in(item: Item | None) -> int:
    return max(0, (item or {}).get("waiting", 0))


# --- items ---


def request_of(item: Item) -> HelpRequest:
    fields = {name: item[name] for name in ("id", "election_name", "text", "asked_at", "language", "state")}
    replies = tuple(Reply(**each) for each in item["replies"])
    return HelpRequest(**fields, asker=Asker(**item["asker"]), replies=replies, version=item["version"])


def _item(request: HelpRequest) -> Item:
    index = keys.requests_in(request.election_name, request.state).pk, keys.id_by_date(request.asked_at, request.id)
    fields = asdict(request) | {"replies": [asdict(each) for each in request.replies]}
    place = keys.help_request(request.election_name, request.id)
    return {**place.item, "GSI1PK": index[0], "GSI1SK": index[1], **fields}


# --- writes ---


def sending(election: Election, request: HelpRequest) -> list[Write]:
    """Refused in part 0 if the inbox is full."""
    name, sender = request.election_name, request.asker.listed_by
    counts = {"waiting": 1} | ({} if request.asker.is_known else {"strangers": 1})
    most = {"waiting": rules.MAX_WAITING, "strangers": rules.MAX_WAITING_OF_STRANGERS}
    has_room = AllOf(tuple(Less(each, most[each]) | Missing(each) for each in counts))
    entry = {"election_name": name, "sender": sender, "request": request.id}
    index = {"GSI1PK": keys.requests_sent_by(sender).pk, "GSI1SK": keys.id_by_date(request.asked_at, request.id)}
    return [
        Update(keys.help_desk(name), add=counts, when=has_room),
        Put(_item(request), when=Missing()),
        Put({**keys.sent_request(name, sender, request.id).item, **index, **entry}),
        Check(keys.election(name), Equals("created_at", election.created_at)),
    ]


def answering(before: HelpRequest, reply: Reply) -> list[Write]:
    """Refused if it was answered since it was read."""
    after = replace(before, state=rules.ANSWERED, replies=(*before.replies, reply), version=before.version + 1)
    changed = {name: value for name, value in _item(after).items() if name not in ("PK", "SK")}
    place = keys.help_request(before.election_name, before.id)
    return [Update(place, set=changed, when=unchanged(before)), *_one_fewer(before)]


def _one_fewer(request: HelpRequest) -> list[Write]:
    if request.state != rules.WAITING:
        return []
    counts = {"waiting": -1} | ({} if request.asker.is_known else {"strangers": -1})
    return [Update(keys.help_desk(request.election_name), add=counts)]


def forgetting(request: HelpRequest) -> list[Write]:
    """With everything that was written."""
    entry = keys.sent_request(request.election_name, request.asker.listed_by, request.id)
    own = Delete(keys.help_request(request.election_name, request.id), when=unchanged(request))
    return [own, Delete(entry), *_one_fewer(request)]


def task(task_type: TaskType, election: Election, due: str) -> Put:
    """Overwrites the one that waits, which then covers this request as well."""
    return task_type.begin(election.name, due=due, when=OVERWRITE, created_at=election.created_at)
