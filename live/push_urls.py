"""Addresses from which open pages of a session hear what has changed."""

from django.urls import path

from . import push_views

urlpatterns = [
    path("live/<str:game_id>/now/<str:role>/", push_views.now, name="game_now"),
    path("live/<str:game_id>/stream/<str:role>/", push_views.stream, name="game_stream"),
]
