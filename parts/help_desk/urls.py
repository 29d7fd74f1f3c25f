"""URLs of the help desk of an election."""

from django.urls import path

from . import views

urlpatterns = [
    path("election/<name:name>/help/", views.ask_for_help, name="ask_for_help"),
    path("election/<name:name>/requests/", views.requests, name="requests"),
    path("election/<name:name>/requests/<slug:request_id>/", views.request_page, name="request"),
]
