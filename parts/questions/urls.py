"""URLs of question sets, under /live/sets/."""

from django.urls import include, path

from . import question_views, views

below_sets = [
    path("", views.question_sets, name="question_sets"),
    path("new/", views.make, name="make_set"),
    path("template.csv", views.template, name="set_template"),
    path("<slug:set_id>/", views.question_set, name="question_set"),
    path("<slug:set_id>/edit/", views.edit, name="edit_set"),
    path("<slug:set_id>/active/", views.activate, name="activate_set"),
    path("<slug:set_id>/share/", views.share, name="share_set"),
    path("<slug:set_id>/copy/", views.copy, name="copy_set"),
    path("<slug:set_id>/delete/", views.delete, name="delete_set"),
    path("<slug:set_id>/import/", views.import_set, name="import_set"),
    path("<slug:set_id>/questions.csv", views.export_csv, name="set_csv"),
    path("<slug:set_id>/questions.json", views.export_json, name="set_json"),
    path("<slug:set_id>/set.gift", views.export_gift, name="set_gift"),
    path("<slug:set_id>/questions/new/", question_views.add, name="add_question"),
    path("<slug:set_id>/questions/<int:number>/", question_views.edit, name="edit_question"),
    path("<slug:set_id>/questions/<int:number>/move/", question_views.move, name="move_question"),
    path("<slug:set_id>/questions/<int:number>/remove/", question_views.remove, name="remove_question"),
    path("<slug:set_id>/categories/<int:number>/", question_views.edit_category, name="edit_question_category"),
    path("<slug:set_id>/categories/<int:number>/move/", question_views.move_category, name="move_question_category"),
]

urlpatterns = [path("live/sets/", include(below_sets))]
