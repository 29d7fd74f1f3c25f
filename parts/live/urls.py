"""URLs of live sessions that are not below /live/."""

from django.urls import path

from .views import joining, reports

urlpatterns = [
    path("join/", joining.join, name="join"),
    path("join/<str:code>/", joining.by_code, name="join_by_code"),
    path("help/live/", reports.help_live, name="help_live"),
]
