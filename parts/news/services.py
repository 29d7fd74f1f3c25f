"""What people do with posts: load, decide, record in one transaction."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from accounts import repository as people
from accounts.handover import Handover, is_still_owner
from accounts.models import User
from accounts.services import role_unchanged
from elections import repository as elections
from elections.actions import relation
from elections.rules import RUNNERS, Election, Relation
from elections.rules import State as ElectionState
from foundation.acts.hooks import Hooks
from foundation.acts.refusals import LostRace, NotAllowed, NotNow
from foundation.acts.retry import retried, unique_suffixes
from foundation.acts.storage import SITE, next_version, now_text, record, table
from foundation.pages import markdown
from foundation.pages.markdown import excerpt
from foundation.photos import photos
from foundation.photos.changing import PictureChange
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Check, Equals, Put, Write
from results import services as results
from results.repository import Found, Sealed

from . import announcements, mailing, repository, rules
from .rules import NO_DATE, NO_ELECTION, NOT_PUBLIC, NOT_SEALED, NOT_YOURS, SLUG_TAKEN, STILL_A_DRAFT, Post, SlugTaken

PUBLISHING = Hooks[[Post | None, Post], list[Write]]("in the transaction that publishes a post")
POST_EXISTS = 0  # the part of `repository.creation` that is refused if the post exists
ANNOUNCED_FIELDS = ("election_at", "result", "published_at", "time_zone")  # when announcing a result
AUTHOR_FIELDS = ("title", "slug", "tags", "summary", "excerpt", "words", "changed_at")  # when editing a post


@dataclass(frozen=True, slots=True)
class Written:
    """The author's input."""

    title: str
    text: str
    tags: tuple[str, ...] = ()
    summary: str = ""
    slug: str = ""  # derived from the title if empty

    def on(self, post: Post) -> Post:
        html = markdown.render(self.text)
        post = replace(post, excerpt=excerpt(html, rules.EXCERPT_CHARS), words=rules.words_in(html))
        return replace(post, title=self.title, tags=self.tags, summary=self.summary)


# --- permissions ---


def check(user: User, post: Post) -> None:
    """Refuse to let a person change a post unless they write news here, or wrote it and still run what it is about."""
    if rules.writes_news(user.role):
        return
    is_theirs = bool(post.author) and keys.fold(post.author) == keys.fold(user.name)
    election = elections.find(post.election) if is_theirs and post.election else None
    if election is not None and election.created_at != post.election_at:
        election = None  # a later one of the same name
    rules.check_writes(user.role, election is not None and relation(user, election) in RUNNERS)


def check_about(user: User, name: str) -> Election | None:
    """The election a person wants to write about, if they may; `None` without a name."""
    election = elections.find(name) if name else None
    rules.check_writes(user.role, election is not None and relation(user, election) in RUNNERS)
    if name and election is None:
        raise NotNow(NO_ELECTION)
    if election is not None and election.stored_state == ElectionState.DRAFT:
        raise NotNow(STILL_A_DRAFT)
    return election


def election_exists(election: Election) -> Check:
    """Check that the election still exists when the post is written."""
    return Check(keys.election(election.name), Equals("created_at", election.created_at))


def author_check(user: User) -> Check:
    """Those who may write because of their role must still have it."""
    return role_unchanged(user) if rules.writes_news(user.role) else people.is_same_account(user)


# --- writing ---


def write(user: User, written: Written, election: str = "", token: str = "") -> Post:
    """A draft. A chosen address is refused if it is taken; otherwise a free one is found.

    The token makes resubmitting the same form idempotent; a form changed in between creates another draft.
    """
    about = check_about(user, election)
    content = (written.title, written.text, written.summary, written.slug, *written.tags)
    same = sha256("\n".join((keys.fold(user.name), token, *content)).encode()).hexdigest()[:16]
    draft = new_post(same if token else secrets.token_hex(8), user, about)
    data = {"election": draft.election, "election_at": draft.election_at}
    return create(user, "PostWritten", draft, written, data, *([election_exists(about)] if about else []))


def new_post(post_id: str, user: User, election: Election | None) -> Post:
    now = now_text()
    post = Post(post_id, "", "", user.name, now, now)
    return replace(post, election=election.name, election_at=election.created_at) if election else post


def create(user: User, kind: str, post: Post, written: Written, data: dict[str, Any], *checks: Check) -> Post:
    """The post with all its items, at an address of its own."""
    for suffix in unique_suffixes():
        slug = written.slug or rules.slug_of(written.title, suffix)
        made = replace(written.on(post), slug=slug)
        try:
            fields = repository.event_data(made, *AUTHOR_FIELDS)
            event = Event(user.name, kind, {**fields, **data, "text": written.text, "at": made.created_at})
            writes = [*repository.creation(made, written.text), *checks, author_check(user)]
            record(event, *writes, *_publishing(None, made))
        except LostRace as refused:
            if POST_EXISTS in refused.parts and (there := repository.find(made.id)):
                return there
            _check_slug(refused, slug, is_chosen=bool(written.slug))
        else:
            return made
    raise LostRace


def _check_slug(refused: LostRace, slug: str, is_chosen: bool) -> None:
    if set(refused.parts) != {repository.SLUG_TAKEN}:
        raise refused
    if is_chosen:
        raise SlugTaken(SLUG_TAKEN % {"slug": slug}) from None


