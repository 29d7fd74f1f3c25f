"""URLs of webhooks, under /me/webhooks/."""

from django.urls import include, path

from . import views

below_webhooks = [
    path("", views.webhooks, name="webhooks"),
    path("new/", views.add, name="add_webhook"),
    path("new/site/", views.add_for_site, name="add_site_webhook"),
    path("<slug:webhook_id>/", views.webhook, name="webhook"),
    path("<slug:webhook_id>/edit/", views.edit, name="edit_webhook"),
    path("<slug:webhook_id>/test/", views.test, name="test_webhook"),
    path("<slug:webhook_id>/pause/", views.pause, name="pause_webhook"),
    path("<slug:webhook_id>/resume/", views.resume, name="resume_webhook"),
    path("<slug:webhook_id>/secret/", views.renew_secret, name="renew_webhook_secret"),
    path("<slug:webhook_id>/delete/", views.delete, name="delete_webhook"),
]

urlpatterns = [path("me/webhooks/", include(below_webhooks))]
