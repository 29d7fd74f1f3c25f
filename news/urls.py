"""Every address about news, of the front page and of the site's own page."""

from django.urls import path

from . import (
    card_views,
    feed_views,
    home_views,
    publishing_views,
    site_views,
    sitemap_views,
    views,
    writing_views,
)

urlpatterns = [
    path("", home_views.home, name="home"),
    path("site/", site_views.page, name="site_page"),
    path("site/edit/<slug:part>/", site_views.edit, name="edit_site_page"),
    path("site/remove/", site_views.remove, name="remove_site_page"),
    path("news/", views.news, name="news"),
    path("news/tag/<name:tag>/", views.with_tag, name="news_tag"),
    path("news/by/<name:author>/", views.by_author, name="news_by"),
    path("news/post/<str:slug>/", views.post, name="post"),
    path("news/preview/<str:token>/", views.preview, name="preview_post"),
    path("news/drafts/", writing_views.drafts, name="post_drafts"),
    path("news/write/", writing_views.write, name="write_post"),
    path("news/<slug:post_id>/edit/", writing_views.edit, name="edit_post"),
    path("news/<slug:post_id>/picture/", writing_views.picture, name="picture_post"),
    path("news/<slug:post_id>/publish/", publishing_views.publish, name="publish_post"),
    path("news/<slug:post_id>/withdraw/", publishing_views.withdraw, name="withdraw_post"),
    path("news/<slug:post_id>/delete/", publishing_views.delete, name="delete_post"),
    path("news/<slug:post_id>/previews/", publishing_views.revoke_previews, name="revoke_previews"),
    path("news/feed.atom", feed_views.news, {"kind": "atom"}, name="news_atom"),
    path("news/feed.json", feed_views.news, {"kind": "json"}, name="news_json"),
    path("news/tag/<name:tag>/feed.atom", feed_views.with_tag, {"kind": "atom"}, name="news_tag_atom"),
    path("news/tag/<name:tag>/feed.json", feed_views.with_tag, {"kind": "json"}, name="news_tag_json"),
    path("news/by/<name:author>/feed.atom", feed_views.by_author, {"kind": "atom"}, name="news_by_atom"),
    path("news/by/<name:author>/feed.json", feed_views.by_author, {"kind": "json"}, name="news_by_json"),
    path("news/<slug:post_id>/card-<slug:edition>.png", card_views.card, name="post_card"),
    path("sitemap.xml", sitemap_views.sitemap, name="sitemap"),
    path("sitemap/pages.xml", sitemap_views.sitemap_pages, name="sitemap_pages"),
    path("sitemap/<int:year>.xml", sitemap_views.sitemap_year, name="sitemap_year"),
    path("robots.txt", sitemap_views.robots, name="robots"),
]
