"""Every address about results: while they come in, sealed, checked, taken away, shared; and the sandbox."""

from django.urls import path

from . import book_views, coverage_views, export_views, live_views, mail_views, sandbox_views, share_views, views
from .checks import follow, head_to_head, recount, what_if

RESULTS = "election/<name:name>/results"

urlpatterns = [
    path("election/<name:name>/live/", live_views.live, name="live"),
    path("election/<name:name>/live/now/", live_views.live_now, name="live_now"),
    path(f"{RESULTS}/", views.results, name="results"),
    path(f"{RESULTS}/recount/", recount.recount, name="recount"),
    path(f"{RESULTS}/recount/<slug:sealed>.json", recount.recount_ballots, name="recount_ballots"),
    path(f"{RESULTS}/follow/", follow.follow, name="follow"),
    path(f"{RESULTS}/follow/<slug:sealed>.json", follow.follow_ballots, name="follow_ballots"),
    path(f"{RESULTS}/head-to-head/", head_to_head.head_to_head, name="head_to_head"),
    path(f"{RESULTS}/what-if/", what_if.what_if, name="what_if"),
    path(f"{RESULTS}/export/<str:file>", export_views.export, name="export"),
    path(f"{RESULTS}/skills.csv", coverage_views.board_skills, name="board_skills"),
    path(f"{RESULTS}/bundle.zip", export_views.bundle, name="bundle"),
    path(f"{RESULTS}/mail/", mail_views.mail_result, name="mail_result"),
    path("result/<name:name>/", share_views.shared, name="shared"),
    path("result/<name:name>/embed/", share_views.embed, name="embed"),
    path("result/<name:name>/card/<slug:language>/<slug:sealed>.png", share_views.card, name="card"),
    path("book/<slug:book_id>/results/", book_views.book_results, name="book_results"),
    path("book/<slug:book_id>/result/", book_views.shared_book, name="shared_book"),
    path("help/counting/", views.help_counting, name="help_counting"),
    path("sandbox/", sandbox_views.sandbox, name="sandbox"),
]
