"""Keys of live sessions: seats, answers, rounds and history; questions from the room, minutes and question sets.

A player's seat, answers and votes are in one of sixteen partitions, so that a hall that answers within a second
overloads none of them and closing a round reads sixteen short spans. A player may answer again: each answer has its
own key, and the last one counts. The worker deletes everything but the history some time after the end
(`LIVE_RETENTION`); a `ttl` deletes it if there is no worker. Join codes are with those of polls (`short_code`), and
work until a day after the end.
"""

from __future__ import annotations

import hashlib

from foundation.store.keys.declared import as_it_is, computed, digits, index, key, single_list, span
from foundation.store.keys.parts import METADATA, escape, part, sharded
from foundation.store.table import Key, Span

GAME_SHARDS = 16

# fmt: off

game = key("GAME", "GAME#{session}", METADATA, escape, about="A live session: its title, its hosts and its settings.")
game_state = key("GAME_STATE", "GAME#{session}", "STATE", escape, about="What happens in a live session now.")
game_roster = key("GAME_ROSTER", "GAME#{session}", "ROSTER", escape,
                  about="A number that grows with every change of a seat, for caches of the seats.")
game_speakers = key("GAME_SPEAKERS", "GAME#{session}", "SPEAKERS", escape,
                    about="Past, current and waiting speakers of an assembly.")
game_qa = key("GAME_QA", "GAME#{session}", "QA", escape,
              about="Whether and how a session takes questions, with numbers that grow when there is something new.")
game_roll_entry = key("GAME_VOTER", "GAME#{session}", "ROLL#{name}", escape, part,
                      about="A person entitled to vote in an assembly.")
game_questions_part = key("GAME_QUESTIONS", "GAME#{session}", "QUESTIONS#{number}", escape, digits(2),
                          about="Some of the questions of a session, as they were when it was made.")
game_salt = key("GAME_SALT", "GAME#{session}", "SALT#{round}", escape, digits(3),
                about="The salt of the pseudonyms in an anonymous round, until it is closed.")
player_name = key("PLAYER_NAME", "GAME#{session}", "NAME#{name}", escape, part,
                  about="Which player has the name; guards against a second.")
round_part = key("GAME_ROUND", "GAME#{session}", "ROUND#{round}#{number}", escape, digits(3), digits(3),
                 about="Some of the answers of a closed round, and its result.")
round_heard = key("GAME_RECEIPTS", "GAME#{session}", "HEARD#{round}#{phase}", escape, digits(3), as_it_is,
                  about="Tells players that what they sent in a phase counts.")
sorted_ideas = key("GAME_SORTED", "GAME#{session}", "SORTED#{round}", escape, digits(3),
                   about="How the ideas of a room are sorted.")
game_before = key("GAME_BEFORE", "GAME#{session}", "BEFORE#{round}", escape, digits(3),
                  about="First choices in a round that is asked twice, and the salt of their pseudonyms.")
gathered_part = key("GAME_GATHERED", "GAME#{session}", "GATHERED#{round}#{number}", escape, digits(3), digits(3),
                    about="Answers of a round that the room will vote on.")
presence = key("GAME_PRESENCE", "GAME#{session}", "PRESENCE#{process}", escape, escape,
               about="How many phones are connected to a process, and when it last saw the host.")
onward = key("GAME_ONWARD", "GAME#{session}", "ONWARD#{number}", escape, digits(2),
             about="A poll or an election created from a session.")
game_in_history = key("GAME_IN_HISTORY", "GAMES#{host}", "{created_at}#{session}", part, as_it_is, escape,
                      about="A session in the list of somebody who hosts or hosted it, kept when the rest is deleted.")

all_of_game = span("GAME#{session}", "", escape)  # without seats and answers
game_roll = span("GAME#{session}", "ROLL#", escape)
game_questions = span("GAME#{session}", "QUESTIONS#", escape)
presences = span("GAME#{session}", "PRESENCE#", escape)
onwards = span("GAME#{session}", "ONWARD#", escape)
all_asked = span("GAME#{session}", "ASKED#", escape)
all_moderated = span("GAME#{session}", "MODERATED#", escape)
gathered_parts = span("GAME#{session}", "GATHERED#{round}", escape, digits(3))
games_of = span("GAMES#{host}", "", part)
RUNNING_GAMES = single_list("GAMES#RUNNING", "{created_at}#{session}")
running_games_of = index("HOSTS#{host}", "{created_at}#{session}", part)

# fmt: on


def round_parts(game_id: str, round_: int | None = None) -> Span:
    """Of one round, or of all."""
    return Span(game(game_id).pk, prefix="ROUND#" if round_ is None else f"ROUND#{round_:03d}#")


# --- seats and answers, in shards ---


def game_shard(game_id: str, player: str) -> str:
    number = hashlib.sha256(player.encode()).digest()[0] % GAME_SHARDS
    return _shard(game_id, number)


def _shard(game_id: str, number: int) -> str:
    return sharded(game(game_id).pk, number, GAME_SHARDS)


def shards_of_game(game_id: str, prefix: str = "") -> list[Span]:
    return [Span(_shard(game_id, number), prefix=prefix) for number in range(GAME_SHARDS)]


