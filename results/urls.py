"""Every address about results."""

from django.urls import path

from . import views

urlpatterns = [
    path("election/<name:name>/results/", views.results, name="results"),
]
