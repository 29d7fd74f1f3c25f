"""What can be asked of a room, and which questions suit which type of session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MIN_OPTIONS, MAX_OPTIONS = 2, 10
MAX_TITLE_CHARS, MAX_DETAIL_CHARS, MAX_OPTION_CHARS = 300, 2_000, 200
MAX_ANSWER_SECONDS = 3600
MAX_QUESTIONS = 200  # in one set, and so in one session
RATINGS = range(1, 6)


class Kind(StrEnum):
    """How a question is answered."""

    TEXT = "text"
    CHOICE = "choice"
    RANKING = "ranking"
    RATING = "rating"
    YES_NO = "yes-no"
    IDEAS = "ideas"  # written by the room, put in order by the host, then ranked
    TOPIC = "topic"  # of an assembly: talked about, and nothing to vote on
    MOTION = "motion"  # yes, no or abstain
    ALTERNATIVES = "alternatives"  # a motion and its amendments, ranked; the last one is that nothing changes


RANKED = (Kind.RANKING, Kind.ALTERNATIVES, Kind.IDEAS)  # answered, or voted on, by a ranking
IN_A_SET = (Kind.TEXT, Kind.CHOICE, Kind.RANKING, Kind.RATING, Kind.YES_NO, Kind.IDEAS)


class Type(StrEnum):
    """What a session is, as the data calls it: its EngagementType."""

    CALL_AND_ANSWER = "call-and-answer"
    TRIVIA = "trivia"
    POLL = "poll"
    SURVEY = "survey"
    ASSEMBLY = "assembly"


OF_SETS = (Type.CALL_AND_ANSWER, Type.TRIVIA, Type.POLL, Type.SURVEY)  # an assembly has an agenda of its own


@dataclass(frozen=True, slots=True)
class Question:
    title: str
    kind: Kind = Kind.TEXT
    detail: str = ""
    category: str = ""
    school: str = ""  # where it comes from, or whom it is for
    custom_instruction: str = ""
    options: tuple[str, ...] = ()
    right: tuple[int, ...] = ()  # which of the options, by their place from 0
    seconds: int = 30  # until it closes by itself; 0: when the host closes it
    secret: bool = False  # of an assembly: nobody learns who voted how
    majority: str = ""  # of an assembly: as `assembly.majorities` writes it
    twice: bool = False  # of a poll's ranking: asked before and after, and who moved is shown
    play: str = ""  # how a live session plays it, where that is not what the type of the session says

    def suits(self, type_: Type) -> bool:
        if type_ == Type.CALL_AND_ANSWER:
            return self.kind == Kind.TEXT
        if type_ == Type.TRIVIA:
            return self.kind == Kind.CHOICE and bool(self.right)
        if type_ == Type.POLL:
            return self.kind in (Kind.CHOICE, Kind.RANKING, Kind.IDEAS)
        return self.kind in (Kind.TEXT, Kind.CHOICE, Kind.RATING, Kind.YES_NO)

    def as_item(self) -> dict[str, Any]:
        """What is not as usual is stored."""
        told = {"title": self.title, "kind": str(self.kind), "seconds": self.seconds}
        names = ("detail", "category", "school", "custom_instruction", "majority", "play")
        words = {name: getattr(self, name) for name in names}
        lists = {"options": list(self.options), "right": list(self.right)}
        more = {**words, **lists, "secret": self.secret, "twice": self.twice}
        return told | {name: value for name, value in more.items() if value}


def question_of(item: Mapping[str, Any]) -> Question:
    return Question(
        title=item["title"],
        kind=Kind(item["kind"]),
        detail=item.get("detail", ""),
        category=item.get("category", ""),
        school=item.get("school", ""),
        custom_instruction=item.get("custom_instruction", ""),
        options=tuple(item.get("options", ())),
        right=tuple(item.get("right", ())),
        seconds=item["seconds"],
        secret=item.get("secret", False),
        majority=item.get("majority", ""),
        twice=item.get("twice", False),
        play=item.get("play", ""),
    )
