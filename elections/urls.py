"""Every address about elections."""

from django.urls import path

from . import history_views, invite_views, lifecycle_views, mail_views, needs_views, roll_views, skilled_views, views
from .books import views as books

urlpatterns = [
    path("books/new/", books.make_book, name="make_book"),
    path("book/<slug:book_id>/", books.book, name="book"),
    path("book/<slug:book_id>/dashboard/", books.book_dashboard, name="book_dashboard"),
    path("book/<slug:book_id>/order/", books.order_book, name="order_book"),
    path("book/<slug:book_id>/rename/", books.rename_book, name="rename_book"),
    path("book/<slug:book_id>/question/<name:name>/", books.question_settings, name="question_settings"),
    path("book/<slug:book_id>/open/", books.open_book, name="open_book"),
    path("book/<slug:book_id>/end/", books.extend_book, name="extend_book"),
    path("book/<slug:book_id>/close/", books.close_book, name="close_book"),
    path("elections/", views.elections, name="elections"),
    path("elections/new/", views.create, name="create_election"),
    path("election/<name:name>/", views.election, name="election"),
    path("election/<name:name>/calendar.ics", views.calendar, name="election_calendar"),
    path("election/<name:name>/history/", history_views.history, name="history"),
    path("election/<name:name>/dashboard/", views.dashboard, name="dashboard"),
    path("election/<name:name>/turnout/", views.turnout_part, name="turnout"),
    path("election/<name:name>/settings/", views.settings, name="election_settings"),
    path("election/<name:name>/description/", views.describe, name="describe"),
    path("election/<name:name>/candidates/", views.candidates, name="candidates"),
    path("election/<name:name>/candidates/<name:candidate>/", views.candidate, name="candidate"),
    path("election/<name:name>/candidates/<name:candidate>/remove/", views.remove_candidate, name="remove_candidate"),
    path(
        "election/<name:name>/candidates/<name:candidate>/picture/", views.candidate_picture, name="candidate_picture"
    ),
    path("election/<name:name>/needs/", needs_views.wanted, name="needs"),
    path("election/<name:name>/needs/<slug:skill_id>/remove/", needs_views.drop, name="drop_need"),
    path("election/<name:name>/agree/", needs_views.agree, name="agree"),
    path("election/<name:name>/skills/", needs_views.shown, name="candidates_skills"),
    path("election/<name:name>/roll/", roll_views.roll, name="roll"),
    path("election/<name:name>/roll/skills/", skilled_views.skilled, name="skilled_voters"),
    path("election/<name:name>/roll/import/", roll_views.import_roll, name="import_roll"),
    path("election/<name:name>/roll/import/<str:digest>/", roll_views.go_on_importing, name="go_on_importing"),
    path("election/<name:name>/roll/roll.csv", roll_views.export_roll, name="export_roll"),
    path("election/<name:name>/invite/", invite_views.invitation, name="invitation"),
    path("election/<name:name>/invite/mail/", invite_views.mail, name="invitation_mail"),
    path("election/<name:name>/roll/invite/", roll_views.invite, name="invite_voters"),
    path("election/<name:name>/messages/", mail_views.message, name="message_voters"),
    path("election/<name:name>/reminders/", mail_views.reminders, name="choose_reminders"),
    path("no-reminders/<str:token>/", roll_views.leave_alone, name="leave_alone"),
    path("election/<name:name>/roll/remove/", roll_views.remove_voter, name="remove_voter"),
    path("election/<name:name>/open/", lifecycle_views.open_, name="open_election"),
    path("election/<name:name>/fix/", lifecycle_views.fix, name="fix_candidates"),
    path("election/<name:name>/end/", lifecycle_views.extend, name="extend"),
    path("election/<name:name>/close/", lifecycle_views.close, name="close_election"),
    path("election/<name:name>/rename/", lifecycle_views.rename, name="rename_election"),
    path("election/<name:name>/copy/", lifecycle_views.copy, name="copy_election"),
    path("election/<name:name>/delete/", lifecycle_views.delete, name="delete_election"),
    path("election/<name:name>/managers/", lifecycle_views.managers, name="managers"),
    path("election/<name:name>/hand-over/", lifecycle_views.hand_over, name="hand_over_election"),
]
