"""Everything that can happen to a live session."""

from __future__ import annotations

from accounts import services as accounts
from accounts.rules import Role
from foundation.acts.background import OVERWRITE
from foundation.acts.storage import now_text, table
from foundation.store.keys import fold
from foundation.store.table import Write
from parts.assembly import check_in, roll, speakers
from parts.assembly.minutes import services as minutes
from parts.live import players, repository, room_questions, seats
from parts.live.moderation import QaAction, QaSettings, text_id
from parts.live.plays import best_answer
from parts.live.rules import Names, Phase, Step
from parts.live.services import correcting, deleting, follow_ups, hosting, seating
from parts.questions.question import Kind, Question, Type
from tests.background import finish_background
from tests.live.conftest import drive, give, made, seated  # noqa: F401 - a fixture
from tests.stories.core import someone

NAMES = ("Aurelia", "Balthasar", "Cunegonde")
LATE = "Dorothea"  # comes with two devices
WORDS = "Zebras everywhere"  # that somebody said
SAID = {
    Type.TRIVIA: [0],
    Type.CALL_AND_ANSWER: WORDS,
    Type.POLL: "0>1>2",
    Type.SURVEY: {"0": 4, "1": True, "3": WORDS},
}


def play(game) -> None:
    """One round from its question to its results, with three who answer."""
    players = seated(game, *NAMES)
    drive(game, Step.NEXT)
    for number, seat in enumerate(players):
        said = SAID[game.engagement_type]
        give(game, seat, f"{said} {number}" if game.engagement_type == Type.CALL_AND_ANSWER else said)
    if drive(game, Step.CLOSE).phase == Phase.VOTING:
        gathered = best_answer.read_gathered(game.id, 1)
        for seat in players:
            shown = gathered.shown_to(seat.player)
            give(game, seat, {"ranks": {str(shown[0]): 1}, "shown": list(shown)})
        drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)


def assemble(game) -> None:
    """Talked about, voted on, one more item; then it ends, and its minutes get a note."""
    players = seated(game, *NAMES)
    drive(game, Step.NEXT)
    drive(game, Step.CLOSE)
    drive(game, Step.NEXT)
    drive(game, Step.VOTE)
    for seat in players:
        give(game, seat, "yes")
    drive(game, Step.CLOSE)
    correcting.add(game.id, "Hana", Question(WORDS, Kind.MOTION))
    of_the_roll(game)
    drive(game, Step.END)
    minutes.add_note(someone("Hana"), game.id, WORDS)


def of_the_roll(game) -> None:
    """Who is entitled, who goes out and comes in, and who may speak how long."""
    roll.change_quorum(game.id, "Hana", 10, "1/2")
    roll.add(game.id, "Hana", NAMES)
    roll.remove(game.id, "Hana", NAMES[2])
    roll.renew(game.id, "Hana", NAMES[1])
    roll.add(game.id, "Hana", [LATE], weights={LATE.lower(): 3})
    roll.weigh(game.id, "Hana", NAMES[1], 2)
    roll.show_new_codes(game.id, "Hana", 40)
    for _device in range(2):
        code, held = roll.code_of(game.id, roll.find(game.id, LATE)), players.pass_of_form(players.new_form())
        check_in.by_code(*repository.find(game.id), code, held, "192.0.2.1")
    seating.check_out(game.id, NAMES[0].lower(), "Hana")
    seating.check_in(game.id, NAMES[0].lower(), "Hana")
    speakers.limit(game, "Hana", 3)


def tell_of_live_sessions(person, made) -> None:  # noqa: F811
    """Everything happens that can happen to a session."""
    owner = person("Olga", Role.OWNER)
    games = {type_: made(type_) for type_ in Type}
    assemble(assembly := games.pop(Type.ASSEMBLY))
    minutes.delete(owner, assembly.id)
    for game in games.values():
        play(game)
    for step in (Step.REPEAT, Step.PAUSE, Step.RESUME, Step.VOID, Step.NEXT, Step.END):
        drive(games[Type.TRIVIA], step)
    drive(games[Type.POLL], Step.END)
    deleting.delete(games[Type.POLL].id, "Hana")
    deleting.delete(made(Type.TRIVIA).id, "Hana")
    finish_background()
    hosted_by_two(person, made)
    carried_on(person, made)
    asked_by_the_room(made)
    expired(made)
    accounts.remove(owner, someone("Gone"))


def hosted_by_two(person, made) -> None:  # noqa: F811
    hana, game = someone("Hana"), made(title="Together", names=Names.APPROVED)
    for name in ("Gone", "Ines"):
        person(name)
        hosting.add(hana, game.id, name)
    hosting.remove(hana, game.id, "Ines")
    correcting.retitle(game.id, "Hana", "All together")
    seated(game, "Aurelia", approved=False)
    seating.approve(game.id, "aurelia", "Hana")
    seating.rename(game.id, "aurelia", "Hana", NAMES[1])
    seating.give_time(game.id, "aurelia", "Hana", 200)
    seating.remove(game.id, "aurelia", "Hana")
    seating.readmit(game.id, "aurelia", "Hana")


def carried_on(person, made) -> None:  # noqa: F811
    """What an assembly has talked about becomes a poll and an election of those present."""
    game = made(Type.ASSEMBLY, [Question("Who chairs?", Kind.CHOICE, options=("Ines", "Jo"), seconds=0)])
    player = roll.player_of(game.id, "Petra", person("Petra").created_at)
    table().write(*seats.seating(game, seats.Seat(player, "Petra", game.created_at, own={"account": "Petra"})))
    drive(game, Step.NEXT)
    drive(game, Step.CLOSE)
    follow_ups.make_poll(someone("Hana"), "10.0.0.1", game.id, 1)
    follow_ups.make_election(someone("Hana"), game.id, 1, of_those_present=True)


def expired(made) -> None:  # noqa: F811
    """One whose time is over after its end."""
    game = made(title="Expired")
    play(game)
    drive(game, Step.END)
    table().write(*bring_forward(game))
    assert finish_background(repository.EXPIRING.name) == 1
    finish_background()


def bring_forward(game) -> list[Write]:
    """It is one whose data is to go today."""
    return [repository.EXPIRING.begin(game.id, due=now_text(), when=OVERWRITE, created_at=game.created_at)]


def asked_by_the_room(made) -> None:  # noqa: F811
    """Everything that can happen to a question, in one session that stays and in one that is deleted."""
    for game in (made(title="Asked"), made(title="Asked and deleted")):
        room_questions.set_up(game.id, "Hana", is_on=True, words=(WORDS,))
        ask(game)
    room_questions.set_up(game.id, "Hana", is_on=False)
    deleting.delete(game.id, "Hana")
    finish_background()


def ask(game) -> None:
    aurelia, balthasar = seated(game, *NAMES[:2])
    state, qa = repository.read_state(game.id), QaSettings(is_on=True)
    asked = room_questions.send(game, state, qa, aurelia, (), WORDS, 1)
    for act in (QaAction.SHOW, QaAction.PUT_UP, QaAction.TAKE_DOWN, QaAction.ANSWER, QaAction.PUT_UP):
        after = room_questions.moderate(game.id, asked.id, "Hana", act, WORDS)
    for on in (True, False, True):
        room_questions.upvote(game, state, qa, balthasar, after, on=on)
    room_questions.moderate(game.id, asked.id, "Hana", QaAction.HIDE)
    room_questions.moderate_texts(game.id, 1, [text_id(game.id, 1, 0, fold(WORDS))], "Hana", QaAction.HIDE)
