"""Item and event types of polls."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.personal_data import count_items, list_items
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, RemovalEffect, Sheet

from .rules import Poll
from .sheets import read_options, read_votes

LISTED = "id title createdAt expiresAt closedAt time_zone ttl:int"

ITEMS = (
    ItemType("poll", keys.poll, f"{LISTED} candidates:list goneAt maker:person description description_html "
             "html_version:int sign_in:bool results_hidden:bool listed:bool version:int kind most:int",
             "closing:person code hiddenAt key shards:int", inside="number name", value=Poll,
             lists=(keys.polls_ending(),), sheets=(
                 Sheet("polls", _("Polls"), _("Public polls, latest first. Enter a full name to see one person's "
                                              "polls."),
                       "id title kind maker:person createdAt expiresAt closedAt", "id", "name",
                       lambda asked: keys.made_by(asked.name) if asked.name else keys.PUBLIC_POLLS, backwards=True,
                       leads=((_("Options"), "poll-options", "id"), (_("Votes"), "poll-votes", "id")),
                       whole=lambda entry: keys.poll(entry["id"])),
                 Sheet("poll-options", _("Options of polls"), _("What one poll asks people to choose from. Enter its "
                                                               "id."),
                       "poll number name", "poll number", "name", read=read_options))),
    ItemType("poll of a person", keys.made_poll, LISTED, "hiddenAt", lists=(keys.made_by(""),),
             exports=(Export("polls", _("polls.json: polls you have made."),
                             list_items(keys.made_by, poll="id", title="title", made_at="createdAt")),),
             removal_effects=(RemovalEffect(count_items(keys.made_by), (
                 ngettext_lazy("%(count)d poll passes to the owner of the site.",
                               "%(count)d polls pass to the owner of the site.", "count"),)),)),
    ItemType("public poll", keys.listed_poll, LISTED, "hiddenAt", lists=(keys.PUBLIC_POLLS,)),
    ItemType("poll's gate", keys.poll_gate, "open:bool as_of voted:int ttl:int"),
    ItemType("poll's vote", keys.vote, hidden="id pollId rankings acts:int votedAt ttl:int",
             closed_lists=tuple(keys.votes_by_time("")), sheets=(
                 Sheet("poll-votes", _("Votes in polls"), _("The votes in one poll after it is closed and counted, "
                                                            "without voters and times. Enter its id."),
                       "poll vote ranking", "poll vote", "name", read=read_votes),)),
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
