"""Posts: list, read, write, edit, publish now or later, withdraw, delete."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from django.http import Http404
from django.utils.translation import gettext as _
from msgspec import UNSET, Meta, UnsetType

from accounts.api.calls import Call, Page, Paging, cleaned
from accounts.api.operations import (
    Area,
    Markdown,
    Moment,
    Name,
    Zone,
    described,
    given,
    link,
    moment,
    operation,
    stored,
    typed,
)
from accounts.api.problems import invalid
from accounts.api_tokens import Scope
from accounts.rules import Permission
from elections.api.elections import organising
from foundation.acts.storage import now_text
from foundation.pages.names import MAX_NAME_CHARS
from foundation.store.log import utc_now
from parts.news import rules, services
from parts.news.forms import EditForm, PostForm, PublishForm

from . import repository
from .access import can_edit, check_editable
from .repository import FullPost

AREA = Area("news", "News", "Posts. Published ones are public.")
READERS = {Scope.READ, Scope.ORGANISE}  # of posts that are not published

Tag = Annotated[str, Meta(min_length=1, pattern=r"^[^,;\u0000-\u001f\u007f-\u009f]+$")]
Tags = Annotated[list[Tag], Meta(max_length=rules.MAX_TAGS)]
Summary = Annotated[
    str,
    described(
        r"^[^\u0000]*$",
        max_length=rules.MAX_SUMMARY_CHARS,
        description="Shown in lists instead of the first words of the text.",
    ),
]
Slug = Annotated[
    str,
    described(
        r"^[^\u0000-\u002c./:-@A-Z\[-^`{-\u00a0]*$",
        max_length=rules.MAX_SLUG_CHARS,
        description="Of its address: lower-case letters, digits and hyphens; else from the title.",
    ),
]


class NewPost(msgspec.Struct, forbid_unknown_fields=True):
    """A draft."""

    title: Name
    text: Markdown
    tags: Tags = []
    summary: Summary = ""
    slug: Slug = ""
    election: Annotated[str, Meta(max_length=400, description="The name of the election it is about.")] = ""


class PostChange(msgspec.Struct, forbid_unknown_fields=True):
    """What is left out stays as it is."""

    title: Name | UnsetType = UNSET
    text: Markdown | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    summary: Summary | UnsetType = UNSET
    slug: Slug | UnsetType = UNSET
    revised: Annotated[bool, Meta(description="Show readers of a published post that it has changed.")] = False


class Publication(msgspec.Struct, forbid_unknown_fields=True):
    """When to publish it, and whether to mail it."""

    at: Annotated[Moment | None, Meta(description="Left out: now.")] = None
    time_zone: Annotated[Zone, Meta(description="In which `at` is shown.")] | UnsetType = UNSET
    mails: Annotated[bool | None, Meta(description="To subscribers, by admins; `null`: as chosen before.")] = None


class ListedPost(msgspec.Struct):
    """A post in a list."""

    id: str
    title: str
    lead: Annotated[str, Meta(description="The summary, or the first words.")]
    tags: list[str]
    author: Annotated[str, Meta(description="Empty if they have left.")]
    state: rules.PostState
    published_at: Annotated[datetime | None, Meta(description="When it becomes public, or did.")]
    modified_at: datetime
    page: str


class Post(ListedPost):
    """A post with its text."""

    text: Markdown
    summary: str
    slug: str
    election: Annotated[str, Meta(description="The name of the election it is about, or empty.")]
    revised_at: Annotated[datetime | None, Meta(description="When its author last marked it as updated.")]
    time_zone: str


class Filter(Paging):
    """Which posts to list."""

    tag: Annotated[str, Meta(max_length=rules.MAX_TAG_CHARS)] = ""
    author: Annotated[str, Meta(max_length=MAX_NAME_CHARS)] = ""


class Unpublished(Paging):
    """Which posts to list."""

    state: Literal["draft", "scheduled"] = "draft"


@operation("GET", "news", AREA, "List posts, newest first", query=Filter, answers=Page[ListedPost])
def list_(call: Call) -> Page[ListedPost]:
    """Published ones."""
    asked, where = call.query, {"limit": call.query.limit, "cursor": call.cursor}
    if asked.tag and asked.author:
        raise invalid("author", _("Choose a tag or an author."))
    if asked.tag:
        posts, cursor = repository.with_tag(asked.tag, **where)
    elif asked.author:
        posts, cursor = repository.by_author(asked.author, **where)
    else:
        posts, cursor = repository.published(**where)
    return call.page([ListedPost(**_listed(each)) for each in posts], cursor)


def _listed(post: rules.Post) -> dict[str, Any]:
    plain = {each: getattr(post, each) for each in ("id", "title", "lead", "author")}
    return plain | {
        "tags": list(post.tags),
        "state": post.state(now_text()),
        "published_at": moment(post.published_at),
        "modified_at": datetime.fromisoformat(post.modified_at),
        "page": link("post", post.slug),
    }


@operation(
    "GET", "news/unpublished", AREA, "List drafts or scheduled posts", query=Unpublished, answers=Page[ListedPost],
    scope=Scope.READ, permission=Permission.USE_APPLICATION,
)  # fmt: skip
def unpublished(call: Call) -> Page[ListedPost]:
    """Your own; admins see everybody's."""
    author = None if rules.writes_news(call.user.role) else call.user.name
    read_part = repository.drafts if call.query.state == "draft" else repository.scheduled
    posts, cursor = read_part(author, limit=call.query.limit, cursor=call.cursor)
    return call.page([ListedPost(**_listed(each)) for each in posts], cursor)


