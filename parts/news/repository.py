"""Posts in the table: lookups by id and address, and the writes that keep their items consistent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.personal_data import count_items
from elections.rules import Election
from foundation.acts.background import TaskType
from foundation.acts.storage import next_version, now_text, table, unchanged
from foundation.pages import markdown
from foundation.pages.markdown import Html
from foundation.photos import photos
from foundation.photos.photos import photo_of
from foundation.store import keys
from foundation.store.splitting import by_count
from foundation.store.table import Check, Delete, Equals, Item, Key, Missing, Put, Span, Write

from .rules import Post

MAILING = TaskType("mail news", _("News by mail"))
FORGETTING_LIKES = TaskType("forget likes", _("Forgetting who liked a deleted post"))

POST_FIELDS = tuple(Post.__dataclass_fields__)
MAX_TEASERS = 3  # posts shown in a panel on another page
PostPage = tuple[list[Post], str | None]  # and where they ended


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a post, as written and as HTML."""

    post: str
    text: str
    stored_html: Html | None = None

    @property
    def html(self) -> SafeString:
        return markdown.load_or_render(keys.post_text(self.post), "text", self.text, self.stored_html)


@dataclass(frozen=True, slots=True)
class FullPost:
    """A post with all items of its partition."""

    post: Post
    text: Text
    items: tuple[Item, ...] = ()  # every item of its partition


# --- finding ---


def find(post_id: str) -> Post | None:
    item = table().get(keys.post(post_id))
    return post_of(item) if item else None


def find_full(post_id: str) -> FullPost | None:
    """The post, its text and its counters, in one query."""
    items = list(table().each(keys.all_of_post(post_id)))
    by_place = {item["SK"]: item for item in items}
    if keys.METADATA not in by_place:
        return None
    post, text = post_of(by_place[keys.METADATA]), by_place[keys.post_text(post_id).sk]
    return FullPost(post, text_of(text), tuple(items))


def id_at_slug(slug: str) -> str | None:
    """The id of the post that has or had this address."""
    item = table().get(keys.post_slug(slug))
    return item["post"] if item else None


def published(*, limit: int, cursor: str | None = None, now: str | None = None) -> PostPage:
    """All published posts, newest first."""
    return _read_list(keys.POSTS, limit, cursor, now)


def newest() -> list[Post]:
    """The few posts shown on the front page."""
    return published(limit=MAX_TEASERS)[0]


def with_tag(tag: str, *, limit: int, cursor: str | None = None, now: str | None = None) -> PostPage:
    return _read_list(keys.posts_with(tag), limit, cursor, now)


def by_author(author: str, *, limit: int, cursor: str | None = None, now: str | None = None) -> PostPage:
    return _read_list(keys.posts_by(author), limit, cursor, now)


def on_election(election: Election, *, limit: int, cursor: str | None = None, now: str | None = None) -> PostPage:
    return _read_list(keys.posts_on(election.name, election.created_at), limit, cursor, now)


def announcing(election: Election, digest: str) -> Post | None:
    """The post that announces this result."""
    item = table().get(keys.announcement(election.name, election.created_at, digest))
    return find(item["post"]) if item else None


def _read_list(span: Span, limit: int, cursor: str | None, now: str | None) -> PostPage:
    page = table().page(keys.up_to(span, now or now_text()), limit=limit, cursor=cursor, backwards=True)
    return [post_of(item) for item in page.items], page.cursor


def texts(posts: Iterable[Post]) -> dict[str, Text]:
    """The texts by post id, without posts deleted in the meantime."""
    found = table().get_many(keys.post_text(post.id) for post in posts)
    return {text.post: text for text in map(text_of, found.values())}


def years(now: str) -> list[str]:
    """The years with published posts, newest first; one query each."""
    found: list[str] = []
    while posts := published(limit=1, now=found[-1] if found else now)[0]:  # a whole year sorts after its number
        found.append(str(posts[0].published_at)[:4])
    return found


def published_in(year: str, now: str) -> Iterator[Post]:
    """The published posts of a year, oldest first."""
    if year <= now:
        yield from map(post_of, table().each(keys.posts_in(year, now)))


def scheduled(author: str | None = None, *, limit: int, cursor: str | None = None) -> PostPage:
    """Posts with a future date, earliest first: all, or of one author."""
    span = replace(keys.POSTS if author is None else keys.posts_by(author), first=f"{now_text()}$")
    page = table().page(span, limit=limit, cursor=cursor)
    return [post_of(item) for item in page.items], page.cursor


def drafts(author: str | None = None, *, limit: int, cursor: str | None = None) -> PostPage:
    """Posts without a date, last changed first: all, or of one author."""
    span = keys.DRAFTS if author is None else keys.drafts_by(author)
    page = table().page(span, limit=limit, cursor=cursor, backwards=True)
    return [post_of(item) for item in page.items], page.cursor


def post_of(item: Item) -> Post:
    fields = {name: item[name] for name in POST_FIELDS if name in item}
    return Post(**fields | {"tags": tuple(item["tags"]), "photo": photo_of(item.get("photo"))})


def text_of(item: Item) -> Text:
    return Text(item["post"], item["text"], markdown.stored_html(item, "text"))


# --- items ---


def _stored_fields(post: Post) -> Item:
    """The fields stored in the post itself and in each of its list entries."""
    return {**asdict(post), "tags": list(post.tags), **photos.event_data(post.photo)}


