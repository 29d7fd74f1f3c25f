"""Every address of the site."""

from django.urls import include, path

from . import views

urlpatterns = [
    path("", views.home, name="home"),
    path("style/", views.style, name="style"),
    path("language/", include("django.conf.urls.i18n")),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
]

handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
handler500 = "config.errors.broken"