def edit(user: User, post: Post, written: Written, revised: bool = False) -> Post:
    """Refused if it has changed since it was read. Readers see it as updated only with `revised`."""
    check(user, post)
    now = now_text()
    again = now if revised and post.is_public(now) else post.revised_at
    after = replace(written.on(post), slug=written.slug or post.slug, changed_at=now, revised_at=again)
    data = {**repository.event_data(after, *AUTHOR_FIELDS), "text": written.text, "revised_at": again}
    try:
        _record(user, "PostEdited", post, data, repository.change(post, after, written.text))
    except LostRace as refused:
        _check_slug(refused, after.slug, is_chosen=True)
    return next_version(post, after)


def _record(user: User, kind: str, post: Post, data: dict[str, Any], writes: Iterable[Write]) -> None:
    record(Event(user.name, kind, {"post_id": post.id, **data}), *writes, author_check(user))


def _change(
    user: User, kind: str, post: Post, after: Post, *names: str, extra: Iterable[Write] = (), **more: Any
) -> None:
    check(user, post)
    data = {**repository.event_data(after, *names), **more}
    _record(user, kind, post, data, [*repository.change(post, after), *extra])


# --- publishing ---


def publish(user: User, post: Post, at: str | None = None, time_zone: str = "UTC", mails: bool | None = None) -> None:
    """Publish now or at a given time. Nothing has to run then: readers see what is not later than now.

    Admins choose whether subscribers are mailed; without a choice it stays as it was, and moves with the date.
    """
    if mails:
        rules.check_mails(user.role)
    now = now_text()
    after = replace(post, published_at=at or now, time_zone=time_zone, was_dated=True, changed_at=now)
    scheduling = mailing.scheduling(after, mails, now)
    is_mailed = any(isinstance(write, Put) for write in scheduling)
    fields = ("published_at", "time_zone", "changed_at")
    extra = [*scheduling, *_publishing(post, after)]
    _change(user, "PostPublished", post, after, *fields, extra=extra, mails=is_mailed)


def _publishing(before: Post | None, after: Post) -> list[Write]:
    return [write for step in PUBLISHING for write in step(before, after)]


def withdraw(user: User, post: Post) -> None:
    """It becomes a draft again, hidden from readers. It keeps its address."""
    if post.published_at is None:
        raise NotNow(NO_DATE)
    after = replace(post, published_at=None, revised_at=None, changed_at=now_text())
    _change(user, "PostWithdrawn", post, after, "changed_at", extra=mailing.withdrawing(post))


def revoke_previews(user: User, post: Post) -> None:
    """Void all preview links given out so far."""
    _change(user, "PreviewsRevoked", post, replace(post, previews=post.previews + 1), "previews")


def delete(user: User, post: Post) -> None:
    check(user, post)
    full = repository.find_full(post.id)
    if full is None or full.post.version != post.version:
        raise LostRace
    _record(user, "PostDeleted", post, {}, repository.deletion(post, full.items))


# --- Its picture ---


@retried
def picture(user: User, post_id: str, change: PictureChange) -> None:
    """Of two concurrent changes, the second replaces the first; the post's texts are not affected."""
    post = repository.find(post_id)
    if post is None:
        raise LostRace
    check(user, post)
    after = change.instead_of(post.photo)
    if after != post.photo:
        writes = [*repository.change(post, replace(post, photo=after)), *change.writes(post.photo)]
        _record(user, "PostPictured", post, photos.event_data(after), writes)


# --- when the author is removed ---


def _ids_by(author: str) -> list[str]:
    return [item["id"] for span in (keys.posts_by(author), keys.drafts_by(author)) for item in table().each(span)]


def _record_heir(post: Post, gone: str, heir: str | None) -> None:
    """A public post stays without an author, as no one else wrote it. An unpublished one passes to the owner."""
    after = replace(post, author="" if post.is_public(now_text()) else heir or "")
    event = Event(SITE, "PostPassedOn", {"post_id": post.id, "author": after.author})
    record(event, *repository.change(post, after), *is_still_owner(after.author))


pass_on = Handover(
    _ids_by, repository.find, lambda author, post: keys.fold(author) == keys.fold(post.author), _record_heir
).pass_on


# --- announcing a sealed result ---


def may_announce(user: User, election: Election) -> bool:
    """Those who run the election, and those who look after the site."""
    return relation(user, election) != Relation.NOBODY


def announce(user: User, found: Found) -> tuple[Post, bool]:
    """The post, and whether it is new: each sealed result has one, however many requests race."""
    if not may_announce(user, found.election):
        raise NotAllowed(NOT_YOURS)
    every = (
        [results.find(each.name, each.number) for each in found.election.questions] if found.election.more else [found]
    )
    questions = [each for each in every if isinstance(each, Sealed)]
    if not isinstance(found, Sealed) or len(questions) < len(found.election.questions):
        raise NotNow(NOT_SEALED)
    if not found.election.results_public:
        raise NotNow(NOT_PUBLIC)
    try:
        return _record_announcement(user, found, questions), True
    except LostRace:
        if (post := repository.announcing(found.election, found.seal.report_digest)) is None:
            raise
        return post, False


def _record_announcement(user: User, found: Sealed, questions: Sequence[Sealed]) -> Post:
    """The digest that it is known by is that of the first question."""
    election, digest = found.election, found.seal.report_digest
    new = new_post(secrets.token_hex(8), user, election)
    post = replace(new, result=digest, published_at=new.created_at, time_zone=election.time_zone, was_dated=True)
    data = {"election_name": election.name, **repository.event_data(post, *ANNOUNCED_FIELDS)}
    is_sealed = Check(keys.result(election.name), Equals("report_digest", digest))
    summary = announcements.summary(questions)
    written = Written(announcements.title(election), announcements.text(questions), summary=summary)
    return create(user, "ResultAnnounced", post, written, data, election_exists(election), is_sealed)
