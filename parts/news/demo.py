"""News of the demo: a welcome, a post about elections, an announced result, a scheduled post, and a draft."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from accounts import repository as people
from foundation.photos import demo as pictures
from foundation.store.log import as_text, utc_now
from results import services as results
from results.repository import Sealed

from . import likes, repository, services
from .rules import slug_of
from .services import Written

TIME_ZONE = "Europe/Brussels"
ANNOUNCED = "Talk of the year"
FANS = ("Hypatia", "Wang Zhenyi", "Emmy Noether", "Ibn al-Haytham", "Katherine Johnson")


@dataclass(frozen=True, slots=True)
class PlannedPost:
    """A post to write, published so many days from now, or left as a draft."""

    author: str
    title: str
    text: str
    tags: tuple[str, ...] = ()
    summary: str = ""
    days: int | None = None
    election: str = ""
    picture: str = ""  # by its name in the demo


PLANNED = (
    PlannedPost(
        "Ada Lovelace",
        "Welcome to our new site",
        """From now on we decide things here: who sits on the board, where we meet, what the reading room is called.

# What you find here

- **Elections** are for members. You rank as many candidates as you like, best first; leaving somebody out is fine.
- **Polls** are quick, and need no account.
- **News** is for everybody. You can follow it with any feed reader.

Every result comes with the count, step by step, and with what it takes to check it. If something is unclear, write to \
Katherine; she lets people in and answers questions.
""",
        ("house",),
        "What is decided here, and how to find your way.",
        days=-12,
    ),
    PlannedPost(
        "Katherine Johnson",
        "The workshop opens on Saturdays",
        """Since the lathe is mended, the workshop can be used on Saturdays from ten to four.

1. Come with somebody who knows the machine, or ask on the evening of the first Tuesday.
2. Write your name into the book on the table by the door.
3. Sweep before you leave.

The key is with the committee.
""",
        ("workshop", "house"),
        days=-6,
    ),
    PlannedPost(
        "Alan Turing",
        "Three towns, one summer",
        """*Ghent*, *Ljubljana* and *Tartu* have offered to host us next summer. The costs are about the \
same, so this is about where we would like to be.

Please rank all three if you can. Ballots are public this time, and you may change yours until the end.
""",
        ("summer", "elections"),
        "Where shall we meet? The vote is open.",
        days=-2,
        election="Where we meet next summer",
        picture="Ljubljana",
    ),
    PlannedPost(
        "Ada Lovelace",
        "The annual meeting",
        """The annual meeting begins at seven in the evening, in the large room. The *talk of the year* opens it.

The agenda, the accounts and the minutes of last year are with the secretary from Monday on.
""",
        ("meetings",),
        days=14,
    ),
    PlannedPost(
        "Ada Lovelace",
        "What we learnt from the last board election",
        """A draft, to be finished when the board is elected.

- how many came to vote, and when
- what people asked
- what we would do in another way
""",
        ("elections",),
    ),
)


def load() -> int:
    """Write those that are missing, and have some people like them; returns how many were written, published, liked."""
    return sum(map(_write, PLANNED)) + _announce() + _like()


def _like() -> int:
    """The first post has the most likes; scheduled ones and drafts have none."""
    fans = [fan for fan in map(people.find, FANS) if fan]
    posts, _cursor = repository.published(limit=len(PLANNED))
    wanted = [likes.member(fan, post.id) for number, post in enumerate(posts) for fan in fans[number:]]
    missing = [each for each in wanted if not likes.is_on(each)]
    for each in missing:
        likes.set_like(each, True)
    return len(missing)


def _write(planned: PlannedPost) -> bool:
    author = people.find(planned.author)
    if author is None:
        return False
    there = repository.id_at_slug(slug_of(planned.title, ""))
    written = Written(planned.title, planned.text, planned.tags, planned.summary)
    post = repository.find(there) if there else services.write(author, written, planned.election)
    if post is None or post.was_dated or planned.days is None:
        return not there
    if post.photo is None and (drawn := pictures.picture(planned.picture)):
        services.picture(author, post.id, drawn)
    at = as_text(utc_now() + timedelta(days=planned.days))
    services.publish(author, repository.find(post.id) or post, at, TIME_ZONE)
    return True


def _announce() -> bool:
    found = results.find(ANNOUNCED)
    if not isinstance(found, Sealed) or repository.announcing(found.election, found.seal.report_digest):
        return False
    owner = people.find(found.election.owner_name)
    return owner is not None and services.announce(owner, found)[1]
