"""Addresses of live sessions."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
