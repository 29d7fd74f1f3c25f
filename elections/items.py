"""Stored item types of elections: rolls, mailings, groups, multi-question ballots."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.personal_data import count_items, list_items
from store import keys
from store.replay import Exempt
from store.schema import Export, ItemType, Parting, Sheet, fields_of
from store.table import Span

from . import personal_data
from .convening import Convened
from .help_desk import personal_data as own_requests
from .interruption import Interruption
from .invitations import opt_out
from .multi_ballots.rules import MultiBallot
from .public import feed
from .rules import Election
from .turnout.disclosure import before_the_close_only, who_is_on_the_roll

OUTCOME = "sealed_at winners:list winner_count:int seats:int vote:list by_lot:list"
LISTED = (
    "name:election state no_voting_before no_voting_after created_at closing time_zone remind_before:list book "
    "for_groups:list "
    f"{OUTCOME}"
)
RENDERED = "html_version:int"
UNSEEN_MARKS = " ".join((*personal_data.MARKS[1:], "invited_at"))  # auditors see only whether they were invited
MARKS = f"{personal_data.MARKS[0]} {UNSEEN_MARKS}"
COUNTS = " ".join(f"{each}_{what}:int" for each in ("invited", "reminded", "timed", "messaged")
                  for what in ("queued", "sent", "failed", "nowhere", "beyond"))  # fmt: skip

HTML = "The rendered HTML depends on the version of the program; the text itself is compared."
MAILS = "Which mails were sent and which failed; their texts are not logged."
REQUESTS = "What people ask, and what is answered, is private and deleted after a while; the log has only that it was."
QUESTIONS = "Questions and answers are deleted with the election; the log would keep them."
UPVOTES = "Upvotes are not logged."
BY_CHANCE = "Voters are spread over the gates at random; only the total is compared."

ITEMS = (
    ItemType("calendar feed", keys.calendar_feed, hidden="name:person account digest made_at",
             replay="The log contains no credentials; people create another address.",
             exports=(Export("calendar", _("calendar.json: since when you have had an address for your calendar."),
                             feed.personal_data),)),
    ItemType("election", keys.election, f"{fields_of(Election)} owner_name:person managers:people convened:map "
             "interruptions:list filling:bool", inside=f"{fields_of(Convened)} {fields_of(Interruption)}",
             lists=(keys.ELECTIONS,),
             replay=(Exempt("Candidates and voters are copied into a draft in batches, and each has "
                            "an event.", "filling"),),
             left_behind="What is left of a deleted election if its deletion was interrupted.",
             sheets=(Sheet("elections", _("Elections"), _("Every election, drafts included."), "name owner_name state "
                           "secret_ballot method seats electorate voter_count no_voting_before no_voting_after "
                           "created_at", "name", "name"),)),
    ItemType("description", keys.description, f"description description_html {RENDERED}",
             replay=(Exempt(HTML, "description_html html_version"),)),
    ItemType("election list", keys.listed_election, LISTED, lists=(keys.elections_in_state(""),)),
    ItemType("manager", keys.manager, f"{LISTED} person:person", lists=(keys.run_by(""),),
             exports=(Export("elections", _("elections.json: elections you run or help to run."),
                             list_items(keys.run_by, election="name", state="state", made_at="created_at")),),
             partings=(Parting(count_items(keys.run_by), (ngettext_lazy(
                 "%(count)d election passes to the site's owner, or stays with its other organisers.",
                 "%(count)d elections pass to the site's owner, or stay with their other organisers.",
                 "count"),)),)),
    ItemType("candidate", keys.candidate, f"election_name:election candidate_name number:int statement link "
             f"statement_html {RENDERED} photo:map", replay=(Exempt(HTML, "statement_html html_version"),), sheets=(
                 Sheet("candidates", _("Candidates"), _("The people or options on the ballot."),
                       "election_name:election candidate_name number statement link", "election_name candidate_name",
                       "election begins", lambda query: Span(keys.election(query.election).pk,
                                                             keys.candidate(query.election, query.begins).sk)),)),
    ItemType("need", keys.need, "election_name:election skill level:int count:int", sheets=(
        Sheet("needs", _("Needs"), _("Which skills an election needs, at what level, and from how many people."),
              "election_name:election skill level count", "election_name skill", "election",
              lambda query: keys.needs(query.election)),)),
    ItemType("agreement", keys.agreement, "election_name:election candidate_name person:person account skills:list "
             "asked:list answered:list", closed_lists=(keys.agreed_by(""),), sheets=(
                 Sheet("agreements", _("Agreements"),
                       _("Which of their skills candidates agreed to show."),
                       "election_name:election candidate_name person skills", "election_name candidate_name",
                       "election", lambda query: keys.agreements(query.election)),),
             exports=(Export("skills_shown", "", personal_data.agreements),)),
    ItemType("snapshot", keys.snapshot, "election_name:election needs:list version:int", "held:list",
             replay="A candidate's skills at opening are deleted with the candidate; the log would keep them."),
    ItemType("candidate q&a", keys.candidate_qa, "sent:int told:int", replay=QUESTIONS),
    ItemType("question to candidates", keys.candidate_question, "election_name:election id to:int fate held:bool "
             "version:int", "text author at:int shown_at:int name:person asker", replay=QUESTIONS,
             closed_lists=(keys.questions_by(""),), exports=(
                 Export("candidate_questions", _("candidate_questions.json: questions you asked candidates."),
                        personal_data.candidate_questions),)),
    ItemType("candidate's answer", keys.candidate_answer, "question candidate:int at:int by edited:bool "
             "hidden:bool version:int", "text", replay=QUESTIONS),
    ItemType("answer link", keys.answer_link, "candidate:int", "turn",
             replay="The log contains no access tokens; links are made again."),
    ItemType("own question upvotes", keys.questions_upvoted, hidden="*:any", replay=UPVOTES),
    ItemType("question upvotes", keys.question_upvotes, hidden="*:any", replay=UPVOTES),
    ItemType("voting times", keys.turnout, "since:int counted:int ends closed:bool", "h*:int d*:int",
             rule=before_the_close_only("since", "ends", "closed")),

    # the roll
    ItemType("voter", keys.voter, "election_name:election voter_name:person account voted:bool paper:bool invited "
             "groups:list weight:int",
             "display_name postal:list language check letter_turn:int letter_batch:int acts:int left_alone:bool "
             f"links:list {UNSEEN_MARKS}",
             rule=who_is_on_the_roll, lists=(keys.elections_of_voter(""),), replay=(
                 Exempt(MAILS, MARKS),
                 Exempt("The name that mails greet somebody by is private; the log would keep it.", "display_name"),
                 Exempt("Names and postal addresses of people who get letters can be erased; the log would keep them. "
                        "Organisers import them again.", "postal language check"),
                 Exempt("Which letters are printed is not logged by name. After a rebuild, they are printed again; "
                        "those that were sent have the same codes.", "letter_batch"),
                 Exempt("Hashes of voting links: the log has nothing of a link. After a rebuild, links are sent again.",
                        "links")),
             sheets=(Sheet("voters", _("Voters"), _("Who is on the roll of an election, and whether they have voted."),
                           "election_name voter_name groups weight voted paper", "election_name voter_name",
                           "election begins"),),
             exports=(Export("rolls", _("rolls.json: elections you may vote in or have voted in, and the mails you "
                                        "got about them in the last 30 days."), personal_data.rolls),)),
    ItemType("letter", keys.letter, hidden="election_name:election created_at voter_name:person",
             closed_lists=(keys.letters_with(""),),
             replay="The log has nothing of the codes in letters. After a rebuild, letters are printed again."),
    ItemType("batch of letters", keys.letter_batch, "number:int letters:int printed_by:person printed_at how",
             "sender", replay="Events say who printed how many; the sender's address is not logged."),
    ItemType("open mark", keys.open_mark, "created_at"),
    ItemType("open election", keys.for_everyone, "election_name:election", lists=(keys.FOR_EVERYONE,)),
    ItemType("public election", keys.public_election, "election_name:election", lists=(keys.PUBLIC_ELECTIONS,)),

    ItemType("roll source", keys.roll_source, "election_name:election kind set_by:person due followed_at failed",
             "place account", lists=(keys.ROLL_SOURCES,),
             replay="The log does not contain the addresses that rolls follow, which may open something."),

    # mailings
    ItemType("mail counts", keys.mail_counts, COUNTS, "announced*:int announcing first_invited invited_until "
             "reminded_until reminded_once:int timed_until", replay=MAILS),
    ItemType("failed mail", keys.failed_mail, "kind reason detail", "number about:map", replay=MAILS),
    ItemType("message", keys.message, f"subject text written_by:person written_at text_html {RENDERED}",
             "messaged*:any", replay=MAILS),
    ItemType("reminders", keys.reminders, "from last_sent", replay=MAILS),
    ItemType("own mail text", keys.invitation_words, "election_name:election subject text author:map answers:map "
             f"written_at text_html {RENDERED}", replay=MAILS),
    ItemType("requested links", keys.link_request, "answers:int until:int ttl:int", "turn:int listed",
             replay="When an address was last mailed its links on request; forgotten within two days."),
    ItemType("opted out", keys.quiet, hidden="address:address",
             replay="Opting out of mails about results is private.",
             exports=(Export("results_by_mail", "", opt_out.export_opt_out),)),

    # requests to the organisers
    ItemType("request", keys.help_request, "id election_name:election kind state asked_at version:int",
             "asker:map text language replies:list", closed_lists=(keys.requests_in("", ""),), replay=REQUESTS,
             exports=(Export("requests", _("requests.json: what you asked the organisers of elections, and what they "
                                           "answered."), own_requests.requests),),
             partings=(Parting(own_requests.requests_to_delete, (ngettext_lazy(
                 "%(count)d request to organisers is deleted, with the answers.",
                 "%(count)d requests to organisers are deleted, with the answers.", "count"),)),)),
    ItemType("request's sender", keys.sent_request, hidden="election_name:election sender:person request",
             closed_lists=(keys.requests_sent_by(""),), replay=REQUESTS),
    ItemType("help desk", keys.help_desk, "waiting:int strangers:int told_at", replay=REQUESTS),

    # several questions on one ballot
    ItemType("multi-question ballot", keys.multi_ballot, fields_of(MultiBallot), sheets=(
        Sheet("books", _("Several questions on one ballot"),
              _("Which elections share one ballot. Enter its id."), "book_id name place election leads",
              "book_id place", "name"),)),

    # groups
    ItemType("group", keys.group, "id name owner_name:person created_at members:int version:int",
             lists=(keys.groups_of(""),),
             left_behind="What is left of a deleted group until a worker removes it.", sheets=(
                 Sheet("groups", _("Groups"), _("One person's groups of voters, without the members. Enter the "
                                                "full user name."), "id name owner_name:person members created_at",
                       "id", "name", lambda query: keys.groups_of(query.name) if query.name else None),),
             exports=(Export("groups", _("groups.json: groups of voters you keep for your elections, without their "
                                         "members."), personal_data.own_groups),),
             partings=(Parting(personal_data.groups_to_delete, (
                 ngettext_lazy("%(count)d group of voters is deleted.", "%(count)d groups of voters are deleted.",
                               "count"),)),)),
    ItemType("group's name", keys.group_name, "name id"),
    ItemType("group's use", keys.group_use, "election_name:election created_at"),
    ItemType("member", keys.member, hidden="group_id member_name:person account letter:map",
             replay=(Exempt("Names and postal addresses for letters can be erased; the log would keep them.",
                            "letter"),),
             closed_lists=(keys.groups_with(""),), exports=(
        Export("in_groups", _("in_groups.json: groups of voters you are in, and whose they are."),
               personal_data.groups_with),)),

    # imports in progress
    ItemType("import", keys.voter_import, "election_name:election voters:int slices:int done:int added:int unknown:int "
             "skipped grouped:bool asked_by:person moved:int ttl:int", "digest",
             replay="A list being added to the roll; each voter added has an event."),
    ItemType("import's rows", keys.imported_rows, "voters:people ttl:int", "details:map",
             replay="A list being added to the roll; each voter added has an event."),
    ItemType("pending voters", keys.filling_part, "voters:people accounts:list weights:list",
             replay="Voters being copied into a draft in batches; each voter added has an event."),
    ItemType("pending members", keys.coming_members, hidden="token members:people accounts:list letters:list ttl:int",
             replay="A list being added to a group; each member added has an event."),
)  # fmt: skip
