"""URLs of questions to candidates."""

from django.urls import include, path

from . import views

below_election = [
    path("", views.candidate_questions, name="candidate_questions"),
    path("review/", views.review_questions, name="review_questions"),
    path("answer/", views.answer_questions, name="answer_questions"),
    path("answer/as/<int:number>/", views.answer_questions, name="answer_questions"),
    path("answer/<int:number>/", views.answer_for, name="answer_for"),
]

urlpatterns = [
    path("election/<name:name>/questions/", include(below_election)),
    path("answers/<str:token>/", views.answer_by_link, name="answer_by_link"),
]
