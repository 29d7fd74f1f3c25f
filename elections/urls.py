"""Every address about elections."""

from django.urls import path

from . import views

urlpatterns = [
    path("elections/", views.elections, name="elections"),
    path("elections/new/", views.create, name="create_election"),
    path("election/<name:name>/", views.election, name="election"),
    path("election/<name:name>/calendar.ics", views.calendar, name="election_calendar"),
    path("election/<name:name>/dashboard/", views.dashboard, name="dashboard"),
    path("election/<name:name>/settings/", views.settings, name="election_settings"),
    path("election/<name:name>/description/", views.describe, name="describe"),
    path("election/<name:name>/candidates/", views.candidates, name="candidates"),
    path("election/<name:name>/candidates/<name:candidate>/", views.candidate, name="candidate"),
    path("election/<name:name>/candidates/<name:candidate>/remove/", views.remove_candidate, name="remove_candidate"),
    path("election/<name:name>/roll/", views.roll, name="roll"),
    path("election/<name:name>/roll/import/", views.import_roll, name="import_roll"),
    path("election/<name:name>/roll/roll.csv", views.export_roll, name="export_roll"),
    path("election/<name:name>/roll/invite/", views.invite, name="invite_voters"),
    path("no-reminders/<str:token>/", views.leave_alone, name="leave_alone"),
    path("election/<name:name>/roll/remove/", views.remove_voter, name="remove_voter"),
    path("election/<name:name>/open/", views.open_, name="open_election"),
    path("election/<name:name>/fix/", views.fix, name="fix_candidates"),
    path("election/<name:name>/end/", views.extend, name="extend"),
    path("election/<name:name>/close/", views.close, name="close_election"),
    path("election/<name:name>/rename/", views.rename, name="rename_election"),
    path("election/<name:name>/copy/", views.copy, name="copy_election"),
    path("election/<name:name>/delete/", views.delete, name="delete_election"),
    path("election/<name:name>/managers/", views.managers, name="managers"),
    path("election/<name:name>/hand-over/", views.hand_over, name="hand_over_election"),
]
