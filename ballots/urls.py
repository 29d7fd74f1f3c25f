"""Every address about ballots."""

from django.urls import path

from . import link_views, views

urlpatterns = [
    path("vote/<str:token>/", link_views.vote_by_link, name="vote_by_link"),
    path("election/<name:name>/ballot/", views.ballot, name="ballot"),
    path("election/<name:name>/ballot/review/", views.review, name="review"),
    path("election/<name:name>/ballot/cast/", views.cast, name="cast"),
    path("election/<name:name>/ballot/receipt/", views.receipt, name="receipt"),
    path("election/<name:name>/ballot/state/", views.ballot_state, name="ballot_state"),
    path("election/<name:name>/ballot/leave/", link_views.leave, name="leave_ballot"),
    path("election/<name:name>/ballot/withdraw/", views.withdraw, name="withdraw"),
    path("election/<name:name>/rehearsal/", views.rehearse, name="rehearse"),
    path("help/secrecy/", views.help_secrecy, name="help_secrecy"),
    path("election/<name:name>/paper/", views.paper, name="paper"),
    path("election/<name:name>/paper/enter/", views.enter_paper, name="enter_paper"),
]
