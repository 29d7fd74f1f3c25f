"""What the demo shows of letters."""

from __future__ import annotations

from accounts.models import User
from elections.roll.services import add_voters
from elections.rules import Election
from elections.voter_lists import Details

ELECTION = "Board 2027"
MEMBERS = {  # people without an email address
    "1007@": Details("Maria Sibylla Merian", postal=("Alte Gasse 3", "60313 Frankfurt"), language="de"),
    "1012@": Details("Srinivasa Ramanujan", postal=("Sarangapani Street 12", "Kumbakonam 612001", "India")),
    "1020@": Details("Maryam Mirzakhani", postal=("c/o Workshop", "12 Garden Lane", "Riverside")),
}


def list_members(owner: User, election: Election) -> None:
    """Some of the electorate of one election."""
    if election.name == ELECTION:
        add_voters(owner, election, list(MEMBERS), MEMBERS)
