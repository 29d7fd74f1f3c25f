"""Every address about elections."""

from django.urls import include, path

from . import candidates, history, link_requests, managers, views
from .dashboard import views as dashboard_views
from .drafts import views as drafts
from .groups import views as groups
from .invitations import views as invite_views
from .lifecycle import views as lifecycle_views
from .roll import views as roll_views
from .turnout import views as turnout

# What each of several questions has for itself: those of the first one are pages of the election.
below_question = [
    path("settings/", drafts.settings, name="election_settings"),
    path("candidates/", candidates.candidates, name="candidates"),
    path("candidates/<name:candidate>/", candidates.candidate, name="candidate"),
    path("candidates/<name:candidate>/remove/", candidates.remove_candidate, name="remove_candidate"),
    path("candidates/<name:candidate>/picture/", candidates.candidate_picture, name="candidate_picture"),
]

below_election = [
    path("<name:name>/", views.election, name="election"),
    path("<name:name>/history/", history.history, name="history"),
    path("<name:name>/dashboard/", dashboard_views.dashboard, name="dashboard"),
    path("<name:name>/turnout/", turnout.turnout_part, name="turnout"),
    path("<name:name>/steps/<slug:step>/", drafts.step, name="election_step"),
    path("<name:name>/", include(below_question)),
    path("<name:name>/question/<int:question>/", include(below_question)),
    path("<name:name>/question/<int:question>/remove/", drafts.remove_question, name="remove_election_question"),
    path("<name:name>/ask/", drafts.ask_question, name="ask_question"),
    path("<name:name>/description/", drafts.describe, name="describe"),
    path("<name:name>/roll/", roll_views.roll, name="roll"),
    path("<name:name>/roll/group/", groups.put_on_roll, name="add_group"),
    path("<name:name>/roll/keep/", groups.save_roll, name="keep_roll"),
    path("<name:name>/roll/import/", roll_views.import_roll, name="import_roll"),
    path("<name:name>/roll/import/<str:digest>/", roll_views.go_on_importing, name="go_on_importing"),
    path("<name:name>/roll/roll.csv", roll_views.export_roll, name="export_roll"),
    path("<name:name>/invite/", invite_views.invitation, name="invitation"),
    path("<name:name>/invite/mail/", invite_views.mail, name="invitation_mail"),
    path("<name:name>/roll/invite/", roll_views.invite, name="invite_voters"),
    path("<name:name>/my-link/", link_requests.my_link, name="election_my_link"),
    path("<name:name>/messages/", invite_views.message, name="message_voters"),
    path("<name:name>/reminders/", invite_views.reminders, name="choose_reminders"),
    path("<name:name>/roll/remove/", roll_views.remove_voter, name="remove_voter"),
    path("<name:name>/roll/weights/remove/", roll_views.remove_weights, name="remove_weights"),
    path("<name:name>/open/", lifecycle_views.open_, name="open_election"),
    path("<name:name>/fix/", lifecycle_views.fix, name="fix_candidates"),
    path("<name:name>/end/", lifecycle_views.extend, name="extend"),
    path("<name:name>/close/", lifecycle_views.close, name="close_election"),
    path("<name:name>/rename/", drafts.rename, name="rename_election"),
    path("<name:name>/copy/", drafts.copy, name="copy_election"),
    path("<name:name>/delete/", lifecycle_views.delete, name="delete_election"),
    path("<name:name>/managers/", managers.managers, name="managers"),
    path("<name:name>/hand-over/", managers.hand_over_election, name="hand_over_election"),
]

below_groups = [
    path("", groups.groups, name="groups"),
    path("new/", groups.make, name="make_group"),
    path("<slug:group_id>/", groups.group, name="group"),
    path("<slug:group_id>/add/", groups.add, name="add_members"),
    path("<slug:group_id>/remove/", groups.remove, name="remove_member"),
    path("<slug:group_id>/rename/", groups.rename, name="rename_group"),
    path("<slug:group_id>/delete/", groups.delete, name="delete_group"),
    path("<slug:group_id>/group.csv", groups.export, name="group_csv"),
]

urlpatterns = [
    path("elections/", views.elections, name="elections"),
    path("elections/new/", drafts.create, name="create_election"),
    path("elections/new/all/", drafts.create_with_all_settings, name="create_election_whole"),
    path("election/", include(below_election)),
    path("my-link/", link_requests.my_link, name="my_link"),
    path("no-reminders/<str:token>/", roll_views.leave_alone, name="leave_alone"),
    path("no-results/<str:token>/", invite_views.no_results_by_mail, name="no_results_by_mail"),
    path("me/mails/", invite_views.own_mails, name="own_mails"),
    path("groups/", include(below_groups)),
]
