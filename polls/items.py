"""Item types of polls."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.personal_data import count_items, list_items
from elections.items import BY_CHANCE, HTML
from results.items import NOT_SEALED
from store import keys
from store.replay import Exempt
from store.schema import Export, ItemType, Parting

LISTED = "id title createdAt expiresAt closedAt time_zone ttl:int"

ITEMS = (
    ItemType("poll", keys.poll, f"{LISTED} candidates:list goneAt maker:person description description_html "
             "html_version:int sign_in:bool results_hidden:bool listed:bool version:int kind most:int",
             "closing:person code hiddenAt key shards:int", inside="number name", lists=(keys.polls_ending(),), replay=(
                 Exempt(HTML, "description_html html_version"),
                 Exempt("The log contains no access keys, and does not record whether a worker still has to process "
                        "the poll.", "key GSI1PK GSI1SK")),
             left_behind="What is left of a deleted poll if its deletion was interrupted."),
    ItemType("poll of a person", keys.made_poll, LISTED, "hiddenAt", lists=(keys.made_by(""),),
             exports=(Export("polls", _("polls.json: polls you have made."),
                             list_items(keys.made_by, poll="id", title="title", made_at="createdAt")),),
             partings=(Parting(count_items(keys.made_by), (
                 ngettext_lazy("%(count)d poll passes to the owner of the site.",
                               "%(count)d polls pass to the owner of the site.", "count"),)),)),
    ItemType("public poll", keys.listed_poll, LISTED, "hiddenAt", lists=(keys.PUBLIC_POLLS,)),
    ItemType("poll's gate", keys.poll_gate, "open:bool as_of voted:int ttl:int",
             replay=(Exempt(BY_CHANCE, summed=True),)),
    ItemType("poll's vote", keys.vote, hidden="id pollId rankings acts:int votedAt ttl:int",
             closed_lists=tuple(keys.votes_by_time(""))),
    ItemType("poll's result", keys.poll_result, "votes:int digest sealedAt ttl:int", "report:bytes"),
    ItemType("poll's counts", keys.poll_counted_part, hidden="counted:bytes digest ttl:int",
             replay=(Exempt(NOT_SEALED, until=keys.poll_result("")),)),
    ItemType("short code", keys.short_code, hidden="poll game ended_at ttl:int"),
)  # fmt: skip
