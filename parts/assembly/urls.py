"""URLs of assemblies, under those of live sessions."""

from django.urls import include, path

from . import agenda, check_in_views, roll_views, speakers_views
from .minutes import views as minutes_views

below_live = [
    path("<slug:game_id>/agenda/", agenda.agenda, name="agenda"),
    path("<slug:game_id>/run-off/", agenda.run_off, name="run_off"),
    path("<slug:game_id>/check-in/<slug:token>/", check_in_views.check_in_page, name="check_in"),
    path("<slug:game_id>/roll/", roll_views.roll_page, name="game_roll"),
    path("<slug:game_id>/speakers/", speakers_views.speakers_list, name="speakers"),
    path("attended/", minutes_views.attended, name="attended"),
    path("<slug:game_id>/minutes/", minutes_views.minutes, name="minutes"),
    path("<slug:game_id>/minutes/delete/", minutes_views.delete_minutes, name="delete_minutes"),
    path("<slug:game_id>/minutes/minutes.json", minutes_views.minutes_json, name="minutes_json"),
]

urlpatterns = [path("live/", include(below_live))]
