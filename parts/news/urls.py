"""All URLs of news."""

from django.urls import include, path

from . import feeds, views, writing_views

below_news = [
    path("", views.news, name="news"),
    path("tag/<name:tag>/", views.with_tag, name="news_tag"),
    path("by/<name:author>/", views.by_author, name="news_by"),
    path("about/<name:name>/", views.about_election, name="news_about"),
    path("post/<str:slug>/", views.post, name="post"),
    path("preview/<str:token>/", views.preview, name="preview_post"),
    path("drafts/", writing_views.drafts, name="post_drafts"),
    path("write/", writing_views.write, name="write_post"),
    path("<slug:post_id>/edit/", writing_views.edit, name="edit_post"),
    path("<slug:post_id>/picture/", writing_views.picture, name="picture_post"),
    path("<slug:post_id>/publish/", writing_views.publish, name="publish_post"),
    path("<slug:post_id>/withdraw/", writing_views.withdraw, name="withdraw_post"),
    path("<slug:post_id>/delete/", writing_views.delete, name="delete_post"),
    path("<slug:post_id>/previews/", writing_views.revoke_previews, name="revoke_previews"),
    path("<slug:post_id>/like/", views.like_post, name="like_post"),
    path("by-mail/", views.by_mail, name="news_by_mail"),
    path("by-mail/confirm/<str:token>/", views.confirm, name="confirm_news"),
    path("by-mail/leave/<str:token>/", views.leave, name="leave_news"),
    path("subscribers/", views.subscribers, name="news_subscribers"),
    path("feed.atom", feeds.news, {"kind": "atom"}, name="news_atom"),
    path("feed.json", feeds.news, {"kind": "json"}, name="news_json"),
    path("tag/<name:tag>/feed.atom", feeds.with_tag, {"kind": "atom"}, name="news_tag_atom"),
    path("tag/<name:tag>/feed.json", feeds.with_tag, {"kind": "json"}, name="news_tag_json"),
    path("by/<name:author>/feed.atom", feeds.by_author, {"kind": "atom"}, name="news_by_atom"),
    path("by/<name:author>/feed.json", feeds.by_author, {"kind": "json"}, name="news_by_json"),
]

urlpatterns = [
    path("news/", include(below_news)),
    path("election/<name:name>/announce/", views.announce, name="announce_result"),
    path("help/news/", views.help_news, name="help_news"),
    path("sitemap.xml", feeds.sitemap, name="sitemap"),
    path("sitemap/pages.xml", feeds.sitemap_pages, name="sitemap_pages"),
    path("sitemap/<int:year>.xml", feeds.sitemap_year, name="sitemap_year"),
    path("robots.txt", feeds.robots, name="robots"),
]
