"""The demo's assembly: a meeting with robots, ready to try."""

from __future__ import annotations

from accounts import repository as people
from parts.live import repository
from parts.live.services import making
from parts.live.views.demo import ROBOTS
from parts.questions.demo import MAKER
from parts.questions.question import Kind, Question, Type

MEETING = "Try me: a general meeting with robots"
AGENDA = (
    Question("Report of the board", Kind.TOPIC, seconds=0),
    Question("Shall we keep the archive open on Sundays?", Kind.MOTION, seconds=0),
    Question(
        "The fee from next year on",
        Kind.ALTERNATIVES,
        options=("Twenty a year", "Thirty a year", "Twenty, and ten for students", "No change"),
        majority="2/3 cast",
        seconds=0,
    ),
    Question("Who chairs?", Kind.CHOICE, options=("Ada", "Grace"), majority="1/2 present", secret=True, seconds=0),
)


def load() -> int:
    host = people.find(MAKER)
    if host is None or any(each.title == MEETING for each in repository.running_of(MAKER)):
        return 0
    making.make(host, Type.ASSEMBLY, AGENDA, title=MEETING, debug_mode=ROBOTS, entitled=12, quorum="1/3")
    return 1
