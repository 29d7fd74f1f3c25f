"""URLs of voting."""

from django.urls import include, path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from accounts.access import View, public

from . import guest_views, organiser_views, views


def leads_to(page: str) -> View:
    """From where earlier versions had a page."""
    return public(require_safe(RedirectView.as_view(pattern_name=page)))


below_ballot = [
    path("review/", leads_to("ballot"), name="review"),
    path("receipt/qr.svg", views.receipt_qr, name="receipt_qr"),
    path("state/", views.ballot_state, name="ballot_state"),
    path("leave/", guest_views.leave, name="leave_ballot"),
    path("withdraw/", views.withdraw, name="withdraw"),
]

below_change = [
    path("receipt/", guest_views.change_receipt, name="change_receipt"),
    path("ballot/", guest_views.change_ballot, name="change_ballot"),
    path("review/", leads_to("change_ballot"), name="change_review"),
    path("cast/", guest_views.change_cast, name="change_cast"),
    path("withdraw/", guest_views.change_withdraw, name="change_withdraw"),
]

below_election = [
    path("<name:name>/ballot/", views.ballot, name="ballot"),  # every level of includes takes as long as four addresses
    path("<name:name>/ballot/cast/", views.cast, name="cast"),
    path("<name:name>/ballot/receipt/", views.receipt, name="receipt"),
    path("<name:name>/ballot/", include(below_ballot)),
    path("<name:name>/change/", guest_views.change, name="change"),
    path("<name:name>/change/", include(below_change)),
    path("<name:name>/rehearsal/", organiser_views.rehearse, name="rehearse"),
    path("<name:name>/paper/", organiser_views.paper, name="paper"),
    path("<name:name>/paper/enter/", organiser_views.enter_paper, name="enter_paper"),
]


urlpatterns = [
    path("election/", include(below_election)),
    path("vote/", guest_views.your_link, name="your_link"),
    path("vote/<str:token>/", guest_views.vote_by_link, name="vote_by_link"),
    path("help/secrecy/", views.help_secrecy, name="help_secrecy"),
]
