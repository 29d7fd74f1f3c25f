"""What voters do and what happens to their ballots: load, decide, record in one transaction. One module per act."""

from .by_link import (
    LinkTarget,
    SignInInstead,
    check_holder,
    check_reader,
    guest_with_link,
    link_holder,
    opens_result,
    resolve_link,
)
from .casting import (
    Outcome,
    answers,
    cast,
    check_paper_voter,
    check_voter,
    enter_paper,
    paper_voter_context,
    voter_context,
    withdraw,
)
from .leaving import remove_ballots_of
from .sealing import seal_closed
