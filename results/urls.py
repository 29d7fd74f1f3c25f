"""URLs of results: live, sealed, checks, downloads, sharing; and the sandbox."""

from django.urls import include, path

from . import export_views, sandbox_views, views
from . import sharing_views as share_views
from .checks import head_to_head, in_browser, what_if
from .incoming import views as live_views
from .mailing import views as mail_views

of_question = [
    path("results/screen/", views.result_screen, name="result_screen"),
    path("live/", live_views.live, name="live"),
    path("live/now/", live_views.live_now, name="live_now"),
    path("results/recount/", in_browser.recount, name="recount"),
    path("results/recount/<slug:sealed>.json", in_browser.recount_ballots, name="recount_ballots"),
    path("results/follow/", in_browser.follow, name="follow"),
    path("results/follow/<slug:sealed>.json", in_browser.follow_ballots, name="follow_ballots"),
    path("results/head-to-head/", head_to_head.head_to_head, name="head_to_head"),
    path("results/what-if/", what_if.what_if, name="what_if"),
    path("results/export/<str:file>", export_views.export, name="export"),
]

of_election = [
    *of_question,
    path("question/<int:question>/", include(of_question)),
    path("results/bundle.zip", export_views.bundle, name="bundle"),
    path("results/mail/", mail_views.mail_result, name="mail_result"),
]

urlpatterns = [
    path("election/<name:name>/", include(of_election)),
    path("result/<name:name>/", share_views.shared, name="shared"),
    path("result/<name:name>/question/<int:question>/", share_views.shared, name="shared"),
    path("waiting/<str:token>/", views.waiting, name="waiting_for_result"),
    path("help/counting/", views.help_counting, name="help_counting"),
    path("try/", sandbox_views.try_it, name="try_it"),
    path("sandbox/", sandbox_views.sandbox, name="sandbox"),
]
