"""URLs of letters."""

from django.urls import include, path

from . import views

below_election = [
    path("letters/", views.letters, name="letters"),
    path("letters/print/", views.print_letters, name="print_letters"),
    path("letters/reissue/", views.reissue_letter, name="reissue_letter"),
    path("roll/letter/", views.voter_by_letter, name="voter_by_letter"),
]

urlpatterns = [
    path("election/<name:name>/", include(below_election)),
    path("code/", views.enter_code, name="enter_code"),
    path("code/<str:code>/", views.enter_code, name="by_code"),
]
