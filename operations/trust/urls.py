"""All URLs about why and how far the site can be trusted."""

from django.urls import path

from . import views

urlpatterns = [
    path("trust/", views.trust, name="trust"),
    path("trust/code.json", views.code, name="served_code"),
    path("trust/<slug:subject>/", views.notice, name="notice"),
    path("trust/<slug:subject>/edit/", views.edit_notice, name="edit_notice"),
    path(".well-known/security.txt", views.security_txt, name="security_txt"),
]
