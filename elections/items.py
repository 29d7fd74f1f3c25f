"""Item and event types of elections: rolls, mailings, groups."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.personal_data import count_items, list_items
from elections.turnout.counts import before_the_close_only, who_is_on_the_roll
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, RemovalEffect, Sheet, fields_of
from foundation.store.table import Span

from . import event_sentences as sentences
from . import personal_data
from .convening import Convened
from .invitations import recipients
from .rolls import Voter
from .rules import Election, Question

OUTCOME = "sealed_at winners:list winner_count:int seats:int vote:list by_lot:list questions:int decided:int"
LISTED = (
    "name:election state no_voting_before no_voting_after created_at closing time_zone remind_before:list "
    "for_groups:list "
    f"{OUTCOME}"
)
RENDERED = "html_version:int"
UNSEEN_MARKS = " ".join((*personal_data.MARKS[1:], "invited_at"))  # auditors see only whether they were invited
COUNTS = " ".join(f"{each}_{what}:int" for each in ("invited", "reminded", "timed", "messaged")
                  for what in ("queued", "sent", "failed", "nowhere", "beyond"))  # fmt: skip
WORKED_OUT = ("number", "whole")  # fields of an election that are not stored
STORED = fields_of(Election, *WORKED_OUT)
UNLOGGED = ("version", "closing", "renamed_from", "filling", "group", "answers", *WORKED_OUT)
INSIDE = f"{fields_of(Question)} {fields_of(Convened)}"  # its other questions, and who convened it

ITEMS = (
    ItemType("calendar feed", keys.calendar_feed, hidden="name:person account digest made_at"),  # by earlier versions
    ItemType("multi-question ballot", keys.multi_ballot,  # by earlier versions
             hidden="id name leader questions:list created_at version:int"),
    ItemType("election", keys.election, f"{STORED} owner_name:person managers:people convened:map filling:bool",
             inside=INSIDE,
             lists=(keys.ELECTIONS,),
             replayed=fields_of(Election, *UNLOGGED), value=Election,
             sheets=(Sheet("elections", _("Elections"), _("Every election, drafts included."), "name owner_name state "
                           "secret_ballot method seats questions electorate voter_count no_voting_before "
                           "no_voting_after created_at", "name", "name"),
                     Sheet("election-questions", _("Questions of elections"), _(
                         "What an election asks: how it is voted on and counted, and by whom."),
                         "election_name question title kind method seats fewest most majority unranked for_groups",
                         "election_name question", "election"))),
    ItemType("description", keys.description, f"description description_html {RENDERED}", replayed="description"),
    ItemType("election list", keys.listed_election, LISTED, lists=(keys.elections_in_state(""),)),
    ItemType("manager", keys.manager, f"{LISTED} person:person", lists=(keys.run_by(""),),
             exports=(Export("elections", _("elections.json: elections you run or help to run."),
                             list_items(keys.run_by, election="name", state="state", made_at="created_at")),),
             removal_effects=(RemovalEffect(count_items(keys.run_by), (ngettext_lazy(
                 "%(count)d election passes to the site's owner, or stays with its other organisers.",
                 "%(count)d elections pass to the site's owner, or stay with their other organisers.",
                 "count"),)),)),
    ItemType("candidate", keys.candidate, f"election_name:election candidate_name number:int statement link "
             f"statement_html {RENDERED} photo:map",
             replayed="election_name candidate_name number statement link", value=Candidate, sheets=(
                 Sheet("candidates", _("Candidates"), _("The people or options on the ballot."),
                       "election_name:election question candidate_name number statement link",
                       "election_name question candidate_name", "election question begins", lambda query: Span(
                           keys.election(query.election).pk,
                           keys.candidate(query.election, query.begins, query.question or 1).sk)),)),
    ItemType("voting times", keys.turnout, "since:int counted:int ends closed:bool", "h*:int d*:int",
             rule=before_the_close_only("since", "ends", "closed")),

    # the roll
    ItemType("voter", keys.voter, "election_name:election voter_name:person account voted:bool paper:bool invited "
             "groups:list weight:int",
             "display_name postal:list language check letter_turn:int letter_batch:int acts:int left_alone:bool "
             f"links:list {UNSEEN_MARKS}",
             replayed="election_name voter_name account voted paper groups weight", value=Voter,
             rule=who_is_on_the_roll, lists=(keys.elections_of_voter(""),),
             sheets=(Sheet("voters", _("Voters"), _("Who is on the roll of an election, and whether they have voted."),
                           "election_name voter_name groups weight voted paper", "election_name voter_name",
                           "election begins"),),
             exports=(Export("rolls", _("rolls.json: elections you may vote in or have voted in, and the mails you "
                                        "got about them in the last 30 days."), personal_data.rolls),)),
    ItemType("open mark", keys.open_mark, "created_at"),
    ItemType("open election", keys.for_everyone, "election_name:election", lists=(keys.FOR_EVERYONE,)),
    ItemType("public election", keys.public_election, "election_name:election", lists=(keys.PUBLIC_ELECTIONS,)),

    # mailings
    ItemType("mail counts", keys.mail_counts, COUNTS, "announced*:int announcing first_invited invited_until "
             "reminded_until reminded_once:int timed_until"),
    ItemType("failed mail", keys.failed_mail, "kind reason detail", "number about:map"),
    ItemType("message", keys.message, f"subject text written_by:person written_at text_html {RENDERED}",
             "messaged*:any"),
    ItemType("reminders", keys.reminders, "from last_sent"),
    ItemType("own mail text", keys.invitation_words, "election_name:election subject text author:map answers:map "
             f"written_at text_html {RENDERED}"),
    ItemType("requested links", keys.link_request, "answers:int until:int ttl:int", "turn:int listed"),
    ItemType("opted out", keys.quiet, hidden="address:address",
             exports=(Export("results_by_mail", "", recipients.export_opt_out),)),

    # groups
    ItemType("group", keys.group, "id name owner_name:person created_at members:int version:int",
             lists=(keys.groups_of(""),), sheets=(
                 Sheet("groups", _("Groups"), _("One person's groups of voters, without the members. Enter the "
                                                "full user name."), "id name owner_name:person members created_at",
                       "id", "name", lambda query: keys.groups_of(query.name) if query.name else None),),
             exports=(Export("groups", _("groups.json: groups of voters you keep for your elections, without their "
                                         "members."), personal_data.own_groups),),
             removal_effects=(RemovalEffect(personal_data.groups_to_delete, (
                 ngettext_lazy("%(count)d group of voters is deleted.", "%(count)d groups of voters are deleted.",
                               "count"),)),)),
    ItemType("group's name", keys.group_name, "name id"),
    ItemType("group's use", keys.group_use, "election_name:election created_at"),
    ItemType("member", keys.member, hidden="group_id member_name:person account letter:map",
             closed_lists=(keys.groups_with(""),), exports=(
        Export("in_groups", _("in_groups.json: groups of voters you are in, and whose they are."),
               personal_data.groups_with),)),

    # imports in progress
    ItemType("import", keys.voter_import, "election_name:election voters:int slices:int done:int added:int unknown:int "
             "skipped grouped:bool asked_by:person moved:int ttl:int", "digest"),
    ItemType("import's rows", keys.imported_rows, "voters:people ttl:int", "details:map"),
    ItemType("pending voters", keys.filling_part, "voters:people accounts:list weights:list"),
    ItemType("pending members", keys.coming_members, hidden="token members:people accounts:list letters:list ttl:int"),
)  # fmt: skip

SETTINGS = f"election_name description {STORED} owner_name:person managers:people"
EVENTS = (
    EventType("ElectionCreated", f"{SETTINGS} convened:map", "copied_from", inside=INSIDE, sentence=sentences.created),
    EventType("ElectionUpdated", f"{SETTINGS} question:int", inside=INSIDE, sentence=sentences.updated),
    EventType("ElectionRenamed", "election_name new_name", sentence=_("%(who)s renamed the draft.")),
    EventType("ElectionOpened", "election_name editable:bool lots_commitment opened_at shows_skills:bool "
              "excluded:int extra_votes:int unasked:int more:list",
              inside=INSIDE, sentence=sentences.opened),
    EventType("InterruptionRecorded", "election_name number:int began ended happened decided recorded_at "
              "new_end corrects:int", sentence=sentences.interrupted),
    EventType("ElectionClosed", "election_name closed_at", sentence=sentences.closed),
    EventType("ElectionDeleted", "election_name state"),
    EventType("ElectionOwnerChanged", "election_name new_owner:person", sentence=sentences.handed_over),
    EventType("ManagerAdded", "election_name name:person", sentence=_("%(who)s made %(name)s a manager.")),
    EventType("ManagerRemoved", "election_name name:person", sentence=_("%(who)s removed %(name)s as a manager.")),
    EventType("CandidatesAdded", "election_name question:int candidates:list",
              inside="name number statement link", sentence=sentences.candidates_added),
    EventType("CandidateEdited", "election_name question:int candidate_name statement link",
              sentence=sentences.candidate_edited),
    EventType("CandidatesRemoved", "election_name question:int candidates:list", sentence=sentences.candidates_removed),
    EventType("CandidatePictured", "election_name question:int candidate_name photo:map", inside="id",
              sentence=sentences.candidate_pictured),
    EventType("VotersAdded", "election_name voters:people accounts:list groups:list "
              "weights:list reason request",
              sentence=sentences.voters_added),
    EventType("VotersGrouped", "election_name voters:people groups:list", sentence=sentences.voters_grouped),
    EventType("VotersWeighted", "election_name voters:people weights:list", sentence=sentences.voters_weighted),
    EventType("VotersReaddressed", "election_name voters:people",
              sentence=_("%(who)s changed the details for letters to voters.")),
    EventType("VotersRemoved", "election_name voters:people", sentence=sentences.voters_removed),
    EventType("VoterAddressCorrected", "election_name voter:person address:address",
              sentence=_("%(who)s corrected an address on the roll.")),
    EventType("GroupUsed", "election_name group_id", sentence=_("%(who)s added one of their groups to the roll.")),
    EventType("VotersInvited", "election_name", sentence=_("%(who)s invited the voters who had not been invited yet.")),
    EventType("VoterInvitedAgain", "election_name voter:person",
              sentence=_("%(who)s sent one voter the invitation again.")),
    EventType("VotersReminded", "election_name hours_before:int", sentence=sentences.reminded),
    EventType("VotersMessaged", "election_name subject on_roll:int", "message",
              sentence=_("%(who)s sent a message to all voters.")),
    EventType("ResultMailed", "election_name", sentence=_("%(who)s mailed the result to the voters.")),
    EventType("InvitationWorded", "election_name", "words answers_to_organiser:bool",
              sentence=_("%(who)s changed the text of the invitation.")),
    EventType("InvitationTested", "election_name", sentence=_("%(who)s sent themselves a test mail.")),
    EventType("RemindersDeclined", "election_name voter_name:person"),
    EventType("ElectionNotFilled", "election_name sentence", sentence=sentences.not_filled),
    EventType("GroupMade", "group_id name created_at", "source:list"),
    EventType("GroupRenamed", "group_id name"),
    EventType("GroupMembersAdded", "group_id accounts:list", "members:people"),
    EventType("GroupMembersRemoved", "group_id", "members:people"),
    EventType("GroupDeleted", "group_id at"),
    # several elections tied together, as earlier versions did
    EventType("BookMade", "book_id name questions:list created_at"),
    EventType("BookChanged", "book_id name questions:list"),
    EventType("BookTakenApart", "book_id"),
    EventType("BookOpened", "book_id"),
    EventType("BookExtended", "book_id no_voting_after"),
    EventType("BookClosed", "book_id"),
)  # fmt: skip
