"""Addresses of a room's questions, below those of its session."""

from django.urls import path

from . import qa as views

urlpatterns = [
    path("<slug:game_id>/qa/", views.qa, name="qa"),
    path("<slug:game_id>/qa/manage/", views.manage, name="manage_qa"),
]
