"""Item and event types of skills, endorsements, and what elections need."""

from django.utils.translation import gettext_lazy as _

from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, Sheet
from foundation.store.table import Span
from parts.skills.needed.needs import export_agreements as shown_skills

from . import repository

ITEMS = (
    ItemType("skill", keys.skill, "id name category description aliases:list state at into merging closing:person "
             "version:int shards:int", lists=(keys.skills(), keys.PROPOSED_SKILLS), sheets=(
                 Sheet("skills", _("Skills"), _("The catalogue, by name."),
                       "id name category aliases description state", "id", "name"),)),
    ItemType("skill's name", keys.skill_name, "skill name", lists=(keys.skill_names(),)),
    ItemType("skill category", keys.skill_category, "name skills:int"),
    ItemType("own skills", keys.own_skills, "name:person visibility skills:int version:int"),
    ItemType("person's skill", keys.person_skill, "name:person skill level:int years:int last_used interest:bool "
             "added_at confirmed_at shard:int", "notes", lists=(keys.skill_holders(""),),
             sheets=(Sheet("person-skills", _("Skills of people"),
                           _("One person's skills, as they describe them. Enter the full name."),
                           "name:person skill level years last_used interest confirmed_at", "name skill", "name",
                           lambda asked: Span(keys.own_skills(asked.name).pk, keys.person_skill(asked.name, "").sk)),),
             exports=(Export("skills", _("skills.json: the skills of your profile, and who may see them."),
                             repository.export_held),)),
    ItemType("endorsement", keys.endorsement, "name:person skill by:person grounds:list level:int at given:int "
             "hidden:bool changes:int", lists=(keys.endorses(""),), sheets=(
                 Sheet("endorsements", _("Endorsements"), _("Who endorses one person's skills. Enter the full name."),
                       "name:person skill by:person grounds level at hidden", "name skill by", "name",
                       lambda asked: keys.endorsements(asked.name)),),
             exports=(Export("endorsements", _("endorsements.json: people you endorsed, and people who endorsed "
                                               "you, as far as you can see their profiles."),
                             repository.export_endorsed),)),
    ItemType("endorsing", keys.endorsing, "name:person version:int"),
    ItemType("need", keys.need, "election_name:election skill level:int count:int", sheets=(
        Sheet("needs", _("Needs"), _("Which skills an election needs, at what level, and from how many people."),
              "election_name:election skill level count", "election_name skill", "election",
              lambda query: keys.needs(query.election)),)),
    ItemType("agreement", keys.agreement, "election_name:election candidate_name person:person account skills:list "
             "asked:list answered:list", closed_lists=(keys.agreed_by(""),), sheets=(
                 Sheet("agreements", _("Agreements"),
                       _("Which of their skills candidates agreed to show."),
                       "election_name:election question candidate_name person skills",
                       "election_name question candidate_name", "election question",
                       lambda query: keys.agreements(query.election, query.question or 1)),),
             exports=(Export("skills_shown", "", shown_skills),)),
    ItemType("snapshot", keys.snapshot, "election_name:election needs:list version:int", "held:list"),
)  # fmt: skip

OF_A_SKILL = "skill_id name category description at"
HELD = "name:person skill_id level:int years:int last_used interest:bool shard:int at"
EVENTS = (
    EventType("SkillProposed", OF_A_SKILL),
    EventType("SkillAdded", OF_A_SKILL),
    EventType("SkillApproved", "skill_id"),
    EventType("SkillRefused", "skill_id"),
    EventType("SkillEdited", "skill_id category description"),
    EventType("SkillRenamed", "skill_id name"),
    EventType("SkillAliasAdded", "skill_id alias"),
    EventType("SkillAliasRemoved", "skill_id alias"),
    EventType("SkillMerged", "skill_id into"),
    EventType("PersonSkillAdded", HELD),
    EventType("PersonSkillChanged", HELD),
    EventType("PersonSkillConfirmed", "name:person skill_id at"),
    EventType("PersonSkillRemoved", "name:person skill_id"),
    EventType("ProfileVisibilityChanged", "name:person visibility"),
    EventType("PersonSkillsRemoved", "name:person"),
    EventType("PersonEndorsed", "name:person skill_id grounds:list level:int at"),
    EventType("EndorsementWithdrawn", "name:person skill_id"),
    EventType("EndorsementHidden", "name:person skill_id by:person"),
    EventType("EndorsementShown", "name:person skill_id by:person"),
    EventType("EndorsementsRemoved", "name:person people:people skills:list by:people"),
    EventType("NeedSet", "election_name skill_id level:int count:int",
              sentence=_("%(who)s added or changed a needed skill.")),
    EventType("NeedsDropped", "election_name skills:list", sentence=_("%(who)s removed a needed skill.")),
    EventType("CandidateAgreed", "election_name question:int candidate_name account skills:list", "asked:list",
              sentence=_("A candidate agreed to show skills.")),
    EventType("CandidateDisagreed", "election_name question:int candidate_name account", "asked:list answered:list",
              sentence=_("A candidate withdrew consent to show skills.")),
    EventType("CandidatesAsked", "election_name candidates:list accounts:list skills:list",
              sentence=_("Candidates were asked by mail whether their skills may be shown.")),
)  # fmt: skip
