"""Every address at which a result is checked."""

from django.urls import path

from . import checks

RESULTS = "election/<name:name>/results"

urlpatterns = [
    path(f"{RESULTS}/recount/", checks.recount, name="recount"),
    path(f"{RESULTS}/recount/<slug:sealed>.json", checks.recount_ballots, name="recount_ballots"),
    path(f"{RESULTS}/follow/", checks.follow, name="follow"),
    path(f"{RESULTS}/follow/<slug:sealed>.json", checks.follow_ballots, name="follow_ballots"),
    path(f"{RESULTS}/head-to-head/", checks.head_to_head, name="head_to_head"),
    path(f"{RESULTS}/what-if/", checks.what_if, name="what_if"),
]
