"""Addresses of those who join a session, and of the list of them that hosts have."""

from django.urls import path

from . import join_views, players_views, seat_views

urlpatterns = [
    path("join/", join_views.join, name="join"),
    path("join/<str:code>/", join_views.by_code, name="join_by_code"),
    path("live/<slug:game_id>/join/<slug:token>/", join_views.join_game, name="join_game"),
    path("live/<slug:game_id>/seat/", seat_views.seat, name="seat"),
    path("live/<slug:game_id>/seat/<str:token>/", seat_views.take_seat, name="take_seat"),
    path("live/<slug:game_id>/players/", players_views.players, name="game_players"),
    path("live/<slug:game_id>/players/<str:player>/", players_views.change_player, name="change_player"),
]
