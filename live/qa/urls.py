"""Addresses of a room's questions, below those of its session."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.qa, name="qa"),
    path("manage/", views.manage, name="manage_qa"),
]
