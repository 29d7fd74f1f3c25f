"""Addresses about the log: the explorer, an election's history, checkpoints."""

from django.urls import path

from elections import history_views

from . import checkpoint_views, log_views

urlpatterns = [
    path("admin/log/", log_views.log, name="log"),
    path("admin/log/<int:number>/", log_views.event, name="event"),
    path("election/<name:name>/history/", history_views.history, name="history"),
    path("checkpoints/", checkpoint_views.checkpoints, name="checkpoints"),
    path("checkpoints/newest.txt", checkpoint_views.newest, name="newest_checkpoint"),
    path("checkpoints/<int:number>/", checkpoint_views.checkpoint, name="checkpoint"),
]
