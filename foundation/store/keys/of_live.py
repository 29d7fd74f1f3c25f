"""Keys of live sessions: seats, answers, rounds and history; questions from the room, minutes and question sets.

A player's seat, answers and votes are in one of sixteen partitions, so that a hall that answers within a second
overloads none of them and closing a round reads sixteen short spans. A player may answer again: each answer has its
own key, and the last one counts. The worker deletes everything but the history some time after the end
(`LIVE_RETENTION`); a `ttl` deletes it if there is no worker. Join codes are with those of polls (`short_code`), and
work until a day after the end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from foundation.store.keys.parts import METADATA, escape, id_by_date, part, sharded
from foundation.store.table import Key, Span

GAME_SHARDS = 16
RUNNING_GAMES = Span("GAMES#RUNNING", index=True)


def game(game_id: str) -> Key:
    return Key(f"GAME#{escape(game_id)}", METADATA)


def all_of_game(game_id: str) -> Span:
    """The session, its state, questions and rounds; seats and answers are elsewhere."""
    return Span(game(game_id).pk)


# --- what there is once in a session, and all of a kind ---


def _one(sort_key: str) -> Callable[[str], Key]:
    def key(game_id: str) -> Key:
        return Key(game(game_id).pk, sort_key)

    return key


def _all(prefix: str) -> Callable[[str], Span]:
    def span(game_id: str) -> Span:
        return Span(game(game_id).pk, prefix=prefix)

    return span


game_state = _one("STATE")
game_roster = _one("ROSTER")  # a number that grows with every change of a seat, for caches of the seats
game_speakers = _one("SPEAKERS")  # past, current and waiting speakers of an assembly
game_qa = _one("QA")  # whether and how it takes questions, with numbers that grow when there is something new

game_roll = _all("ROLL#")
game_questions = _all("QUESTIONS#")
presences = _all("PRESENCE#")
onwards = _all("ONWARD#")
all_asked = _all("ASKED#")
all_moderated = _all("MODERATED#")


# --- seats, answers and rounds ---


def game_roll_entry(game_id: str, name: str) -> Key:
    """A person entitled to vote in an assembly."""
    return Key(game(game_id).pk, f"ROLL#{part(name)}")


def game_questions_part(game_id: str, number: int) -> Key:
    return Key(game(game_id).pk, f"QUESTIONS#{number:02d}")


def game_salt(game_id: str, round_: int) -> Key:
    return Key(game(game_id).pk, f"SALT#{round_:03d}")


def player_name(game_id: str, name: str) -> Key:
    return Key(game(game_id).pk, f"NAME#{part(name)}")


def round_part(game_id: str, round_: int, number: int) -> Key:
    return Key(game(game_id).pk, f"ROUND#{round_:03d}#{number:03d}")


def round_parts(game_id: str, round_: int | None = None) -> Span:
    """Of one round, or of all."""
    return Span(game(game_id).pk, prefix="ROUND#" if round_ is None else f"ROUND#{round_:03d}#")


def round_heard(game_id: str, round_: int, phase: str) -> Key:
    """Tells players that what they sent in a phase counts."""
    return Key(game(game_id).pk, f"HEARD#{round_:03d}#{phase}")


def sorted_ideas(game_id: str, round_: int) -> Key:
    """How the ideas of a room are sorted."""
    return Key(game(game_id).pk, f"SORTED#{round_:03d}")


def game_before(game_id: str, round_: int) -> Key:
    """First choices in a round that is asked twice, and the salt of their pseudonyms."""
    return Key(game(game_id).pk, f"BEFORE#{round_:03d}")


def gathered_part(game_id: str, round_: int, number: int) -> Key:
    """Answers of a round that the room will vote on."""
    return Key(game(game_id).pk, f"GATHERED#{round_:03d}#{number:03d}")


def gathered_parts(game_id: str, round_: int) -> Span:
    return Span(game(game_id).pk, prefix=f"GATHERED#{round_:03d}#")


def presence(game_id: str, process: str) -> Key:
    """How many phones are connected to a process, and when it last saw the host."""
    return Key(game(game_id).pk, f"PRESENCE#{escape(process)}")


def onward(game_id: str, number: int) -> Key:
    """A poll or an election created from a session."""
    return Key(game(game_id).pk, f"ONWARD#{number:02d}")


def game_shard(game_id: str, player: str) -> str:
    number = hashlib.sha256(player.encode()).digest()[0] % GAME_SHARDS
    return _shard(game_id, number)


def _shard(game_id: str, number: int) -> str:
    return sharded(game(game_id).pk, number, GAME_SHARDS)


def shards_of_game(game_id: str, prefix: str = "") -> list[Span]:
    return [Span(_shard(game_id, number), prefix=prefix) for number in range(GAME_SHARDS)]


def seat(game_id: str, player: str) -> Key:
    return Key(game_shard(game_id, player), f"PLAYER#{escape(player)}")


def seats(game_id: str) -> list[Span]:
    return shards_of_game(game_id, "PLAYER#")


def live_answer(game_id: str, round_: int, player: str, at: int) -> Key:
    """`player` is the player's id, or a pseudonym in an anonymous round."""
    return Key(game_shard(game_id, player), f"ANSWER#{round_:03d}#{escape(player)}#{at:015d}")


