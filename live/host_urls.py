"""Addresses of those who host."""

from django.urls import path

from . import host_views, making_views

urlpatterns = [
    path("live/", making_views.games, name="games"),
    path("live/new/", making_views.make, name="make_game"),
    path("live/<slug:game_id>/host/", host_views.host, name="host_game"),
    path("live/<slug:game_id>/remote/", host_views.remote, name="remote"),
    path("live/<slug:game_id>/screen/<slug:token>/", host_views.screen, name="screen"),
    path("live/<slug:game_id>/scoreboard/<slug:token>/", host_views.scoreboard, name="scoreboard"),
    path("live/<slug:game_id>/drive/", host_views.drive, name="drive"),
    path("live/<slug:game_id>/hosts/", host_views.hosts, name="game_hosts"),
]
