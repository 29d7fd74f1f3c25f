"""Every key there is, by noun; what lies under it is declared by its app. No other package builds a key.

| room           | the keys of                                                                        |
|----------------|------------------------------------------------------------------------------------|
| `of_people`    | people, sessions, invitations, registrations, whoever is leaving                   |
| `of_elections` | elections, their lists, managers and candidates, and what is still to be done      |
| `of_rolls`     | voters, elections for everyone, lists of voters on their way in                    |
| `of_books`     | elections bound together, and what is still to be done to each of them             |
| `of_groups`    | groups that are kept for rolls, their members and where they were used             |
| `of_ballots`   | gates, salts, ballots, published ballots                                           |
| `of_results`   | lots, results, counted rankings, what is to be sealed                              |
| `of_mail`      | the outbox, mailings, messages, reminders, mails that failed                       |
| `of_polls`     | polls, their gates, votes, results, reports and short codes                        |
| `of_skills`    | the catalogue of skills, and who has which                                         |
| `of_news`      | posts, their addresses, and the lists they stand in                                |
| `of_sets`      | question sets of live sessions, and the lists they stand in                        |
| `of_photos`    | pictures that people upload                                                        |
| `of_live`      | live sessions, their seats, answers, votes and rounds                              |
| `of_minutes`   | minutes of assemblies, and the notes added to them                                 |
| `of_qa`        | what the room asks beside a live session, and who wants which answered             |
| `of_site`      | counts, figures, leases, pause, the site's page, workers and how far each is       |
| `of_log`       | events, checkpoints, the log's index                                               |
| `parts`        | how names and numbers stand in a key                                               |
| `invisible`    | characters that nobody sees, and which of them a name may keep                     |

Rooms are named `of_…` because many of the plain nouns are spans: `keys.elections("b")` is a part of the list.
"""

# What is imported here is for whoever says `keys.…`; on one screen, so that it can be taken in at a glance.
# ruff: noqa: F401, I001
# mypy: implicit-reexport
# fmt: off

from __future__ import annotations

from .parts import (
    DIGITS, METADATA, escape, first_shard, fold, home, part, sequence, shard_of, sharded,
)
from .invisible import (
    OVERRIDES, without_invisible, without_stray_invisible,
)
from .of_people import (
    INVITATIONS, LEAVING, NAMES_KEPT, NAMES_TO_FORGET, email, factors, invitation, invitation_by_date, leaving,
    listed_person, lookalike, mails_of_day, name_kept, name_to_forget, name_to_forget_by_date, name_word, name_words,
    name_words_with_role, names_rule, owner, people, people_with_role, registration, role, session,
    sessions, setup, throttle, user, users_by_email, words_of_role,
)
from .of_elections import (
    DELETED, ELECTIONS, FILLING, OWN_ELECTIONS, RENAMED, SPREAD, agreed_by, agreement, agreements, all_in_shards,
    all_of_election, by_date,
    candidate, candidates, deleted, election, election_shard, elections, elections_in_state, elections_made_at, filling,
    filling_part, filling_parts, listed_election, manager, need, needs, renamed, run_by, snapshot, spread,
    turnout, description, under_new_name,
)
from .of_rolls import (
    FOR_EVERYONE, IMPORTS, elections_of_voter, for_everyone, imported_rows, voter, voter_import,
    voter_import_by_date, voter_imports, voters,
)
from .of_books import (
    BOOKS_ADDED, BOOKS_AT_WORK, book, book_added, book_at_work, book_by_date,
)
from .of_groups import (
    DELETED_GROUPS, FILLING_GROUPS, all_of_group, coming_members, deleted_group, group, group_by_date, group_by_id,
    group_filling, group_fillings, group_name, group_names, group_use, group_uses, group_uses_before, groups_of,
    groups_with, member, members,
)
from .of_ballots import (
    all_published, ballot, ballot_by_time, ballots, ballots_by_time, gate, gate_of, published, salt, salts,
)
from .of_results import (
    SEALING, SHARED_RESULTS, counted_part, counted_parts, lots, result, result_part, result_parts, sealing,
    shared_result,
)
from .of_mail import (
    MAILINGS, bounces_read, failed_mail, failed_mails, invitation_words, quiet, mail, mail_by_date, mail_by_turn,
    mail_counts, mail_list, mail_server, mailing, mailing_by_date, mails, mails_again, mails_due, mails_waiting,
    message, messages, reminders,
)
from .of_polls import (
    DELETED_POLLS, PUBLIC_POLLS, REPORTED_POLLS, all_in_poll_shards, all_of_poll, deleted_poll, listed_poll, made_by,
    made_poll, poll, poll_by_date, poll_counted_part, poll_counted_parts, poll_gate, poll_result, polls_ending, report,
    reported_poll, reports, short_code, vote, vote_by_time, votes, votes_by_time,
)
from .of_skills import (
    MERGING_SKILLS, PROPOSED_SKILLS, SKILL_CATEGORIES, all_of_person, own_skills, person_skill, person_skills, profile,
    skill, skill_by_date, skill_by_name, skill_category, skill_held, skill_holders, skill_holders_at,
    skill_merge, skill_name, skill_names, skills, endorsed_skill, endorsement, endorsements, endorses, endorsing,
)
from .of_news import (
    DRAFTS, POSTS, all_of_post, announcement, drafts_by, post, post_by_author, post_by_date, post_by_tag,
    post_on_election, post_slug, post_text, posts_by, posts_in, posts_on, posts_with, up_to,
    DELETED_POSTS, all_likes, deleted_post, like, liked_by, likes, marks_of_likes,
    POST_MAILINGS, SUBSCRIBERS, post_mailing, post_mailings_due, subscriber,
)
from .of_sets import (
    DELETED_SETS, FILLING_SETS, SHARED_SETS, all_of_set, deleted_set, question_set, set_by_date, set_categories,
    set_category, set_filling, set_fillings, set_question, set_questions, sets_of, shared_set,
)
from .of_photos import (
    photo, photo_widths,
)
from .of_live import (
    DELETED_GAMES, EMPTYING_GAMES, GAME_SHARDS, KEPT_GAMES, RUNNING_GAMES, all_of_game, deleted_game, game,
    game_before, game_by_date, game_emptying, game_in_history, game_questions, game_questions_part, game_roll,
    game_roll_entry, game_roster, game_salt, game_shard, game_speakers, game_state, games_kept, games_of,
    gathered_part, gathered_parts, ideas_emptying, live_answer, live_answers, live_vote, live_votes, own_answers,
    own_votes, player_name, presence, presences, round_heard, round_part, round_parts, running_games_of, seat, seats,
    shards_of_game,
    sorted_ideas, UNTOLD_ONWARD, onward, onwards,
)
from .of_minutes import (
    UNSEALED_MINUTES, all_of_minutes, attended, attended_by, minutes, minutes_note, minutes_notes, minutes_onward,
    minutes_part, minutes_parts,
)
from .of_qa import (
    all_asked, all_moderated, all_upvotes, asked, game_qa, moderated, upvoted, upvotes,
)
from .of_site import (
    WORKERS, counts, figures, figures_of_day, figures_of_days, forgetting, last_backup, lease, nightly, once,
    pause, restoring, retention, secret_key, site_page, store_format, sync, worker,
)
from .of_log import (
    EVENTS, LOG_INDEX, checkpoint, checkpoints, event, event_number, events, events_in, holds_events, log_format,
    log_index, log_index_blocks, moments, public_checkpoint, public_checkpoints, publishing, void,
)
