"""The URL of the source that a roll follows."""

from django.urls import path

from . import views

urlpatterns = [path("election/<name:name>/roll/source/", views.follow_source, name="roll_source")]
