"""Item types of live sessions and Q&A: their fields, exports and what replay skips."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.personal_data import count_items, list_items
from store import keys
from store.replay import Exempt
from store.schema import Export, ItemType, Parting, Sheet, fields_of

from . import repository
from .follow_up_store import FollowUp
from .repository import PastSession
from .rules import Game, State

GAME = f"{fields_of(Game, 'code', *repository.SECRETS)} created_by:person hosts:people"
STATE = f"{fields_of(State)} clock:map"
CLOCK = "began seconds pauses paused"
OUTCOME = f"{fields_of(FollowUp)} by:person"

FORGOTTEN = "Deleted two weeks after the session, with all answers; the log keeps their number and a digest."
PLAYERS = "Data about participants is not logged, and is deleted two weeks after the session."
UPVOTES = "Deleted two weeks after the session; upvotes are not logged."

ITEMS = (
    ItemType("live session", keys.game, f"{GAME} ttl:int", f"code {' '.join(repository.SECRETS)}",
             lists=(keys.RUNNING_GAMES,), replay=(
                 Exempt("The log contains no access tokens, and no private notes of hosts.",
                        " ".join(repository.SECRETS)),),
             sheets=(Sheet("live-sessions", _("Live sessions"), _("Sessions running now, without the "
                                                            "names of participants."),
                           "id title engagement_type created_at created_by:person total_questions debug_mode entitled "
                           "quorum has_roll", "id", "", lambda asked: keys.RUNNING_GAMES, backwards=True),)),
    ItemType("live state", keys.game_state, f"{STATE} ttl:int", inside=CLOCK, replay=(
        Exempt("Closing a round is not a step of its own; the next request continues it.", "closing"),)),
    ItemType("live questions", keys.game_questions_part, hidden="questions:list ttl:int",
             replay="Deleted two weeks after the session; the question set has its own events."),
    ItemType("live salt", keys.game_salt, hidden="salt:bytes ttl:int",
             replay="A secret, destroyed when its round is sealed."),
    ItemType("player's name", keys.player_name, hidden="player ttl:int", replay=PLAYERS),
    ItemType("roster", keys.game_roster, "changes:int seats:int refused:any refused_at:any ttl:int",
             replay="Tells processes that a seat has changed."),
    ItemType("live round", keys.round_part, "number:int question:int count:int votes:int ttl:int",
             "entries:list result:map robots:int showings:map", replay=FORGOTTEN),
    ItemType("live receipts", keys.round_heard, hidden="receipts:list ttl:int",
             replay="Tells whether an answer that came in at the last moment counts."),
    ItemType("sorted ideas", keys.sorted_ideas, hidden="*:any", replay=FORGOTTEN),
    ItemType("first answers", keys.game_before, hidden="*:any",
             replay="Links two anonymous answers until the second is counted."),
    ItemType("gathered answers", keys.gathered_part, hidden="number:int question:int count:int votes:int entries:list "
             "result:map robots:int showings:map ttl:int", replay=FORGOTTEN),
    ItemType("presence", keys.presence, hidden="*:any",
             replay="Who is connected; about processes, and deleted after two hours."),
    ItemType("follow-up", keys.onward, f"{OUTCOME} game untold:bool ttl:int", replay=(
        Exempt("A follow-up is logged by its own event, shortly after it is created.",
               where=lambda item: bool(item.get("untold"))),),
             sheets=(Sheet("live-outcomes", _("Follow-ups of live sessions"), _("Polls and elections created from one "
                                                            "session. Enter its id."),
                           "game number round kind what title at by:person", "game number", "name",
                           lambda asked: keys.onwards(asked.name)),)),
    ItemType("seat", keys.seat, hidden="player name:person account secret device approved:bool removed:bool robot:bool "
             "left:bool left_at:int joined_at percent:int since:int entry claim claim_device claim_round:int "
             "refused_round:int renewed_in:int taken_over_at taken_over_in:int weight:int version:int "
             "ttl:int", replay=PLAYERS),
    ItemType("live answer", keys.live_answer, hidden="player holder receipt said:any at:int ttl:int", replay=FORGOTTEN),
    ItemType("live vote", keys.live_vote, hidden="player holder receipt said:any at:int ttl:int", replay=FORGOTTEN),
    ItemType("live history", keys.game_in_history, f"{fields_of(PastSession)} created_by:person",
             lists=(keys.running_games_of(""),),
             sheets=(Sheet("live-history", _("History of live sessions"), _("Sessions that one person hosts or has "
                                                            "hosted. Enter the full name."),
                           "id title engagement_type created_at created_by:person ended_at players rounds answers",
                           "id", "name", lambda asked: keys.games_of(asked.name), backwards=True),),
             exports=(Export("live_sessions", _("live_sessions.json: live sessions you host or "
                                                "have hosted, without the names of participants."), list_items(
                                 keys.games_of, session="id", title="title", engagement_type="engagement_type",
                                 created_at="created_at", ended_at="ended_at", players="players", rounds="rounds",
                                 answers="answers")),),
             partings=(Parting(count_items(keys.games_of), (
                 ngettext_lazy("%(count)d live session and its report will be deleted.",
                               "%(count)d live sessions and their reports will be deleted.", "count"),)),)),

    ItemType("q&a", keys.game_qa, "is_on:bool mode named:bool on_screen texts changes:int sent:int decided:int ttl:int",
             "words:list", replay=(
                 Exempt("The host's private list of words, and the number of questions, which have no events.",
                        "words sent"),)),
    ItemType("q&a question", keys.asked, hidden="id text author player at:int fate held:bool answer version:int "
             "ttl:int", replay="Deleted two weeks after the session; questions are not logged."),
    ItemType("moderated texts", keys.moderated, hidden="*:any", replay=(
        Exempt("What is left of a deleted session until a worker removes it.", within=keys.game("")),)),
    ItemType("own upvotes", keys.upvoted, hidden="*:any", replay=UPVOTES),
    ItemType("upvotes", keys.upvotes, hidden="*:any", replay=UPVOTES),
)  # fmt: skip
