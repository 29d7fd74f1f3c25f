"""URLs of the page Features, for the owner."""

from django.urls import path

from . import views

urlpatterns = [
    path("admin/features/", views.features, name="features"),
    path("admin/features/<slug:name>/on/", views.switch_on, name="switch_on"),
    path("admin/features/<slug:name>/off/", views.switch_off, name="switch_off"),
    path("admin/purpose/", views.purpose, name="purpose"),
]
