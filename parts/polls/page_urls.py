"""URLs of one poll, below /poll/: a lecture hall opens and answers them all at once."""

from django.urls import path

from . import manage_views, result_views, views

urlpatterns = [
    path("<uuid:poll_id>/", views.poll, name="poll"),
    path("<uuid:poll_id>/voted/", views.voted, name="poll_voted"),
    path("<uuid:poll_id>/state/", views.state, name="poll_state"),
    path("<uuid:poll_id>/results/", result_views.results, name="poll_results"),
    path("<uuid:poll_id>/results/now/", result_views.now, name="poll_results_now"),
    path("<uuid:poll_id>/results/<str:file>", result_views.export, name="poll_export"),
    path("<uuid:poll_id>/embed/", result_views.embed, name="poll_embed"),
    path("<uuid:poll_id>/manage/", manage_views.manage, name="manage_poll"),
    path("<uuid:poll_id>/manage/key/<str:key>/", manage_views.take_key, name="poll_key"),
    path("<uuid:poll_id>/manage/close/", manage_views.close, name="close_poll"),
    path("<uuid:poll_id>/manage/reopen/", manage_views.reopen, name="reopen_poll"),
    path("<uuid:poll_id>/manage/extend/", manage_views.extend, name="extend_poll"),
    path("<uuid:poll_id>/manage/election/", manage_views.elect, name="elect_poll"),
    path("<uuid:poll_id>/manage/hide/", manage_views.hide, name="hide_poll"),
    path("<uuid:poll_id>/manage/show/", manage_views.show, name="show_poll"),
    path("<uuid:poll_id>/manage/list/", manage_views.list_, name="list_poll"),
    path("<uuid:poll_id>/manage/delete/", manage_views.delete, name="delete_poll"),
]
