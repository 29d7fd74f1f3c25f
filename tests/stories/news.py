"""Everything that can happen to a post."""

from __future__ import annotations

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as voting
from ballots.sealing import seal_closed
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from foundation.ranking.candidates import Candidate
from parts.news import repository, services
from parts.news.services import Written
from results import services as results
from tests.stories.front_page import a_picture

LATER = "2100-01-01T09:00:00.000Z"


def tell_of_news(person) -> str:
    """Everything happens that can happen to a post; answers the id of one that stays."""
    owner, ada = person("Olga", Role.OWNER), person("Ada")
    a_sealed_election(ada)
    services.announce(ada, results.find("Board"))
    about = {"election": "Board"}
    seen, ahead, draft = (
        services.write(ada, Written(title, "Words."), **about) for title in ("Seen", "Ahead", "Draft")
    )
    services.publish(ada, seen)
    services.publish(ada, ahead, LATER, "Europe/Berlin")
    services.revoke_previews(ada, draft)
    one = services.write(owner, Written("Seen", "More *words*.", tags=("news", "board")))
    services.publish(owner, one)
    services.edit(owner, now(one), Written("Again", "Yet more.", tags=("board",), slug="again"), revised=True)
    for number in (1, 2):
        services.picture(owner, one.id, a_picture(number))
    services.withdraw(owner, now(one))
    services.delete(owner, now(one))
    services.picture(owner, draft.id, a_picture(3))
    accounts.remove(owner, people.find("Ada"))
    return seen.id


def a_sealed_election(ada) -> None:
    made = drafts.create(ada, "Board", results_public=True, electorate="everyone")
    add_candidates(ada, made, [Candidate("Bo"), Candidate("Cy")])
    lifecycle.open_(ada, elections.find("Board"), editable=False)
    voting.cast(ada, "Board", {"0": ["1"]}, "form")
    closing.close(ada, elections.find("Board"))
    seal_closed("Board")


def now(post):
    return repository.find(post.id)