@computed("GAME_SEAT", "GAME#{session}#{shard}", "PLAYER#{player}", "A player: their name, and whether they take part.")
def seat(game_id: str, player: str) -> Key:
    return Key(game_shard(game_id, player), f"PLAYER#{escape(player)}")


def seats(game_id: str) -> list[Span]:
    return shards_of_game(game_id, "PLAYER#")


@computed(
    *("GAME_ANSWER", "GAME#{session}#{shard}", "ANSWER#{round}#{player}#{time}"),
    "What a player answered; `player` is the player's id, or a pseudonym in an anonymous round.",
)
def live_answer(game_id: str, round_: int, player: str, at: int) -> Key:
    return Key(game_shard(game_id, player), f"ANSWER#{round_:03d}#{escape(player)}#{at:015d}")


def live_answers(game_id: str, round_: int) -> list[Span]:
    return shards_of_game(game_id, f"ANSWER#{round_:03d}#")


def own_answers(game_id: str, round_: int, player: str) -> Span:
    return Span(game_shard(game_id, player), prefix=f"ANSWER#{round_:03d}#{escape(player)}#")


@computed(
    *("GAME_VOTE", "GAME#{session}#{shard}", "VOTE#{round}#{player}#{time}"),
    "How a player voted on the answers of a room; `player` is as in a live answer.",
)
def live_vote(game_id: str, round_: int, player: str, at: int) -> Key:
    return Key(game_shard(game_id, player), f"VOTE#{round_:03d}#{escape(player)}#{at:015d}")


def live_votes(game_id: str, round_: int) -> list[Span]:
    return shards_of_game(game_id, f"VOTE#{round_:03d}#")


def own_votes(game_id: str, round_: int, player: str) -> Span:
    return Span(game_shard(game_id, player), prefix=f"VOTE#{round_:03d}#{escape(player)}#")


# --- questions from the room ---


@computed(
    *("GAME_UPVOTED", "GAME#{session}#{shard}", "UPVOTED#{who}"),
    "Which questions a player upvoted; `who` is a mark of the player, never the player's id.",
)
def upvoted(game_id: str, who: str) -> Key:
    return Key(game_shard(game_id, who), f"UPVOTED#{escape(who)}")


@computed("GAME_UPVOTES", "GAME#{session}#{shard}", "UPVOTES", "The totals that a player's upvotes are added to.")
def upvotes(game_id: str, who: str) -> Key:
    return Key(game_shard(game_id, who), "UPVOTES")


def all_upvotes(game_id: str) -> list[Key]:
    return [Key(span.pk, "UPVOTES") for span in shards_of_game(game_id)]


# fmt: off

asked = key("GAME_ASKED", "GAME#{session}", "ASKED#{question}", escape, escape, about="A question from the room.")
moderated = key("GAME_MODERATED", "GAME#{session}", "MODERATED#{round}", escape, digits(3),
                about="The hosts' decisions about texts of a round, one attribute each.")

# --- minutes ---

minutes = key("MINUTES", "MINUTES#{session}", METADATA, escape, about="The minutes of an assembly, kept after it.")
minutes_part = key("MINUTES_PART", "MINUTES#{session}", "PART#{sort_key}", escape, as_it_is,
                   about="A copy of the item of the session that had this sort key.")
minutes_onward = key("MINUTES_ONWARD", "MINUTES#{session}", "MADE#{number}", escape, digits(2),
                     about="A poll or an election created from the assembly.")
minutes_note = key("MINUTES_NOTE", "MINUTES#{session}", "NOTE#{number}", escape, digits(3),
                   about="A remark that was added to the minutes.")
attended = key("ATTENDED", "ATTENDED#{person}", "{ended_at}#{session}", part, as_it_is, escape,
               about="An assembly that a person attended with an account.")

all_of_minutes = span("MINUTES#{session}", "", escape)
minutes_parts = span("MINUTES#{session}", "PART#", escape)
minutes_notes = span("MINUTES#{session}", "NOTE#", escape)
attended_by = span("ATTENDED#{person}", "", part)

# --- question sets ---

question_set = key("QUESTION_SET", "SET#{set}", METADATA, escape, about="A set of questions for live sessions.")
shared_set = key("SHARED_SET", "SET#{set}", "SHARED", escape, about="Exists while others may use a set.")
set_category = key("SET_CATEGORY", "SET#{set}", "CATEGORY#{category}", escape, digits(2),
                   about="A category of a set of questions.")
set_question = key("SET_QUESTION", "SET#{set}", "QUESTION#{category}#{number}", escape, digits(2), digits(4),
                   about="A question of a set.")
set_filling = key("SET_FILLING", "SET#{set}", "FILLING#{moment}#{number}", escape, escape, digits(2),
                  about="Questions still to be added to a set.")

all_of_set = span("SET#{set}", "", escape)  # with its categories and questions, in one query
set_categories = span("SET#{set}", "CATEGORY#", escape)
set_questions = span("SET#{set}", "QUESTION#", escape)
set_fillings = span("SET#{set}", "FILLING#", escape)  # in the order they will be added
SHARED_SETS = single_list("SETS#SHARED", "{changed_at}#{set}")
sets_of = index("SETS#{person}", "{changed_at}#{set}", part)

# fmt: on
