"""What a post is, when it is public, and who may write what: pure decisions and frozen values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from accounts.rules import Permission, Role, has
from foundation.acts.refusals import NotAllowed, Refusal
from foundation.pages.markdown import excerpt
from foundation.photos.photos import Photo
from foundation.store.keys import fold

MAX_TAGS = 8
MAX_TAG_CHARS = 40
MAX_SLUG_CHARS = 80
MAX_SUMMARY_CHARS = 300
EXCERPT_CHARS = 220  # characters of a text shown in lists in place of a summary
WORDS_PER_MINUTE = 220
PREVIEW_DAYS = 7
PAGE_ROWS = 20  # posts per list page


class SlugTaken(Refusal):
    """The address belongs to another post, or once did."""


NOT_THERE = _("This post does not exist.")
NO_DATE = _("A draft cannot be unpublished.")
SLUG_TAKEN = _("Another post has, or once had, this address: %(slug)s. Choose a different one.")
NOT_YOURS = _("You can write about elections you run. Other posts are written by this site's admins.")
NO_ELECTION = _("No election has this name.")
NOT_BY_MAIL = _("Only admins of this site can mail posts to subscribers.")
STILL_A_DRAFT = _("This election is still a draft, so voters cannot see it. You can write about it once it is open.")
NOT_SEALED = _("There is no sealed result yet. You can announce it once the election has closed and been counted.")
NOT_PUBLIC = _(
    "Only members may see this result. That was decided before the election opened, and voters relied on it, so it "
    "cannot be announced publicly. You can still write about the election in your own words."
)


class PostState(StrEnum):
    DRAFT = "draft"
    SCHEDULED = "scheduled"
    PUBLISHED = "published"

    @property
    def label(self) -> str:
        return str(STATES[self])


STATES = {PostState.DRAFT: _("Draft"), PostState.SCHEDULED: _("Scheduled"), PostState.PUBLISHED: _("Published")}


@dataclass(frozen=True, slots=True)
class Post:
    """The fields of a post that lists show, and its page beside the text."""

    id: str
    title: str
    slug: str
    author: str  # empty if they have left
    created_at: str
    changed_at: str
    published_at: str | None = None  # when it becomes public
    revised_at: str | None = None  # when its author last marked it as updated
    was_dated: bool = False  # whether its address may be known
    time_zone: str = "UTC"  # in which its date was chosen
    tags: tuple[str, ...] = ()
    summary: str = ""  # written by its author
    excerpt: str = ""  # the first words, used without a summary
    words: int = 0
    election: str = ""  # what it is about
    election_at: str = ""  # its creation time: a later one of the same name is a different election
    result: str = ""  # digest of the sealed result it announces
    photo: Photo | None = None
    previews: int = 0  # how often its preview links were revoked
    version: int = 0

    def state(self, now: str) -> PostState:
        if self.published_at is None:
            return PostState.DRAFT
        return PostState.PUBLISHED if self.published_at <= now else PostState.SCHEDULED

    def is_public(self, now: str) -> bool:
        return self.state(now) == PostState.PUBLISHED

    @property
    def lead(self) -> str:
        return self.summary or self.excerpt

    @property
    def updated_at(self) -> str:
        """For feeds: when readers last got something new."""
        return max(filter(None, (self.published_at, self.revised_at)), default=self.changed_at)

    @property
    def modified_at(self) -> str:
        """For programs: when it was last changed, or became public."""
        return max(self.changed_at, self.updated_at)

    @property
    def minutes(self) -> int:
        """Reading time."""
        return minutes_of(self.words)


def minutes_of(words: int) -> int:
    """The reading time of so many words, at least one minute."""
    return max(1, round(words / WORDS_PER_MINUTE))


# --- normalising input ---

GERMAN = {
    ord(letter): written for letter, written in zip("äöüÄÖÜß", ("ae", "oe", "ue", "Ae", "Oe", "Ue", "ss"), strict=True)
}


OF_EMOJI = re.compile("[\ufe00-\ufe0f\u20e3]")  # variation marks, which belong to no word


def slug_of(title: str, suffix: str = "") -> str:
    """The title as part of an address, with a suffix if it is taken.

    Letters of all scripts stay. German umlauts are transcribed in the usual German way.
    """
    german = title.translate(GERMAN)
    latin = slugify(german)
    slug = latin if _keeps_all_letters(latin, german) else _hyphenate(german)
    tail = f"-{suffix}" if suffix else ""
    return (slug or "post")[: MAX_SLUG_CHARS - len(tail)].rstrip("-_") + tail


def _keeps_all_letters(slug: str, title: str) -> bool:
    """Whether no letter was lost because we cannot write it."""
    letters = sum(character.isalnum() for character in unicodedata.normalize("NFKC", title))
    return sum(map(str.isalnum, slug)) >= letters


def _hyphenate(text: str) -> str:
    """Keeps letters, digits and their combining marks, without which many scripts have no vowels."""
    composed = OF_EMOJI.sub("", unicodedata.normalize("NFKC", text).lower())
    hyphenated = "".join(each if unicodedata.category(each)[0] in "LNM" else "-_"[each == "_"] for each in composed)
    return re.sub(r"-+", "-", unicodedata.normalize("NFC", hyphenated)).strip("-_")


def is_slug(text: str) -> bool:
    return bool(text) and len(text) <= MAX_SLUG_CHARS and text == _hyphenate(text)


def parse_tags(typed: str) -> tuple[str, ...]:
    """Separated by commas, each once, in its first spelling."""
    found: dict[str, str] = {}
    for tag in re.split(r"[,;\n]", typed):
        spelt = " ".join(tag.strip().lstrip("#").split())
        if spelt:
            found.setdefault(fold(spelt), spelt)
    return tuple(found.values())


def words_in(html: str) -> int:
    return len(excerpt(html, len(html) + 1).split())


def spelling_of(tags: Iterable[str], typed: str) -> str:
    """A tag as spelt in a post."""
    return next((tag for tag in tags if fold(tag) == fold(typed)), typed)


# --- permissions ---


def writes_news(role: Role) -> bool:
    """Whether a role may write about anything, and change what others have written."""
    return has(role, Permission.MANAGE_USERS)


def check_mails(role: Role) -> None:
    """Refuse to mail a post to all subscribers unless the role allows it: such mail comes from the site itself."""
    if not writes_news(role):
        raise NotAllowed(NOT_BY_MAIL)


def check_writes(role: Role, runs_election: bool) -> None:
    if not writes_news(role) and not runs_election:
        raise NotAllowed(NOT_YOURS)
