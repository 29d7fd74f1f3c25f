"""The URL of the bell."""

from django.urls import path

from . import views

urlpatterns = [path("bell/", views.bell, name="bell")]
