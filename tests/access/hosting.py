"""Making and running a live session: looks and acts for the table of access patterns."""

from __future__ import annotations

from accounts import repository as people
from accounts.models import User
from foundation.acts.storage import table
from parts.assembly import roll
from parts.live import clock, repository, seats
from parts.live.rules import Game, Names, Step
from parts.live.services import answering, making, moving
from parts.questions.question import Kind, Question, Type
from parts.questions.rules import question_fingerprint

from .joining import _made
from .site import Look
from .words import filled, known, text

TYPED = {
    "engagement_type": str(Type.POLL),
    "question": "Where do we go?",
    "options": "Sea\nHills",
    "seconds": "30",
    "names": str(Names.TYPED),
    "debug_mode": "0",
}

ITEM = {"kind": "topic", "title": "Anything else", "secrecy": "open", "share": "1/2", "of": "cast", "seconds": "0"}


TWO_ITEMS = (Question("The report", Kind.TOPIC, seconds=0), Question("The budget", Kind.MOTION, seconds=0))


def looks_at_hosting(otto: User) -> list[Look]:
    """Of one that waits, and of one that has shown its results."""
    waiting, shown = _made(otto, Names.TYPED), _made(otto, Names.TYPED)
    _seated(shown)
    for version, step in enumerate((Step.NEXT, Step.CLOSE, Step.REVEAL), 1):
        moving.drive(shown.id, otto.name, step, version)
    return [
        Look("games", "stranger"),
        Look("games", "organiser", of="one's own"),
        Look("games", "owner", of="all that run"),
        Look("make_game", "organiser"),
        *(Look(page, "organiser", (waiting.id,)) for page in ("host_game", "remote", "game_hosts")),
        *(Look(page, "organiser", (shown.id,), of="with results") for page in ("host_game", "remote")),
        *(Look(page, "stranger", (shown.id, shown.screen_token)) for page in ("screen", "scoreboard")),
        Look("agenda", "organiser", (_assembled(otto).id,)),
        Look("game_title", "organiser", (waiting.id,)),
        Look("game_questions", "organiser", (waiting.id,)),
        Look("add_game_question", "organiser", (waiting.id,)),
        Look("game_question", "organiser", (waiting.id, 0)),
        Look("remove_game_question", "organiser", (waiting.id, 0)),
        Look("attended", "organiser"),
        Look("drive", "organiser", (waiting.id,), of="to be asked", asked={"act": "end", "version": "1"}),
        Look("follow_up", "organiser", (_talked(otto).id, 1), of="an assembly's item"),
        Look("sort_ideas", "organiser", (_to_be_sorted(otto).id,)),
        Look("api/live-sessions/-", "program", (waiting.id,)),
    ]


def _corrections(game: Game) -> list[Look]:
    edition = question_fingerprint(repository.read_questions(game.id)[0])
    item = ITEM | {"seen": edition}
    return [
        Look("game_title", "organiser", (game.id,), of="another", form={"title": "Another meeting"}),
        Look("move_game_question", "organiser", (game.id, 0), of="down", form={"move": f"down {edition}"}),
        Look("game_question", "organiser", (game.id, 1), of="changed", form=item),
        Look("copy_game", "organiser", (game.id,), of="a copy", form={"token": "of a form"}),
    ]


def acts_of_hosting(otto: User) -> list[Look]:
    game = _made(otto, Names.TYPED)
    return [
        Look("make_game", "owner", of="of a typed question", form=TYPED),
        Look("make_game", "owner", of="a rehearsal", form={"rehearse": "yes"}),
        Look("game_hosts", "organiser", (game.id,), of="one more", form={"name": known("Ben")}),
        Look("game_hosts", "organiser", (game.id,), of="one less", form={"remove": known("Ben")}),
        *_acts_of_sorting(otto),
        *_corrections(making.make(otto, Type.ASSEMBLY, TWO_ITEMS, title="All of us")),
        Look("drive", "organiser", (game.id,), of="a question", form={"act": "next 1"}),
        Look("drive", "organiser", (game.id,), of="its close", form={"act": "close 2"}),
        Look("drive", "organiser", (game.id,), of="its result", form={"act": "reveal 3"}),
        Look("drive", "organiser", (game.id,), of="the end", form={"act": "end 4"}),
        Look("make_game", "owner", of="an assembly", form=TYPED | {"engagement_type": "assembly", "title": "All"}),
        Look("agenda", "organiser", (_assembled(otto).id,), of="one more item", form=ITEM),
        *_acts_follow_up(otto),
    ]


def _talked(otto: User) -> Game:
    """An assembly with one who is there, and an item that was talked about."""
    item = Question("Who chairs?", Kind.CHOICE, options=("Ada", "Bo"), seconds=0)
    game = making.make(otto, Type.ASSEMBLY, [filled(item)], title=text("Meeting"), entitled=3, quorum="1/3")
    ben = people.find(known("Ben"))
    player = roll.player_of(game.id, known("Ben"), ben.created_at if ben else "")
    table().write(
        *seats.seating(game, seats.Seat(player, known("Ben"), game.created_at, own={"account": known("Ben")}))
    )
    for version, step in enumerate((Step.NEXT, Step.CLOSE), 1):
        moving.drive(game.id, otto.name, step, version)
    return game


def _acts_follow_up(otto: User) -> list[Look]:
    game = _talked(otto)
    return [
        Look("follow_up", "organiser", (game.id, 1), of="a poll", form={"make": "poll"}),
        Look("follow_up", "organiser", (game.id, 1), of="those present", form={"make": "electorate"}),
        Look("follow_up", "organiser", (game.id, 1), of="what there is", form={"make": "electorate"}),
    ]


def _acts_of_sorting(otto: User) -> list[Look]:
    game = _to_be_sorted(otto)
    act = {"round": "1", "act": "merge", "idea": ["0", "1"]}
    return [
        Look("sort_ideas", "organiser", (game.id,), of="two merged", form=act),
        Look("drive", "organiser", (game.id,), of="ideas to the vote", form={"act": "vote 3"}),
    ]


def _to_be_sorted(otto: User) -> Game:
    """Three people have written an idea each."""
    game = making.make(otto, Type.POLL, (filled(Question("What next?", Kind.IDEAS, seconds=0)),), title=text("Friday"))
    moving.drive(game.id, otto.name, Step.NEXT, 1)
    for name in ("Ada", "Ben", "Cem"):
        seat = seats.Seat(name.lower(), text(name), game.created_at)
        table().write(*seats.seating(game, seat))
        state = repository.read_state(game.id)
        assert state is not None
        answering.submit(game, state, seat, [text(f"An idea of {name}")], clock.now())
    moving.drive(game.id, otto.name, Step.CLOSE, 2)
    return game


def _assembled(otto: User) -> Game:
    motion = Question("Shall we buy a tent?", Kind.MOTION, seconds=0)
    return making.make(otto, Type.ASSEMBLY, [filled(motion)], title=text("All of us"))


def _seated(game: Game) -> None:
    table().write(*seats.seating(game, seats.Seat("ada", text("Ada"), game.created_at)))
