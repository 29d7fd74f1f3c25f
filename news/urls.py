"""Every address about news."""

from django.urls import path

from . import mail_views, publishing_views, views, writing_views

urlpatterns = [
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
    path("news/by-mail/", mail_views.by_mail, name="news_by_mail"),
    path("news/by-mail/confirm/<str:token>/", mail_views.confirm, name="confirm_news"),
    path("news/by-mail/leave/<str:token>/", mail_views.leave, name="leave_news"),
    path("news/subscribers/", mail_views.subscribers, name="news_subscribers"),
]
