"""The URL of the result page alone, which is tried before all others."""

from django.urls import path

from . import views

urlpatterns = [path("", views.results, name="results")]
