"""Every address about news."""

from django.urls import path

from . import mail_views

urlpatterns = [
    path("news/by-mail/", mail_views.by_mail, name="news_by_mail"),
    path("news/by-mail/confirm/<str:token>/", mail_views.confirm, name="confirm_news"),
    path("news/by-mail/leave/<str:token>/", mail_views.leave, name="leave_news"),
    path("news/subscribers/", mail_views.subscribers, name="news_subscribers"),
]
