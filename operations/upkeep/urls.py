"""URLs for monitoring."""

from django.urls import path

from . import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
    path("doctor/<str:signed>/", views.doctor, name="doctor"),
]
