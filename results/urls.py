"""Every address about results."""

from django.urls import include, path

from . import views

urlpatterns = [
    path("election/<name:name>/results/", views.results, name="results"),
    path("", include("results.check_urls")),
    path("", include("results.export_urls")),
    path("", include("results.sandbox_urls")),
]
