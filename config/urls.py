"""Every address of the site."""

from django.urls import include, path
from django.views.i18n import set_language

from accounts.access import public

from . import admin_views, views

urlpatterns = [
    path("", views.home, name="home"),
    path("style/", views.style, name="style"),
    path("", include("accounts.urls")),
    path("", include("polls.urls")),
    path("", include("results.urls")),
    path("", include("ballots.urls")),
    path("", include("elections.urls")),
    path("admin/", admin_views.admin, name="admin"),
    path("admin/system/", admin_views.system_page, name="system"),
    path("admin/pause/", admin_views.pause, name="pause"),
    path("admin/resume/", admin_views.resume, name="resume"),
    path("", include("config.log_urls")),
    path("admin/tables/", include("config.tables.urls")),
    path("language/", public(set_language), name="set_language"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
]

handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
handler500 = "config.errors.broken"
