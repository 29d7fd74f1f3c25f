"""URLs of results: live, sealed, checks, downloads, sharing; the sandbox; and the home page with the site's own."""

from django.urls import include, path

from . import checks, in_browser, incoming, sandbox_views, sharing_views, views, waiting
from .front_page import home, site_views

of_question = [
    path("results/screen/", views.result_screen, name="result_screen"),
    path("live/", incoming.live, name="live"),
    path("live/now/", incoming.live_now, name="live_now"),
    path("results/recount/", in_browser.recount, name="recount"),
    path("results/recount/<slug:sealed>.json", in_browser.recount_ballots, name="recount_ballots"),
    path("results/follow/", in_browser.follow, name="follow"),
    path("results/follow/<slug:sealed>.json", in_browser.follow_ballots, name="follow_ballots"),
    path("results/head-to-head/", checks.head_to_head, name="head_to_head"),
    path("results/what-if/", checks.what_if, name="what_if"),
    path("results/export/<str:file>", sharing_views.export, name="export"),
]

of_election = [
    *of_question,
    path("question/<int:question>/", include(of_question)),
    path("results/bundle.zip", sharing_views.bundle, name="bundle"),
    path("results/mail/", sharing_views.mail_result, name="mail_result"),
]

urlpatterns = [
    path("election/<name:name>/", include(of_election)),
    path("result/<name:name>/", sharing_views.shared, name="shared"),
    path("result/<name:name>/question/<int:question>/", sharing_views.shared, name="shared"),
    path("waiting/<str:token>/", waiting.waiting, name="waiting_for_result"),
    path("help/counting/", views.help_counting, name="help_counting"),
    path("try/", sandbox_views.try_it, name="try_it"),
    path("sandbox/", sandbox_views.sandbox, name="sandbox"),
    path("", home.home, name="home"),
    path("site/", site_views.page, name="site_page"),
    path("site/edit/<slug:part>/", site_views.edit, name="edit_site_page"),
    path("site/remove/", site_views.remove, name="remove_site_page"),
]
