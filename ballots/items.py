"""The item types that ballots store."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from elections.items import BY_CHANCE
from elections.turnout.disclosure import after_the_close, before_the_close_only, of_a_named_voter
from store import keys
from store.replay import Exempt
from store.schema import Export, ItemType, Sheet
from store.table import Item, Key

from . import personal_data


def is_secret(ballot: Item) -> bool:
    return "voter_name" not in ballot


def is_withdrawn(ballot: Item) -> bool:
    return "withdrawn" in ballot


def by_code(ballot: Item) -> Key:
    """In the first shard: the log does not record which shard a ballot was in."""
    return Key(keys.first_shard(ballot["PK"]), keys.ballot("", ballot["confirmation"]).sk)


ITEMS = (
    ItemType("gate", keys.gate, "open:bool as_of voted:int paper:int withdrawn:int extra:int",
             rule=before_the_close_only("open", "as_of"), replay=(Exempt(BY_CHANCE, summed=True),)),
    ItemType("ballot", keys.ballot, "voter_name:person rankings when_cast weight:int",
             "confirmation withdrawn:bool",
             rule=of_a_named_voter, lists=tuple(keys.ballots_by_time("")), replay=(
                 Exempt("The log says how many secret ballots were withdrawn, not which.", where=is_withdrawn),
                 Exempt("Secret ballots are logged when the election is sealed, without the hashes under which they "
                        "lie: from then on they are compared by code, until publication deletes them.",
                        where=is_secret, until=keys.result(""), named=by_code, may_be_gone=True),),
             sheets=(
                 Sheet("ballots", _("Ballots"), _("Public elections list ballots by voter; closed secret elections "
                                                  "list them by code, without voters."),
                       "election_name ballot voter_name rankings when_cast", "election_name ballot", "election ballot"),
                 Sheet("rankings", _("Rankings"), _("One row per ballot and candidate, with the rank of the candidate "
                                                    "on that ballot."),
                       "election_name ballot candidate_name place", "election_name ballot candidate_name",
                       "election ballot")),
             exports=(Export("ballots", _("ballots.json: your ballots, as far as they can still be linked to you."),
                             personal_data.export_ballots),)),
    ItemType("station", keys.station, "election_name:election id name opened_at",
             "turn:int paired:int device visit visitor since picked:bool", replay=(
                 Exempt("Which browser is in the booth, and who: the log has nothing of either.",
                        "turn paired device visit visitor since picked"),)),
    ItemType("station code", keys.station_code, hidden="election_name:election station_id ttl:int",
             replay="The log contains no credentials; the desk shows another code."),
    ItemType("published ballots", keys.published, "ballots:list", inside="confirmation rankings weight voter_name",
             rule=after_the_close, replay=(
                 Exempt("Ballots are written for publication before the result is sealed, and take effect with it.",
                        until=keys.result("")),)),
)  # fmt: skip
