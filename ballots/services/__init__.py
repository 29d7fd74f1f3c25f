"""What voters do, and what becomes of their ballots: load, decide, record in one transaction. One room for each act."""

from .by_link import Behind, SignInInstead, behind, check_holder, check_reader, opens_result
from .casting import Outcome, cast, check_own, check_question, enter_paper, paper_standing, standing_of, withdraw
from .emptying import are_old_boxes_full, empty_old_boxes
from .leaving import take_along
from .restoring import unlink_all, unlinking
from .sealing import publishing, seal_what_is_closed, sealed_parts

__all__ = [
    "Behind",
    "Outcome",
    "SignInInstead",
    "are_old_boxes_full",
    "behind",
    "cast",
    "check_holder",
    "check_own",
    "check_question",
    "check_reader",
    "empty_old_boxes",
    "enter_paper",
    "opens_result",
    "paper_standing",
    "publishing",
    "seal_what_is_closed",
    "sealed_parts",
    "standing_of",
    "take_along",
    "unlink_all",
    "unlinking",
    "withdraw",
]
