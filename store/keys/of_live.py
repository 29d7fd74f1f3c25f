"""Keys of live sessions: a session, whom it seats, what they say, what came of it.

Seats, answers and votes of one player lie in one of sixteen partitions, so that a hall that answers within a second
is not too much for any of them, and so that closing a round reads sixteen short spans. A player may answer again: each
answer has a key of its own, and the last one counts. The worker removes everything but the history some time after the
end (`LIVE_RETENTION`); `ttl` is a last day for all of it, in case there is no worker. Its code lies with those of polls
(`short_code`), and leads to it for a day after its end.
"""

from __future__ import annotations

import hashlib

from store.keys.parts import METADATA, escape, part, sharded
from store.table import Key, Span

GAME_SHARDS = 16
RUNNING_GAMES = Span("GAMES#RUNNING", index=True)


def game(game_id: str) -> Key:
    return Key(f"GAME#{escape(game_id)}", METADATA)


def game_by_date(moment: str, game_id: str) -> str:
    return f"{moment}#{escape(game_id)}"


def all_of_game(game_id: str) -> Span:
    """The session, its state, questions and rounds; who has a seat and what they said lies apart."""
    return Span(game(game_id).pk)


def game_state(game_id: str) -> Key:
    return Key(game(game_id).pk, "STATE")


def game_roster(game_id: str) -> Key:
    """A number that grows with every change of a seat: who keeps the seats in mind reads them again then."""
    return Key(game(game_id).pk, "ROSTER")


def game_roll_entry(game_id: str, name: str) -> Key:
    """Somebody who is entitled in an assembly."""
    return Key(game(game_id).pk, f"ROLL#{part(name)}")


def game_roll(game_id: str) -> Span:
    return Span(game(game_id).pk, prefix="ROLL#")


def game_speakers(game_id: str) -> Key:
    """Who wants to speak in an assembly, who does, and who did."""
    return Key(game(game_id).pk, "SPEAKERS")


def game_questions_part(game_id: str, number: int) -> Key:
    return Key(game(game_id).pk, f"QUESTIONS#{number:02d}")


def game_questions(game_id: str) -> Span:
    return Span(game(game_id).pk, prefix="QUESTIONS#")


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
    """By which players can tell that what they gave in a phase counts."""
    return Key(game(game_id).pk, f"HEARD#{round_:03d}#{phase}")


def sorted_ideas(game_id: str, round_: int) -> Key:
    """How what a room wrote is put in order."""
    return Key(game(game_id).pk, f"SORTED#{round_:03d}")


def game_before(game_id: str, round_: int) -> Key:
    """First choices of a round that is asked again, and the salt of the names that they lie under."""
    return Key(game(game_id).pk, f"BEFORE#{round_:03d}")


def gathered_part(game_id: str, round_: int, number: int) -> Key:
    """Answers of a round that the room is to vote on."""
    return Key(game(game_id).pk, f"GATHERED#{round_:03d}#{number:03d}")


def gathered_parts(game_id: str, round_: int) -> Span:
    return Span(game(game_id).pk, prefix=f"GATHERED#{round_:03d}#")


def presence(game_id: str, process: str) -> Key:
    """How many phones a process holds, and when it last saw the host."""
    return Key(game(game_id).pk, f"PRESENCE#{escape(process)}")


def presences(game_id: str) -> Span:
    return Span(game(game_id).pk, prefix="PRESENCE#")


def onward(game_id: str, number: int) -> Key:
    """A poll or an election that was made of a session."""
    return Key(game(game_id).pk, f"ONWARD#{number:02d}")


def onwards(game_id: str) -> Span:
    return Span(game(game_id).pk, prefix="ONWARD#")


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
    """`player` is the player's id, or the pseudonym under which they answer where nobody is to know who it was."""
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
    """Lines of the history whose sessions have not ended."""
    return Span(f"HOSTS#{part(host)}", index=True)


def game_in_history(host: str, moment: str, game_id: str) -> Key:
    return Key(games_of(host).pk, game_by_date(moment, game_id))


# --- questions from the room ---


