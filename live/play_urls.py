"""Addresses of those who play along."""

from django.urls import path

from . import play_views as views

urlpatterns = [
    path("live/<slug:game_id>/play/", views.play, name="play"),
    path("live/<slug:game_id>/answer/", views.give_answer, name="give_answer"),
    path("live/<slug:game_id>/vote/", views.give_vote, name="give_vote"),
]
