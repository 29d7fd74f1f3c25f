"""What organisers do: load, decide, record in one transaction, tell people. One room for each kind of act.

A gerund (`opening`, `adding`, `closing`) is what an act writes: parts of a transaction, which replay uses too.
"""

from .acting import check, check_itself, relation
from .candidates import add_candidates, copy_pictures, edit_candidate, picture_candidate, remove_candidate
from .deleting import delete, deletion, to_delete
from .drafts import change, create, create_draft, rename, respelling
from .ending import beginning, close, close_and_look, close_if_over, close_what_is_over, closing, next_end
from .lifecycle import extend, fix, move_end, open_, open_now, opened, opening
from .needs import agree, ask_candidates, copy_needs, disagree, drop_need, forget_agreements, set_need
from .roll import Added, add_handful, add_voters, adding, bring, put_on_roll, remove_voter, take_off
from .runners import add_manager, hand_over, pass_on, remove_manager, with_manager, with_owner, without_manager

PUBLIC = "ending lifecycle"
