"""What is stored and logged about questions to candidates, and its export with personal data."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType
from foundation.store.table import Item

from .rules import asker_mark


def candidate_questions(user: User) -> Iterator[Item]:
    """What they asked candidates, in all elections."""
    for item in table().each(keys.questions_by(asker_mark(user.name))):
        about = {"election": item["election_name"], "text": item["text"]}
        yield {**about, "state": item["fate"], "name_shown": item["name"]}


ITEMS = (
    ItemType("candidate q&a", keys.candidate_qa, "sent:int told:int"),
    ItemType("question to candidates", keys.candidate_question, "election_name:election id to:int fate held:bool "
             "version:int", "text author at:int shown_at:int name:person asker",
             closed_lists=(keys.questions_by(""),), exports=(
                 Export("candidate_questions", _("candidate_questions.json: questions you asked candidates."),
                        candidate_questions),)),
    ItemType("candidate's answer", keys.candidate_answer, "question candidate:int at:int by edited:bool "
             "hidden:bool version:int", "text"),
    ItemType("answer link", keys.answer_link, "candidate:int", "turn"),
    ItemType("own question upvotes", keys.questions_upvoted, hidden="*:any"),
    ItemType("question upvotes", keys.question_upvotes, hidden="*:any"),
)  # fmt: skip

EVENTS = (
    EventType("CandidateQuestionShown", "election_name question",
              sentence=_("%(who)s approved a question to candidates, or showed it again.")),
    EventType("CandidateQuestionHidden", "election_name question", sentence=_("%(who)s hid a question to candidates.")),
    EventType("CandidateAnswered", "election_name question candidate:int",
              sentence=_("A candidate's answer to a question was added or changed.")),
    EventType("CandidateAnswerShown", "election_name question candidate:int",
              sentence=_("%(who)s showed a candidate's answer again.")),
    EventType("CandidateAnswerHidden", "election_name question candidate:int",
              sentence=_("%(who)s hid a candidate's answer.")),
    EventType("CandidateQuestionErased", "election_name question",
              sentence=_("%(who)s deleted the text of a hidden question to candidates.")),
    EventType("CandidateAnswerErased", "election_name question candidate:int",
              sentence=_("%(who)s deleted the text of a candidate's hidden answer.")),
    EventType("AnswerLinkMade", "election_name candidate:int",
              sentence=_("%(who)s made a link by which a candidate can answer questions.")),
    EventType("AnswerLinkRevoked", "election_name candidate:int",
              sentence=_("%(who)s revoked a candidate's link for answering questions.")),
)  # fmt: skip
