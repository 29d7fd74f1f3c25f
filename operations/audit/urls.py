"""All URLs for those who look after the site, and of the public checkpoints."""

from django.urls import include, path

from . import checkpoint_views, log_views, views
from .tables import views as tables

below_mails = [
    path("", views.mails, name="mails"),
    path("again/", views.try_all, name="try_mails_again"),
    path("unknown/", views.settle_unknown, name="settle_unknown_mails"),
    path("test/", views.send_test_mail, name="send_test_mail"),
    path("<str:number>/", views.mail_text, name="mail"),
    path("<str:number>/again/", views.try_one, name="try_mail_again"),
    path("<str:number>/aside/", views.put_aside, name="put_mail_aside"),
]

urlpatterns = [
    path("admin/", views.admin, name="admin"),
    path("admin/system/", views.system_page, name="system"),
    path("admin/system/retry/", views.retry, name="retry_task"),
    path("admin/pause/", views.pause, name="pause"),
    path("admin/resume/", views.resume, name="resume"),
    path("admin/sign-in/", views.sign_in_rule, name="sign_in_rule"),
    path("admin/log/", log_views.log, name="log"),
    path("admin/log/<int:number>/", log_views.event, name="event"),
    path("admin/tables/", tables.tables, name="tables"),
    path("admin/tables/raw/", tables.raw_tables, name="raw_tables"),
    path("admin/tables/raw/item/", tables.raw_item, name="raw_item"),
    path("admin/tables/<slug:relation>/", tables.table, name="table"),
    path("admin/tables/<slug:relation>.csv", tables.table_csv, name="table_csv"),
    path("mails/", include(below_mails)),
    path("checkpoints/", checkpoint_views.checkpoints, name="checkpoints"),
    path("checkpoints/newest.txt", checkpoint_views.newest, name="newest_checkpoint"),
    path("checkpoints/<int:number>/", checkpoint_views.checkpoint, name="checkpoint"),
    path("style/", views.style, name="style"),
]
