"""Keys of news: posts, their URLs, lists of posts, likes and subscribers.

A post with a date is listed under that date, even if it is in the future: lists are read up to now, so publishing needs
no job. A post without a date is among the drafts.

The likes of a post are in as many partitions as it has counters, apart from the post: its page reads none of them, and
those of a deleted post can still be found. Only likes by accounts are in the index, under the account's name.

Subscribers are in one partition. It is written only when people confirm or leave, and read in batches by one worker, so
it is never busy; and a consistent read shows at once who has left.
"""

from __future__ import annotations

from dataclasses import replace

from foundation.store.table import Span

from .declared import digits, index, key, single_list, span
from .parts import METADATA, escape, part

# fmt: off

post = key("POST", "BLOG#{post}", METADATA, escape, about="A post in the news: its title, its dates and its tags.")
post_text = key("POST_TEXT", "BLOG#{post}", "TEXT", escape, about="What a post says.")
post_by_author = key("POST_BY_AUTHOR", "BLOG#{post}", "AUTHOR", escape, about="The post in its author's lists.")
post_by_tag = key("POST_BY_TAG", "BLOG#{post}", "TAG#{tag}", escape, part, about="The post in the list of a tag.")
post_on_election = key("POST_ON_ELECTION", "BLOG#{post}", "ELECTION", escape,
                       about="The post in the list of posts about an election.")
post_slug = key("POST_SLUG", "BLOGSLUG#{slug}", METADATA, part,
                about="Leads from a URL to its post; never deleted, so that no other post gets the same URL.")
announcement = key("ANNOUNCEMENT", "BLOGRESULT#{election}", "{made_at}#{digest}", part, escape, escape,
                   about="Leads from a sealed result to the one post that announces it.")

all_of_post = span("BLOG#{post}", "", escape)  # its text and its counts, too: one query for its page
POSTS = single_list("BLOG#ALL", "{published_at}#{post}")
DRAFTS = single_list("BLOG#DRAFTS", "{changed_at}#{post}")
posts_by = index("BLOGAUTHOR#{author}", "{published_at}#{post}", part)
drafts_by = index("BLOGDRAFTS#{author}", "{changed_at}#{post}", part)
posts_with = index("BLOGTAG#{tag}", "{published_at}#{post}", part)
# About one election, but not about a later one of the same name.
posts_on = index("BLOGELECTION#{election}#{made_at}", "{published_at}#{post}", part, escape)

# fmt: on


def up_to(posts: Span, moment: str) -> Span:
    """The part of a list that is visible at a moment, inclusive."""
    return replace(posts, last=f"{moment}$")  # sorts after every `#`


def posts_in(year: str, moment: str) -> Span:
    """The posts of a year, not a future one, that are visible at a moment."""
    return replace(POSTS, first=year, last=min(f"{year}~", f"{moment}$"))


# --- likes ---


def marks_of_likes(post_id: str, shard: int) -> Span:
    return Span(f"LIKE#{escape(post_id)}#{shard:02d}")


# fmt: off

likes = key("LIKES", "BLOG#{post}", "LIKES#{shard}", escape, digits(2),
            about="How many likes are in the shard; stored with the post, so that its page reads it too.")
like = key("LIKE", "LIKE#{post}#{shard}", "VISITOR#{visitor}", escape, digits(2), escape,
           about="One visitor's like, under a code that identifies them on this post only.")

all_likes = span("BLOG#{post}", "LIKES#", escape)
liked_by = index("LIKES#{name}", "{post}", part)

# --- news by mail ---

post_mailing = key("POST_MAILING", "BLOG#{post}", "MAILING", escape,
                   about="Exists once mailing has begun, so that it happens only once.")
subscriber = key("SUBSCRIBER", "SUBSCRIBERS", "{address}", part,
                 about="Somebody who gets the news by mail; exists from their confirmation until they unsubscribe.")
SUBSCRIBERS = Span("SUBSCRIBERS")

# fmt: on
