"""Item and event types of question sets, their export, and what happens to them when their owner leaves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.models import User
from accounts.personal_data import MAX_COUNTED_THINGS
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, RemovalEffect, Sheet, fields_of
from foundation.store.table import Item

from . import repository
from .formats.exports import as_json
from .question import Question, Type
from .rules import QuestionSet

SET = f"{fields_of(QuestionSet)} created_by:person"
QUESTION = f"{fields_of(Question)} number:int category_id:int order_in_category:int created_at"


def made_by(user: User) -> Iterator[Item]:
    for set_ in repository.each_owned_by(user.name):
        if (full := repository.find_full(set_.id)) is not None:
            yield as_json(full)


def how_many(user: User) -> tuple[int, int]:
    """How many of their sets are shared with others, and how many are not."""
    sets = list(islice(repository.each_owned_by(user.name), MAX_COUNTED_THINGS))
    offered = sum(each.is_offered for each in sets)
    return offered, len(sets) - offered


ITEMS = (
    ItemType("question set", keys.question_set, SET, inside=" ".join(Type), lists=(keys.sets_of(""),), sheets=(
                 Sheet("question-sets", _("Question sets"), _("Shared sets, most recently changed first. Enter a full "
                                                              "name to see one owner's sets."),
                       "id name created_by:person total_questions categories is_active shared version created_at "
                       "changed_at", "id", "name",
                       lambda query: keys.sets_of(query.name) if query.name else keys.SHARED_SETS, backwards=True,
                       leads=((_("Questions"), "questions", "id"),)),),
             exports=(Export("question_sets", _("question_sets.json: question sets you have made, with their "
                                                "questions."), made_by),),
             removal_effects=(RemovalEffect(how_many, (
                 ngettext_lazy("%(count)d shared question set passes to the owner of the site.",
                               "%(count)d shared question sets pass to the owner of the site.", "count"),
                 ngettext_lazy("%(count)d question set that nobody else uses is deleted.",
                               "%(count)d question sets that nobody else uses are deleted.", "count"))),)),
    ItemType("shared set", keys.shared_set, SET, inside=" ".join(Type), lists=(keys.SHARED_SETS,)),
    ItemType("set's category", keys.set_category, "number:int name order_index:int description"),
    ItemType("set's question", keys.set_question, QUESTION, sheets=(
        Sheet("questions", _("Questions"), _("The questions of one set. Enter its id."), "set_id:asked category_id "
              "number order_in_category title kind options right seconds", "set_id category_id number", "name",
              lambda query: keys.set_questions(query.name)),)),
    ItemType("question import", keys.set_filling, f"{QUESTION} id questions:list described:list name description"),
)  # fmt: skip

QUESTION = fields_of(Question)
EVENTS = (
    EventType("QuestionSetMade", "set_id name description custom_instructions created_at created_by:person "
              "questions:list copied_from described:list", inside=QUESTION),
    EventType("QuestionSetChanged", "set_id name description custom_instructions is_active:bool "
              "shared:bool created_by:person at"),
    EventType("QuestionsAdded", "set_id questions:list described:list at", inside=f"{QUESTION} name description"),
    EventType("QuestionChanged", "set_id number:int question:map at", inside=QUESTION),
    EventType("QuestionMoved", "set_id number:int up:bool at"),
    EventType("QuestionRemoved", "set_id number:int at"),
    EventType("QuestionsRemoved", "set_id numbers:list at"),
    EventType("QuestionCategoryChanged", "set_id number:int name description at"),
    EventType("QuestionCategoryMoved", "set_id number:int up:bool at"),
    EventType("QuestionSetDeleted", "set_id at"),
)  # fmt: skip
