"""Every address of the front page and of the site's own page."""

from django.urls import path

from . import card_views, feed_views, home_views, site_views, sitemap_views

urlpatterns = [
    path("", home_views.home, name="home"),
    path("site/", site_views.page, name="site_page"),
    path("site/edit/<slug:part>/", site_views.edit, name="edit_site_page"),
    path("site/remove/", site_views.remove, name="remove_site_page"),
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
