"""The item and event types of ballots."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from elections.turnout.counts import after_the_close, before_the_close_only, of_a_named_voter
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, Sheet

from . import personal_data
from .rules import Ballot

ITEMS = (
    ItemType("gate", keys.gate, "open:bool as_of voted:int paper:int withdrawn:int extra:int",
             "voted_*:int paper_*:int withdrawn_*:int extra_*:int",  # where there are several questions, in each
             rule=before_the_close_only("open", "as_of")),
    ItemType("ballot", keys.ballot, "voter_name:person rankings when_cast weight:int",
             "confirmation withdrawn:bool", replayed="voter_name rankings when_cast confirmation weight", value=Ballot,
             rule=of_a_named_voter, lists=(*keys.ballots_by_time(""), *keys.ballots_by_time("", question=2)),
             sheets=(
                 Sheet("ballots", _("Ballots"), _("Public elections list ballots by voter; closed secret elections "
                                                  "list them by code, without voters."),
                       "election_name question ballot voter_name rankings when_cast", "election_name question ballot",
                       "election question ballot"),
                 Sheet("rankings", _("Rankings"), _("One row per ballot and candidate, with the rank of the candidate "
                                                    "on that ballot."),
                       "election_name question ballot candidate_name place",
                       "election_name question ballot candidate_name", "election question ballot")),
             exports=(Export("ballots", _("ballots.json: your ballots, as far as they can still be linked to you."),
                             personal_data.export_ballots),)),
    ItemType("published ballots", keys.published, "ballots:list", inside="confirmation rankings weight voter_name",
             rule=after_the_close),
)  # fmt: skip

EVENTS = (
    EventType("BallotCast", "election_name voter_name:person changed:bool rankings answers:list "
              "paper:bool account weight:int", "confirmation"),
    EventType("BallotChanged", "election_name again:bool weight:int questions:list"),
    EventType("BallotWithdrawn", "election_name voter_name:person account weight:int questions:list"),
    EventType("BallotsSealed", "election_name question:int part:int parts:int ballots:list",
              inside="confirmation rankings weight"),
)  # fmt: skip
