"""Every address about ballots."""

from django.urls import include, path

from . import book_views, link_views, views

below_ballot = [
    path("receipt/qr.svg", views.receipt_qr, name="receipt_qr"),
    path("state/", views.ballot_state, name="ballot_state"),
    path("leave/", link_views.leave, name="leave_ballot"),
    path("withdraw/", views.withdraw, name="withdraw"),
]

below_election = [
    path("<name:name>/ballot/", views.ballot, name="ballot"),  # every level of includes takes as long as four addresses
    path("<name:name>/ballot/review/", views.review, name="review"),
    path("<name:name>/ballot/cast/", views.cast, name="cast"),
    path("<name:name>/ballot/receipt/", views.receipt, name="receipt"),
    path("<name:name>/ballot/", include(below_ballot)),
    path("<name:name>/rehearsal/", views.rehearse, name="rehearse"),
    path("<name:name>/paper/", views.paper, name="paper"),
    path("<name:name>/paper/enter/", views.enter_paper, name="enter_paper"),
]

below_book = [
    path("<slug:book_id>/ballot/", book_views.book_ballot, name="book_ballot"),
    path("<slug:book_id>/ballot/<int:place>/", book_views.book_question, name="book_question"),
    path("<slug:book_id>/ballot/review/", book_views.book_review, name="book_review"),
    path("<slug:book_id>/ballot/cast/", book_views.cast_book, name="cast_book"),
    path("<slug:book_id>/ballot/receipts/", book_views.book_receipts, name="book_receipts"),
]

urlpatterns = [
    path("election/", include(below_election)),
    path("vote/", link_views.your_link, name="your_link"),
    path("vote/<str:token>/", link_views.vote_by_link, name="vote_by_link"),
    path("book/", include(below_book)),
    path("help/secrecy/", views.help_secrecy, name="help_secrecy"),
]