def live_answers(game_id: str, round_: int) -> list[Span]:
    return shards_of_game(game_id, f"ANSWER#{round_:03d}#")


def own_answers(game_id: str, round_: int, player: str) -> Span:
    return Span(game_shard(game_id, player), prefix=f"ANSWER#{round_:03d}#{escape(player)}#")


def live_vote(game_id: str, round_: int, player: str, at: int) -> Key:
    return Key(game_shard(game_id, player), f"VOTE#{round_:03d}#{escape(player)}#{at:015d}")


def live_votes(game_id: str, round_: int) -> list[Span]:
    return shards_of_game(game_id, f"VOTE#{round_:03d}#")


def own_votes(game_id: str, round_: int, player: str) -> Span:
    return Span(game_shard(game_id, player), prefix=f"VOTE#{round_:03d}#{escape(player)}#")


def games_of(host: str) -> Span:
    return Span(f"GAMES#{part(host)}")


def running_games_of(host: str) -> Span:
    """Entries of the history whose sessions have not ended."""
    return Span(f"HOSTS#{part(host)}", index=True)


def game_in_history(host: str, moment: str, game_id: str) -> Key:
    return Key(games_of(host).pk, id_by_date(moment, game_id))


# --- questions from the room ---


def asked(game_id: str, question: str) -> Key:
    return Key(game(game_id).pk, f"ASKED#{escape(question)}")


def moderated(game_id: str, round_: int) -> Key:
    """The hosts' decisions about texts of a round, one attribute each."""
    return Key(game(game_id).pk, f"MODERATED#{round_:03d}")


def upvoted(game_id: str, who: str) -> Key:
    """`who` is a mark of the player, never the player's id."""
    return Key(game_shard(game_id, who), f"UPVOTED#{escape(who)}")


def upvotes(game_id: str, who: str) -> Key:
    """The totals that a player's upvotes are added to."""
    return Key(game_shard(game_id, who), "UPVOTES")


def all_upvotes(game_id: str) -> list[Key]:
    return [Key(span.pk, "UPVOTES") for span in shards_of_game(game_id)]


# --- minutes ---


def minutes(game_id: str) -> Key:
    return Key(f"MINUTES#{escape(game_id)}", METADATA)


def all_of_minutes(game_id: str) -> Span:
    return Span(minutes(game_id).pk)


def minutes_part(game_id: str, what: str) -> Key:
    """A copy of the session's item with this sort key."""
    return Key(minutes(game_id).pk, f"PART#{what}")


def minutes_parts(game_id: str) -> Span:
    return Span(minutes(game_id).pk, prefix="PART#")


def minutes_onward(game_id: str, number: int) -> Key:
    """A poll or an election created from the assembly."""
    return Key(minutes(game_id).pk, f"MADE#{number:02d}")


def minutes_note(game_id: str, number: int) -> Key:
    return Key(minutes(game_id).pk, f"NOTE#{number:03d}")


def minutes_notes(game_id: str) -> Span:
    return Span(minutes(game_id).pk, prefix="NOTE#")


def attended_by(person: str) -> Span:
    """The assemblies a person attended with an account, by end time."""
    return Span(f"ATTENDED#{part(person)}")


def attended(person: str, ended_at: str, game_id: str) -> Key:
    return Key(attended_by(person).pk, id_by_date(ended_at, game_id))


# --- question sets ---


SHARED_SETS = Span("SETS#SHARED", index=True)


def question_set(set_id: str) -> Key:
    return Key(f"SET#{escape(set_id)}", METADATA)


def all_of_set(set_id: str) -> Span:
    """The set with its categories and questions, in one query."""
    return Span(question_set(set_id).pk)


def shared_set(set_id: str) -> Key:
    """Exists while others may use the set."""
    return Key(question_set(set_id).pk, "SHARED")


def sets_of(person: str) -> Span:
    return Span(f"SETS#{part(person)}", index=True)


def set_category(set_id: str, category: int) -> Key:
    return Key(question_set(set_id).pk, f"CATEGORY#{category:02d}")


def set_categories(set_id: str) -> Span:
    return Span(question_set(set_id).pk, prefix="CATEGORY#")


def set_question(set_id: str, category: int, number: int) -> Key:
    return Key(question_set(set_id).pk, f"QUESTION#{category:02d}#{number:04d}")


def set_questions(set_id: str) -> Span:
    return Span(question_set(set_id).pk, prefix="QUESTION#")


def set_filling(set_id: str, moment: str, number: int) -> Key:
    """Questions still to be added to the set."""
    return Key(question_set(set_id).pk, f"FILLING#{escape(moment)}#{number:02d}")


def set_fillings(set_id: str) -> Span:
    """All of them, in the order they will be added."""
    return Span(question_set(set_id).pk, prefix="FILLING#")
