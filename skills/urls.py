"""Every address about skills and profiles."""

from django.urls import path

from . import endorse_views, finding_views, matrix_views, own_views, views

urlpatterns = [
    path("skills/", views.skills, name="skills"),
    path("skills/find/", finding_views.find_people, name="find_people"),
    path("skills/new/", views.add, name="add_skill"),
    path("skills/propose/", views.propose, name="propose_skill"),
    path("skills/proposals/", views.proposals, name="skill_proposals"),
    path("skills/matrix/", matrix_views.matrix, name="skill_matrix"),
    path("skills/matrix.csv", matrix_views.matrix_csv, name="skill_matrix_csv"),
    path("skill/<slug:skill_id>/", views.skill, name="skill"),
    path("skill/<slug:skill_id>/approve/", views.approve, name="approve_skill"),
    path("skill/<slug:skill_id>/refuse/", views.refuse, name="refuse_skill"),
    path("skill/<slug:skill_id>/edit/", views.edit, name="edit_skill"),
    path("skill/<slug:skill_id>/rename/", views.rename, name="rename_skill"),
    path("skill/<slug:skill_id>/names/", views.add_alias, name="add_alias"),
    path("skill/<slug:skill_id>/names/remove/", views.remove_alias, name="remove_alias"),
    path("skill/<slug:skill_id>/merge/", views.merge, name="merge_skill"),
    path("me/skills/", own_views.own_skills, name="own_skills"),
    path("me/skills/find/", own_views.find, name="find_own_skill"),
    path("me/skills/visibility/", own_views.show_to, name="change_visibility"),
    path("me/skill/<slug:skill_id>/", own_views.hold, name="own_skill"),
    path("me/skill/<slug:skill_id>/confirm/", own_views.confirm, name="confirm_skill"),
    path("me/skill/<slug:skill_id>/remove/", own_views.let_go, name="remove_skill"),
    path("profile/<name:name>/", own_views.profile, name="profile"),
    path("profile/<name:name>/skill/<slug:skill_id>/", endorse_views.endorsements, name="endorsements"),
    path("profile/<name:name>/skill/<slug:skill_id>/endorse/", endorse_views.endorse, name="endorse"),
    path("profile/<name:name>/skill/<slug:skill_id>/withdraw/", endorse_views.withdraw, name="withdraw_endorsement"),
    path("me/endorsements/", endorse_views.given, name="own_endorsements"),
    path("me/skill/<slug:skill_id>/by/<name:by>/hide/", endorse_views.hide, name="hide_endorsement"),
    path("me/skill/<slug:skill_id>/by/<name:by>/show/", endorse_views.show, name="show_endorsement"),
    path("help/skills/", views.help_skills, name="help_skills"),
]
