"""Item and event types of polls."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.personal_data import count_items, list_items
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, RemovalEffect

LISTED = "id title createdAt expiresAt closedAt time_zone ttl:int"

ITEMS = (
    ItemType("poll", keys.poll, f"{LISTED} candidates:list goneAt maker:person description description_html "
             "html_version:int sign_in:bool results_hidden:bool listed:bool version:int kind most:int",
             "closing:person code hiddenAt key shards:int", inside="number name", lists=(keys.polls_ending(),)),
    ItemType("poll of a person", keys.made_poll, LISTED, "hiddenAt", lists=(keys.made_by(""),),
             exports=(Export("polls", _("polls.json: polls you have made."),
                             list_items(keys.made_by, poll="id", title="title", made_at="createdAt")),),
             removal_effects=(RemovalEffect(count_items(keys.made_by), (
                 ngettext_lazy("%(count)d poll passes to the owner of the site.",
                               "%(count)d polls pass to the owner of the site.", "count"),)),)),
    ItemType("public poll", keys.listed_poll, LISTED, "hiddenAt", lists=(keys.PUBLIC_POLLS,)),
    ItemType("poll's gate", keys.poll_gate, "open:bool as_of voted:int ttl:int"),
    ItemType("poll's vote", keys.vote, hidden="id pollId rankings acts:int votedAt ttl:int",
             closed_lists=tuple(keys.votes_by_time(""))),
    ItemType("poll's result", keys.poll_result, "votes:int digest sealedAt ttl:int", "report:bytes"),
    ItemType("poll's counts", keys.poll_counted_part, hidden="counted:bytes digest ttl:int"),
    ItemType("short code", keys.short_code, hidden="poll game ended_at ttl:int"),
)  # fmt: skip

EVENTS = (
    EventType("PollCreated", "id title candidates:list createdAt goneAt maker:person description time_zone "
              "expiresAt sign_in:bool results_hidden:bool listed:bool closedAt closing:person version:int shards:int "
              "kind most:int",
              "code hiddenAt", inside="name number"),
    EventType("PollVoteCast", "poll_id changed:bool", "vote_id rankings votedAt"),
    EventType("PollUpdated", "poll_id title description expiresAt time_zone maker:person goneAt "
              "sign_in:bool results_hidden:bool"),
    EventType("PollReopened", "poll_id expiresAt goneAt time_zone"),
    EventType("PollListed", "poll_id"),
    EventType("PollUnlisted", "poll_id"),
    EventType("PollHidden", "poll_id", "hiddenAt"),
    EventType("PollShown", "poll_id"),
    EventType("PollReported", "poll_id", "report_id reason reportedAt"),  # by earlier versions
    EventType("PollReportsDismissed", "poll_id", "dismissedAt"),  # by earlier versions
    EventType("PollClosed", "poll_id closedAt"),
    EventType("PollDeleted", "poll_id"),
    EventType("PollResultSealed", "poll_id votes:int digest report_digest", "sealedAt"),
)  # fmt: skip
