"""URLs about skills and profiles."""

from django.urls import include, path

from . import people_views, views
from .needed import views as needed

below_skills = [
    path("", views.skills, name="skills"),
    path("find/", people_views.find_people, name="find_people"),
    path("new/", views.add, name="add_skill"),
    path("propose/", views.propose, name="propose_skill"),
    path("proposals/", views.proposals, name="skill_proposals"),
    path("matrix/", people_views.matrix, name="skill_matrix"),
    path("matrix.csv", people_views.matrix_csv, name="skill_matrix_csv"),
]

below_skill = [
    path("<slug:skill_id>/", views.skill, name="skill"),
    path("<slug:skill_id>/approve/", views.approve, name="approve_skill"),
    path("<slug:skill_id>/refuse/", views.refuse, name="refuse_skill"),
    path("<slug:skill_id>/edit/", views.edit, name="edit_skill"),
    path("<slug:skill_id>/rename/", views.rename, name="rename_skill"),
    path("<slug:skill_id>/names/", views.add_alias, name="add_alias"),
    path("<slug:skill_id>/names/remove/", views.remove_alias, name="remove_alias"),
    path("<slug:skill_id>/merge/", views.merge, name="merge_skill"),
]

below_me = [
    path("skills/", people_views.own_skills, name="own_skills"),
    path("skills/find/", people_views.find, name="find_own_skill"),
    path("skills/visibility/", people_views.show_to, name="change_visibility"),
    path("skill/<slug:skill_id>/", people_views.hold, name="own_skill"),
    path("skill/<slug:skill_id>/confirm/", people_views.confirm, name="confirm_skill"),
    path("skill/<slug:skill_id>/remove/", people_views.remove, name="remove_skill"),
    path("endorsements/", people_views.given, name="own_endorsements"),
    path("skill/<slug:skill_id>/by/<name:by>/hide/", people_views.hide, name="hide_endorsement"),
    path("skill/<slug:skill_id>/by/<name:by>/show/", people_views.show, name="show_endorsement"),
]

below_profile = [
    path("<name:name>/", people_views.profile, name="profile"),
    path("<name:name>/skill/<slug:skill_id>/", people_views.endorsements, name="endorsements"),
    path("<name:name>/skill/<slug:skill_id>/endorse/", people_views.endorse, name="endorse"),
    path("<name:name>/skill/<slug:skill_id>/withdraw/", people_views.withdraw, name="withdraw_endorsement"),
]

below_election = [
    path("needs/", needed.needs_page, name="needs"),
    path("needs/ask/", needed.ask, name="ask_candidates"),
    path("needs/<slug:skill_id>/remove/", needed.drop, name="drop_need"),
    path("agree/", needed.agree, name="agree"),
    path("skills/", needed.candidate_skills, name="candidates_skills"),
    path("roll/skills/", needed.voters, name="skilled_voters"),
    path("results/skills.csv", needed.coverage_csv, name="board_skills"),
    path("question/<int:question>/results/skills.csv", needed.coverage_csv, name="board_skills"),
]

urlpatterns = [
    path("election/<name:name>/", include(below_election)),
    path("skills/", include(below_skills)),
    path("skill/", include(below_skill)),
    path("me/", include(below_me)),
    path("profile/", include(below_profile)),
    path("help/skills/", views.help_skills, name="help_skills"),
]