def _item(place: Key, post: Post, index: Span | None) -> Item:
    moment = post.published_at or post.changed_at
    listed = {"GSI1PK": index.pk, "GSI1SK": keys.id_by_date(moment, post.id)} if index else {}
    return {**place.item, **listed, **_stored_fields(post)}


def item_keys(post: Post) -> dict[Key, Span | None]:
    """All items with a post's fields, including its list entries. A draft is in no public list."""
    is_dated = post.published_at is not None
    by = keys.posts_by(post.author) if is_dated else keys.drafts_by(post.author)
    tags = {keys.post_by_tag(post.id, tag): keys.posts_with(tag) for tag in post.tags} if is_dated else {}
    about = keys.posts_on(post.election, post.election_at)
    on = {keys.post_on_election(post.id): about} if is_dated and post.election else {}
    own = {keys.post(post.id): keys.POSTS if is_dated else keys.DRAFTS}
    return {**own, **({keys.post_by_author(post.id): by} if post.author else {}), **tags, **on}


# --- writes; each returns the parts of a transaction ---

SLUG_TAKEN = 1  # the part of `creation` and of `change` that is refused for a taken address
LIKE_COUNTERS = 16  # per post: with only one, every like would write to it


def creation(post: Post, text: str) -> list[Write]:
    """Refused in part 1 if the address is taken. A result is announced only once, even by concurrent requests."""
    own, *others = (Put(_item(place, post, index)) for place, index in item_keys(post).items())
    writes = [replace(own, when=Missing()), _slug_item(post), *others, _text_item(post, text), *counters(post)]
    if post.result:
        place = keys.announcement(post.election, post.election_at, post.result)
        writes.append(Put({**place.item, "post": post.id}, when=Missing()))
    return writes


def counters(post: Post) -> list[Write]:
    """Like counters are created and deleted with the post, so a deleted post cannot be liked."""
    places = (keys.likes(post.id, shard) for shard in range(LIKE_COUNTERS))
    return [Put({**place.item, "likes": 0}) for place in places]


def change(before: Post, after: Post, text: str | None = None) -> list[Write]:
    """Refused in part 0 if it has changed since it was read, and in part 1 if the address is taken."""
    next_ = next_version(before, after)
    own, *others = (Put(_item(place, next_, index)) for place, index in item_keys(next_).items())
    gone = [Delete(place) for place in item_keys(before) if place not in item_keys(next_)]
    texted = [] if text is None else [_text_item(next_, text)]
    # the old address redirects, unless it was never public
    old, new = keys.post_slug(before.slug), keys.post_slug(next_.slug)
    left = [Delete(old)] if old != new and not before.was_dated else []
    return [
        replace(own, when=unchanged(before)),
        _slug_item(next_),
        *others,
        *gone,
        *texted,
        *left,
    ]


def _slug_item(post: Post) -> Put:
    fields = {"post": post.id, "slug": post.slug}
    return Put({**keys.post_slug(post.slug).item, **fields}, when=Missing() | Equals("post", post.id))


def _text_item(post: Post, text: str) -> Put:
    return Put(
        {**keys.post_text(post.id).item, "post": post.id, "text": text, **markdown.html_attributes("text", text)}
    )


def deletion(post: Post, items: Iterable[Item]) -> list[Write]:
    """Everything stored with it, and its picture.

    Its address stays reserved, unless it was never public: then it has no likes either. Its result can be announced
    again.
    """
    own = keys.post(post.id)
    writes: list[Write] = [Delete(own, when=unchanged(post)), Delete(MAILING.key(post.id))]
    writes += [Delete(Key(item["PK"], item["SK"])) for item in items if item["SK"] != own.sk]
    if post.was_dated:
        writes.append(FORGETTING_LIKES.begin(post.id, due=now_text()))
    else:
        writes.append(Delete(keys.post_slug(post.slug)))
    if post.result:
        writes.append(Delete(keys.announcement(post.election, post.election_at, post.result)))
    return [*writes, *photos.deleting_bytes(post.photo)]


def is_unchanged(post: Post) -> Check:
    return Check(keys.post(post.id), unchanged(post))


def event_data(post: Post, *names: str) -> dict[str, Any]:
    """The event's data about a post: these fields, or all that its author chose."""
    fields = _stored_fields(post)
    return {"post_id": post.id, **{name: fields[name] for name in names}}


BATCH_POSTS = 20  # posts whose texts are read together
EXPORTED_FIELDS = ("title", "slug", "summary", "election", "created_at", "changed_at", "published_at")


def export_posts(user: User) -> Iterator[Item]:
    """Including drafts, each with its full text."""
    for span in (keys.posts_by(user.name), keys.drafts_by(user.name)):
        for some in by_count(table().each(span), BATCH_POSTS):
            posts = [post_of(item) for item in some]
            texts = table().get_many(keys.post_text(post.id) for post in posts)
            for post in posts:
                text = texts.get(keys.post_text(post.id), {}).get("text", "")
                fields = {name: getattr(post, name) for name in EXPORTED_FIELDS}
                yield {"post": post.id, **fields, "tags": list(post.tags), "text": text}


def count_posts(user: User) -> tuple[int, int]:
    """How many of their posts are public, and how many are not public yet."""
    seen, dated, drafts = count_items(
        lambda name: keys.up_to(keys.posts_by(name), now_text()), keys.posts_by, keys.drafts_by
    )(user)
    return seen, dated + drafts - seen
