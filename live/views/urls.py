"""Addresses of live sessions; of what the room asks in `qa_urls.py`."""

from django.urls import include, path

from . import correcting as correcting_views
from . import hosting as host_views
from . import joining as join_views
from . import making as making_views
from . import onward as onward_views
from . import people as players_views
from . import playing as play_views
from . import pushing as push_views
from . import reporting as report_views
from . import sealed_rounds as round_views
from . import seat as seat_views
from . import sorting as sort_views

below_live = [
    # those who play along
    path("<slug:game_id>/play/", play_views.play, name="play"),
    path("<slug:game_id>/answer/", play_views.give_answer, name="give_answer"),
    path("<slug:game_id>/vote/", play_views.give_vote, name="give_vote"),
    # open pages that hear what has changed
    path("<slug:game_id>/now/<slug:role>/", push_views.now, name="game_now"),
    path("<slug:game_id>/stream/<slug:role>/", push_views.stream, name="game_stream"),
    # those who host
    path("", making_views.games, name="games"),
    path("new/", making_views.make, name="make_game"),
    path("<slug:game_id>/host/", host_views.host, name="host_game"),
    path("<slug:game_id>/remote/", host_views.remote, name="remote"),
    path("<slug:game_id>/screen/<slug:token>/", host_views.screen, name="screen"),
    path("<slug:game_id>/scoreboard/<slug:token>/", host_views.scoreboard, name="scoreboard"),
    path("<slug:game_id>/drive/", host_views.drive, name="drive"),
    path("<slug:game_id>/sort/", sort_views.sort_ideas, name="sort_ideas"),
    path("<slug:game_id>/hosts/", host_views.hosts, name="game_hosts"),
    path("<slug:game_id>/title/", correcting_views.title, name="game_title"),
    path("<slug:game_id>/asked/", correcting_views.questions, name="game_questions"),
    path("<slug:game_id>/asked/add/", correcting_views.add_question, name="add_game_question"),
    path("<slug:game_id>/asked/<int:place>/", correcting_views.question, name="game_question"),
    path("<slug:game_id>/asked/<int:place>/move/", correcting_views.move_question, name="move_game_question"),
    path("<slug:game_id>/asked/<int:place>/remove/", correcting_views.remove_question, name="remove_game_question"),
    # those who join, and the list of them
    path("<slug:game_id>/join/<slug:token>/", join_views.join_game, name="join_game"),
    path("<slug:game_id>/seat/", seat_views.seat, name="seat"),
    path("<slug:game_id>/seat/<str:token>/", seat_views.take_seat, name="take_seat"),
    path("<slug:game_id>/players/", players_views.players, name="game_players"),
    path("<slug:game_id>/players/<str:player>/", players_views.change_player, name="change_player"),
    # what came of it
    path("<slug:game_id>/onward/<int:round>/", onward_views.onward, name="onward"),
    path("history/", report_views.history, name="live_history"),
    path("<slug:game_id>/report/", report_views.report, name="game_report"),
    path("<slug:game_id>/report/report.csv", report_views.report_csv, name="game_report_csv"),
    path("<slug:game_id>/report/report.json", report_views.report_json, name="game_report_json"),
    path("<slug:game_id>/rounds/<int:number>/", round_views.sealed_round, name="sealed_round"),
    path("<slug:game_id>/rounds/<int:number>/round.json", round_views.sealed_round_json, name="sealed_round_json"),
    path("<slug:game_id>/rounds/<int:number>/proof.json", round_views.sealed_round_proof, name="sealed_round_proof"),
    path("<slug:game_id>/copy/", report_views.copy, name="copy_game"),
    path("<slug:game_id>/delete/", report_views.delete, name="delete_game"),
    # what the room asks
    path("", include("live.views.qa_urls")),
]

urlpatterns = [
    path("live/", include(below_live)),
    path("join/", join_views.join, name="join"),
    path("join/<str:code>/", join_views.by_code, name="join_by_code"),
    path("help/live/", report_views.help_live, name="help_live"),
]
