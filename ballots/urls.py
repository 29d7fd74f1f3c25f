"""Every address about ballots."""

from django.urls import path

from . import book_views, link_views, views

urlpatterns = [
    path("vote/", link_views.your_link, name="your_link"),
    path("vote/<str:token>/", link_views.vote_by_link, name="vote_by_link"),
    path("election/<name:name>/ballot/", views.ballot, name="ballot"),
    path("election/<name:name>/ballot/review/", views.review, name="review"),
    path("election/<name:name>/ballot/cast/", views.cast, name="cast"),
    path("election/<name:name>/ballot/receipt/", views.receipt, name="receipt"),
    path("election/<name:name>/ballot/receipt/qr.svg", views.receipt_qr, name="receipt_qr"),
    path("election/<name:name>/ballot/state/", views.ballot_state, name="ballot_state"),
    path("election/<name:name>/ballot/leave/", link_views.leave, name="leave_ballot"),
    path("election/<name:name>/ballot/withdraw/", views.withdraw, name="withdraw"),
    path("election/<name:name>/rehearsal/", views.rehearse, name="rehearse"),
    path("book/<slug:book_id>/ballot/", book_views.book_ballot, name="book_ballot"),
    path("book/<slug:book_id>/ballot/<int:place>/", book_views.book_question, name="book_question"),
    path("book/<slug:book_id>/ballot/review/", book_views.book_review, name="book_review"),
    path("book/<slug:book_id>/ballot/cast/", book_views.cast_book, name="cast_book"),
    path("book/<slug:book_id>/ballot/receipts/", book_views.book_receipts, name="book_receipts"),
    path("help/secrecy/", views.help_secrecy, name="help_secrecy"),
    path("election/<name:name>/paper/", views.paper, name="paper"),
    path("election/<name:name>/paper/enter/", views.enter_paper, name="enter_paper"),
]
