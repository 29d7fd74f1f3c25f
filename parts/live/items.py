"""Item and event types of live sessions and Q&A."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.personal_data import count_items, list_items
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, RemovalEffect, Sheet, fields_of

from . import repository
from .follow_up_store import FollowUp
from .repository import PastSession
from .rules import Game, State

GAME = f"{fields_of(Game, 'code', 'own', *repository.SECRETS)} created_by:person hosts:people"
STATE = f"{fields_of(State)} clock:map"
CLOCK = "began seconds pauses paused"
OUTCOME = f"{fields_of(FollowUp)} by:person"

ITEMS = (
    ItemType("live session", keys.game, f"{GAME} ttl:int", f"code {' '.join(repository.SECRETS)}",
             lists=(keys.RUNNING_GAMES,),
             sheets=(Sheet("live-sessions", _("Live sessions"), _("Sessions running now, without the "
                                                            "names of participants."),
                           "id title engagement_type created_at created_by:person total_questions debug_mode", "id",
                           "", lambda asked: keys.RUNNING_GAMES, backwards=True),)),
    ItemType("live state", keys.game_state, f"{STATE} ttl:int", inside=CLOCK),
    ItemType("live questions", keys.game_questions_part, hidden="questions:list ttl:int"),
    ItemType("live salt", keys.game_salt, hidden="salt:bytes ttl:int"),
    ItemType("player's name", keys.player_name, hidden="player ttl:int"),
    ItemType("roster", keys.game_roster, "changes:int seats:int refused:any refused_at:any ttl:int"),
    ItemType("live round", keys.round_part, "number:int question:int count:int votes:int ttl:int",
             "entries:list result:map robots:int showings:map"),
    ItemType("live receipts", keys.round_heard, hidden="receipts:list ttl:int"),
    ItemType("sorted ideas", keys.sorted_ideas, hidden="*:any"),
    ItemType("first answers", keys.game_before, hidden="*:any"),
    ItemType("gathered answers", keys.gathered_part, hidden="number:int question:int count:int votes:int entries:list "
             "result:map robots:int showings:map ttl:int"),
    ItemType("presence", keys.presence, hidden="*:any"),
    ItemType("follow-up", keys.onward, f"{OUTCOME} game untold:bool ttl:int",
             sheets=(Sheet("live-outcomes", _("Follow-ups of live sessions"), _("Polls and elections created from one "
                                                            "session. Enter its id."),
                           "game number round kind what title at by:person", "game number", "name",
                           lambda asked: keys.onwards(asked.name)),)),
    ItemType("seat", keys.seat, hidden="player name:person secret device approved:bool removed:bool robot:bool "
             "left:bool left_at:int joined_at percent:int since:int taken_over_at version:int ttl:int"),
    ItemType("live answer", keys.live_answer, hidden="player holder receipt said:any at:int ttl:int"),
    ItemType("live vote", keys.live_vote, hidden="player holder receipt said:any at:int ttl:int"),
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
             removal_effects=(RemovalEffect(count_items(keys.games_of), (
                 ngettext_lazy("%(count)d live session and its report will be deleted.",
                               "%(count)d live sessions and their reports will be deleted.", "count"),)),)),

    ItemType("q&a", keys.game_qa, "is_on:bool mode named:bool on_screen texts changes:int sent:int decided:int ttl:int",
             "words:list"),
    ItemType("q&a question", keys.asked, hidden="id text author player at:int fate held:bool answer version:int "
             "ttl:int"),
    ItemType("moderated texts", keys.moderated, hidden="*:any"),
    ItemType("own upvotes", keys.upvoted, hidden="*:any"),
    ItemType("upvotes", keys.upvotes, hidden="*:any"),
)  # fmt: skip

STATE_FIELDS = f"{STATE} {CLOCK}"
PLAYER = "game_id player"
EVENTS = (
    EventType("LiveSessionMade", f"game_id {GAME}", "code"),
    EventType("LiveSessionMoved", "game_id step state:map digest options:int", inside=STATE_FIELDS),
    *(EventType(f"Live{what}Sealed", "game_id round:int count:int digest state:map", "heard:any asked:any",
                inside=STATE_FIELDS)
      for what in ("Answers", "Round")),
    EventType("LiveItemAdded", "game_id title total_questions:int prepared_at state:map run_off:int",
              inside=STATE_FIELDS),
    EventType("LiveSessionCorrected", "game_id what title total_questions:int prepared_at state:map "
              "created_at created_by:person", inside=STATE_FIELDS),
    EventType("LiveSessionEnded", f"game_id counted:map state:map {GAME}", "code",
              inside=f"{STATE_FIELDS} players rounds answers"),
    EventType("LiveSessionDeleted", "game_id created_at created_by:person hosts:people ended_at has_record:bool"),
    EventType("LiveSessionExpired", "game_id"),
    EventType("LiveHostAdded", "game_id name:person"),
    EventType("LiveHostRemoved", "game_id name:person created_at"),
    *(EventType(f"LivePlayer{done}", PLAYER)
      for done in ("Approved", "Renamed", "Removed", "Readmitted", "CheckedOut", "CheckedIn")),
    EventType("LivePlayerTimed", f"{PLAYER} percent:int state:map", inside=STATE_FIELDS),
    EventType("LiveHistoryForgotten", "name:person lines:list"),
    EventType("LiveOutcomeCarriedOn", "game_id number:int kind what title round:int at"),
    EventType("LiveQaChanged", "game_id is_on:bool mode named:bool words:int on_screen texts"),
    *(EventType(f"LiveQuestion{done}", "game_id asked on_screen")
      for done in ("Shown", "Hidden", "Answered", "PutUp", "TakenDown")),
    EventType("LiveTextsModerated", "game_id round:int texts:list fate"),
)  # fmt: skip
