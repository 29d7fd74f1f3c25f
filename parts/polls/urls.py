"""URLs of polls that are not below /poll/."""

from django.urls import path

from . import views

urlpatterns = [
    path("polls/", views.polls, name="polls"),
    path("polls/new/", views.make, name="make_poll"),
    path("p/<str:code>/", views.by_code, name="poll_by_code"),
]
