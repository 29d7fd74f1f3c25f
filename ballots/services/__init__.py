"""What voters do, and what becomes of their ballots: load, decide, record in one transaction. One room for each act."""

from .by_link import Behind, SignInInstead, behind, check_holder, check_reader, opens_result
from .casting import Outcome, cast, check_own, check_question, enter_paper, paper_standing, standing_of, withdraw
from .leaving import take_along
from .restoring import unlink_all, unlinking
from .sealing import publishing, seal_what_is_closed, sealed_parts

PUBLIC = "sealing"
