"""Item types of skills and endorsements."""

from django.utils.translation import gettext_lazy as _

from store import keys
from store.replay import Exempt
from store.schema import Export, ItemType, Sheet
from store.table import Span

from . import personal_data

ITEMS = (
    ItemType("skill", keys.skill, "id name category description aliases:list state at into merging closing:person "
             "version:int shards:int", lists=(keys.skills(), keys.PROPOSED_SKILLS), sheets=(
                 Sheet("skills", _("Skills"), _("The catalogue, by name."),
                       "id name category aliases description state", "id", "name"),)),
    ItemType("skill's name", keys.skill_name, "skill name", lists=(keys.skill_names(),)),
    ItemType("skill category", keys.skill_category, "name skills:int"),
    ItemType("own skills", keys.own_skills, "name:person visibility skills:int version:int"),
    ItemType("person's skill", keys.person_skill, "name:person skill level:int years:int last_used interest:bool "
             "added_at confirmed_at shard:int", "notes", lists=(keys.skill_holders(""),), replay=(
                 Exempt("Notes are deleted with the skill; the log would keep them permanently, and show them to "
                        "auditors.", "notes"),),
             sheets=(Sheet("person-skills", _("Skills of people"),
                           _("One person's skills, as they describe them. Enter the full name."),
                           "name:person skill level years last_used interest confirmed_at", "name skill", "name",
                           lambda asked: Span(keys.own_skills(asked.name).pk, keys.person_skill(asked.name, "").sk)),),
             exports=(Export("skills", _("skills.json: the skills of your profile, and who may see them."),
                             personal_data.held),)),
    ItemType("endorsement", keys.endorsement, "name:person skill by:person grounds:list level:int at given:int "
             "hidden:bool changes:int", lists=(keys.endorses(""),), sheets=(
                 Sheet("endorsements", _("Endorsements"), _("Who endorses one person's skills. Enter the full name."),
                       "name:person skill by:person grounds level at hidden", "name skill by", "name",
                       lambda asked: keys.endorsements(asked.name)),),
             exports=(Export("endorsements", _("endorsements.json: people you endorsed, and people who endorsed "
                                               "you, as far as you can see their profiles."),
                             personal_data.endorsed),)),
    ItemType("endorsing", keys.endorsing, "name:person version:int"),
)  # fmt: skip