def game_qa(game_id: str) -> Key:
    """Whether the session takes questions, and how; with numbers that grow when there is something new to read."""
    return Key(game(game_id).pk, "QA")


def asked(game_id: str, question: str) -> Key:
    return Key(game(game_id).pk, f"ASKED#{escape(question)}")


def all_asked(game_id: str) -> Span:
    return Span(game(game_id).pk, prefix="ASKED#")


def moderated(game_id: str, round_: int) -> Key:
    """What hosts have decided about texts of a round, an attribute for each."""
    return Key(game(game_id).pk, f"MODERATED#{round_:03d}")


def all_moderated(game_id: str) -> Span:
    return Span(game(game_id).pk, prefix="MODERATED#")


def upvoted(game_id: str, who: str) -> Key:
    """`who` is a mark of a player, never the player's id."""
    return Key(game_shard(game_id, who), f"UPVOTED#{escape(who)}")


def upvotes(game_id: str, who: str) -> Key:
    """The sums to which somebody's upvotes are added."""
    return Key(game_shard(game_id, who), "UPVOTES")


def all_upvotes(game_id: str) -> list[Key]:
    return [Key(span.pk, "UPVOTES") for span in shards_of_game(game_id)]


# --- minutes ---


def minutes(game_id: str) -> Key:
    return Key(f"MINUTES#{escape(game_id)}", METADATA)


def all_of_minutes(game_id: str) -> Span:
    return Span(minutes(game_id).pk)


def minutes_part(game_id: str, what: str) -> Key:
    """A copy of what lay under this sort key in the session."""
    return Key(minutes(game_id).pk, f"PART#{what}")


def minutes_parts(game_id: str) -> Span:
    return Span(minutes(game_id).pk, prefix="PART#")


def minutes_onward(game_id: str, number: int) -> Key:
    """A poll or an election that came of the assembly."""
    return Key(minutes(game_id).pk, f"MADE#{number:02d}")


def minutes_note(game_id: str, number: int) -> Key:
    return Key(minutes(game_id).pk, f"NOTE#{number:03d}")


def minutes_notes(game_id: str) -> Span:
    return Span(minutes(game_id).pk, prefix="NOTE#")


def attended_by(person: str) -> Span:
    """The assemblies that somebody attended with an account, by the time of their end."""
    return Span(f"ATTENDED#{part(person)}")


def attended(person: str, ended_at: str, game_id: str) -> Key:
    return Key(attended_by(person).pk, f"{ended_at}#{escape(game_id)}")


# --- question sets ---


SHARED_SETS = Span("SETS#SHARED", index=True)


def question_set(set_id: str) -> Key:
    return Key(f"SET#{escape(set_id)}", METADATA)


def all_of_set(set_id: str) -> Span:
    """The set with its categories and questions: one Query."""
    return Span(question_set(set_id).pk)


def shared_set(set_id: str) -> Key:
    """There while others may use it."""
    return Key(question_set(set_id).pk, "SHARED")


def sets_of(person: str) -> Span:
    return Span(f"SETS#{part(person)}", index=True)


def set_by_date(moment: str, set_id: str) -> str:
    return f"{moment}#{escape(set_id)}"


def set_category(set_id: str, category: int) -> Key:
    return Key(question_set(set_id).pk, f"CATEGORY#{category:02d}")


def set_categories(set_id: str) -> Span:
    return Span(question_set(set_id).pk, prefix="CATEGORY#")


def set_question(set_id: str, category: int, number: int) -> Key:
    return Key(question_set(set_id).pk, f"QUESTION#{category:02d}#{number:04d}")


def set_questions(set_id: str) -> Span:
    return Span(question_set(set_id).pk, prefix="QUESTION#")


def set_filling(set_id: str, moment: str, number: int) -> Key:
    """Questions that are still to be put into the set."""
    return Key(question_set(set_id).pk, f"FILLING#{escape(moment)}#{number:02d}")


def set_fillings(set_id: str) -> Span:
    """All of them, as they are to come in."""
    return Span(question_set(set_id).pk, prefix="FILLING#")