@operation("GET", "news/<str:post_id>", AREA, "Read a post", answers=Post)
def read(call: Call, post_id: str) -> Post:
    """By its id, or the slug of its address or of an earlier one. Published posts need no token. Others are for those
    who may edit them."""
    full = repository.find_full(post_id)
    if full is None and len(post_id) <= rules.MAX_SLUG_CHARS and (found := repository.id_at_slug(post_id)):
        full = repository.find_full(found)
    if full is None:
        raise Http404
    post, may_read_drafts = full.post, call.token is not None and bool(READERS & set(call.token.scopes))
    if not post.is_public(now_text()) and not (may_read_drafts and can_edit(call.user, post)):
        raise Http404
    plain = {each: getattr(post, each) for each in ("summary", "slug", "election", "time_zone")}
    return Post(**_listed(post), **plain, text=full.text.text, revised_at=moment(post.revised_at))


@operation(
    "POST", "news", AREA, "Write a draft", takes=NewPost, answers=Post, status=201, refusals=("not-now",),
    example={"title": "The board is elected", "text": "Thank you for *voting*.", "tags": ["board"]}, **organising,
)  # fmt: skip
def write(call: Call) -> Post:
    """Admins write about anything, others about elections they run. Then publish it."""
    sent = given(call.body)
    about = sent.pop("election")
    written = _written(PostForm(_typed(sent)))
    made = call.run(lambda: services.write(call.user, written, about))
    return call.made(read, made.id if made else call.first_event()["post_id"])


def _written(form: PostForm) -> services.Written:
    cleaned(form)
    return form.written()


def _typed(sent: dict[str, Any]) -> dict[str, Any]:
    return sent | ({"tags": ", ".join(sent["tags"])} if "tags" in sent else {})


def _load(call: Call, post_id: str) -> FullPost:
    """By its id alone: the slug of a draft ends when it is changed."""
    if (full := repository.find_full(post_id)) is None:
        raise Http404
    check_editable(call.user, full.post)
    return full


@operation(
    "PATCH", "news/<str:post_id>", AREA, "Edit a post", takes=PostChange, answers=Post, edits=read,
    example={"summary": "Three people, three years."}, **organising,
)  # fmt: skip
def edit(call: Call, post_id: str) -> Post:
    full, sent = _load(call, post_id), given(call.body)
    is_seen = full.post.is_public(now_text())
    written = _written(EditForm(EditForm.initial_of(full) | _typed(sent), full=full, is_seen=is_seen))
    call.run(lambda: services.edit(call.user, full.post, written, sent["revised"]))
    return read(call, post_id)


@operation(
    "POST", "news/<str:post_id>/publish", AREA, "Publish a post, now or later", takes=Publication, answers=Post,
    edits=read, example={"at": "2027-03-01T18:00:00+01:00"}, **organising,
)  # fmt: skip
def publish(call: Call, post_id: str) -> Post:
    post, sent = _load(call, post_id).post, given(call.body)
    at, zone = sent["at"], sent.get("time_zone", post.time_zone)
    if at or "time_zone" in sent:
        cleaned(PublishForm({"at": typed("at", at or utc_now(), zone), "time_zone": zone}))
    call.run(lambda: services.publish(call.user, post, stored("at", at), zone, sent["mails"]))
    return read(call, post_id)


@operation(
    "POST", "news/<str:post_id>/withdraw", AREA, "Unpublish a post", answers=Post, edits=read, refusals=("not-now",),
    **organising,
)  # fmt: skip
def withdraw(call: Call, post_id: str) -> Post:
    """It becomes a draft again."""
    post = _load(call, post_id).post
    call.run(lambda: services.withdraw(call.user, post))
    return read(call, post_id)


@operation("DELETE", "news/<str:post_id>", AREA, "Delete a post for good", status=204, edits=read, **organising)
def delete(call: Call, post_id: str) -> None:
    post = _load(call, post_id).post
    call.run(lambda: services.delete(call.user, post))
