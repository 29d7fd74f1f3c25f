"""Addresses of what came of sessions."""

from django.urls import path

from . import report_views

urlpatterns = [
    path("live/history/", report_views.history, name="live_history"),
    path("live/<slug:game_id>/report/", report_views.report, name="game_report"),
    path("live/<slug:game_id>/report/report.csv", report_views.report_csv, name="game_report_csv"),
    path("live/<slug:game_id>/report/report.json", report_views.report_json, name="game_report_json"),
    path("live/<slug:game_id>/delete/", report_views.delete, name="delete_game"),
    path("help/live/", report_views.help_live, name="help_live"),
]
