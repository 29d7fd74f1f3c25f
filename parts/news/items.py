"""Item and event types of posts, their likes and subscribers."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from foundation.photos.photos import Photo
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, RemovalEffect, Sheet, fields_of

from . import likes, mailing, repository
from .rules import Post

POST = f"{fields_of(Post)} author:person election:election photo:map"
PICTURE = fields_of(Photo)

ITEMS = (
    ItemType("post", keys.post, POST, inside=PICTURE, lists=(keys.POSTS, keys.DRAFTS), sheets=(
        Sheet("posts", _("Posts"), _("News with a date, latest first. Enter a full name to see one author's posts."),
              "id published_at title slug tags author:person election:election result", "id", "name",
              lambda asked: keys.posts_by(asked.name) if asked.name else keys.POSTS, backwards=True),)),
    ItemType("post's text", keys.post_text, "post text text_html html_version:int"),
    ItemType("post by author", keys.post_by_author, POST, inside=PICTURE, lists=(keys.posts_by(""), keys.drafts_by("")),
             exports=(Export("posts", _("posts.json: news you have written, drafts included."),
                             repository.export_posts),),
             removal_effects=(RemovalEffect(repository.count_posts, (
                 ngettext_lazy("%(count)d post stays online, without a name.", "%(count)d posts stay online, without "
                     "a name.",
                               "count"),
                 ngettext_lazy("%(count)d unpublished post passes to the site owner.",
                               "%(count)d unpublished posts pass to the site owner.",
                               "count"))),)),
    ItemType("post by tag", keys.post_by_tag, POST, inside=PICTURE, lists=(keys.posts_with(""),)),
    ItemType("post by election", keys.post_on_election, POST, inside=PICTURE, lists=(keys.posts_on("", ""),)),
    ItemType("post's slug", keys.post_slug, "post slug"),
    ItemType("announcement", keys.announcement, "post"),
    ItemType("likes", keys.likes, "likes:int"),
    ItemType("like", keys.like, hidden="post ttl:int", closed_lists=(keys.liked_by(""),),
             exports=(Export("likes", _("likes.json: posts you like."), likes.export_likes),)),
    ItemType("subscriber", keys.subscriber, hidden="address:address language since",
             exports=(Export("news_by_mail", _("news_by_mail.json: when you subscribed to the news by mail, if you "
                 "did."), mailing.export_subscription),)),
    ItemType("post's mailing", keys.post_mailing, "post due began_at", "after"),
)  # fmt: skip

AUTHOR_SCHEMA = "post_id title slug tags:list summary excerpt words:int changed_at text"
EVENTS = (
    EventType("PostWritten", f"{AUTHOR_SCHEMA} election election_at at"),
    EventType("ResultAnnounced", f"{AUTHOR_SCHEMA} election_name election_at at result published_at "
              "time_zone", sentence=_("%(who)s announced the result in the news.")),
    EventType("PostEdited", f"{AUTHOR_SCHEMA} revised_at"),
    EventType("PostPublished", "post_id published_at time_zone changed_at mails:bool"),
    EventType("PostWithdrawn", "post_id changed_at"),
    EventType("PostPictured", "post_id photo:map", inside=PICTURE),
    EventType("PreviewsRevoked", "post_id previews:int"),
    EventType("PostPassedOn", "post_id author:person"),
    EventType("PostDeleted", "post_id"),
)  # fmt: skip
