"""The item and event types of results, and of the site's own page."""

from django.utils.translation import gettext_lazy as _

from elections import event_sentences as sentences
from elections.items import OUTCOME
from elections.turnout.counts import after_the_close
from foundation.photos.photos import Photo
from foundation.store import keys
from foundation.store.schema import EventType, ItemType, Sheet, fields_of

SITE_PAGE = f"title address words link {fields_of(Photo)}"  # inside its links, projects and picture

ITEMS = (
    ItemType("lot secret", keys.lots, hidden="secret"),
    ItemType("result", keys.result, "ballots:int candidates:list digest report_digest sealed_at parts:int voted:int "
             "paper:int withdrawn:int extra:int steps:list groups:list lots_secret seed equals:bool brief:map "
             "people:int", "roll_secret", rule=after_the_close,
             replayed="ballots candidates digest report_digest sealed_at withdrawn lots_secret seed"),
    ItemType("result's text", keys.result_part, "text", rule=after_the_close),
    ItemType("rankings", keys.counted_part, "text", rule=after_the_close),
    ItemType("public result", keys.shared_result, f"election_name:election ballots:int method {OUTCOME}",
             lists=(keys.SHARED_RESULTS,)),
    ItemType("pending seal", keys.sealing, "election_name:election parts:int of:int sealed:int ballots:int "
             "removing:bool", lists=(keys.SEALING,)),
    ItemType("site page", keys.SITE_PAGE, "name colour text text_html html_version:int links:list projects:list "
             "photo:map hides_example:bool version:int", inside=SITE_PAGE, sheets=(
                 Sheet("site-page", _("Site page"), _("What the site says about itself, part by part."),
                       "part number title words address", "part number"),)),
)  # fmt: skip

EVENTS = (
    EventType("ResultSealed", "election_name ballots:int digest report_digest sealed_at roll_commitment "
              "lots_secret winners:list withdrawn:int question:int",
              "seed summary:any", sentence=sentences.result_sealed),
    EventType("SitePageEdited", "part name colour text links:list projects:list photo:map "
              "hides_example:bool", inside=SITE_PAGE),
    EventType("SitePageRemoved"),
)  # fmt: skip
