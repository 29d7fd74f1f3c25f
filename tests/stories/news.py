"""Everything that can happen to a post and to the site's page."""

from __future__ import annotations

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as voting
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from foundation.photos.changing import PictureChange
from foundation.photos.encoding import Encoded
from foundation.photos.rules import Photo
from foundation.ranking.candidates import Candidate
from parts.news import repository, services, site_page, site_services
from parts.news.services import Written
from parts.news.site_page import Part
from results import services as results

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
    tell_of_the_site_page(owner)
    accounts.remove(owner, people.find("Ada"))
    return seen.id


def tell_of_the_site_page(owner) -> None:
    """Written, pictured, removed, and written again."""
    for number in (4, 5):
        seen = site_page.edition(site_page.find(), Part.TEXT)
        site_services.edit(owner, Part.TEXT, seen, {"text": f"We *are* {number}."})
        site_services.picture(owner, a_picture(number))
        if number == 4:
            site_services.remove(owner)


def a_picture(number: int) -> PictureChange:
    return PictureChange(Encoded(Photo(f"{number:032x}", "A door", 640, 480, (640,), "jpg", ("0" * 64,)), (b"bytes",)))


def a_sealed_election(ada) -> None:
    made = drafts.create(ada, "Board", results_public=True, electorate="everyone")
    add_candidates(ada, made, [Candidate("Bo"), Candidate("Cy")])
    lifecycle.open_(ada, elections.find("Board"), editable=False)
    voting.cast(ada, "Board", {"0": ["1"]}, "form")
    closing.close(ada, elections.find("Board"))
    voting.seal_closed("Board")


def now(post):
    return repository.find(post.id)
